package export

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// UnresolvedCase is a case that is not resolved, closed or suppressed. The causes on a page and the verdict of a period are
// computed from these cases.
type UnresolvedCase struct {
	Account             ledger.Account
	Case, Code, Subject string
	Side                string            // cards or slips
	Day                 ledger.Date       // the day of the sale, or the due date; 0 for a case without a day
	Verdict             ledger.Verdict    // the best verdict that its period can have
	Impact              ledger.Amount     // positive: the merchant lost or waits for it
	Figure              ledger.Figure     // the figure that includes the impact, as of the set; empty unless it is a root case
	Age                 ledger.Opt[int64] // business days since it opened; absent while it is pending
	OnRow               bool              // whether the set has its row: an installment, one of its splits, its sale, or a slip
}

// CaseSource is the part of a ReportSource that pages and verdicts are computed from.
type CaseSource interface {
	// UnresolvedCases yields, as of the run, the root cases of the set's accounts that have an impact, and the other cases that
	// a verdict counts. Of a period these are the cases on its rows, and those whose own day is in the period.
	UnresolvedCases(ctx context.Context, yield func(*UnresolvedCase) error) error
	// RootSums returns the sums of the root cases on rows of the set by a query of the ledger, each case rounded to cents: of each
	// account on the sides that of returns true for, or of all root cases if of is nil. It has a column for each of
	// ledger.FigureNames in ten-thousandths, the number of missing cases as Rows, and excess_count.
	RootSums(ctx context.Context, of func(ledger.Account) (cards, slips bool)) (report.Sums, error)
}

// CauseWords describe a code in plain words: its title, who takes the next step, and the step. Owner and Next are empty for a
// rule that claims no money.
type CauseWords struct{ Title, Owner, Next string }

