package reportset

import (
	"context"
	"slices"

	"concilia/export"
	"concilia/export/journal"
	"concilia/jobs/source"
	"concilia/store/books"
	"concilia/store/ledger"
)

// NewJournal reads the balances of the journal of a period, with what the merchant's own system books.
func (b *BookReader) NewJournal(ctx context.Context, a ledger.Account, c *journal.Chart, p ledger.Period, upTo int) (*export.Journal, error) {
	out := &export.Journal{Chart: c, Set: upTo}
	j, err := b.Ledger.ReadJournal(ctx, a, c.Method, p, upTo)
	if err != nil {
		return nil, err
	}
	balances, err := j.Balances(ctx)
	if err != nil {
		return nil, err
	}
	shown, err := b.Ledger.RoleSums(ctx, &books.JournalQuery{Account: a, Method: c.Method, Period: p, UpTo: upTo, Skip: c.Skip})
	if err != nil {
		return nil, err
	}
	for i := range balances {
		b := &balances[i]
		o := export.JournalBalance{Balance: journal.Balance{Role: b.Role, Brand: b.Brand, Opening: b.Opening, Closing: b.Closing}}
		if at := slices.IndexFunc(shown, func(s books.RoleSum) bool { return s.Role == b.Role && s.Brand == b.Brand }); at >= 0 {
			o.Debits, o.Credits = shown[at].Debit, shown[at].Credit
		}
		o.SkippedDebits, o.SkippedCredits = b.Debits-o.Debits, b.Credits-o.Credits
		out.Balances = append(out.Balances, o)
	}
	ties, err := j.Ties(ctx)
	for i := range ties {
		t := export.JournalTie{Item: ties[i].Item, Residual: ties[i].Residual()}
		for _, l := range ties[i].Lines {
			t.Lines = append(t.Lines, export.JournalTieLine(l))
		}
		out.Ties = append(out.Ties, t)
	}
	return out, err
}

// AddSetJournal adds the journal to a set of the movement: the entries that its cuts made, and before those of the first set with a
// journal the balances of then. source answers for them.
func (b *BookReader) AddSetJournal(ctx context.Context, job *export.Job, source *source.ReportSource, c *journal.Chart, cuts []books.Cut, first bool) error {
	j := &export.Journal{Chart: c, Set: cuts[0].Set, Chained: true, First: first, Formats: b.JournalFormats}
	begin := slices.MinFunc(cuts, func(a, b books.Cut) int { return int(a.From - b.From) }).From
	const never ledger.Date = 1 << 30
	query := books.JournalQuery{Account: cuts[0].Account, Method: c.Method, Set: j.Set, Period: ledger.Period{From: begin, To: never}, Skip: c.Skip}
	if err := b.addSetBalances(ctx, j, query); err != nil {
		return err
	}
	job.Journal, source.Journal = j, newJournalSet(c.Grain, query)
	return nil
}

// addSetBalances reads what the entries of a set debit and credit, with what the merchant's own system books, and what stood before.
func (b *BookReader) addSetBalances(ctx context.Context, j *export.Journal, shown books.JournalQuery) error {
	add := func(q books.JournalQuery, add func(*export.JournalBalance, *books.RoleSum)) error {
		sums, err := b.Ledger.RoleSums(ctx, &q)
		for i := range sums {
			s := &sums[i]
			at := slices.IndexFunc(j.Balances, func(b export.JournalBalance) bool { return b.Role == s.Role && b.Brand == s.Brand })
			if at < 0 {
				at = len(j.Balances)
				j.Balances = append(j.Balances, export.JournalBalance{Balance: journal.Balance{Role: s.Role, Brand: s.Brand}})
			}
			add(&j.Balances[at], s)
		}
		return err
	}
	all, before, earlier := shown, shown, shown
	all.Skip, before.Skip, earlier.Skip = nil, nil, nil
	before.Set, before.UpTo, before.Period = 0, j.Set, ledger.Period{From: -shown.Period.To, To: shown.Period.From - 1}
	earlier.Set, earlier.UpTo = 0, j.Set-1
	addOpening := func(b *export.JournalBalance, s *books.RoleSum) { b.Opening += s.Debit - s.Credit }
	err := add(all, func(b *export.JournalBalance, s *books.RoleSum) {
		b.SkippedDebits, b.SkippedCredits = s.Debit, s.Credit
	})
	if err == nil {
		err = add(shown, func(b *export.JournalBalance, s *books.RoleSum) {
			b.Debits, b.Credits = s.Debit, s.Credit
			b.SkippedDebits, b.SkippedCredits = b.SkippedDebits-s.Debit, b.SkippedCredits-s.Credit
		})
	}
	if err == nil && j.First {
		err = add(before, addOpening)
	}
	if err == nil && j.First && earlier.UpTo > 0 {
		err = add(earlier, addOpening)
	}
	return err
}

func newJournalSet(g journal.Grain, q books.JournalQuery) *source.JournalSet {
	return &source.JournalSet{Grain: g, Query: q}
}

// EntriesOf answers for the entries of a job.
func (b *BookReader) EntriesOf(a ledger.Account, job *export.Job) *source.ReportSource {
	c := job.Journal.Chart
	return source.New(source.Set{
		Ledger: b.Ledger, Accounts: []ledger.Account{a}, Unit: b.Unit, AsOf: job.AsOf, Calendar: b.Calendar,
		Journal: newJournalSet(c.Grain, books.JournalQuery{
			Account: a, Method: c.Method, Period: job.Period, UpTo: job.Journal.Set, Skip: c.Skip,
		}),
	})
}
