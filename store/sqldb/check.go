package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"concilia/export/words"
)

// AddFault takes one fault that a check of the ledger found.
type AddFault func(fault words.Message)

// ErrCopyUnsupported means that this kind of database is not copied by the program but by the tools of its server.
var ErrCopyUnsupported = errors.New("this database is copied by its server")

// queryTexts runs a query of one column.
func queryTexts(ctx context.Context, db Querier, query string) (out []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// Check verifies the structures of the database and returns the faults. SQLite reads every page and index. Postgres
// reports what it has recorded: invalid indexes and checksum failures so far; checking all pages is left to its own tools. What
// cannot be read at all is an error of the driver.
func (db *DB) Check(ctx context.Context) ([]string, error) {
	if db.Dialect.Name() == "sqlite" {
		faults, err := queryTexts(ctx, db.Read, "PRAGMA integrity_check(100)")
		if len(faults) == 1 && faults[0] == "ok" {
			faults = nil
		}
		return faults, err
	}
	return queryTexts(ctx, db.Read, `
		SELECT 'index ' || c.relname || ' is not valid: REINDEX INDEX ' || c.relname
		FROM pg_index AS x
		JOIN pg_class AS c ON c.oid = x.indexrelid
		WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND NOT x.indisvalid
		UNION ALL
		SELECT 'the server counted ' || checksum_failures || ' pages whose checksum does not fit'
		FROM pg_stat_database
		WHERE datname = current_database() AND checksum_failures > 0`)
}

// Copy writes a snapshot of a SQLite database into a new file while others continue to write, then syncs and checks the
// file. It needs disk space for a second copy. For other databases it returns ErrCopyUnsupported.
func (db *DB) Copy(ctx context.Context, to string) error {
	if db.Dialect.Name() != "sqlite" {
		return ErrCopyUnsupported
	}
	// An empty file of ours is taken as new, and keeps its mode, by which others cannot read it.
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	_, err = db.Write.ExecContext(ctx, "VACUUM INTO $1", to)
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return checkCopy(ctx, to)
}

// checkCopy reads an immutable file and makes no files next to it.
func checkCopy(ctx context.Context, path string) (err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	db := sql.OpenDB(&sqliteConnector{
		path: immutableURI(abs), flags: sqlite.OpenReadOnly | sqlite.OpenURI,
	})
	defer func() { err = errors.Join(err, db.Close()) }()
	faults, err := queryTexts(ctx, db, "PRAGMA quick_check(10)")
	if err == nil && (len(faults) != 1 || faults[0] != "ok") {
		err = fmt.Errorf("the copy is damaged: %v", faults)
	}
	return err
}
