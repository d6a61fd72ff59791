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
	"syscall"

	"zombiezen.com/go/sqlite"
)

// ErrReadOnly means that the database was opened for reading only.
var ErrReadOnly = errors.New("the ledger may only be read here")

// errFileChanged says that a file was written while it was read as one that nobody writes.
var errFileChanged = errors.New("the ledger was written while it was read where it may only be read: ask again")

// isWritable says whether the file may be written; its folder may be shut all the same.
func isWritable(path string) bool {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		return file.Close() == nil
	}
	return !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS)
}

// isReadOnlyFailure says whether SQLite could not write the file or make its own beside it.
func isReadOnlyFailure(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultCantOpen || code == sqlite.ResultReadOnly
}

// openReadOnlySQLite opens a file that may not be written, or whose folder may not. Where no log lies beside it the file is all
// there is: SQLite is told that nobody writes it, or it would want to make its log, and that this holds is looked at
// with every answer. Where one lies there both are read. What wants to write is refused.
func openReadOnlySQLite(ctx context.Context, path, abs string) (*DB, error) {
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
	writer.readOnlyErr = fmt.Errorf("%w: %s or its folder may not be written: what only reads works all the same", ErrReadOnly, path)
	read, write := sql.OpenDB(&o), sql.OpenDB(&writer)
	read.SetMaxOpenConns(maxReaders)
	write.SetMaxOpenConns(1)
	db := &DB{Write: write, Read: &Reader{read, sqliteDialect{}}, Dialect: sqliteDialect{}, close: func() error {
		return errors.Join(read.Close(), write.Close())
	}}
	if err := connectFirst(ctx, write); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s, which may not be written: %w", path, err), db.Close())
	}
	return db, nil
}

// immutableURI is the URI of a file that nobody writes, by which SQLite leaves nothing beside it.
func immutableURI(abs string) string {
	return "file:" + (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath() + "?immutable=1"
}
