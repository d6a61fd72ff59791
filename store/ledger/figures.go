package ledger

// Figure is a group of money that people ask about. Every unresolved root case with an impact belongs to exactly one.
type Figure string

// The figures. The first five are of cases that cost the merchant something and together are all that such cases come to;
// FigureExcess is what came beyond, and is never subtracted from them.
const (
	FigureLost    Figure = "lost"    // gone: a fee too high, a credit too low
	FigureLate    Figure = "late"    // may still come, and was due by now
	FigureAtRisk  Figure = "at_risk" // may still come, and is due later
	FigureClaimed Figure = "claimed" // disputed with the service
	FigureWaived  Figure = "waived"  // accepted for a time
	FigureExcess  Figure = "excess"
)

// Figure says which figure the impact of the case belongs to as of a day; none when the case counts in no figure: it is
// resolved, closed or in shadow, another case explains it, or it has no impact. Package store has the same definition in SQL.
func (f *Finding) Figure(asOf Date) Figure {
	switch {
	case !f.State.Standing() || f.State == Shadow || f.ExplainedBy != "" || f.Impact.V == 0:
		return ""
	case f.Impact.V < 0:
		return FigureExcess
	case f.State == Disputed:
		return FigureClaimed
	case f.State == Waived:
		return FigureWaived
	case !f.Exposure:
		return FigureLost
	case f.DueOn <= asOf: // due without a date, too
		return FigureLate
	}
	return FigureAtRisk
}

// Figures are the sums of the figures, in whole cents: each case is rounded by itself, half away from zero, as reports print
// it. None is negative.
type Figures struct {
	Lost, Late, AtRisk, Claimed, Waived, Excess Amount
}

// Missing is what the merchant should have by now and has not: what is lost and what is late.
func (f Figures) Missing() Amount { return f.Lost + f.Late }

// Positive is the sum of all impacts that cost the merchant something.
func (f Figures) Positive() Amount { return f.Lost + f.Late + f.AtRisk + f.Claimed + f.Waived }

// IsZero reports whether there is nothing to tell.
func (f Figures) IsZero() bool { return f == Figures{} }

// Of is the named figure; 0 for no figure.
func (f *Figures) Of(name Figure) Amount {
	if a := f.member(name); a != nil {
		return *a
	}
	return 0
}

// Add adds an impact, positive or negative, to the named figure; no figure leaves all as they are. A sum out of range is an
// error.
func (f *Figures) Add(name Figure, impact Amount) error {
	a := f.member(name)
	if a == nil {
		return nil
	}
	sum, err := a.Add(impact.Rounded(HalfAwayFromZero).Abs())
	if err == nil {
		*a = sum
	}
	return err
}

// AddAll adds the figures of other cases.
func (f *Figures) AddAll(g Figures) error {
	for _, name := range FigureNames() {
		if err := f.Add(name, g.Of(name)); err != nil {
			return err
		}
	}
	return nil
}

// FigureNames returns the figures in the order in which they are printed.
func FigureNames() []Figure {
	return []Figure{FigureLost, FigureLate, FigureAtRisk, FigureClaimed, FigureWaived, FigureExcess}
}

func (f *Figures) member(name Figure) *Amount {
	switch name {
	case FigureLost:
		return &f.Lost
	case FigureLate:
		return &f.Late
	case FigureAtRisk:
		return &f.AtRisk
	case FigureClaimed:
		return &f.Claimed
	case FigureWaived:
		return &f.Waived
	case FigureExcess:
		return &f.Excess
	}
	return nil
}
