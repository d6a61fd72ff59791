package pull

import (
	"context"
	"slices"

	"concilia/jobs/plan"
	"concilia/store/facts"
	"concilia/store/ledger"
)

// Selection selects days of lists.
type Selection struct {
	Period  ledger.Period
	Sources []ledger.Source
	Recheck bool // also days that are complete
}

// SelectRanges returns the ranges of a backfill, one for each account and list: their days are those that the selection asks
// for. A puller without a ledger selects for an empty one.
func (p *Puller) SelectRanges(ctx context.Context, s Selection) ([]Range, error) {
	reason := "not complete yet"
	if s.Recheck {
		reason = "asked again"
	}
	var ranges []Range
	for _, a := range p.Accounts {
		for _, source := range s.Sources {
			r := Range{Account: a.Number, Source: source, Period: s.Period, Reason: reason}
			if source != ledger.SlipsDue {
				// Nothing was sold, paid or credited on a future day.
				r.Period.To = min(r.Period.To, p.today())
			}
			var covers map[ledger.Date]facts.DayCoverage
			if p.Ledger != nil && !s.Recheck {
				var err error
				if covers, err = p.Ledger.Coverage(ctx, a.Number, source, r.Period); err != nil {
					return nil, err
				}
			}
			for d := r.Period.From; d <= r.Period.To; d++ {
				if !covers[d].Complete {
					r.Days = append(r.Days, d)
				}
			}
			ranges = append(ranges, r)
		}
	}
	return ranges, nil
}

// SelectDays returns the ranges that ask for every day of a selection, whether or not it is complete.
func (p *Puller) SelectDays(s Selection, reason string) []Range {
	var days []ledger.Date
	for d := s.Period.From; d <= s.Period.To; d++ {
		days = append(days, d)
	}
	var ranges []Range
	for _, a := range p.Accounts {
		for _, source := range s.Sources {
			ranges = append(ranges, Range{Account: a.Number, Source: source, Period: s.Period, Days: slices.Clone(days), Reason: reason})
		}
	}
	return ranges
}

// DropFinishedDays removes from the ranges the days that an earlier run of the same ranges has pulled. A run that a nightly run
// has overtaken cannot be continued, but the days that it asked for again need not be asked for a third time.
func (p *Puller) DropFinishedDays(ctx context.Context, earlier string, ranges []Range) error {
	same, err := p.ListUnits(ctx, earlier, ledger.RangeUnit)
	if err != nil || !SameRanges(ranges, same) {
		return err
	}
	days, err := p.ListUnits(ctx, earlier, ledger.PullUnit, ledger.UnitDone)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for i := range days {
		done[days[i].Account.String()+" "+days[i].What] = true
	}
	for i := range ranges {
		r := &ranges[i]
		r.Days = slices.DeleteFunc(r.Days, func(d ledger.Date) bool {
			u := ledger.UnitOfWindow("", ledger.PullUnit, ledger.Window{Source: r.Source, Period: ledger.Period{From: d, To: d}})
			return done[r.Account.String()+" "+u.What]
		})
	}
	return nil
}

// ExtendCoverage moves the first day that each account is covered from back over the days of the period that are complete now,
// if they lead up to it without a gap. A day on which one list is not complete would only be reported as missing.
func (p *Puller) ExtendCoverage(ctx context.Context, run *ledger.Run, period ledger.Period) error {
	for _, a := range p.Accounts {
		if err := p.extendCoverage(ctx, run, a, period); err != nil {
			return err
		}
	}
	return nil
}

func (p *Puller) extendCoverage(ctx context.Context, run *ledger.Run, a plan.Account, period ledger.Period) error {
	firstDay, err := plan.FixFirstDay(ctx, p.Ledger, a, run.AsOf)
	if err != nil || period.From >= firstDay || period.To < firstDay-1 {
		return err
	}
	first := period.From
	for _, source := range allSources() {
		covers, err := p.Ledger.Coverage(ctx, a.Number, source, ledger.Period{From: period.From, To: firstDay - 1})
		if err != nil {
			return err
		}
		d := firstDay
		for d > first && covers[d-1].Complete {
			d--
		}
		first = d
	}
	if first == firstDay {
		return nil
	}
	return p.Ledger.SetFirstDay(ctx, a.Number, first)
}

// allSources are the lists by which a day is complete.
func allSources() []ledger.Source {
	return append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...)
}

// WidestWindows returns the windows in which the days, oldest first, are asked for if every answer is small: the newest first,
// each twice as wide as the one before, none across a day that is not among them.
func WidestWindows(days []ledger.Date) []ledger.Period {
	var out []ledger.Period
	wide := 1
	for i := len(days) - 1; i >= 0; {
		p := ledger.Period{From: days[i], To: days[i]}
		for i--; i >= 0 && days[i] == p.From-1 && p.Days() < wide; i-- {
			p.From = days[i]
		}
		out = append(out, p)
		wide = min(2*wide, widestWindow)
	}
	return out
}
