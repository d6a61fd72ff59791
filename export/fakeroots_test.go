package export_test

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
)

func (f *feed) UnresolvedCases(_ context.Context, yield func(*export.UnresolvedCase) error) error {
	for i := range f.roots {
		one := f.roots[i]
		one.Account, one.OnRow = cmp.Or(one.Account, 1001), f.isOnRow(one.Subject)
		one.Side = sideOf(one.Subject)
		if err := yield(&one); err != nil {
			return err
		}
	}
	return nil
}

func sideOf(subject string) string {
	if strings.HasPrefix(subject, "slip:") {
		return "slips"
	}
	return "cards"
}

// rowSubject is the subject whose row counts a case: a case on a split counts with its installment.
func rowSubject(subject string) string {
	body, isSplit := strings.CutPrefix(subject, "split:")
	if !isSplit {
		return subject
	}
	for range 3 {
		body = body[:strings.LastIndexByte(body, ':')]
	}
	return "card:" + body
}

func (f *feed) isOnRow(subject string) bool {
	subject = rowSubject(subject)
	return slices.ContainsFunc(f.cards, func(c card) bool { return c.v.Key().Subject() == subject || c.v.SaleKey().Subject() == subject }) ||
		slices.ContainsFunc(f.slips, func(s slip) bool { return s.s.Subject() == subject })
}

// rootsOfState makes the roots of a feed the cases of its state, as the ledger would give both.
func (f *feed) rootsOfState(asOf ledger.Date) {
	f.roots = nil
	for i := range f.state {
		c := &f.state[i]
		if figure := c.Figure(asOf); figure != "" {
			f.roots = append(f.roots, export.UnresolvedCase{Case: c.Case, Code: c.Code, Subject: c.Subject, Impact: c.Impact.V, Figure: figure, Age: c.BusinessDays})
		}
	}
}

func (f *feed) RootSums(_ context.Context, of func(ledger.Account) (cards, slips bool)) (report.Sums, error) {
	out := report.Sums{Columns: map[string]int64{}}
	for _, r := range f.roots {
		if of != nil {
			cards, slips := of(cmp.Or(r.Account, 1001))
			if side := sideOf(r.Subject); !f.isOnRow(r.Subject) || side == "cards" && !cards || side == "slips" && !slips {
				continue
			}
		}
		switch r.Figure {
		case ledger.FigureLost, ledger.FigureLate:
			out.Rows++
		case ledger.FigureExcess:
			out.Columns["excess_count"]++
		}
		out.Columns[string(r.Figure)] += int64(r.Impact.Rounded(ledger.HalfAwayFromZero).Abs())
	}
	out.Columns["lost"] += int64(f.off)
	return out, nil
}
