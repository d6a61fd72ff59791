package causes

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/store/ledger"
)

// Totals adds up the root cases of a set by code.
type Totals struct {
	IsState bool           // every root case is the set's
	Figures ledger.Figures // printed

	words         map[string]export.CauseWords
	rowsRead      map[accountSide]bool // of a period set: the rows that were read for it
	byCode        map[causeKey]*causeSum
	verdicts      map[ledger.Account]ledger.Verdict // of a period set: the worst that its cases and rows leave
	withoutFigure map[string]ledger.Verdict         // by code: the worst that cases without a figure leave
}

// accountSide are the rows of a side of an account.
type accountSide struct {
	account ledger.Account
	side    string // cards or slips
}

// causeKey is a code in one of the groups of causes.
type causeKey struct{ group, code string }

// The groups of causes, as ListCauses takes them. Claimed and waived amounts need no action now and have no causes.
const (
	Missing = "missing"
	AtRisk  = "at_risk"
	Excess  = "excess"
)

// causeGroupOf returns the group of causes that a figure's cases are shown in; empty for none.
func causeGroupOf(f ledger.Figure) string {
	switch f {
	case ledger.FigureLost, ledger.FigureLate:
		return Missing
	case ledger.FigureAtRisk:
		return AtRisk
	case ledger.FigureExcess:
		return Excess
	}
	return ""
}

type causeSum struct {
	cases        int64
	amount, late ledger.Amount
	ages         [html.Ages]ledger.Amount
}

// Begin starts the causes of a set that has them, a period or a state with a page; nil: it has none.
func Begin(j *export.Job) *Totals {
	if j.Basis == report.ByMovement || j.Basis == report.ByPosting || j.Basis == report.ByAsOf && !j.HasFormat(report.HTML) {
		return nil
	}
	return &Totals{
		words: j.Words, rowsRead: make(map[accountSide]bool), byCode: make(map[causeKey]*causeSum), IsState: j.Basis == report.ByAsOf,
		verdicts: make(map[ledger.Account]ledger.Verdict), withoutFigure: make(map[string]ledger.Verdict),
	}
}

// ReadCases reads the unresolved cases after the last row of the set; nil reads none. A state set counts all root cases, for its page; a
// period counts those on its rows.
func (c *Totals) ReadCases(ctx context.Context, j *export.Job, source export.CaseSource) error {
	if c == nil {
		return nil
	}
	err := source.UnresolvedCases(ctx, func(one *export.UnresolvedCase) error {
		switch {
		case c.IsState || one.OnRow && c.rowsRead[accountSide{one.Account, one.Side}]:
			c.addCaseVerdict(one)
			if one.Figure == "" {
				return nil
			}
			return c.addRootCase(one)
		case containsCaseDay(j, one):
			c.addCaseVerdict(one)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("unresolved cases: %w", err)
	}
	return nil
}

// AddCard applies an installment of the set to the verdict of its account. It does nothing on nil.
func (c *Totals) AddCard(v *ledger.InstallmentVersion, e *ledger.Expectation) {
	if c == nil {
		return
	}
	c.rowsRead[accountSide{v.Account, ledger.Cards.Side()}] = true
	c.addBracketVerdicts(v.Account, e.Brackets)
}

// AddSlip applies a slip of the set to the verdict of its account. It does nothing on nil.
func (c *Totals) AddSlip(s *ledger.Slip, e *ledger.SlipExpectation) {
	if c == nil {
		return
	}
	c.rowsRead[accountSide{s.Account, ledger.SlipsDue.Side()}] = true
	c.addBracketVerdicts(s.Account, e.Brackets)
}

// ageGroups are the last business day of the groups of html.Ages after the pending ones; the last group has no end.
var ageGroups = [...]int64{5, 10, 30}

// addRootCase adds a root case to its figure and cause, rounded to cents.
func (c *Totals) addRootCase(root *export.UnresolvedCase) error {
	if err := c.Figures.Add(root.Figure, root.Impact); err != nil {
		return fmt.Errorf("case %s: %w", root.Case, err)
	}
	of := causeGroupOf(root.Figure)
	if of == "" {
		return nil
	}
	key := causeKey{of, root.Code}
	sum := c.byCode[key]
	if sum == nil {
		sum = &causeSum{}
		c.byCode[key] = sum
	}
	printed := root.Impact.Rounded(ledger.HalfAwayFromZero).Abs()
	sum.cases++
	sum.amount += printed
	if root.Figure == ledger.FigureLate {
		sum.late += printed
	}
	group := 0
	if root.Age.OK {
		for group = 1; group-1 < len(ageGroups) && root.Age.V > ageGroups[group-1]; {
			group++
		}
	}
	sum.ages[group] += printed
	return nil
}

// ListCauses returns the causes of a group for a page, largest amount first.
func (c *Totals) ListCauses(of string) []html.Cause {
	var out []html.Cause
	for _, key := range slices.SortedFunc(maps.Keys(c.byCode), func(a, b causeKey) int { return cmp.Compare(a.code, b.code) }) {
		if key.group != of {
			continue
		}
		sum, words := c.byCode[key], c.words[key.code]
		out = append(out, html.Cause{
			Code: key.code, Title: cmp.Or(words.Title, key.code), Amount: sum.amount, Cases: sum.cases,
			Late: sum.late > sum.amount-sum.late, Owner: words.Owner, Next: words.Next, Ages: sum.ages,
		})
	}
	slices.SortStableFunc(out, func(a, b html.Cause) int { return cmp.Compare(b.Amount, a.Amount) })
	return out
}

// CountCases returns the number of cases of a group.
func (c *Totals) CountCases(of string) (n int64) {
	for key, sum := range c.byCode {
		if key.group == of {
			n += sum.cases
		}
	}
	return n
}

// PageFigures returns the figures of the causes by writer and ledger, in ten-thousandths and in the order of control.
func (c *Totals) PageFigures(file string, sql report.Sums) []control.Figure {
	figure := func(measure, unit string, known, written int64) control.Figure {
		return control.Figure{File: file, Measure: measure, Unit: unit, Ledger: ledger.Some(known), Writer: written}
	}
	lost, late := string(ledger.FigureLost), string(ledger.FigureLate)
	out := []control.Figure{
		figure("count", control.UnitCount, sql.Rows*10_000, c.CountCases(Missing)*10_000),
		figure("missing", control.UnitBRL, sql.Columns[lost]+sql.Columns[late], int64(c.Figures.Missing())),
	}
	shown := asof.FiguresShown(&c.Figures)
	for _, name := range ledger.FigureNames() {
		if known := sql.Columns[string(name)]; known != 0 || slices.Contains(shown, name) {
			out = append(out, figure(string(name), control.UnitBRL, known, int64(c.Figures.AmountOf(name))))
		}
	}
	return append(out, figure("excess_count", control.UnitCount, sql.Columns["excess_count"]*10_000, c.CountCases(Excess)*10_000))
}

// ReadRootSums asks the ledger for the sums of the root cases that the set counted; a state set counts all of them.
func (c *Totals) ReadRootSums(ctx context.Context, source export.CaseSource) (report.Sums, error) {
	if c.IsState {
		return source.RootSums(ctx, nil)
	}
	return source.RootSums(ctx, func(a ledger.Account) (cards, slips bool) {
		return c.rowsRead[accountSide{a, ledger.Cards.Side()}], c.rowsRead[accountSide{a, ledger.SlipsDue.Side()}]
	})
}
