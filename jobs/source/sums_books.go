package source

import (
	"context"

	"concilia/export/journal"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// titlesOf ends the name under which the sums of an EDI file of events are asked for.
const titlesOf = "-titles"

// sumEvents adds up the columns of an events' table.
func (set tableSums) sumEvents(ctx context.Context, kind string) (report.Sums, error) {
	c := set.cutOf(kind)
	if c == nil {
		return report.Sums{Columns: map[string]int64{}}, nil
	}
	rows, columns, err := set.Ledger.ColumnSums(ctx, c)
	return report.Sums{Rows: rows, Columns: columns}, err
}

// sumEventTitles says what the EDI file of a kind has to add up to, by the rules of its columns and not by the code that fills them.
func (set tableSums) sumEventTitles(ctx context.Context, kind string) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	for _, column := range []string{
		"face", "paid", "net", "fees", "additions", "discounts", "other_expenses", "other_credits", "shares", "shares_value",
	} {
		out.Columns[column] = 0
	}
	c := set.cutOf(kind)
	if c == nil {
		return out, nil
	}
	err := set.Ledger.Events(ctx, c, func(e *bookkeeping.Event) error {
		switch e.Movement {
		case "":
		case othersides.ShareMovement:
			out.Columns["shares"]++
			out.Columns["shares_value"] += int64(e.Value.V)
		default:
			out.Rows++
			addTitle(out.Columns, e)
		}
		return nil
	})
	return out, err
}

// addTitle adds the money columns of the title of an event. The columns have no sign: what would be negative is in the opposite one.
func addTitle(columns map[string]int64, e *bookkeeping.Event) {
	s := e.After
	if s == nil {
		s = e.Before
	}
	add := func(column string, amount ledger.Amount) { columns[column] += int64(amount) }
	pays := e.Movement == "06" || e.Movement == "17"
	add("face", s.Face)
	switch {
	case e.Movement == "28":
		add("other_expenses", e.Value.V)
	case s.Card != nil && pays:
		cost, received := s.Card.Anticipation+s.Card.SplitCost, s.Card.Received
		short := s.Face - s.Fees - cost - received
		spent := cost + max(short, 0)
		add("paid", s.Face)
		add("net", received)
		add("fees", max(s.Fees, 0))
		add("other_expenses", max(spent, 0))
		add("other_credits", max(-short, 0)+max(-s.Fees, 0)+max(-spent, 0))
	case s.Card != nil:
		add("fees", max(s.Fees, 0))
		add("other_credits", max(-s.Fees, 0))
	case pays:
		paid, charges := s.Slip.Paid.V, s.Slip.Charges
		over := paid - s.Face - charges
		added := charges + max(over, 0)
		add("paid", paid)
		add("net", max(paid-s.Fees, 0))
		add("fees", max(s.Fees, 0))
		add("additions", max(added, 0))
		add("discounts", max(-over, 0)+max(-added, 0))
		add("other_credits", max(-s.Fees, 0)+max(s.Fees-paid, 0))
	}
}

// Names of the sums of the journal's entries, and of the pairs of a debit and a credit that they are made of; those of its table are of
// lines.
const (
	journalEntries = "journal-entries"
	journalPairs   = "journal-pairs"
)

// sumJournal adds up the journal by what was kept of each cut's sums, and counts its entries or their lines.
func (set tableSums) sumJournal(ctx context.Context, table string) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{"debit": 0, "credit": 0}}
	q := &set.Journal.Query
	sums, err := set.Ledger.RoleSums(ctx, q)
	if err != nil {
		return out, err
	}
	var lines int64
	for i := range sums {
		lines += sums[i].Lines
		out.Columns["debit"] += int64(sums[i].Debit)
		out.Columns["credit"] += int64(sums[i].Credit)
	}
	ofEntries := table == journalEntries
	switch {
	case table == journalPairs:
		out.Rows, err = set.countPairs(ctx)
	case set.Journal.Grain == journal.ByRow && !ofEntries:
		out.Rows = lines
	case set.Journal.Grain == journal.ByRow:
		out.Rows, err = set.Ledger.CountEntries(ctx, q)
	default:
		out.Rows, err = set.Ledger.CountDays(ctx, q, ofEntries)
	}
	return out, err
}

// countPairs counts the pairs of entries by another way than they are made: one ends wherever the debits so far, or the credits, do.
func (set tableSums) countPairs(ctx context.Context) (n int64, err error) {
	err = bookReader(set).Entries(ctx, func(e *bookkeeping.Entry) error {
		ends := make(map[ledger.Amount]bool, len(e.Lines))
		var debits, credits ledger.Amount
		for _, l := range e.Lines {
			if l.Amount > 0 {
				debits += l.Amount
				ends[debits] = true
			} else {
				credits -= l.Amount
				ends[credits] = true
			}
		}
		n += int64(len(ends))
		return nil
	})
	return n, err
}
