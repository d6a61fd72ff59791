package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"concilia/store/sqldb"
)

// BackupError is why no backup was made: the file exists, its folder does not, or the ledger is on Postgres.
type BackupError struct{ Text string }

func (e *BackupError) Error() string { return e.Text }

// Backup writes a snapshot of the ledger into the new file path, while runs continue, and returns its size in bytes. The
// file gets its name only when it is complete, synced and checked; an existing file is not overwritten. Notifications in
// the inbox are not included: Inbox.Backup copies them. A refusal is a *BackupError.
func (l *Ledger) Backup(ctx context.Context, path string) (size int64, err error) {
	doing := "back up the ledger to " + path
	if l.db.Dialect.Name() != "sqlite" {
		return 0, &BackupError{"a ledger on Postgres is backed up by Postgres: pg_dump --format=custom --file=" + path +
			" --dbname=\"$CONCILIA_LEDGER_DSN\""}
	}
	if _, err := os.Lstat(path); err == nil {
		return 0, &BackupError{path + " is there already, and a backup overwrites nothing: name another file"}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, &BackupError{fmt.Sprintf("%s cannot be written: %v", path, err)}
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return 0, &BackupError{dir + " is not a folder: create it first"}
	}
	part := path + ".part-" + rand.Text()[:8]
	defer func() { _ = os.Remove(part) }() // fails if all went well: the file has its final name
	if err := l.db.Copy(ctx, part); err != nil {
		if errors.Is(err, sqldb.ErrCopyUnsupported) {
			return 0, &BackupError{err.Error()}
		}
		return 0, l.db.WrapError(doing, err)
	}
	if err := publishNew(part, path); err != nil {
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	return info.Size(), nil
}

// Backup is Ledger.Backup for the inbox.
func (b *Inbox) Backup(ctx context.Context, path string) (size int64, err error) {
	return b.l.Backup(ctx, path)
}

// publishNew gives the file its name unless another has it by now, and syncs the folder.
func publishNew(part, path string) error {
	err := os.Link(part, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return &BackupError{path + " is there already, and a backup overwrites nothing: name another file"}
	case err != nil:
		// A file system without links: a rename overwrites what came in the last instant.
		if err := os.Rename(part, path); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" {
		return nil // it has no way to sync a folder
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
