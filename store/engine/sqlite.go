package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// readers bounds the pool of readers: a streaming report, the stream of a reconcile and the questions beside them.
const readers = 6

func openSQLite(ctx context.Context, path string) (*DB, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDSN, err)
	}
	write, err := sql.Open("sqlite", sqliteURI(abs,
		// A commit of the ledger is the only copy of an answer the service may word differently tomorrow, and there
		// is one a window: FULL costs one more fsync each and loses nothing when the power goes.
		"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "busy_timeout(20000)", "cache_size(-32768)")+
		"&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := sql.Open("sqlite", sqliteURI(abs, "busy_timeout(20000)", "query_only(1)", "cache_size(-8192)"))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(readers)
	db := &DB{Write: write, Read: read, Dialect: sqliteDialect{}, close: func() error {
		// The writer goes last: closing the last connection folds the log into the file, which only it may do.
		return errors.Join(read.Close(), write.Close())
	}}
	// Writing nothing inside a transaction finds out now whether the file can be locked and written.
	if _, err := write.ExecContext(ctx, "PRAGMA user_version"); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return db, nil
}

func checkPath(path string) error {
	switch {
	case path == "":
		return fmt.Errorf("%w: no path: write sqlite:PATH", ErrDSN)
	case path == ":memory:" || strings.HasPrefix(path, "file:"):
		return fmt.Errorf("%w: %q: write the path of a file: sqlite:concilia.db", ErrDSN, path)
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s: the folder %s does not exist: create it first", ErrDSN, path, dir)
	case err != nil:
		return fmt.Errorf("%w: %s: %w", ErrDSN, path, err)
	case !info.IsDir():
		return fmt.Errorf("%w: %s: %s is not a folder", ErrDSN, path, dir)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%w: %s is a folder: name a file in it", ErrDSN, path)
	}
	return nil
}

// sqliteURI spells a path as SQLite's own URI; without the file: prefix its parameters would be part of the name.
func sqliteURI(abs string, pragmas ...string) string {
	q := url.Values{"_pragma": pragmas}
	return "file:" + (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath() + "?" + q.Encode()
}

type sqliteDialect struct{}

func (sqliteDialect) Name() string         { return "sqlite" }
func (sqliteDialect) Goose() goose.Dialect { return goose.DialectSQLite3 }

// Lock has nothing to do: a writing transaction holds the whole file.
func (sqliteDialect) Lock(context.Context, *sql.Tx, string) error { return nil }

func (sqliteDialect) Elements(expr, alias string) string {
	return "json_each(" + expr + ") AS " + alias
}

func (sqliteDialect) Ordinal(alias string) string { return "(" + alias + ".key + 1)" }

func (sqliteDialect) Int(alias, member string) string {
	return "json_extract(" + alias + ".value, '$." + member + "')"
}

func (d sqliteDialect) Text(alias, member string) string { return d.Int(alias, member) }

func (sqliteDialect) Exists(ctx context.Context, db *sql.DB, table string) (bool, error) {
	var n int
	err := db.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM sqlite_master
		WHERE type = 'table' AND name = $1`, table).Scan(&n)
	return n > 0, err
}

func (sqliteDialect) Class(err error) Class {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return Other
	}
	switch e.Code() {
	case lib.SQLITE_CONSTRAINT_PRIMARYKEY, lib.SQLITE_CONSTRAINT_UNIQUE:
		return Duplicate
	}
	// The low byte is the primary code; what stands above it refines it.
	switch e.Code() & 0xff {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_BUSY,
		lib.SQLITE_LOCKED, lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_PERM, lib.SQLITE_AUTH, lib.SQLITE_NOMEM:
		return Unavailable
	}
	return Other
}
