package export

import (
	"context"

	"concilia/export/report"
	"concilia/store/ledger"
)

// ReportSource is what a set is rendered from: the rows of its kinds and, by separate queries, their sums.
type ReportSource interface {
	report.RowSource
	CaseSource
	// Sums returns the number of rows of a table and the printed sums of its columns, by a query of the ledger. A column that is a
	// Ratio may be left out; any other numeric column may not. A column that is Distinct has a second sum, under its id and "of
	// the set": the number of distinct values in the set; so have the causes of a restatement. net_kept is received less
	// splits_received, whatever the profile. Tables without rows of their own are statement and
	// statement-net, and the titles of EDI files: card-titles, card-titles-net-of-splits, slip-titles.
	Sums(ctx context.Context, table string) (report.Sums, error)
	// CreditedCards yields the installments of the account that a statement has, of a period of its own, in order of credit
	// date; the order within a date is open.
	CreditedCards(ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error
	// CreditedSlips yields the slips that a statement of the period has, in order of credit date and slip id.
	CreditedSlips(ctx context.Context, p ledger.Period, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error
	// LeftOut counts the rows that have no date of the basis.
	LeftOut(ctx context.Context) (cards, slips int64, err error)
}

// CaseSource is the part of a ReportSource that pages and verdicts are computed from.
type CaseSource interface {
	// UnresolvedCases yields, as of the run, the root cases of the set's accounts that have an impact, and the other cases that
	// a verdict counts. Of a period these are the cases on its rows, and those whose own day is in the period.
	UnresolvedCases(ctx context.Context, yield func(*UnresolvedCase) error) error
	// RootSums returns the sums of the root cases on rows of the set by a query of the ledger, each case rounded to cents: of each
	// account on the sides that of returns true for, or of all root cases if of is nil. It has a column for each of
	// ledger.FigureNames in ten-thousandths, the number of missing cases as Rows, and excess_count.
	RootSums(ctx context.Context, of func(ledger.Account) (cards, slips bool)) (report.Sums, error)
}

// UnresolvedCase is a case that is not resolved, closed or suppressed. The causes on a page and the verdict of a period are
// computed from these cases.
type UnresolvedCase struct {
	Account             ledger.Account
	Case, Code, Subject string
	Side                string            // cards or slips
	Day                 ledger.Date       // the day of the sale, or the due date; 0 for a case without a day
	Verdict             ledger.Verdict    // the best verdict that its period can have
	Impact              ledger.Amount     // positive: the merchant lost or waits for it
	Figure              ledger.Figure     // the figure that includes the impact, as of the set; empty unless it is a root case
	Age                 ledger.Opt[int64] // business days since it opened; absent while it is pending
	OnRow               bool              // whether the set has its row: an installment, one of its splits, its sale, or a slip
}

// CauseWords describe a code in plain words: its title, who takes the next step, and the step. Owner and Next are empty for a
// rule that claims no money.
type CauseWords struct{ Title, Owner, Next string }

// Numbers reserves the numbers of EDI files and titles, which must not be used twice.
type Numbers interface {
	// ReserveEDI reserves, in one database transaction, the number of a file (NSA) and the title numbers of the
	// subjects, eleven digits at most, by subject. A file, by its published name, and a subject that have one keep it.
	// own are the numbers that subjects already have at the service, which are used if they are free.
	ReserveEDI(ctx context.Context, file string, subjects []string, own map[string]string) (nsa int, numbers map[string]string, err error)
	// TitleNumbers returns the numbers of the subjects that were emitted before.
	TitleNumbers(ctx context.Context, subjects []string) (map[string]string, error)
}