// causeTotals adds up the root cases of a set by code.
type causeTotals struct {
	words    map[string]CauseWords
	rowsRead map[accountSide]bool // of a period set: the rows that were read for it
	isState  bool                 // every root case is the set's

	byCode        map[causeKey]*causeSum
	figures       ledger.Figures                    // printed
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

// The groups of causes. Claimed and waived amounts need no action now and have no causes.
const (
	missingCauses = "missing"
	atRiskCauses  = "at_risk"
	excessCauses  = "excess"
)

// causeGroupOf returns the group of causes that a figure's cases are shown in; empty for none.
func causeGroupOf(f ledger.Figure) string {
	switch f {
	case ledger.FigureLost, ledger.FigureLate:
		return missingCauses
	case ledger.FigureAtRisk:
		return atRiskCauses
	case ledger.FigureExcess:
		return excessCauses
	}
	return ""
}

type causeSum struct {
	cases        int64
	amount, late ledger.Amount
	ages         [html.Ages]ledger.Amount
}

// beginCauses starts the causes of a set that has them: a period, or a state with a page.
func (r *rendering) beginCauses(context.Context) error {
	j := r.job
	if j.Basis == report.ByMovement || j.Basis == report.ByPosting || j.Basis == report.ByAsOf && !j.hasFormat(report.HTML) {
		return nil
	}
	r.causes = &causeTotals{
		words: j.Words, rowsRead: make(map[accountSide]bool), byCode: make(map[causeKey]*causeSum), isState: j.Basis == report.ByAsOf,
		verdicts: make(map[ledger.Account]ledger.Verdict), withoutFigure: make(map[string]ledger.Verdict),
	}
	return nil
}

// readCases reads the unresolved cases after the last row of the set. A state set counts all root cases, for its page; a
// period counts those on its rows.
func (r *rendering) readCases(ctx context.Context) error {
	c := r.causes
	if c == nil {
		return nil
	}
	err := r.source.UnresolvedCases(ctx, func(one *UnresolvedCase) error {
		switch {
		case c.isState || one.OnRow && c.rowsRead[accountSide{one.Account, one.Side}]:
			c.addCaseVerdict(one)
			if one.Figure == "" {
				return nil
			}
			return c.addRootCase(one)
		case r.job.containsCaseDay(one):
			c.addCaseVerdict(one)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("unresolved cases: %w", err)
	}
	return nil
}

// addCardVerdict applies an installment of the set to the verdict of its account. It does nothing on nil.
func (c *causeTotals) addCardVerdict(v *ledger.InstallmentVersion, e *ledger.Expectation) {
	if c == nil {
		return
	}
	c.rowsRead[accountSide{v.Account, ledger.Cards.Side()}] = true
	c.addBracketVerdicts(v.Account, e.Brackets)
}

// addSlipVerdict applies a slip of the set to the verdict of its account. It does nothing on nil.
func (c *causeTotals) addSlipVerdict(s *ledger.Slip, e *ledger.SlipExpectation) {
	if c == nil {
		return
	}
	c.rowsRead[accountSide{s.Account, ledger.SlipsDue.Side()}] = true
	c.addBracketVerdicts(s.Account, e.Brackets)
}

// ageGroups are the last business day of the groups of html.Ages after the pending ones; the last group has no end.
var ageGroups = [...]int64{5, 10, 30}

// addRootCase adds a root case to its figure and cause, rounded to cents.
func (c *causeTotals) addRootCase(root *UnresolvedCase) error {
	if err := c.figures.Add(root.Figure, root.Impact); err != nil {
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

// listCauses returns the causes of a group for a page, largest amount first.
func (c *causeTotals) listCauses(of string) []html.Cause {
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

// countCases returns the number of cases of a group.
func (c *causeTotals) countCases(of string) (n int64) {
	for key, sum := range c.byCode {
		if key.group == of {
			n += sum.cases
		}
	}
	return n
}

// pageFigures returns the figures of the causes by writer and ledger, in ten-thousandths and in the order of control.
func (c *causeTotals) pageFigures(file string, sql report.Sums) []control.Figure {
	figure := func(measure, unit string, known, written int64) control.Figure {
		return control.Figure{File: file, Measure: measure, Unit: unit, Ledger: ledger.Some(known), Writer: written}
	}
	lost, late := string(ledger.FigureLost), string(ledger.FigureLate)
	out := []control.Figure{
		figure("count", control.UnitCount, sql.Rows*10_000, c.countCases(missingCauses)*10_000),
		figure("missing", control.UnitBRL, sql.Columns[lost]+sql.Columns[late], int64(c.figures.Missing())),
	}
	shown := report.FiguresShown(&c.figures)
	for _, name := range ledger.FigureNames() {
		if known := sql.Columns[string(name)]; known != 0 || slices.Contains(shown, name) {
			out = append(out, figure(string(name), control.UnitBRL, known, int64(c.figures.AmountOf(name))))
		}
	}
	return append(out, figure("excess_count", control.UnitCount, sql.Columns["excess_count"]*10_000, c.countCases(excessCauses)*10_000))
}

// readRootSums asks the ledger for the sums of the root cases that the set counted; a state set counts all of them.
func (r *rendering) readRootSums(ctx context.Context) (report.Sums, error) {
	c := r.causes
	if c.isState {
		return r.source.RootSums(ctx, nil)
	}
	return r.source.RootSums(ctx, func(a ledger.Account) (cards, slips bool) {
		return c.rowsRead[accountSide{a, ledger.Cards.Side()}], c.rowsRead[accountSide{a, ledger.SlipsDue.Side()}]
	})
}

// buildMissing returns the figures on the first screen of the page. A side that is withheld has no figures; if both sides are
// withheld, the figures are unknown.
func (r *rendering) buildMissing() html.Missing {
	c := r.causes
	sides := map[string]bool{"cards": r.readsSide("cards"), "slips": r.readsSide("slips") || r.pageSlips != nil}
	if c.isState {
		shown := r.job.hasKind(report.ExceptionsKind) || r.job.hasKind(report.AgingKind)
		sides["cards"], sides["slips"] = shown, shown
	}
	m := html.Missing{
		Figures: c.figures, Lines: pageFigureLines(&c.figures, r.job.Language), Cases: c.countCases(missingCauses), ExcessCases: c.countCases(excessCauses),
		Causes: c.listCauses(missingCauses), AtRisk: c.listCauses(atRiskCauses), Gained: c.listCauses(excessCauses),
	}
	switch {
	case !sides["cards"] && !sides["slips"]:
		return html.Missing{Unknown: true, Note: r.lookUpText("page.what_would_say_so_not")}
	case !sides["slips"]:
		m.Note = r.lookUpText("page.cards_alone")
	case !sides["cards"]:
		m.Note = r.lookUpText("page.slips_alone")
	case r.pageSlips != nil:
		m.Note = r.pageSlipsNote()
	}
	return m
}

// pageFigureLines returns the figures that a page shows next to what is missing.
func pageFigureLines(f *ledger.Figures, l table.Language) []html.FigureLine {
	var out []html.FigureLine
	for _, name := range report.FiguresShown(f) {
		out = append(out, html.FigureLine{Key: string(name), Label: report.FigureName(name, l), Amount: f.AmountOf(name)})
	}
	return out
}

// checkPageFigures refuses a state set whose page and table of cases have different figures.
func (r *rendering) checkPageFigures() error {
	if r.exceptions == nil || !r.causes.isState {
		return nil
	}
	for _, name := range ledger.FigureNames() {
		page, rows := r.causes.figures.AmountOf(name), r.exceptions.FigureSum(name)
		if page != rows {
			return &control.MismatchError{
				Figure:  control.Figure{File: readback.PageItem(control.CausesID), Measure: string(name)},
				Problem: fmt.Errorf("the page says %s, the rows of %s add up to %s", page, report.ExceptionsTable.ID, rows),
			}
		}
	}
	return nil
}
