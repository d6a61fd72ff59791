package reconcile

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// coverage judges every day the account is answered for, of each source.
func (w *work) coverage(context.Context) error {
	i := w.env.Index(runs.CoverageGap)
	for _, s := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		for d := w.in.Since; d < w.in.AsOf; d++ {
			o := rules.Outcome{Status: rules.Passed}
			if !w.covers[s][d].Complete {
				o = runs.GapOutcome(s, d)
			}
			subject := ledger.Subject("day", w.account, string(s), d.String())
			if err := w.alone(i, o, place{subject: subject, day: d}); err != nil {
				return err
			}
		}
	}
	return nil
}

// quarantine makes a case of every row that could not be read.
func (w *work) quarantine(ctx context.Context) error {
	bad, err := w.src.QuarantinedRows(ctx, w.account)
	if err != nil {
		return err
	}
	i := w.env.Index(runs.SchemaInvalid)
	for n := range bad {
		q := &bad[n]
		if err := w.alone(i, runs.UnreadableOutcome(q), place{subject: q.Subject(), day: q.Day}); err != nil {
			return err
		}
	}
	return w.cases.absent(runs.SchemaInvalid)
}

// alone judges a subject that one rule knows.
func (w *work) alone(i int, o rules.Outcome, p place) error {
	w.tally(i, o.Status)
	return w.known(i, o, p)
}

// known is alone for an outcome that was tallied row by row.
func (w *work) known(i int, o rules.Outcome, p place) error {
	w.reset([]int{i})
	w.outs[i] = o
	return w.cases.judged(p, []int{i}, w.outs)
}

