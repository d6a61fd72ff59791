package source

import (
	"context"
	"maps"

	"concilia/export/report"
	"concilia/jobs/calendar"
	"concilia/store"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// ReportSource answers a report from the ledger as of the run that Query names. A set over several accounts is their rows one
// account after the other. Every field except State is required.
type ReportSource struct {
	Ledger   *store.Ledger
	Accounts []ledger.Account // in ascending order
	Query    reports.Query    // its Account is filled per account
	Unit     ledger.Unit
	AsOf     ledger.Date // of the run; ages are counted up to it
	Calendar func(ledger.Account) *calendar.Calendar
	State    *StateSet // of a state set; nil: the set is of a period
	// MonthSides are the accounts that a month has rows of, with what is known of its days.
	MonthSides map[ledger.Account]report.MonthSides
	Taken      map[ledger.Account]bool // accounts whose card rows are known already: Installments leaves them out
	Cuts       []books.Cut             // of a set of the movement
	Journal    *JournalSet             // of a set of the journal
	Known      *RunSums                // sums that other sets of the run have asked for; nil: none

	ahead map[string]*onceRead[report.Sums] // of the tables that SumAhead sums; nil: none
}

// forEachAccount runs fn once per account with that account's query.
func (f *ReportSource) forEachAccount(fn func(reports.Query) error) error {
	for _, a := range f.Accounts {
		q := f.Query
		q.Account = a
		if err := fn(q); err != nil {
			return err
		}
	}
	return nil
}

// Installments, Slips, Firing, Sums and LeftOut are methods of export.ReportSource.
func (f *ReportSource) Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	return f.forEachAccount(func(q reports.Query) error {
		if f.Taken[q.Account] {
			return nil
		}
		return f.Ledger.Installments(ctx, q, yield)
	})
}

// InstallmentsOf is Installments of a part of the period.
func (f *ReportSource) InstallmentsOf(ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	return f.forEachAccount(func(q reports.Query) error {
		q.Period = p
		return f.Ledger.Installments(ctx, q, yield)
	})
}

func (f *ReportSource) Slips(ctx context.Context, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	return f.forEachAccount(func(q reports.Query) error { return f.Ledger.SlipRows(ctx, q, yield) })
}

func (f *ReportSource) Firing(ctx context.Context, yield func(*report.LineCases) error) error {
	return f.forEachAccount(func(q reports.Query) error {
		return f.Ledger.FiringCases(ctx, q, func(c *reports.LineCases) error {
			return yield(&report.LineCases{
				Account: q.Account, Day: c.Day, Brand: c.Brand, Product: c.Product, Band: c.Band, Errors: c.Errors, Warnings: c.Warnings,
			})
		})
	})
}

func (f *ReportSource) Sums(ctx context.Context, table string) (report.Sums, error) {
	once := f.ahead[table]
	if once == nil {
		return tableSums{f}.sumTable(ctx, table)
	}
	sums, err := once.get(func() (report.Sums, error) { return tableSums{f}.sumTable(ctx, table) })
	return report.Sums{Rows: sums.Rows, Columns: maps.Clone(sums.Columns)}, err
}

func (f *ReportSource) LeftOut(ctx context.Context) (cards, slips int64, err error) {
	err = f.forEachAccount(func(q reports.Query) error {
		c, s, err := f.Known.LeftOut(ctx, f.Ledger, q)
		cards, slips = cards+c, slips+s
		return err
	})
	return cards, slips, err
}

// CreditedCards and CreditedSlips answer for a period that need not be the set's.
func (f *ReportSource) CreditedCards(
	ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) error {
	return f.forEachAccount(func(q reports.Query) error {
		q.Period = p
		return f.Ledger.Credited(ctx, q, yield)
	})
}

func (f *ReportSource) CreditedSlips(
	ctx context.Context, p ledger.Period, yield func(*ledger.Slip, *ledger.SlipExpectation) error,
) error {
	return f.forEachAccount(func(q reports.Query) error {
		q.Basis, q.Period = string(report.ByCredit), p
		return f.Ledger.SlipRows(ctx, q, yield)
	})
}

// EDINumbers hands out an account's NSA and title numbers from the ledger.
type EDINumbers struct {
	Ledger    *store.Ledger
	Account   ledger.Account
	Agreement string // with the bank, whose NSA are counted
}

// ReserveEDI and TitleNumbers make Numbers an export.Numbers.
func (n *EDINumbers) ReserveEDI(
	ctx context.Context, file string, subjects []string, own map[string]string,
) (int, map[string]string, error) {
	return n.Ledger.ReserveEDI(ctx, n.Account, n.Agreement, file, subjects, own)
}

func (n *EDINumbers) TitleNumbers(ctx context.Context, subjects []string) (map[string]string, error) {
	return n.Ledger.KnownTitleNumbers(ctx, n.Account, subjects)
}
