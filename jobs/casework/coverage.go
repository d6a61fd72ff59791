package casework

import (
	"context"
	"time"

	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// DayState is what is known about a day of a source.
type DayState string

// The states of a day. A day is partial if it was asked for, but no complete answer was requested after the day had
// ended.
const (
	DayComplete DayState = "complete"
	DayPartial  DayState = "partial"
	DayMissing  DayState = "missing"
)

// CoveredDay is a day of a source.
type CoveredDay struct {
	Day     ledger.Date
	State   DayState
	Since   string      // the first pull that proves the day; empty unless complete
	SinceOn ledger.Date // its date on the business clock
	Pull    string      // the last pull that proves the day, or else the last that asked for it; empty: none
	Began   time.Time   // of Pull, UTC
	Failure string      // why Pull is not complete; empty if it is complete but began too early
}

// SourceCoverage is what is known about a source of an account, day by day, oldest first.
type SourceCoverage struct {
	Account  ledger.Account
	Name     string // of the account
	Source   ledger.Source
	Days     []CoveredDay
	Complete int
	Partial  int
	Missing  int
	FirstGap ledger.Date // zero if every day is complete
}

// ReadCoverage reads the coverage of every day of the period that the accounts are answered for, as of a morning; a period that is not
// given is all of it. It asks nothing and writes nothing. If the period has no such day it returns a *RequestError.
func (v *Overview) ReadCoverage(ctx context.Context, asOf ledger.Date, p ledger.Period, sources []ledger.Source) ([]SourceCoverage, error) {
	var out []SourceCoverage
	for _, a := range v.Accounts {
		since, err := plan.FirstDay(ctx, v.Ledger, a.Number, a.Since, asOf)
		if err != nil {
			return nil, err
		}
		days := ledger.Period{From: max(since, p.From), To: asOf - 1}
		if p.To != 0 {
			days.To = min(days.To, p.To)
		}
		if days.Days() == 0 {
			return nil, NewRequestError("error.days_not_covered", "hint.days_within", "account", a.Number, "from", since, "to", asOf-1)
		}
		for _, s := range sources {
			c, err := v.readSourceCoverage(ctx, a, s, days)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	return out, nil
}

func (v *Overview) readSourceCoverage(ctx context.Context, a plan.Account, source ledger.Source, p ledger.Period) (SourceCoverage, error) {
	c := SourceCoverage{Account: a.Number, Name: a.Name, Source: source}
	covers, err := v.Ledger.Coverage(ctx, a.Number, source, p)
	if err != nil {
		return c, err
	}
	for d := p.From; d <= p.To; d++ {
		cover, asked := covers[d]
		day := CoveredDay{
			Day: d, State: DayMissing, Since: cover.FirstProof, SinceOn: cover.FirstProofOn, Pull: cover.Pull, Began: cover.Began,
			Failure: cover.Failure,
		}
		switch {
		case cover.Complete:
			day.State = DayComplete
			c.Complete++
		case asked:
			day.State = DayPartial
			c.Partial++
		default:
			c.Missing++
		}
		if day.State != DayComplete && c.FirstGap == 0 {
			c.FirstGap = d
		}
		c.Days = append(c.Days, day)
	}
	return c, nil
}