// populations makes the cases that many rows share.
func (w *work) populations(context.Context) error {
	for _, step := range []func() error{w.spellings, w.uncovered, w.volumes, w.drifts, w.budgets} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// spellings judges the spellings that installments, and notifications, have and nobody listed.
func (w *work) spellings() error {
	i := w.env.Index(runs.EnumUnmapped)
	for _, p := range w.of(kindSpelling) {
		member, value, _ := strings.Cut(p.Item, " ")
		w.spelled[rules.Spelling{Member: member, Value: value}] += int(p.Members)
	}
	spellings := slices.SortedFunc(maps.Keys(w.spelled), func(a, b rules.Spelling) int {
		return cmp.Or(strings.Compare(a.Member, b.Member), strings.Compare(a.Value, b.Value))
	})
	for _, s := range spellings {
		if err := w.known(i, s.Outcome(w.spelled[s]), place{subject: s.Subject(w.account)}); err != nil {
			return err
		}
	}
	return w.cases.absent(runs.EnumUnmapped)
}

func (w *work) uncovered() error {
	if w.in.Contracts.IsEmpty() {
		return nil
	}
	i := w.rowIdx.bare
	for _, p := range w.of(kindBare) {
		u, ok := groupOf(p.Item)
		if !ok {
			continue
		}
		at := place{subject: u.Subject(w.account), day: u.Month, brand: u.Brand, product: u.Product}
		if err := w.known(i, cards.UncoveredOutcome(w.env, u, int(p.Members), p.Amount), at); err != nil {
			return err
		}
	}
	return w.cases.absent(contractMissing)
}

// residuals compares the lines with what the ledger's own query says, month by month, over the days that were judged
// and the months that stand accused. What is open goes the same way.
func (w *work) residuals(context.Context) error {
	days := w.toSum()
	var cards []ledger.DaySum
	var err error
	if w.all || len(days) > 0 {
		if cards, err = w.sink.CardSums(days); err != nil {
			return err
		}
	}
	judged := make(map[ledger.Date]bool, len(days))
	for _, d := range days {
		judged[d] = true
	}
	if err := w.continues(cards, judged); err != nil {
		return err
	}
	if err := w.compare(cardSide, cards, func(d ledger.Date) bool { return w.all || judged[d] }); err != nil {
		return err
	}
	slips, err := w.sink.SlipSums()
	if err != nil {
		return err
	}
	if err := w.compare(slipSide, slips, func(ledger.Date) bool { return true }); err != nil {
		return err
	}
	if !w.all {
		return nil
	}
	return w.cases.absent(runs.BridgeResidual)
}

// toSum are the days that the ledger is asked for, in order: none is all of them.
func (w *work) toSum() []ledger.Date {
	if w.all {
		return nil
	}
	for _, all := range w.cases.bySubject {
		for _, s := range all {
			if s.Code != runs.BridgeResidual && s.Code != runs.ContinuityBroken || !s.State.IsUnresolved() || s.Day == 0 {
				continue
			}
			for d := s.Day.MonthStart(); d.MonthStart() == s.Day.MonthStart(); d++ {
				w.days[d] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(w.days))
}

// month is what the two sides of a bridge are compared by.
type month struct {
	first   ledger.Date
	brand   string
	product ledger.Product
}

// compare judges the months of a side by those of their days that are in.
func (w *work) compare(side string, sums []ledger.DaySum, in func(ledger.Date) bool) error {
	held, lines := map[month]ledger.Amount{}, map[month]ledger.Amount{}
	for _, s := range sums {
		if err := addTo(held, month{monthOf(s.Day), s.Brand, s.Product}, s.Difference); err != nil {
			return err
		}
	}
	for _, l := range w.lines {
		if l.Side != side || !in(l.Day) {
			continue
		}
		m := month{monthOf(l.Day), l.Brand, l.Product}
		held[m] += 0
		if err := addTo(lines, m, l.Amount); err != nil {
			return err
		}
	}
	i := w.env.Index(runs.BridgeResidual)
	for _, m := range sortedMonths(held) {
		o := rules.Outcome{Status: rules.Passed}
		if held[m] != lines[m] {
			o = runs.ResidualOutcome(m.first, held[m], lines[m])
		}
		parts := []string{rules.Month(m.first), "slips"}
		if side == cardSide {
			parts = []string{rules.Month(m.first), m.brand, string(m.product)}
		}
		p := place{subject: ledger.Subject("month", w.account, parts...), day: m.first, brand: m.brand, product: m.product}
		if err := w.alone(i, o, p); err != nil {
			return err
		}
	}
	return nil
}

// conclude writes the tallies and says the verdict.
func (w *work) conclude(context.Context) error {
	if err := w.sink.RecordRuleCounts(w.tallies); err != nil {
		return err
	}
	if err := errors.Join(w.cases.release(""), w.cases.untouched()); err != nil {
		return err
	}
	for _, p := range w.of(kindUnattributed) {
		w.result.NotAttributed = p.Amount
	}
	w.result.Lines = w.totals()
	w.result.Verdict = w.verdict()
	return nil
}

// totals are the lines over all days, brands and products.
func (w *work) totals() []ledger.BridgeRow {
	sums := map[ledger.BridgeRow]bridgeSum{}
	for _, l := range w.lines {
		of := ledger.BridgeRow{Account: w.account, Side: l.Side, Line: l.Line, Reason: l.Reason}
		sums[of] = bridgeSum{sums[of].amount + l.Amount, sums[of].excess + l.Excess}
	}
	var rows []ledger.BridgeRow
	for row, sum := range sums {
		if row.Amount, row.Excess = sum.amount, sum.excess; sum != (bridgeSum{}) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, compareRows)
	return rows
}

func (w *work) verdict() ledger.Verdict {
	verdict := w.cases.verdict.Worse(ledger.Reconciled)
	if len(w.result.Critical) > 0 {
		return ledger.Incomplete
	}
	if w.result.NotAttributed != 0 {
		verdict = verdict.Worse(ledger.ReconciledWithWarnings)
	}
	return verdict
}

// SideOf returns the side, cards or slips, that a subject belongs to.
func SideOf(subject string) string {
	kind, rest, _ := strings.Cut(subject, ":")
	switch kind {
	case "slip":
		return "slips"
	case "day", "row":
		_, source, _ := strings.Cut(rest, ":")
		source, _, _ = strings.Cut(source, ":")
		return ledger.Source(source).Side()
	case "month":
		if strings.HasSuffix(subject, ":slips") {
			return "slips"
		}
	}
	return "cards"
}
