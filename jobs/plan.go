package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/store/ledger"
)

// PlanSettings is how far the slips' windows reach, in days.
type PlanSettings struct {
	SlipsDueBack    int // of the due list, before as-of
	SlipsDueForward int // of the due list, after as-of
}

const (
	// recentDays are asked again every night: late captures and cancellations.
	recentDays = 7
	// recentSlipDays are asked again of the payment and credit lists.
	recentSlipDays = 10
)

// PlanWindows lists what the night of asOf asks for, each window one day of one source, newest first within a source.
// A day is asked for once, for the first reason that holds.
func (w *Worker) PlanWindows(ctx context.Context, asOf ledger.Date) ([]ledger.Window, error) {
	var all []ledger.Window
	for _, a := range w.Accounts {
		windows, err := w.planAccount(ctx, a, asOf)
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		all = append(all, windows...)
	}
	return all, nil
}

func (w *Worker) planAccount(ctx context.Context, a Account, asOf ledger.Date) ([]ledger.Window, error) {
	since, err := w.since(ctx, a, asOf)
	if err != nil {
		return nil, err
	}
	p := planner{account: a.Number, since: since, reasons: map[ledger.Source]map[ledger.Date]string{}}
	answered := ledger.Period{From: since, To: asOf - 1}
	for _, source := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		if answered.Days() == 0 {
			break
		}
		cover, err := w.Ledger.Coverage(ctx, a.Number, source, answered)
		if err != nil {
			return nil, err
		}
		for d := answered.From; d <= answered.To; d++ {
			if !cover[d].Complete {
				p.add(source, d, "no complete pull yet")
			}
		}
	}
	p.span(ledger.Cards, asOf-recentDays, asOf-1, "one of the last days")
	open, err := w.Ledger.OpenDays(ctx, a.Number, asOf)
	if err != nil {
		return nil, err
	}
	for _, d := range open {
		p.add(ledger.Cards, d, "holds an installment due or overdue")
	}
	if err := w.planNotified(ctx, &p, asOf); err != nil {
		return nil, err
	}
	p.span(ledger.SlipsDue, asOf-ledger.Date(w.Plan.SlipsDueBack), asOf+ledger.Date(w.Plan.SlipsDueForward), "due around now")
	p.span(ledger.SlipsPayment, asOf-recentSlipDays, asOf, "paid in the last days")
	p.span(ledger.SlipsCredit, asOf-recentSlipDays, asOf, "credited in the last days")
	return p.windows(), nil
}

// planner collects the days of each source with the first reason given.
type planner struct {
	account ledger.Account
	since   ledger.Date
	reasons map[ledger.Source]map[ledger.Date]string
}

func (p *planner) span(s ledger.Source, from, to ledger.Date, reason string) {
	for d := max(from, p.since); d <= to; d++ {
		p.add(s, d, reason)
	}
}

func (p *planner) add(s ledger.Source, d ledger.Date, reason string) {
	days := p.reasons[s]
	if days == nil {
		days = map[ledger.Date]string{}
		p.reasons[s] = days
	}
	if _, ok := days[d]; !ok {
		days[d] = reason
	}
}

func (p *planner) windows() []ledger.Window {
	var out []ledger.Window
	for source, days := range p.reasons {
		for d, reason := range days {
			out = append(out, ledger.Window{
				Account: p.account, Source: source, Period: ledger.Period{From: d, To: d}, Reason: reason,
			})
		}
	}
	slices.SortFunc(out, func(a, b ledger.Window) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(b.Period.From, a.Period.From))
	})
	return out
}

// RangeWindows lists one window a day of every source asked for, over an explicit range.
func (w *Worker) RangeWindows(p ledger.Period, sources []ledger.Source) []ledger.Window {
	var out []ledger.Window
	for _, a := range w.Accounts {
		for _, s := range sources {
			for d := p.To; d >= p.From; d-- {
				out = append(out, ledger.Window{
					Account: a.Number, Source: s, Period: ledger.Period{From: d, To: d}, Reason: "asked for",
				})
			}
		}
	}
	return out
}
