package reconcile

import (
	"context"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

const (
	cardSide = "cards"
	slipSide = "slips"
)

// believe keeps what is expected of a row and counts what it adds, once what it added before is taken away.
func (w *work) believe(r *rules.Row, e *ledger.Expectation) error {
	before := r.Now.Stored
	e.AggregateDelta = w.kept()
	other, err := w.sink.WriteExpectation(e, before)
	if err != nil {
		return err
	}
	if other {
		w.result.Believed++
	}
	if err := w.follow(r.History, before, false); err != nil {
		return err
	}
	w.days[r.Key.Day] = true
	if !other && !w.all {
		return nil
	}
	if before != nil && !w.all {
		if err := w.uncount(before, r.History, r.Key.Day); err != nil {
			return err
		}
	}
	return w.sums.add(1, counted{
		side: cardSide, day: r.Key.Day, brand: r.Brand, product: r.Product, band: r.Band, gross: r.Gross, mdr: r.MDR,
		brackets: e.Brackets, contribution: &w.now,
	})
}

// kept is the text of the contribution at hand.
func (w *work) kept() string {
	w.text = w.now.text(w.text[:0])
	s, known := w.texts[string(w.text)]
	if !known {
		s = string(w.text)
		if len(w.texts) < maxTexts {
			w.texts[s] = s
		}
	}
	return s
}

// maxTexts bounds how many texts of contributions are shared.
const maxTexts = 10_000

// uncount takes away what an installment added before.
func (w *work) uncount(before *ledger.StoredExpectation, h ledger.InstallmentHistory, day ledger.Date) error {
	c, err := readContribution(before.AggregateDelta)
	if err != nil {
		return err
	}
	was := counted{
		side: cardSide, day: day, brand: before.Brand, product: before.Product, band: before.Band, contribution: c,
	}
	if was.brackets, err = before.Brackets(); err != nil {
		return err
	}
	if before.Version >= 1 && before.Version <= len(h) {
		was.gross, was.mdr = h[before.Version-1].Gross, h[before.Version-1].MDR.Or(0)
	}
	return w.sums.add(-1, was)
}

// believeSlip is believe for a slip.
func (w *work) believeSlip(s *rules.Slip, e *ledger.SlipExpectation) error {
	e.AggregateDelta = w.kept()
	other, err := w.sink.WriteSlipExpectation(e, s.Stored)
	if other {
		w.result.Believed++
	}
	if err != nil || !other && !w.all {
		return err
	}
	if s.Stored != nil && !w.all {
		if err := w.uncountSlip(s.Stored); err != nil {
			return err
		}
	}
	return w.sums.add(1, counted{side: slipSide, day: e.Day, gross: w.now.value, brackets: e.Brackets, contribution: &w.now})
}

func (w *work) uncountSlip(before *ledger.StoredExpectation) error {
	c, err := readContribution(before.AggregateDelta)
	if err != nil {
		return err
	}
	was := counted{side: slipSide, day: before.Day, gross: c.value, contribution: c}
	if was.brackets, err = before.Brackets(); err != nil {
		return err
	}
	return w.sums.add(-1, was)
}

// aggregate hands over what the rows judged changed in what all rows come to, and reads what that is now.
func (w *work) aggregate(context.Context) error {
	if err := w.countUnread(); err != nil {
		return err
	}
	var err error
	if w.grown, err = w.outgrew(); err != nil {
		return err
	}
	counts, err := w.sums.populations()
	if err != nil {
		return err
	}
	if err := w.sink.UpdateBridge(w.all, w.sums.lines(w.account)); err != nil {
		return err
	}
	if err := w.sink.UpdateRounding(w.all, w.sums.roundings()); err != nil {
		return err
	}
	if err := w.sink.UpdatePopulations(w.all, counts); err != nil {
		return err
	}
	if w.lines, err = w.sink.CurrentBridge(); err != nil {
		return err
	}
	if w.counts, err = w.sink.CurrentPopulations(); err != nil {
		return err
	}
	counters := map[string]int64{}
	for _, p := range w.of(kindGuard) {
		counters[p.Item] = p.Members
	}
	w.guard, err = assumptions.RestoreGuard(counters)
	return err
}

// of are the counts of one kind.
func (w *work) of(kind string) []ledger.Population {
	from, _ := slices.BinarySearchFunc(w.counts, kind, func(p ledger.Population, kind string) int { return compareText(p.Kind, kind) })
	to := from
	for to < len(w.counts) && w.counts[to].Kind == kind {
		to++
	}
	return w.counts[from:to]
}

// doubted are the codes of the rules that the rows say not to believe, sorted.
func (w *work) doubted() []string {
	var codes []string
	for _, d := range w.guard.Suppressions() {
		codes = append(codes, d.Code)
	}
	slices.Sort(codes)
	return codes
}
