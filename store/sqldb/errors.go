package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// ErrNotFound means that the ledger has no such record.
var ErrNotFound = errors.New("not in the ledger")

// UnavailableError says that the ledger cannot be reached, read or written now: no connection, disk full, read-only,
// locked by another program for too long, damaged. What was being done left nothing behind.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string { return "the ledger is not available: " + e.Err.Error() }

// Unwrap gives the driver's error.
func (e *UnavailableError) Unwrap() error { return e.Err }

// WrapError names what was being done and classes the driver's error by its code.
func (db *DB) WrapError(doing string, err error) error {
	if err == nil {
		return nil
	}
	// Whatever the driver made of a cancelled context, the caller asked for it.
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	}
	var known *UnavailableError
	if errors.As(err, &known) {
		return err
	}
	switch db.Dialect.ClassifyError(err) {
	case DatabaseUnavailable, RetryableError, ConnectionLost:
		return &UnavailableError{Err: fmt.Errorf("%s: %w", doing, err)}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// IsTransient reports whether the operation that failed with err may succeed when it is started again: the connection was
// lost, the server restarts or fails over, the file is locked. A full or damaged disk or a refusal is not passing.
func (db *DB) IsTransient(err error) bool {
	var known *UnavailableError
	if !errors.As(err, &known) {
		return false
	}
	class := db.Dialect.ClassifyError(err)
	return class == RetryableError || class == ConnectionLost
}
