package sqldb

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
	"sync"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/pressly/goose/v3"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"concilia/export/words"
)

// maxReaders bounds the pool of readers where their number is not given: a streaming report, the stream of a reconcile and other queries
// meanwhile.
const maxReaders = 6

func openSQLite(ctx context.Context, path string, readers int) (*DB, error) {
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
		return openReadOnlySQLite(ctx, path, abs, readers)
	}
	slack, err := reserveCachePages()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	write := sql.OpenDB(&sqliteConnector{
		path: abs, flags: sqlite.OpenReadWrite | sqlite.OpenCreate, begin: "BEGIN IMMEDIATE", pragmas: []string{
			// Of a new file alone. A page of this size holds some thirty expectations or versions: half as many pages to find,
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
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers) // a reader that is closed takes its prepared statements with it
	db := &DB{Write: write, Read: &Reader{DB: read, dialect: sqliteDialect{}}, Dialect: sqliteDialect{}, close: func() error {
		// The writer goes last: closing the last connection folds the log into the file, which only it may do.
		return errors.Join(read.Close(), write.Close(), slack())
	}}
	if err := connectFirst(ctx, write); err != nil {
		err = errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
		if !isReadOnlyFailure(err) {
			return nil, err
		}
		// Its folder is read-only. If reading alone fails too, the first error is returned.
		if shut, again := openReadOnlySQLite(ctx, path, abs, readers); again == nil {
			return shut, nil
		}
		return nil, err
	}
	return db, nil
}

// createPrivateFile makes a file that is not there yet, for its owner alone: a ledger holds payers' data. SQLite gives the same
// rights to the files it makes next to it; a file that exists keeps its rights.
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
// that open a new file at once only one can turn on the write-ahead log: SQLite answers the others that it is busy
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
		return fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.no_path", ""))
	case path == ":memory:" || strings.HasPrefix(path, "file:"):
		return fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.path_of_file", "", "path", fmt.Sprintf("%q", path)))
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.no_folder", "", "path", path, "dir", dir))
	case err != nil:
		return fmt.Errorf("%w: %s: %w", ErrDSN, path, err)
	case !info.IsDir():
		return fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.not_folder", "", "path", path, "dir", dir))
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.is_folder", "", "path", path))
	}
	return nil
}

type sqliteDialect struct{}

func (sqliteDialect) Name() string                { return "sqlite" }
func (sqliteDialect) GooseDialect() goose.Dialect { return goose.DialectSQLite3 }

// Lock has nothing to do: a writing transaction holds the whole file.
func (sqliteDialect) Lock(context.Context, *sql.Tx, string) error { return nil }

func (sqliteDialect) LockShared(context.Context, *sql.Tx, string) error { return nil }

func (sqliteDialect) MonthOfDay(day string) string {
	return "CAST(strftime('%Y%m', '0001-01-01', (" + day + " - 1) || ' days') AS INTEGER)"
}

func (sqliteDialect) UnnestJSON(expr, alias string) string {
	return "json_each(" + expr + ") AS " + alias
}

func (sqliteDialect) ElementOrdinal(alias string) string { return "(" + alias + ".key + 1)" }

func (sqliteDialect) IntMember(alias, member string) string {
	return "json_extract(" + alias + ".value, '$." + member + "')"
}

func (d sqliteDialect) TextMember(alias, member string) string { return d.IntMember(alias, member) }

// ClockQuery is empty: who opens the file is on its machine.
func (sqliteDialect) ClockQuery() string { return "" }

// OptimizationFence is a bound that no result comes near: SQLite reads a query with one by itself, and otherwise sorts every column that
// is read behind the sorting.
func (sqliteDialect) OptimizationFence() string { return " LIMIT 9223372036854775807" }

// UseIndex names the index: without statistics SQLite takes the key of a table for as good as any index with one column more.
func (sqliteDialect) UseIndex(name string) string { return " INDEXED BY " + name }

// JoinOneByOne says CROSS JOIN, whose order SQLite keeps. It names the index: see UseIndex.
func (d sqliteDialect) JoinOneByOne(table, alias, index, condition string) string {
	if index != "" {
		alias += d.UseIndex(index)
	}
	return "CROSS JOIN " + table + " AS " + alias + " ON " + condition
}

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
	case sqlite.ResultError:
		// SUM has no code of its own for this, and this text since SQLite 3.0.
		if strings.Contains(err.Error(), "integer overflow") {
			return OutOfRange
		}
	}
	// More specific codes come first.
	switch code.ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return RetryableError
	case sqlite.ResultFull, sqlite.ResultIOErr, sqlite.ResultReadOnly, sqlite.ResultCantOpen, sqlite.ResultCorrupt,
		sqlite.ResultNotADB, sqlite.ResultPerm, sqlite.ResultAuth, sqlite.ResultNoMem:
		return DatabaseUnavailable
	}
	return OtherError
}

