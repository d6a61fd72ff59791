package export

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/store/ledger"
)

// worsenVerdict sets the verdict of an account to v, unless it is worse already.
func (c *causeTotals) worsenVerdict(a ledger.Account, v ledger.Verdict) {
	c.verdicts[a] = c.verdicts[a].Worse(v)
}

// addCaseVerdict applies a case to the verdict of its account. It may be called twice for a case: for its day and for its row.
func (c *causeTotals) addCaseVerdict(one *UnresolvedCase) {
	c.worsenVerdict(one.Account, one.Verdict)
	if one.Figure == "" && one.Verdict != ledger.Reconciled && one.Verdict != "" {
		c.withoutFigure[one.Code] = c.withoutFigure[one.Code].Worse(one.Verdict)
	}
}

// withoutAmount returns the titles of the codes that affect the verdict and are in no figure, gravest first.
func (c *causeTotals) withoutAmount() []string {
	codes := slices.SortedFunc(maps.Keys(c.withoutFigure), func(a, b string) int {
		switch one, other := c.withoutFigure[a], c.withoutFigure[b]; {
		case one == other:
			return cmp.Compare(a, b)
		case one.Worse(other) == one:
			return -1
		}
		return 1
	})
	for i, code := range codes {
		codes[i] = cmp.Or(c.words[code].Title, code)
	}
	return codes
}

// addBracketVerdicts applies the brackets of a row to the verdict: an amount that is attributed to no line is a warning.
func (c *causeTotals) addBracketVerdicts(a ledger.Account, brackets []ledger.Bracket) {
	for i := range brackets {
		if brackets[i].Line == ledger.LineNotAttributed {
			c.worsenVerdict(a, ledger.ReconciledWithWarnings)
		}
	}
}

// containsCaseDay reports whether a case belongs to the set by its own day: the day of the sale on basis operation, the due date
// of slips on basis forecast. So cases without a row in the set count, too: of a row that vanished or could not be read, of a
// day or of a month. With a filter only the cases of rows count.
func (j *Job) containsCaseDay(c *UnresolvedCase) bool {
	return j.Basis == bridgeBasis(c.Side) && j.hasSide(c.Side) && j.Filter.Canonical() == "" && c.Day != 0 && j.Period.Contains(c.Day)
}

// hasSide reports whether the set has a kind of the side, or one is withheld.
func (j *Job) hasSide(side string) bool {
	if side != ledger.Cards.Side() && j.Account == manifest.AllAccounts {
		return true
	}
	of := func(k report.Kind) bool { return k != report.ControlKind && (k.Side() == side || k.Side() == "") }
	return slices.ContainsFunc(j.Kinds, of) || slices.ContainsFunc(j.Withheld, func(w Withheld) bool { return of(w.Kind) })
}

// decideVerdict sets the verdict of the set and of its accounts, after the last row. A state set has the verdict of the day,
// which counts every period. A period is incomplete if one of its days is, or if a critical case withholds a side; otherwise
// its unresolved cases and rows decide.
func (r *rendering) decideVerdict(context.Context) error {
	j := r.job
	r.verdict, r.accounts = j.Facts.Verdict, slices.Clone(j.Facts.Accounts)
	if j.Basis == report.ByAsOf || j.Basis == report.ByMovement || j.Basis == report.ByPosting {
		return nil
	}
	r.verdict = ledger.Reconciled
	if j.Facts.Incomplete || len(j.Withheld) > 0 {
		r.verdict = ledger.Incomplete
	}
	for i := range r.accounts {
		a := &r.accounts[i]
		a.Verdict = r.causes.verdicts[a.Account].Worse(ledger.Reconciled)
		if a.Incomplete || len(a.Withheld) > 0 {
			a.Verdict = ledger.Incomplete
		}
		r.verdict = r.verdict.Worse(a.Verdict)
	}
	for _, v := range r.causes.verdicts {
		r.verdict = r.verdict.Worse(v)
	}
	return nil
}

// todayVerdictLine returns, for the page of a period, the scope of its verdict and today's verdict over all periods; empty for
// a state.
func (r *rendering) todayVerdictLine() string {
	j := r.job
	if j.Basis == report.ByAsOf {
		return ""
	}
	id := "page.verdict_of_period"
	if report.IsWholeMonth(j.Period) {
		id = "page.verdict_of_month"
	}
	return r.lookUpText(id, "today", verdictWords(r.lookUpText, j.Facts.Verdict))
}

// verdictWords returns a verdict in words.
func verdictWords(text textFunc, v ledger.Verdict) string { return text("verdicts." + string(v)) }

// pageAccounts returns the accounts of a set over all of them, worst verdict first, then by number.
func (r *rendering) pageAccounts() []html.Account {
	accounts := slices.Clone(r.accounts)
	slices.SortStableFunc(accounts, func(a, b AccountFacts) int {
		switch {
		case a.Verdict == b.Verdict:
			return int(a.Account) - int(b.Account)
		case a.Verdict.Worse(b.Verdict) == a.Verdict:
			return -1
		}
		return 1
	})
	var out []html.Account
	for _, a := range accounts {
		line := html.Account{Number: a.Account.String(), Name: a.Name, Level: html.LevelOf(a.Verdict), Verdict: verdictWords(r.lookUpText, a.Verdict), To: r.job.linkToAccount(a.Account)}
		for i, w := range a.Withheld {
			if i > 0 {
				line.Note += ", "
			}
			line.Note += report.KindWords(w.Kind, r.job.Language) + " (" + w.Code + ")"
		}
		if a.NoSlips != "" {
			line.Note = report.KindWords(report.SlipsKind, r.job.Language) + " (" + a.NoSlips + ")"
		}
		out = append(out, line)
	}
	return out
}
