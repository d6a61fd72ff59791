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

// Set is the report set that a source answers for. A set over several accounts is their rows one account after the other. Fields are
// required unless they say otherwise; they may be filled until the source is asked for the first time.
type Set struct {
	Ledger   *store.Ledger
	Accounts []ledger.Account // in ascending order
	Query    reports.Query    // its Account is filled per account
	Unit     ledger.Unit
	AsOf     ledger.Date // of the run; ages are counted up to it
	Calendar func(ledger.Account) *calendar.Calendar
	State    *StateSet // of a state set; nil: the set is of a period
	// MonthSides are the accounts that a month has rows of, with what is known of its days; nil: the set has no month.
	MonthSides map[ledger.Account]report.MonthSides
	Taken      map[ledger.Account]bool // accounts whose card rows are known already: Installments leaves them out; nil: none are
	Cuts       []books.Cut             // of a set of the movement; nil: it is none
	Journal    *JournalSet             // of a set of the journal; nil: it is none
	Known      *RunSums                // sums that other sets of the run have asked for; nil: none
}

// ReportSource answers a report from the ledger as of the run that the query of its set names: it is an export.ReportSource. Each
// subject has a reader of its own.
type ReportSource struct {
	*Set
	rowReader
	caseReader
	causeReader
	agendaReader
	monthReader
	restatementReader
	bankReader
	shopReader
	bookReader

	ahead map[string]*onceRead[report.Sums] // of the tables that SumAhead sums; nil: none
}

// New returns the source of a set.
func New(of Set) *ReportSource {
	set := &of
	return &ReportSource{
		Set: set, rowReader: rowReader{set}, caseReader: caseReader{set}, causeReader: causeReader{set}, agendaReader: agendaReader{set},
		monthReader: monthReader{set}, restatementReader: restatementReader{set}, bankReader: bankReader{set}, shopReader: shopReader{set},
		bookReader: bookReader{set},
	}
}

// forEachAccount runs fn once per account with that account's query.
func (set *Set) forEachAccount(fn func(reports.Query) error) error {
	for _, a := range set.Accounts {
		q := set.Query
		q.Account = a
		if err := fn(q); err != nil {
			return err
		}
	}
	return nil
}

// rowReader reads the cards and slips of a set.
type rowReader struct{ *Set }

// Installments, Slips, Firing and LeftOut are methods of export.ReportSource.
func (r rowReader) Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	return r.forEachAccount(func(q reports.Query) error {
		if r.Taken[q.Account] {
			return nil
		}
		return r.Ledger.Installments(ctx, q, yield)
	})
}

// InstallmentsOf is Installments of a part of the period.
func (r rowReader) InstallmentsOf(ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	return r.forEachAccount(func(q reports.Query) error {
		q.Period = p
		return r.Ledger.Installments(ctx, q, yield)
	})
}

func (r rowReader) Slips(ctx context.Context, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	return r.forEachAccount(func(q reports.Query) error { return r.Ledger.SlipRows(ctx, q, yield) })
}

func (r rowReader) Firing(ctx context.Context, yield func(*report.LineCases) error) error {
	return r.forEachAccount(func(q reports.Query) error {
		return r.Ledger.FiringCases(ctx, q, func(c *reports.LineCases) error {
			return yield(&report.LineCases{
				Account: q.Account, Day: c.Day, Brand: c.Brand, Product: c.Product, Band: c.Band, Errors: c.Errors, Warnings: c.Warnings,
			})
		})
	})
}

// Sums are those of a table as the ledger computes them: one that was asked for ahead is waited for.
func (f *ReportSource) Sums(ctx context.Context, table string) (report.Sums, error) {
	once := f.ahead[table]
	if once == nil {
		return tableSums{f.Set}.sumTable(ctx, table)
	}
	sums, err := once.get(func() (report.Sums, error) { return tableSums{f.Set}.sumTable(ctx, table) })
	return report.Sums{Rows: sums.Rows, Columns: maps.Clone(sums.Columns)}, err
}

func (r rowReader) LeftOut(ctx context.Context) (cards, slips int64, err error) {
	err = r.forEachAccount(func(q reports.Query) error {
		c, s, err := r.Known.LeftOut(ctx, r.Ledger, q)
		cards, slips = cards+c, slips+s
		return err
	})
	return cards, slips, err
}

// CreditedCards and CreditedSlips answer for a period that need not be the set's.
func (r rowReader) CreditedCards(
	ctx context.Context, p ledger.Period, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) error {
	return r.forEachAccount(func(q reports.Query) error {
		q.Period = p
		return r.Ledger.Credited(ctx, q, yield)
	})
}

func (r rowReader) CreditedSlips(
	ctx context.Context, p ledger.Period, yield func(*ledger.Slip, *ledger.SlipExpectation) error,
) error {
	return r.forEachAccount(func(q reports.Query) error {
		q.Basis, q.Period = string(report.ByCredit), p
		return r.Ledger.SlipRows(ctx, q, yield)
	})
}

// EDINumbers hands out an account's NSA and title numbers from the ledger.
type EDINumbers struct {
	Ledger    *store.Ledger
	Account   ledger.Account
	Agreement string // with the bank, whose NSA are counted
}

// ReserveEDI reserves the number of a file and those of its titles: see store.
func (n *EDINumbers) ReserveEDI(
	ctx context.Context, file string, subjects []string, own map[string]string,
) (int, map[string]string, error) {
	return n.Ledger.ReserveEDI(ctx, n.Account, n.Agreement, file, subjects, own)
}

// TitleNumbers are the numbers that titles have; it reserves none.
func (n *EDINumbers) TitleNumbers(ctx context.Context, subjects []string) (map[string]string, error) {
	return n.Ledger.KnownTitleNumbers(ctx, n.Account, subjects)
}
