package reportsums

import (
	"context"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// ClosedFigures are the figures that restatements must add up to, computed from the rows: for the cards of the query's
// period those of the summary with these names and the amount received, at four decimals; for slips their value and the
// amount paid.
type ClosedFigures struct {
	Gross, NetExpected, NetContract, Anticipation ledger.Amount // of live rows alone
	Splits                                        ledger.Amount // of live rows that expect less by them
	Received                                      ledger.Amount // of reversed rows too
	SlipGross, SlipReceived                       ledger.Amount // the first without cancelled slips
}

// ClosedFigures returns the figures for the query's basis and period, as of its run.
func (l *Reader) ClosedFigures(ctx context.Context, q reports.Query) (ClosedFigures, error) {
	s := sumQuery{db: l.db, q: &q}
	from, args, err := s.cardRows("")
	if err != nil {
		return ClosedFigures{}, err
	}
	d := l.db.Dialect
	live := func(x string) string {
		return "CASE WHEN e.class NOT IN ('cancelled', 'chargeback') THEN " + x + " END"
	}
	const unsplit = "i.gross - COALESCE(i.mdr, 0) - COALESCE(i.fee, 0) - COALESCE(i.antifraud, 0) - COALESCE(i.anticipation, 0)"
	cards, err := s.sumColumns(ctx, []sumColumn{
		{"gross", live("i.gross")},
		{"net_expected", live("e.net")},
		{"net_contract", live("e.net_contract")},
		{"anticipation_cost", live("i.anticipation")},
		{"splits", "CASE WHEN e.class NOT IN ('cancelled', 'chargeback') AND e.net <> " + unsplit +
			" THEN (SELECT SUM(" + d.IntMember("x", "value") + ") FROM " + d.UnnestJSON("i.splits", "x") + ") END"},
		{"received", "i.received"},
	}, "", "COUNT(*)", from, args)
	if err != nil {
		return ClosedFigures{}, l.db.WrapError("sum a closed period", err)
	}
	conditions, from, args, err := s.slipRows("")
	if err != nil {
		return ClosedFigures{}, err
	}
	slips, err := s.sumColumns(ctx, []sumColumn{
		{"gross", "CASE WHEN e.class <> 'cancelled' THEN m.value END"},
		{"received", "m.paid_value"},
	}, facts.MergedSlipsSQL(conditions), "COUNT(*)", from, args)
	amount := func(s reports.Sums, column string) ledger.Amount { return ledger.Amount(s.Columns[column]) }
	return ClosedFigures{
		Gross: amount(cards, "gross"), NetExpected: amount(cards, "net_expected"), NetContract: amount(cards, "net_contract"),
		Anticipation: amount(cards, "anticipation_cost"),
		Splits:       amount(cards, "splits"), Received: amount(cards, "received"),
		SlipGross: amount(slips, "gross"), SlipReceived: amount(slips, "received"),
	}, l.db.WrapError("sum a closed period", err)
}

// sumRestatement sums the table of that name: a row for every field of a change, the amounts once a change. It counts the causes,
// too.
func (s *sumQuery) sumRestatement(ctx context.Context) (reports.Sums, error) {
	w, from := s.q.ClosedRows()
	s.q.AddPeriod(w)
	rows := "(SELECT COUNT(*) FROM " + s.db.Dialect.UnnestJSON("r.fields", "x") + ")"
	out, err := s.sumColumns(ctx, []sumColumn{
		{"revision", "c.revision * " + rows},
		{"delta_gross", roundToCents("r.gross")},
		{"delta_net", roundToCents("r.net")},
		{"delta_received", roundToCents("r.received")},
		{"delta_contract", roundToCents("r.contract")},
	}, "", "CAST(COALESCE(SUM("+rows+"), 0) AS BIGINT)", from+w.Where(), w.Args)
	if err != nil {
		return out, err
	}
	causes, err := s.sumColumns(ctx, nil, "", "COUNT(DISTINCT r.cause)", from+w.Where(), w.Args)
	out.Columns[CausesOfTheSet] = causes.Rows
	return out, err
}

// CausesOfTheSet is the column of a restatement's sums that says how many causes its changes have.
const CausesOfTheSet = "causes of the set"

// sumAdjusted adds to the sums of a summary the lines of what is adjusted.
func (s *sumQuery) sumAdjusted(ctx context.Context, out *reports.Sums) error {
	w, from := s.q.ClosedRows()
	s.q.AddAdjustments(w)
	cells := make([]sumColumn, 0, len(reports.RestatedColumns()))
	for _, c := range reports.RestatedColumns() {
		cells = append(cells, sumColumn{c, roundToCents("r." + c)})
	}
	a, err := s.sumColumns(ctx, cells, "", "COUNT(DISTINCT r.seen_on)", from+w.Where(), w.Args)
	if err != nil {
		return err
	}
	net, contract, came := a.Columns["net"], a.Columns["contract"], a.Columns["came"]
	gap := a.Columns["short_by"] - a.Columns["over_by"]
	out.Rows += a.Rows
	for column, v := range map[string]int64{
		"other_adjustments": -net, "net_expected": net, "net_contract": contract, "received": came, "net_kept": came,
		"not_due": a.Columns["not_due"], "overdue": a.Columns["overdue"], "blocked": a.Columns["blocked"],
		"short": a.Columns["short_by"], "over": a.Columns["over_by"], "overcharge": contract - net,
		"difference": contract - net + gap,
	} {
		out.Columns[column] += v
	}
	return nil
}
