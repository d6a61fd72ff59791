package report

import (
	"context"
	"fmt"
	"slices"

	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/ledger/ownsales"
)

// Content computes one kind of report from the rows of one set. It takes rows as they are read, writes its own rows, and
// returns the figures that are no sum of its rows. Embed sums for the answers of a kind whose totals are the sums of its columns.
type Content interface {
	// Intake returns the functions that take rows of the ledger.
	Intake() Intake
	// Finish writes the rows that depend on all rows taken. It is called once, after the last row, and after Finish of the kinds
	// it needs.
	Finish(ctx context.Context) error
	// Identities returns the equations of the totals with their residuals. It is called after Finish.
	Identities() []Identity
	// AddTotals adds the kind's figures to those of the set.
	AddTotals(t *Totals)
	// FillTotals sets the total row of a table, or returns false if it is the sum of each column.
	FillTotals(t *table.Table, row table.Row) bool
	// DistinctTotals returns, by column id, the totals of columns that count distinct values.
	DistinctTotals(t *table.Table) map[string]int64
	// LedgerSums adapts the ledger's sums of a table to the set.
	LedgerSums(t *table.Table, s Sums) Sums
}

// Intake is the functions by which a content takes the ledger's rows. A nil function takes none. A row may be reused after the
// function returns.
type Intake struct {
	Card           func(*ledger.InstallmentVersion, *ledger.Expectation) error
	Slip           func(*ledger.Slip, *ledger.SlipExpectation) error
	AgendaRow      func(*AgendaRow) error
	AgendaMovement func(*AgendaMovement) error
	NotDue         func(*NotDue) error
	Forecast       func(*AccountForecast) error
	Month          func(*AccountMonth) error
	Deposit        func(*banking.Deposit) error
	BankDay        func(*banking.SeenDay) error
	OwnDay         func(*ownsales.SeenDay) error
	OwnMatch       func(*ownsales.Match) error
	OwnMonth       func(*EFDMonth) error
	Claim          func(*Claim) error
	Case           func(*Case) error
	Restatement    func(*ledger.Restatement) error
	Event          func(*bookkeeping.Event) error
	Entry          func(*bookkeeping.Entry) error
}

// ColumnTotals implements the methods of a content whose totals are the sums of its columns.
type ColumnTotals struct{}

func (ColumnTotals) Identities() []Identity                       { return nil }
func (ColumnTotals) AddTotals(*Totals)                            {}
func (ColumnTotals) FillTotals(*table.Table, table.Row) bool      { return false }
func (ColumnTotals) DistinctTotals(*table.Table) map[string]int64 { return nil }
func (ColumnTotals) LedgerSums(_ *table.Table, s Sums) Sums       { return s }
func (ColumnTotals) Finish(context.Context) error                 { return nil }

// Rows takes the rows of one table, in report order.
type Rows interface {
	Write(row table.Row) error
	// Counter counts and sums the rows written so far.
	Counter() *table.Counter
}

// Set is what the contents of one set share: the request, the source and destination of rows, and each other.
type Set struct {
	Definitions []*Definition // of the kinds there are, in report order
	Basis       Basis
	Period      ledger.Period
	AsOf        ledger.Date
	Filter      Filter
	Language    table.Language
	Unit        ledger.Unit                   // of the service's rates
	NetOfSplits bool                          // splits are deducted before the money is received
	Agreed      map[string]AgreedLine         // lines of the contract, by id
	Months      map[ledger.Account]MonthSides // of the accounts that a month has rows of
	Identified  []Kind                        // kinds that show documents and names of persons
	Source      RowSource
	EventTitle  func(*bookkeeping.Event) EventTitle // of a set of the movement
	BookAccount BookAccount                         // of a set of the journal
	Open        func(*table.Table) (Rows, error)
	// SummaryAlone makes a summary without the detail that it is compared with: of a set over all accounts, since the set of each
	// account was compared with its own.
	SummaryAlone bool
	// BankColumns is set where accounts of the set are paid into a bank account.
	BankColumns bool
	AfterCards  func() // once the last card row has passed, before any content finishes; nil: no call

	contents []setContent // in report order
}

type setContent struct {
	definition  *Definition
	content     Content
	intake      Intake
	finishAfter int // place of the pass after which it finishes
}

