package storetest

import (
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"concilia/store/engine"
)

// released is the version of the tables that the first released program made; SQLite had no use for the third step.
const released = 3

// blob is a blob as the text of the fixture has it, which is SQLite's way.
var blob = regexp.MustCompile(`X'([0-9A-F]*)'`)

// Released fills the empty database at dsn with the ledger of five nights of account 1001 as the released program left
// it, in its tables. root is the folder of the module. The ledger has to be migrated before it is used.
func Released(t testing.TB, dsn, root string) {
	t.Helper()
	ctx := t.Context()
	db, err := engine.Open(ctx, dsn)
	ok(t, err)
	defer func() { ok(t, db.Close()) }()
	p, err := db.Migrator(ctx, os.DirFS(filepath.Join(root, "store", "migrations", db.Dialect.Name())))
	ok(t, err)
	_, err = p.UpTo(ctx, released)
	ok(t, err)
	text := releasedText(t, root)
	if db.Dialect.Name() == "postgres" {
		text = blob.ReplaceAllString(text, `'\x$1'`)
	}
	tx, err := db.Write.BeginTx(context.WithoutCancel(ctx), nil)
	ok(t, err)
	for statement := range strings.Lines(text) {
		if strings.HasPrefix(statement, "--") {
			continue
		}
		if _, err := tx.ExecContext(ctx, strings.TrimSuffix(statement, ";\n")); err != nil {
			t.Fatalf("%.60s…: %v", statement, err)
		}
	}
	ok(t, tx.Commit())
}

func releasedText(t testing.TB, root string) string {
	t.Helper()
	file, err := os.Open(filepath.Join(root, "testdata", "store", "released.sql.gz"))
	ok(t, err)
	defer func() { _ = file.Close() }()
	unpacked, err := gzip.NewReader(file)
	ok(t, err)
	text, err := io.ReadAll(unpacked)
	ok(t, err)
	return string(text)
}
