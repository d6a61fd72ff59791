package source

import (
	"context"

	"concilia/export/journal"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/store/ledger"
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
	if err != nil {
		return report.Sums{}, err
	}
	tallies, err := set.Ledger.Tallies(ctx, c)
	if err != nil {
		return report.Sums{}, err
	}
	var sums ledger.Measures
	for i := range tallies {
		sums.Add(tallies[i].Sums)
	}
	for i, id := range ledger.MeasureIDs() {
		columns[id] = int64(*sums.All()[i])
	}
	return report.Sums{Rows: rows, Columns: columns}, nil
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
	err := set.Ledger.Events(ctx, c, func(e *ledger.Event) error {
		switch e.Movement {
		case "":
		case othersides.ShareMovement:
			out.Columns["shares"]++
			out.Columns["shares_value"] += int64(e.Value.V)
		default:
			out.Rows++
			for column, amount := range titleAmounts(e) {
				out.Columns[column] += int64(amount)
			}
		}
		return nil
	})
	return out, err
}

// titleAmounts are the money columns of the title of an event. The columns have no sign: what would be negative stands in the
// opposite one.
func titleAmounts(e *ledger.Event) map[string]ledger.Amount {
	s := e.After
	if s == nil {
		s = e.Before
	}
	pays := e.Movement == "06" || e.Movement == "17"
	out := map[string]ledger.Amount{"face": s.Face}
	switch {
	case e.Movement == "28":
		out["other_expenses"] = e.Value.V
	case s.Card != nil && pays:
		cost, received := s.Card.Anticipation+s.Card.SplitCost, s.Card.Received
		short := s.Face - s.Fees - cost - received
		spent := cost + max(short, 0)
		out["paid"], out["net"], out["fees"], out["other_expenses"] = s.Face, received, max(s.Fees, 0), max(spent, 0)
		out["other_credits"] = max(-short, 0) + max(-s.Fees, 0) + max(-spent, 0)
	case s.Card != nil:
		out["fees"], out["other_credits"] = max(s.Fees, 0), max(-s.Fees, 0)
	case pays:
		paid, charges := s.Slip.Paid.V, s.Slip.Charges
		over := paid - s.Face - charges
		added := charges + max(over, 0)
		out["paid"], out["net"], out["fees"] = paid, max(paid-s.Fees, 0), max(s.Fees, 0)
		out["additions"], out["discounts"] = max(added, 0), max(-over, 0)+max(-added, 0)
		out["other_credits"] = max(-s.Fees, 0) + max(s.Fees-paid, 0)
	}
	return out
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
	err = set.Entries(ctx, func(e *ledger.Entry) error {
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
