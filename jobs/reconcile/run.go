package reconcile

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// coverage judges every day the account is answered for, of each source.
func (w *work) coverage(context.Context) error {
	i := w.env.Index(rules.CoverageGap)
	for _, s := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		for d := w.in.Since; d < w.in.AsOf; d++ {
			o := rules.Outcome{Status: rules.Passed}
			if !w.covers[s][d].Complete {
				o = rules.Gap(s, d)
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
	bad, err := w.src.Quarantine(ctx, w.account)
	if err != nil {
		return err
	}
	i := w.env.Index(rules.SchemaInvalid)
	for n := range bad {
		q := &bad[n]
		if err := w.alone(i, rules.Unreadable(q), place{subject: q.Subject(), day: q.Day}); err != nil {
			return err
		}
	}
	return w.cases.absent(rules.SchemaInvalid)
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
	i := w.env.Index(rules.EnumUnmapped)
	spellings := make([]rules.Spelling, 0, len(w.spelled))
	for s := range w.spelled {
		spellings = append(spellings, s)
	}
	slices.SortFunc(spellings, func(a, b rules.Spelling) int {
		return cmp.Or(strings.Compare(a.Member, b.Member), strings.Compare(a.Value, b.Value))
	})
	for _, s := range spellings {
		if err := w.known(i, s.Outcome(w.spelled[s]), place{subject: s.Subject(w.account)}); err != nil {
			return err
		}
	}
	if w.tallies[i].Evaluated > 0 {
		if err := w.cases.absent(rules.EnumUnmapped); err != nil {
			return err
		}
	}
	return w.uncovered()
}

func (w *work) uncovered() error {
	i := w.env.Index("MDR_CONTRACT_MISSING")
	months := make([]rules.Uncovered, 0, len(w.bare))
	for u := range w.bare {
		months = append(months, u)
	}
	slices.SortFunc(months, func(a, b rules.Uncovered) int {
		return cmp.Or(cmp.Compare(a.Month, b.Month), strings.Compare(a.Brand, b.Brand), cmp.Compare(a.Product, b.Product),
			strings.Compare(a.Band, b.Band))
	})
	for _, u := range months {
		p := place{subject: u.Subject(w.account), day: u.Month, brand: u.Brand, product: u.Product}
		if err := w.known(i, u.Outcome(w.env, w.bare[u].rows, w.bare[u].gross), p); err != nil {
			return err
		}
	}
	if w.tallies[i].Evaluated == 0 {
		return nil
	}
	return w.cases.absent("MDR_CONTRACT_MISSING")
}

// residuals compares the lines with what the ledger's own query says, month by month.
func (w *work) residuals(context.Context) error {
	cards, err := w.sink.CardDifferences()
	if err != nil {
		return err
	}
	if err := w.compare(&w.cards, cards); err != nil {
		return err
	}
	slips, err := w.sink.SlipDifferences()
	if err != nil {
		return err
	}
	for i := range slips {
		slips[i].Brand, slips[i].Product = "", ""
	}
	if err := w.compare(&w.slipSide, slips); err != nil {
		return err
	}
	return w.cases.absent(rules.BridgeResidual)
}

func (w *work) compare(b *bridge, rows []ledger.BridgeRow) error {
	held := map[month]ledger.Amount{}
	for _, r := range rows {
		m := month{monthOf(r.Day), r.Brand, r.Product}
		if err := addTo(held, m, r.Amount); err != nil {
			return err
		}
	}
	for m := range b.months {
		if _, ok := held[m]; !ok {
			held[m] = 0
		}
	}
	months := make([]month, 0, len(held))
	for m := range held {
		months = append(months, m)
	}
	slices.SortFunc(months, func(a, b month) int {
		return cmp.Or(cmp.Compare(a.first, b.first), strings.Compare(a.brand, b.brand), cmp.Compare(a.product, b.product))
	})
	i := w.env.Index(rules.BridgeResidual)
	for _, m := range months {
		o := rules.Outcome{Status: rules.Passed}
		if held[m] != b.months[m] {
			o = rules.Residual(m.first, held[m], b.months[m])
		}
		parts := []string{rules.Month(m.first), "slips"}
		if b.side == "cards" {
			parts = []string{rules.Month(m.first), m.brand, string(m.product)}
		}
		p := place{subject: ledger.Subject("month", w.account, parts...), day: m.first, brand: m.brand, product: m.product}
		if err := w.alone(i, o, p); err != nil {
			return err
		}
	}
	return nil
}

// conclude writes the tallies and the tolerated cents and says the verdict.
func (w *work) conclude(context.Context) error {
	if err := w.sink.Tallies(w.tallies); err != nil {
		return err
	}
	keys := make([]tolerated, 0, len(w.rounding))
	for k := range w.rounding {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b tolerated) int {
		return cmp.Or(strings.Compare(a.code, b.code), cmp.Compare(a.month, b.month))
	})
	for _, k := range keys {
		if err := w.sink.Rounding(k.code, k.month, w.rounding[k]); err != nil {
			return err
		}
	}
	w.cases.untouched()
	w.result.Lines = append(w.cards.lines(), w.slipSide.lines()...)
	w.result.Verdict = w.verdict()
	return nil
}

func (w *work) verdict() ledger.Verdict {
	switch {
	case len(w.result.Critical) > 0:
		return ledger.Incomplete
	case w.cases.broken:
		return ledger.Breaks
	case w.cases.warned || w.result.NotAttributed != 0:
		return ledger.ReconciledWithWarnings
	case w.cases.pending:
		return ledger.ReconciledWithPending
	}
	return ledger.Reconciled
}

// SideOf says which side a subject rests on.
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
