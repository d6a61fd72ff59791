package asof

import (
	"cmp"
	"maps"
	"slices"

	"concilia/export/report"
	"concilia/store/ledger"
)

// CauseLine is the unresolved cases of one code by age, and what is missing because of them. Pending and suppressed cases have
// no age and are not counted in the ages.
type CauseLine struct {
	Code       string
	Ages       [len(AgeSpans)]int64 // number of cases
	Lost, Late ledger.Amount        // as printed
}

// Cases is their number over all ages.
func (l *CauseLine) Cases() int64 { return l.Ages[0] + l.Ages[1] + l.Ages[2] }

// AgeSpans are the last business days of the age groups of a chart, few enough to be distinguished in a bar. The last group has
// no end.
var AgeSpans = [...]int64{5, 30, 0}

// CaseAges are the cases of a state set by cause and age.
type CaseAges map[string]*CauseLine

// addCase takes a case, as of the day of the set.
func (a CaseAges) addCase(c *report.Case, asOf ledger.Date) {
	open := c.BusinessDays.OK && c.State.IsUnresolved() && c.State != ledger.Pending && c.State != ledger.Shadow
	figure := c.Figure(asOf)
	missing := figure == ledger.FigureLost || figure == ledger.FigureLate
	if !open && !missing {
		return
	}
	if a[c.Code] == nil {
		a[c.Code] = &CauseLine{Code: c.Code}
	}
	l := a[c.Code]
	if open {
		span := 0
		for span < len(AgeSpans)-1 && c.BusinessDays.V > AgeSpans[span] {
			span++
		}
		l.Ages[span]++
	}
	switch cents := c.Impact.V.Rounded(ledger.HalfAwayFromZero); figure {
	case ledger.FigureLost:
		l.Lost += cents
	case ledger.FigureLate:
		l.Late += cents
	}
}

// Top returns the lines with the largest missing amounts, then the most cases, up to limit, and the others in one line named
// rest.
func (a CaseAges) Top(limit int, rest string) []CauseLine {
	var lines []CauseLine
	for l := range maps.Values(a) {
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(x, y CauseLine) int {
		return cmp.Or(cmp.Compare(y.Lost+y.Late, x.Lost+x.Late), cmp.Compare(y.Cases(), x.Cases()), cmp.Compare(x.Code, y.Code))
	})
	if len(lines) <= limit {
		return lines
	}
	other := CauseLine{Code: rest}
	for _, l := range lines[limit:] {
		for i := range other.Ages {
			other.Ages[i] += l.Ages[i]
		}
		other.Lost, other.Late = other.Lost+l.Lost, other.Late+l.Late
	}
	return append(lines[:limit:limit], other)
}
