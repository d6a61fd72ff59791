package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"concilia/store/engine"
	"concilia/store/ledger"
)

// ErrNotFound means that the ledger has no such record.
var ErrNotFound = errors.New("not in the ledger")

// ErrNotHeld means that the run that wants to write holds no lease on the account.
var ErrNotHeld = errors.New("the run does not hold the account")

// LockedError says that another run holds the account.
type LockedError struct {
	Account ledger.Account
	Holder  string // the id of that run
	Since   time.Time
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("account %s is held by run %s since %s: wait for it, or end it",
		e.Account, e.Holder, e.Since.UTC().Format(time.RFC3339))
}

// MissingError says that an answer lacks rows that an earlier complete answer showed, and that nothing of it was kept: the
// window is to be asked for once more (ledger.Pull.Recheck).
type MissingError struct{ Rows ledger.MissingRows }

func (e *MissingError) Error() string {
	return fmt.Sprintf("the answer lacks %d of the rows that an earlier one showed", len(e.Rows))
}

// UnavailableError says that the ledger cannot be reached, read or written now: no connection, disk full, read-only,
// locked by another program for too long, damaged. What was being done left nothing behind.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string { return "the ledger is not available: " + e.Err.Error() }

// Unwrap gives the driver's error.
func (e *UnavailableError) Unwrap() error { return e.Err }

// fault names what was being done and classes the driver's error by its code.
func (l *Ledger) fault(doing string, err error) error {
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
	switch l.db.Dialect.Class(err) {
	case engine.Unavailable, engine.Retry, engine.Lost:
		return &UnavailableError{Err: fmt.Errorf("%s: %w", doing, err)}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Passing reports whether the operation that failed with err may succeed when it is started again: the connection was
// lost, the server restarts or fails over, the file is locked. A full or damaged disk or a refusal is not passing.
func (l *Ledger) Passing(err error) bool {
	var known *UnavailableError
	if !errors.As(err, &known) {
		return false
	}
	class := l.db.Dialect.Class(err)
	return class == engine.Retry || class == engine.Lost
}
