package reportset

import (
	"context"
	"fmt"
	"slices"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/jobs/plan"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/reports"
)

// Account is one account of the configuration.
type Account struct {
	Number ledger.Account
	Name   string
	Since  ledger.Date         // first covered day; zero: plan.DefaultSinceDays before the as-of date of the first run
	Block  export.AccountBlock // for EDI files
}

// AsPlanned returns the account as the package plan needs it.
func (a *Account) AsPlanned() plan.Account {
	return plan.Account{Number: a.Number, Name: a.Name, Since: a.Since}
}

// ReadFirstDay returns the first day that an account is covered from, and stores nothing.
func ReadFirstDay(ctx context.Context, l *store.Ledger, a Account, asOf ledger.Date) (ledger.Date, error) {
	first, err := plan.FirstDay(ctx, l, a.Number, a.Since, asOf)
	if err != nil {
		err = fmt.Errorf("since of account %s: %w", a.Number, err)
	}
	return first, err
}

// Request is one set to publish.
type Request struct {
	Name     string // the account's digits, or export.AllAccounts
	Accounts []Account
	Basis    report.Basis
	Period   ledger.Period
	Kinds    []report.Kind
	Formats  []report.Format
	Filter   report.Filter
	// Hidden are the accounts of a set over all that have no rows in it, and why.
	Hidden []export.AccountFacts
	// Requested: a person requested the files, so a current revision is copied to the target again where it is missing.
	Requested bool
	// Extract: the files are private, without a revision.
	Extract bool
	// EveryRow: no sale day is copied from the current revision.
	EveryRow bool
	// MadeEarlier are revisions of the account that this worker rendered before and that another process will record.
	MadeEarlier []*published.Set
	// Inputs are those of the past run as of which the set is rendered; nil: the worker's.
	Inputs *reconcile.Inputs
	// Voice is how its texts are worded; nil: as configured.
	Voice *catalogue.Voice
}

// containsDay reports whether the rows of a day belong to the set; every day belongs to a set of a state.
func (s *Request) containsDay(d ledger.Date) bool {
	return s.Basis == report.ByAsOf || s.Period.Contains(d)
}

// queryFor selects the account's rows of the set, as of the run.
func (s *Request) queryFor(run *ledger.Run, a ledger.Account) reports.Query {
	return reports.Query{
		Account: a, Basis: string(s.Basis), Period: s.Period, Brands: s.Filter.Brands, Classes: s.Filter.Classes, AsOfRun: run.ID,
	}
}

// IsOfAllAccounts reports whether the set is over all accounts of the run, even if only one of them is shown.
func (s *Request) IsOfAllAccounts() bool { return s.Name == manifest.AllAccounts }

// IncludesFile reports whether a file is of a kind and a format of the request. Its proof always is; workbook and page
// exist once per set.
func (s *Request) IncludesFile(f published.File) bool {
	kind, format := report.Kind(f.Kind), report.Format(f.Format)
	proof := kind == report.ControlKind && format == report.CSV
	one := kind == report.Settlement || kind == report.ControlKind
	return proof || slices.Contains(s.Formats, format) && (one || slices.Contains(s.Kinds, kind))
}

// RevisionName names a revision for people.
func RevisionName(kept *published.Set) string {
	return fmt.Sprintf("%s %s %s r%d", kept.Account, kept.Basis, kept.Period, kept.Revision)
}
