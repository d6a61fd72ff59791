package source

import (
	"context"

	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/store/books"
	"concilia/store/ledger"
)

// titlesOf ends the name under which the sums of an EDI file of events are asked for.
const titlesOf = "-titles"

// Events yields the events of the cuts.
func (f *ReportSource) Events(ctx context.Context, yield func(*ledger.Event) error) error {
	for i := range f.Cuts {
		if err := f.Ledger.Events(ctx, &f.Cuts[i], yield); err != nil {
			return err
		}
	}
	return nil
}

// cutOf is the cut whose events a kind has, nil without one.
func (f *ReportSource) cutOf(kind string) *books.Cut {
	for i := range f.Cuts {
		if c := &f.Cuts[i]; string(othersides.EventsKind(c.Source)) == kind {
			return c
		}
	}
	return nil
}

// sumEvents adds up the columns of an events' table.
func (f *ReportSource) sumEvents(ctx context.Context, kind string) (report.Sums, error) {
	c := f.cutOf(kind)
	if c == nil {
		return report.Sums{Columns: map[string]int64{}}, nil
	}
	rows, columns, err := f.Ledger.ColumnSums(ctx, c)
	if err != nil {
		return report.Sums{}, err
	}
	tallies, err := f.Ledger.Tallies(ctx, c)
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
func (f *ReportSource) sumEventTitles(ctx context.Context, kind string) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	for _, column := range []string{
		"face", "paid", "net", "fees", "additions", "discounts", "other_expenses", "other_credits", "shares", "shares_value",
	} {
		out.Columns[column] = 0
	}
	c := f.cutOf(kind)
	if c == nil {
		return out, nil
	}
	err := f.Ledger.Events(ctx, c, func(e *ledger.Event) error {
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
