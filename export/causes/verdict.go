package causes

import (
	"cmp"
	"maps"
	"slices"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/store/ledger"
)

// WorsenVerdict sets the verdict of an account to v, unless it is worse already.
func (c *Totals) WorsenVerdict(a ledger.Account, v ledger.Verdict) {
	c.verdicts[a] = c.verdicts[a].Worse(v)
}

// addCaseVerdict applies a case to the verdict of its account. It may be called twice for a case: for its day and for its row.
func (c *Totals) addCaseVerdict(one *export.UnresolvedCase) {
	c.WorsenVerdict(one.Account, one.Verdict)
	if one.Figure == "" && one.Verdict != ledger.Reconciled && one.Verdict != "" {
		c.withoutFigure[one.Code] = c.withoutFigure[one.Code].Worse(one.Verdict)
	}
}

// WithoutAmount returns the titles of the codes that affect the verdict and are in no figure, gravest first.
func (c *Totals) WithoutAmount() []string {
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

// addBracketVerdicts applies the brackets of a row to the verdict.
func (c *Totals) addBracketVerdicts(a ledger.Account, brackets []ledger.Bracket) {
	if v := VerdictOf(brackets); v != "" {
		c.WorsenVerdict(a, v)
	}
}

// VerdictOf returns the best verdict that a period can have with the brackets of a row: an amount that is attributed to no line is a
// warning. Empty: any.
func VerdictOf(brackets []ledger.Bracket) ledger.Verdict {
	for i := range brackets {
		if brackets[i].Line == ledger.LineNotAttributed {
			return ledger.ReconciledWithWarnings
		}
	}
	return ""
}

// containsCaseDay reports whether a case belongs to the set by its own day: the day of the sale on basis operation, the due date
// of slips on basis forecast. So cases without a row in the set count, too: of a row that vanished or could not be read, of a
// day or of a month. With a filter only the cases of rows count.
func containsCaseDay(j *export.Job, c *export.UnresolvedCase) bool {
	return j.Basis == export.BridgeBasis(c.Side) && hasSide(j, c.Side) && j.Filter.Canonical() == "" && c.Day != 0 && j.Period.Contains(c.Day)
}

// hasSide reports whether the set has a kind of the side, or one is withheld.
func hasSide(j *export.Job, side string) bool {
	if side != ledger.Cards.Side() && j.Account == manifest.AllAccounts {
		return true
	}
	of := func(k report.Kind) bool {
		return k != report.ControlKind && (kindlist.SideOf(k) == side || kindlist.SideOf(k) == "")
	}
	return slices.ContainsFunc(j.Kinds, of) || slices.ContainsFunc(j.Withheld, func(w export.Withheld) bool { return of(w.Kind) })
}

// DecideVerdict returns the verdict of the set and its accounts with theirs, after the last row. A state set has the verdict of the
// day, which counts every period. A period is incomplete if one of its days is, or if a critical case withholds a side; otherwise
// its unresolved cases and rows decide.
func (c *Totals) DecideVerdict(j *export.Job) (ledger.Verdict, []export.AccountFacts) {
	accounts := slices.Clone(j.Facts.Accounts)
	if j.Basis == report.ByAsOf || j.Basis == report.ByMovement || j.Basis == report.ByPosting {
		return j.Facts.Verdict, accounts
	}
	verdict := ledger.Reconciled
	if j.Facts.Incomplete || len(j.Withheld) > 0 {
		verdict = ledger.Incomplete
	}
	for i := range accounts {
		a := &accounts[i]
		a.Verdict = c.verdicts[a.Account].Worse(ledger.Reconciled)
		if a.Incomplete || len(a.Withheld) > 0 {
			a.Verdict = ledger.Incomplete
		}
		verdict = verdict.Worse(a.Verdict)
	}
	for _, v := range c.verdicts {
		verdict = verdict.Worse(v)
	}
	return verdict, accounts
}

// AddCardRows adds the card rows of an account that were read for its own set. It does nothing on nil.
func (c *Totals) AddCardRows(account ledger.Account, rows *export.CardRows) {
	if c == nil || !rows.HasRows {
		return
	}
	c.rowsRead[accountSide{account, ledger.Cards.Side()}] = true
	c.WorsenVerdict(account, rows.Verdict)
}

// FillCardRows keeps what the card rows read so far leave of the verdict. It does nothing on nil.
func (c *Totals) FillCardRows(rows *export.CardRows) {
	if c == nil {
		return
	}
	rows.HasRows = len(c.rowsRead) > 0
	for _, v := range c.verdicts {
		rows.Verdict = rows.Verdict.Worse(v)
	}
}
