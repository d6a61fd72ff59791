package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/pressly/goose/v3"
	"zombiezen.com/go/sqlite"
)

// maxReaders bounds the pool of readers: a streaming report, the stream of a reconcile and the questions beside them.
const maxReaders = 6

func openSQLite(ctx context.Context, path string) (*DB, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	if err := refuseNetworkPath(path, networkFilesystem); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDSN, err)
	}
	if err := createPrivateFile(abs); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if !isWritable(abs) {
		return openReadOnlySQLite(ctx, path, abs)
	}
	slack, err := reserveCachePages()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	write := sql.OpenDB(&sqliteConnector{
		path: abs, flags: sqlite.OpenReadWrite | sqlite.OpenCreate, begin: "BEGIN IMMEDIATE", pragmas: []string{
			// Of a new file alone. A page of this size holds some thirty beliefs or versions: half as many pages to find,
			// to split and to log as of SQLite's own size.
			"page_size = 8192",
			// A commit of the ledger is the only copy of an answer the service may word differently tomorrow, and there
			// is one a window: FULL costs one more fsync each and loses nothing when the power goes.
			"journal_mode = WAL", "synchronous = FULL", "foreign_keys = 1", cacheSize(writerCache),
		},
	})
	write.SetMaxOpenConns(1)
	read := sql.OpenDB(&sqliteConnector{
		path: abs, flags: sqlite.OpenReadWrite, begin: "BEGIN", pragmas: []string{"query_only = 1", cacheSize(readerCache)},
	})
	read.SetMaxOpenConns(maxReaders)
	db := &DB{Write: write, Read: &Reader{read, sqliteDialect{}}, Dialect: sqliteDialect{}, close: func() error {
		// The writer goes last: closing the last connection folds the log into the file, which only it may do.
		return errors.Join(read.Close(), write.Close(), slack())
	}}
	if err := connectFirst(ctx, write); err != nil {
		err = errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
		if !isReadOnlyFailure(err) {
			return nil, err
		}
		// Its folder is shut. What only reading cannot mend either is told as it was.
		if shut, again := openReadOnlySQLite(ctx, path, abs); again == nil {
			return shut, nil
		}
		return nil, err
	}
	return db, nil
}

// createPrivateFile makes a file that is not there yet, for its owner alone: a ledger holds payers' data. SQLite gives the same
// rights to the files it puts beside it; one that is there keeps the rights it has.
func createPrivateFile(path string) error {
	const owner = 0o600
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, owner)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return file.Close()
}

// connectFirst makes the writer's connection, which finds out whether the file can be locked and written. Of processes
// that open a new file at once only one can turn on the write-ahead log: SQLite tells the others that it is busy
// without the wait that it grants them everywhere else.
func connectFirst(ctx context.Context, write *sql.DB) error {
	first := func() (struct{}, error) {
		_, err := write.ExecContext(ctx, "PRAGMA user_version")
		if err != nil && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}
	pace := backoff.NewExponentialBackOff()
	pace.InitialInterval, pace.MaxInterval = time.Millisecond, 100*time.Millisecond
	_, err := backoff.Retry(ctx, first, backoff.WithBackOff(pace), backoff.WithMaxElapsedTime(20*time.Second))
	return err
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

type sqliteDialect struct{}

func (sqliteDialect) Name() string                { return "sqlite" }
func (sqliteDialect) GooseDialect() goose.Dialect { return goose.DialectSQLite3 }

// Lock has nothing to do: a writing transaction holds the whole file.
func (sqliteDialect) Lock(context.Context, *sql.Tx, string) error { return nil }

func (sqliteDialect) LockShared(context.Context, *sql.Tx, string) error { return nil }

func (sqliteDialect) UnnestJSON(expr, alias string) string {
	return "json_each(" + expr + ") AS " + alias
}

func (sqliteDialect) ElementOrdinal(alias string) string { return "(" + alias + ".key + 1)" }

func (sqliteDialect) IntMember(alias, member string) string {
	return "json_extract(" + alias + ".value, '$." + member + "')"
}

func (d sqliteDialect) TextMember(alias, member string) string { return d.IntMember(alias, member) }

// Seeks is true: SQLite knows no other join.
func (sqliteDialect) JoinsBySeeking() bool { return true }

// Fence is a bound that nothing comes near: SQLite reads a query with one by itself, and otherwise sorts every column that
// is read behind the sorting.
func (sqliteDialect) OptimizationFence() string { return " LIMIT 9223372036854775807" }

func (sqliteDialect) TableExists(ctx context.Context, db Querier, table string) (bool, error) {
	var n int
	err := db.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM sqlite_master
		WHERE type = 'table' AND name = $1`, table).Scan(&n)
	return n > 0, err
}

func (sqliteDialect) ClassifyError(err error) ErrorClass {
	if errors.Is(err, ErrReadOnly) || errors.Is(err, errFileChanged) {
		return DatabaseUnavailable
	}
	code := sqlite.ErrCode(err)
	switch code {
	case sqlite.ResultConstraintPrimaryKey, sqlite.ResultConstraintUnique:
		return DuplicateKey
	}
	// What refines a code stands above it.
	switch code.ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return RetryableError
	case sqlite.ResultFull, sqlite.ResultIOErr, sqlite.ResultReadOnly, sqlite.ResultCantOpen, sqlite.ResultCorrupt,
		sqlite.ResultNotADB, sqlite.ResultPerm, sqlite.ResultAuth, sqlite.ResultNoMem:
		return DatabaseUnavailable
	}
	return OtherError
}