// LacksTemporary reports whether SQLite found no folder for its temporary files: it looks where SQLITE_TMPDIR and TMPDIR say, in the
// usual places and where the process was started.
func LacksTemporary(err error) bool { return sqlite.ErrCode(err) == sqlite.ResultIOErrGetTempPath }

// ErrReadOnly means that the database was opened for reading only.
var ErrReadOnly error = words.NewFault("ledger_fault.read_only", "")

// errFileChanged means that a file was written while it was read as an immutable one.
var errFileChanged error = words.NewFault("ledger_fault.changed", "")

// isWritable reports whether the file may be written; its folder may be read-only all the same.
func isWritable(path string) bool {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		return file.Close() == nil
	}
	return !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS)
}

// isReadOnlyFailure reports whether SQLite could not write the file or make its own files next to it.
func isReadOnlyFailure(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultCantOpen || code == sqlite.ResultReadOnly
}

// openReadOnlySQLite opens a file that may not be written, or whose folder may not. Where there is no log next to it the file is
// opened as immutable, since SQLite would otherwise make a log, and every answer checks that it has not changed.
// Where there is a log both are read. Writes are refused.
func openReadOnlySQLite(ctx context.Context, path, abs string, readers int) (*DB, error) {
	o := sqliteConnector{
		path: abs, flags: sqlite.OpenReadOnly, begin: "BEGIN", pragmas: []string{"query_only = 1", cacheSize(readerCache)},
	}
	was, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	log, err := os.Stat(abs + "-wal")
	if logged := err == nil && log.Size() > 0; !logged {
		o.path, o.flags = immutableURI(abs), o.flags|sqlite.OpenURI
		o.fileUnchanged = func() error {
			now, err := os.Stat(abs)
			if err != nil || !os.SameFile(was, now) || !now.ModTime().Equal(was.ModTime()) || now.Size() != was.Size() {
				return errFileChanged
			}
			return nil
		}
	}
	writer := o
	writer.readOnlyErr = words.NewFault("ledger_fault.read_only_at", "", "cause", ErrReadOnly, "path", path)
	read, write := sql.OpenDB(&o), sql.OpenDB(&writer)
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	write.SetMaxOpenConns(1)
	db := &DB{Write: write, Read: &Reader{DB: read, dialect: sqliteDialect{}}, Dialect: sqliteDialect{}, close: func() error {
		return errors.Join(read.Close(), write.Close())
	}}
	if err := connectFirst(ctx, write); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s, which may not be written: %w", path, err), db.Close())
	}
	return db, nil
}

// immutableURI is the URI of an immutable file, for which SQLite makes no files next to it.
func immutableURI(abs string) string {
	return "file:" + (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath() + "?immutable=1"
}

// How large the page caches are, in KiB: what a night rereads and dirties, and what a stream rereads.
const (
	writerCache = 16 << 10
	readerCache = 2 << 10
)

// reservedPages are left free by all caches together. A cache that is full grows at the cost of the others, up to this much: a page
// takes twice its size of memory, so that 1,024 are 16 MiB.
const reservedPages = 1024

// cacheSize is the PRAGMA for a cache of so many KiB.
func cacheSize(kib int) string { return fmt.Sprintf("cache_size = -%d", kib) }

// reserveCachePages makes room for the page caches that none of them uses. This build of SQLite has all the caches of the process
// in one account (SQLITE_ENABLE_MEMORY_MANAGEMENT): one that is full takes the oldest page of any of them, and as long as
// together they hold as much as all may, one that is not full, because another stream took its pages, loses every
// page the moment it is let go, the roots of its trees among them: a writer then reads from the file what it has just
// read, at each step. A connection to no file, which has a cache and puts nothing in it, keeps the sum below what all may
// hold.
func reserveCachePages() (closing func() error, err error) {
	c, err := sqlite.OpenConn("", sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	if err := sqlitex.ExecuteTransient(c, fmt.Sprintf("PRAGMA cache_size = %d", reservedPages), nil); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return sync.OnceValue(c.Close), nil // closing a database again is no error
}