// ShowsPersons reports whether the kind shows documents and names of persons.
func (s *Set) ShowsPersons(k Kind) bool { return slices.Contains(s.Identified, k) }

// Content returns the content of a kind, nil if the set has none.
func (s *Set) Content(k Kind) Content {
	for i := range s.contents {
		if s.contents[i].definition.Kind == k {
			return s.contents[i].content
		}
	}
	return nil
}

// ContentOf returns the content of a kind in its own type, nil if the set has none.
func ContentOf[C Content](s *Set, k Kind) C {
	c, _ := s.Content(k).(C)
	return c
}

// Contents returns the contents of the set, in report order.
func (s *Set) Contents() []Content {
	out := make([]Content, len(s.contents))
	for i := range s.contents {
		out[i] = s.contents[i].content
	}
	return out
}

// Begin starts the content of the kinds, and of those that they need.
func (s *Set) Begin(ctx context.Context, kinds []Kind) error {
	needed := make(map[Kind]bool)
	for _, k := range kinds {
		if s.SummaryAlone && k == SummaryKind {
			needed[k] = true
			continue
		}
		s.collectNeeds(k, needed)
	}
	for _, d := range s.Definitions {
		if !needed[d.Kind] || d.Begin == nil {
			continue
		}
		c, err := d.Begin(ctx, s)
		if err != nil {
			return err
		}
		s.contents = append(s.contents, setContent{definition: d, content: c, intake: c.Intake()})
	}
	for i := range s.contents {
		s.contents[i].finishAfter = s.lastPass(&s.contents[i])
	}
	return nil
}

// collectNeeds adds a kind, and those that it needs.
func (s *Set) collectNeeds(k Kind, into map[Kind]bool) {
	i := slices.IndexFunc(s.Definitions, func(d *Definition) bool { return d.Kind == k })
	if i < 0 || into[k] {
		return
	}
	into[k] = true
	for _, n := range s.Definitions[i].Needs {
		s.collectNeeds(n, into)
	}
}

// lastPass returns the index of the last pass with rows for the content or for one that it needs.
func (s *Set) lastPass(m *setContent) int {
	last := 0
	for i := range s.contents {
		o := &s.contents[i]
		if o != m && !slices.Contains(m.definition.Needs, o.definition.Kind) {
			continue
		}
		for p := range passes {
			if passes[p].takes(&o.intake) {
				last = max(last, p)
			}
		}
	}
	return last
}

// pass reads one kind of rows from the source.
type pass struct {
	takes func(*Intake) bool
	read  func(ctx context.Context, source RowSource, all []*Intake) error
}

// cardPass is the index of the pass of card rows.
const cardPass = 0

