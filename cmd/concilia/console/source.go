package console

import (
	"context"
	"errors"

	"concilia/cmd/concilia/view"
	"concilia/store/ledger"
)

// Source answers with the values that commands print. Accounts are those that the person may see; none means all of them. An
// error that is none of the package's own is an internal one. Its questions about a subject are an interface in the file of that
// subject's pages.
type Source interface {
	// Snapshot calls show with a Source whose answers are all of one instant, for as long as it goes on, and returns its error. It
	// changes nothing: an act is for the Source itself.
	Snapshot(ctx context.Context, show func(Source) error) error
	// Heading is what every page says of the ledger.
	Heading(ctx context.Context) (Heading, error)

	CaseSource
	ItemSource
	SlipSource
	MoneySource
	LetterSource
	BankSource
	StoreSource
	RunSource
	RuleSource
	FileSource
	HandbookSource
}

// Heading is what every page says of the ledger: how old what it shows is, and whether a run is under way.
type Heading struct {
	Accounts []AccountName // configured, in their order
	AsOf     ledger.Date   // of the last night that ended; 0: none has
	Ended    view.Instant
	Running  string // run that holds an account now; empty: none
}

// AccountName is a configured account.
type AccountName struct {
	Number ledger.Account
	Name   string
}

// The errors of a Source that have a page of their own.
var (
	// ErrNotFound: there is no such thing, or it is not for this person, which looks the same.
	ErrNotFound = errors.New("not found")
	// ErrUnavailable: the ledger or the archive cannot be read now. An UnavailableError says why.
	ErrUnavailable = errors.New("not available now")
	// ErrConflict: a case is in another state than was shown; nothing was done.
	ErrConflict = errors.New("nothing was done")
	// ErrDone: every case is already as the act would leave it.
	ErrDone = errors.New("it is done already")
	// ErrGone: what was published is no longer kept, or its bytes are other ones.
	ErrGone = errors.New("no longer kept")
)

// UnavailableError is ErrUnavailable for a reason that people can do something about.
type UnavailableError struct {
	Text    string // id of the text that says why and what to do
	Command string // that helps; may be empty
	Err     error  // for the log; nil: the text says it all
}

// Error is the text's id and the error.
func (e *UnavailableError) Error() string {
	if e.Err == nil {
		return e.Text
	}
	return e.Text + ": " + e.Err.Error()
}

// Unwrap is ErrUnavailable and the error.
func (e *UnavailableError) Unwrap() []error { return []error{ErrUnavailable, e.Err} }
