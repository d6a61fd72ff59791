package proof

import (
	"maps"
	"slices"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/report/kindlist"
	"concilia/export/staging"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Proof is what control lists of one set.
type Proof struct {
	job               *export.Job
	digest            string
	revision          int
	result            *export.Result
	files             []manifest.File  // of the set, without control itself
	Figures           []control.Figure // those that control lists
	counters          []*table.Counter // of the tables, for the rounding of their sums
	ediOmissions      []staging.EDIOmissions
	identityResults   []report.Identity
	withoutDate       map[string]int64 // rows without the basis' date, by side
	changedStatements []string         // sets of earlier statements to issue again
	accountTotals     map[ledger.Account]*report.CardTotals

	verdict      ledger.Verdict
	accountFacts []export.AccountFacts
}

// Of returns the proof of a set in its current state.
func Of(set *staging.Set) *Proof {
	p := &Proof{
		job: set.Job, digest: set.Result.Digest, revision: set.Result.Revision, result: &set.Result, ediOmissions: set.EDIOmissions,
		identityResults: set.Identities, withoutDate: set.WithoutDate, verdict: set.Verdict, accountFacts: set.Accounts, changedStatements: set.ChangedStatements,
	}
	for _, k := range set.Job.Kinds {
		for _, t := range set.TablesOf(k) {
			if f := set.Tables[t.ID]; f != nil && k != report.ControlKind {
				p.counters = append(p.counters, f.Counter())
			}
		}
	}
	for _, f := range set.Files {
		p.files = append(p.files, f.File)
		for _, x := range f.Figures {
			if !x.Unlisted {
				p.Figures = append(p.Figures, x)
			}
		}
	}
	if set.Summary != nil {
		p.accountTotals = set.Summary.AccountTotals()
	}
	return p
}

// ListRows returns the rows of all sections in their order. complete adds the run, the revision and the files, which only the
// control table's own file has: workbooks of equal content are equal.
func (p *Proof) ListRows(complete bool) []control.Row {
	c := &control.Writer{Account: p.job.Account}
	section := func(name string, fn func(*control.Writer)) {
		c.Section = name
		fn(c)
	}
	ofJob := func(fn func(*control.Writer, *export.Job)) func(*control.Writer) {
		return func(c *control.Writer) { fn(c, p.job) }
	}
	section("run", func(c *control.Writer) { p.listRun(c, complete) })
	section("withheld", ofJob(listWithheld))
	section("digit_columns", ofJob(listDigitColumns))
	section("documents", ofJob(listDocuments))
	section("coverage", ofJob(listCoverage))
	if complete {
		section("files", p.listFiles)
	}
	section("sums", func(c *control.Writer) {
		for _, f := range p.Figures {
			c.AddFigure(f)
		}
	})
	section("rounding_of_sums", p.listRounding)
	section("identities", p.listIdentities)
	section("left_out", p.listLeftOut)
	section("bridge", ofJob(ListBridge))
	section("bank", ofJob(listBanks))
	section("continuity", p.listContinuity)
	section("rules", ofJob(listRuleCounts))
	section("not_evaluated", ofJob(ListNotEvaluated))
	section("quarantine", ofJob(listQuarantine))
	section("tolerance", ofJob(listTolerance))
	section("movement", ofJob(listMovement))
	section("journal", ofJob(listJournal))
	section("warnings", p.listWarnings)
	return c.Rows
}

func (p *Proof) listRun(c *control.Writer, complete bool) {
	j := p.job
	if complete {
		c.AddText("run", "id", j.Facts.Run)
		if j.Extract {
			c.AddText("set", "extract", p.result.Set)
		} else {
			c.AddCount("set", "revision", int64(p.revision))
		}
		if p.result.Supersedes != nil {
			c.AddCount("set", "supersedes", int64(*p.result.Supersedes))
		}
		for _, reason := range p.result.Reasons {
			c.AddTextInWords("set", "why", reason.String(), reason.InWords())
		}
		listActLogEnds(c, j)
	}
	c.AddDate("run", "as_of", j.AsOf)
	c.AddText("set", "basis", string(j.Basis))
	c.AddDate("set", "from", j.Period.From)
	c.AddDate("set", "to", j.Period.To)
	if f := j.Filter.Canonical(); f != "" {
		c.AddText("set", "filter", f)
	}
	c.AddText("set", "account", j.Account)
	c.AddHash("set", "content_digest", p.digest)
	c.AddText("engine", "version", j.Facts.Engine)
	for _, k := range j.Kinds {
		for _, t := range kindlist.TablesOf(k) {
			c.AddCount(t.ID, "layout_version", int64(t.Layout))
		}
	}
	if j.HasEDI(report.StatementKind) {
		c.AddText(string(report.StatementKind), "opening_from", j.Statement.OpeningFrom)
	}
	if j.Basis == report.ByMovement || j.Basis == report.ByPosting {
		return // the events of titles do not depend on what the run concludes
	}
	c.AddText("run", "verdict", string(p.verdict))
	if j.Basis != report.ByAsOf {
		c.AddText("run", "verdict_today", string(j.Facts.Verdict))
	}
	p.listAccounts(c)
}

func (p *Proof) listFiles(c *control.Writer) {
	for _, f := range p.files {
		c.AddCount(f.Path, "rows", f.Rows)
		c.AddCount(f.Path, "bytes", f.Bytes)
		c.AddHash(f.Path, "sha256", f.SHA256)
		if f.NSA != nil {
			c.AddCount(f.Path, "nsa", int64(*f.NSA))
		}
	}
	listRetired(c, p.job)
}

func (p *Proof) listRounding(c *control.Writer) {
	for _, s := range p.counters {
		for i := range s.Printed {
			col := &s.Table.Columns[i]
			if col.Type != table.TypeMoney || col.Decimals != 2 {
				continue
			}
			printed, exact := ledger.Amount(s.Printed[i]), ledger.Amount(s.Exact[i])
			c.AddMoney(s.Table.ID, col.ID+" at four decimals", exact, control.Note{})
			c.AddResidual(s.Table.ID, col.ID+" printed", printed, printed-exact, control.TextNote("printed"))
		}
	}
}

func (p *Proof) listIdentities(c *control.Writer) {
	for _, i := range p.identityResults {
		c.AddResidual(i.Name, "printed", i.Printed, i.Printed, control.Note{Formula: i.Formula})
		c.AddResidual(i.Name, "at four decimals", i.Exact, i.Exact, control.Note{})
	}
}

func (p *Proof) listLeftOut(c *control.Writer) {
	for _, side := range []string{"cards", "slips"} {
		if n, ok := p.withoutDate[side]; ok {
			c.AddValue(side, "without_basis_date", control.UnitCount, table.Int(n), control.Note{})
		}
	}
	for _, l := range p.ediOmissions {
		c.AddCount(l.File, "rows_not_written", l.Rows)
		c.AddMoney(l.File, "rows_not_written_value", l.Gross, control.Note{})
		c.AddCount(l.File, "movements_28", l.TakenBack)
		c.AddMoney(l.File, "movements_28_value", l.TakenBackSum, control.Note{})
		c.AddCount(l.File, "money_on_cancelled", l.OnCancelled)
		c.AddMoney(l.File, "money_on_cancelled_value", l.OnCancelledSum, control.Note{})
		if l.NegativeSplits != 0 {
			c.AddCount(l.File, "negative_shares", l.NegativeSplits)
			c.AddMoney(l.File, "negative_shares_value", l.NegativeSplitSum, control.Note{})
		}
		if l.PayerDocuments != 0 {
			c.AddCount(l.File, "payer_documents_not_written", l.PayerDocuments)
		}
	}
}

// listAccounts lists, for a set over all accounts, the verdict and totals of each, and that they add up to the set's totals.
func (p *Proof) listAccounts(c *control.Writer) {
	for _, a := range p.accountFacts {
		item := "account " + a.Account.String()
		c.AddText(item, "verdict", string(a.Verdict))
		for _, w := range a.Withheld {
			c.AddText(item, "withheld", w.String())
		}
	}
	if p.job.Account != manifest.AllAccounts || p.accountTotals == nil || p.result.Totals.Cards == nil {
		return
	}
	var sum report.Totals
	for _, account := range slices.Sorted(maps.Keys(p.accountTotals)) {
		sum.Add(report.Totals{Cards: p.accountTotals[account]})
		for _, m := range p.accountTotals[account].Measures() {
			c.AddMoney("account "+account.String(), m.Column, m.Sum, control.Note{})
		}
	}
	if sum.Cards == nil {
		return
	}
	whole := p.result.Totals.Cards.Measures()
	for i, m := range sum.Cards.Measures() {
		c.AddResidual("accounts", m.Column, m.Sum, m.Sum-whole[i].Sum, control.Note{})
	}
}

func (p *Proof) listWarnings(c *control.Writer) {
	j := p.job
	if j.HasAnyEDI() && j.Block.CNAB().HasNonStandardReaders() {
		c.AddWarning("edi", "bank "+j.Block.Bank.Code, "bank_readers")
	}
	for _, set := range p.changedStatements {
		c.AddWarning(string(report.StatementKind), set, "earlier_statement")
	}
}

// listContinuity lists the sums of agenda-roll if the set has it.
func (p *Proof) listContinuity(c *control.Writer) {
	for _, s := range p.counters {
		if s.Table != asof.AgendaRollTable {
			continue
		}
		for i := range s.Printed {
			col, sum := &s.Table.Columns[i], ledger.Amount(s.Printed[i])
			switch {
			case col.ID == "residual":
				c.AddResidual(s.Table.ID, col.ID, sum, sum, control.Note{})
			case col.Type == table.TypeMoney:
				c.AddMoney(s.Table.ID, col.ID, sum, control.Note{})
			}
		}
	}
}