// passes are in the order of reading, which is the order of the identities in control.
var passes = []pass{
	{func(i *Intake) bool { return i.Card != nil }, readCards},
	{func(i *Intake) bool { return i.Slip != nil }, readSlips},
	{func(i *Intake) bool { return i.AgendaRow != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.Agenda(ctx, func(a *AgendaRow) error {
			return yieldRow(all, a, func(i *Intake) func(*AgendaRow) error { return i.AgendaRow })
		})
	}},
	{func(i *Intake) bool { return i.AgendaMovement != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.AgendaRoll(ctx, func(m *AgendaMovement) error {
			return yieldRow(all, m, func(i *Intake) func(*AgendaMovement) error { return i.AgendaMovement })
		})
	}},
	{func(i *Intake) bool { return i.NotDue != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.NotDue(ctx, func(n *NotDue) error {
			return yieldRow(all, n, func(i *Intake) func(*NotDue) error { return i.NotDue })
		})
	}},
	{func(i *Intake) bool { return i.Forecast != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.Forecast(ctx, func(f *AccountForecast) error {
			return yieldRow(all, f, func(i *Intake) func(*AccountForecast) error { return i.Forecast })
		})
	}},
	{func(i *Intake) bool { return i.Month != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.Months(ctx, func(m *AccountMonth) error {
			return yieldRow(all, m, func(i *Intake) func(*AccountMonth) error { return i.Month })
		})
	}},
	{func(i *Intake) bool { return i.Deposit != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.Deposits(ctx, func(d *banking.Deposit) error {
			return yieldRow(all, d, func(i *Intake) func(*banking.Deposit) error { return i.Deposit })
		})
	}},
	{func(i *Intake) bool { return i.BankDay != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.BankDays(ctx, func(d *banking.SeenDay) error {
			return yieldRow(all, d, func(i *Intake) func(*banking.SeenDay) error { return i.BankDay })
		})
	}},
	{func(i *Intake) bool { return i.OwnDay != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.OwnDays(ctx, func(d *ownsales.SeenDay) error {
			return yieldRow(all, d, func(i *Intake) func(*ownsales.SeenDay) error { return i.OwnDay })
		})
	}},
	{func(i *Intake) bool { return i.OwnMatch != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.OwnMatches(ctx, func(m *ownsales.Match) error {
			return yieldRow(all, m, func(i *Intake) func(*ownsales.Match) error { return i.OwnMatch })
		})
	}},
	{func(i *Intake) bool { return i.OwnMonth != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.OwnMonths(ctx, func(m *EFDMonth) error {
			return yieldRow(all, m, func(i *Intake) func(*EFDMonth) error { return i.OwnMonth })
		})
	}},
	{func(i *Intake) bool { return i.Case != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.Cases(ctx, func(c *Case) error { return yieldRow(all, c, func(i *Intake) func(*Case) error { return i.Case }) })
	}},
	{func(i *Intake) bool { return i.Claim != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.Claims(ctx, func(c *Claim) error { return yieldRow(all, c, func(i *Intake) func(*Claim) error { return i.Claim }) })
	}},
	{func(i *Intake) bool { return i.Restatement != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.Restatements(ctx, func(r *ledger.Restatement) error {
			return yieldRow(all, r, func(i *Intake) func(*ledger.Restatement) error { return i.Restatement })
		})
	}},
	{func(i *Intake) bool { return i.Event != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.Events(ctx, func(e *bookkeeping.Event) error {
			return yieldRow(all, e, func(i *Intake) func(*bookkeeping.Event) error { return i.Event })
		})
	}},
	{func(i *Intake) bool { return i.Entry != nil }, func(ctx context.Context, source RowSource, all []*Intake) error {
		return source.Entries(ctx, func(e *bookkeeping.Entry) error {
			return yieldRow(all, e, func(i *Intake) func(*bookkeeping.Entry) error { return i.Entry })
		})
	}},
}

// yieldRow calls every content that takes the row.
func yieldRow[T any](all []*Intake, row *T, of func(*Intake) func(*T) error) error {
	for _, i := range all {
		if take := of(i); take != nil {
			if err := take(row); err != nil {
				return err
			}
		}
	}
	return nil
}

func readCards(ctx context.Context, source RowSource, all []*Intake) error {
	return source.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if e == nil {
			return errNotReconciled(v.Key().Subject())
		}
		for _, i := range all {
			if i.Card != nil {
				if err := i.Card(v, e); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func readSlips(ctx context.Context, source RowSource, all []*Intake) error {
	return source.Slips(ctx, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		if e == nil {
			return errNotReconciled(s.Subject())
		}
		for _, i := range all {
			if i.Slip != nil {
				if err := i.Slip(s, e); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func errNotReconciled(subject string) error {
	return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", subject)
}

// Fill reads the rows that the contents take, each kind of rows once, calls Finish of each content after its last row, and
// returns their identities. watch takes every row of these passes first.
func (s *Set) Fill(ctx context.Context, watch Intake) ([]Identity, error) {
	var identities []Identity
	for p := range passes {
		all, taken := []*Intake{&watch}, false
		for i := range s.contents {
			all = append(all, &s.contents[i].intake)
			taken = taken || passes[p].takes(&s.contents[i].intake)
		}
		if taken {
			if err := passes[p].read(ctx, s.Source, all); err != nil {
				return nil, err
			}
		}
		if p == cardPass && s.AfterCards != nil {
			s.AfterCards()
		}
		for i := range s.contents {
			if m := &s.contents[i]; m.finishAfter == p {
				if err := m.content.Finish(ctx); err != nil {
					return nil, err
				}
				identities = append(identities, m.content.Identities()...)
			}
		}
	}
	return identities, nil
}

// RowReader recomputes figures from the rows of a table as they are read back, and refuses a row that contradicts itself.
type RowReader interface {
	ReadRow(t *table.Table, row table.Row) error
	// Terms returns the terms of formulas that are no sum of a column, in ten-thousandths.
	Terms() map[string]ledger.Amount
}
