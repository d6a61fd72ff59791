package proof

import (
	"cmp"
	"maps"
	"slices"
	"strings"

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
	section("run", func(c *control.Writer) { p.listRun(c, complete) })
	section("withheld", p.listWithheld)
	section("digit_columns", p.listDigitColumns)
	section("documents", p.listDocuments)
	section("coverage", p.listCoverage)
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
	section("bridge", p.ListBridge)
	section("bank", p.listBanks)
	section("continuity", p.listContinuity)
	section("rules", p.listRuleCounts)
	section("not_evaluated", p.ListNotEvaluated)
	section("quarantine", p.listQuarantine)
	section("tolerance", p.listTolerance)
	section("movement", p.listMovement)
	section("journal", p.listJournal)
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
		p.listActLogEnds(c)
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

func (p *Proof) listWithheld(c *control.Writer) {
	for _, w := range p.job.Withheld {
		c.AddText(string(w.Kind), "code", w.Code)
	}
}

func (p *Proof) listDocuments(c *control.Writer) {
	docs := p.job.Documents
	for _, name := range export.ShownDocuments {
		if docs[name] != "" {
			c.AddHash(name, "hash", docs[name])
		}
	}
}

func (p *Proof) listCoverage(c *control.Writer) {
	for _, v := range p.job.Facts.Coverage {
		item := string(v.Source)
		for _, m := range []struct {
			name string
			n    int64
		}{{"days_complete", v.Complete}, {"days_partial", v.Partial}, {"days_missing", v.Missing}} {
			c.AddValue(item, m.name, control.UnitDays, table.Int(m.n), control.Note{})
		}
		c.AddDate(item, "history_from", v.HistoryFrom)
		if v.Horizon != 0 {
			c.AddDate(item, "horizon", v.Horizon)
		}
	}
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
	p.listRetired(c)
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

// valueText is the value of digit columns: they are to be imported as text.
const valueText = "text"

// listDigitColumns lists the columns of the set's csv files whose texts consist of digits. Documents of payers do only if they
// are not masked.
func (p *Proof) listDigitColumns(c *control.Writer) {
	for _, k := range p.job.Kinds {
		if p.job.IsOwnCSV(k, report.CSV) {
			for _, header := range p.job.Journal.Chart.DigitHeaders() {
				c.AddText(string(k), header, valueText)
			}
			continue
		}
		for _, t := range kindlist.TablesIn(k, p.job.BankColumns) {
			for i := range t.Columns {
				if col := &t.Columns[i]; col.Digits && (col.ID != report.PayerDocumentID || p.job.ShowsPersons(k)) {
					c.AddText(t.ID, col.ID, valueText)
				}
			}
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

// bridgeLines are the lines of the bridge in the order of control.
var bridgeLines = []ledger.BridgeLine{
	ledger.LineMDR, ledger.LineFee, ledger.LineAntifraud, ledger.LineAnticipation, ledger.LineSplit, ledger.LineReceived,
	ledger.LineReversed, ledger.LineBlocked, ledger.LineNoForecast, ledger.LineNotDue, ledger.LineOverdue,
	ledger.LinePenalty, ledger.LineInterest, ledger.LineChargeNotDue, ledger.LineLateNotShown, ledger.LinePaid,
	ledger.LineCancelledPaid, ledger.LineCreditNotDue, ledger.LineCreditOverdue, ledger.LineNotRegistered,
	ledger.LineUnpaidNotDue, ledger.LineUnpaidPastDue, ledger.LineRounding, ledger.LineNotAttributed,
}

// ListBridge lists the lines of the bridge of each side, their sum, and what is left of the difference.
func (p *Proof) ListBridge(c *control.Writer) {
	type key struct {
		side   string
		line   ledger.BridgeLine
		reason string
	}
	sums, sides := make(map[key]ledger.BridgeRow), make(map[string]ledger.Amount)
	for _, r := range p.job.Facts.Bridge {
		sum := sums[key{r.Side, r.Line, r.Reason}]
		sum.Amount, sum.Excess = sum.Amount+r.Amount, sum.Excess+r.Excess
		sums[key{r.Side, r.Line, r.Reason}] = sum
		sides[r.Side] += r.Amount
	}
	keys := slices.SortedFunc(maps.Keys(sums), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(slices.Index(bridgeLines, a.line), slices.Index(bridgeLines, b.line)),
			cmp.Compare(a.line, b.line), cmp.Compare(a.reason, b.reason))
	})
	for _, k := range keys {
		measure, sum := strings.TrimSpace(string(k.line)+" "+k.reason), sums[k]
		if sum.Lost() != 0 || sum.Excess == 0 {
			c.AddMoney(k.side, measure, sum.Lost(), control.Note{})
		}
		if sum.Excess != 0 {
			c.AddMoney(k.side, measure+control.ExcessOf, -sum.Excess, control.Note{})
		}
	}
	for _, s := range p.job.Facts.Sides {
		// The bridge has its own date basis: in a set on another basis it covers other rows than those above.
		days := control.TextNote("bridge_of_slips")
		if s.Side == ledger.Cards.Side() {
			days = control.TextNote("bridge_of_cards")
		}
		c.AddMoney(s.Side, "sum_of_lines", sides[s.Side], days)
		c.AddResidual(s.Side, "expected_less_received", s.Difference, s.Difference-sides[s.Side], control.Note{})
		if s.Side == ledger.Cards.Side() && !p.job.NetOfSplits {
			// If splits are paid out of what is received, the impacts of split rules are in no line of the bridge.
			c.AddMoney(s.Side, "split_outside", s.SplitOutside, control.TextNote("split_outside"))
		}
	}
}

func (p *Proof) listRuleCounts(c *control.Writer) {
	for _, t := range p.sortRuleCounts() {
		for _, m := range listRuleMeasures(t) {
			c.AddCount(t.Code, m.Name, m.N)
		}
	}
}

func (p *Proof) sortRuleCounts() []ledger.RuleCounts {
	return slices.SortedFunc(slices.Values(p.job.Facts.Tallies), func(a, b ledger.RuleCounts) int {
		return cmp.Compare(a.Code, b.Code)
	})
}

func listRuleMeasures(t ledger.RuleCounts) []control.Count {
	return append([]control.Count{
		{Name: "eligible", N: t.Eligible}, {Name: "evaluated", N: t.Evaluated}, {Name: "fired", N: t.Fired}, {Name: "within_tolerance", N: t.Within},
	}, listSkipMeasures(t)...)
}

func listSkipMeasures(t ledger.RuleCounts) []control.Count {
	return []control.Count{
		{Name: "no_input", N: t.NoInput},
		{Name: "unmapped", N: t.Unmapped},
		{Name: "shadow", N: t.Shadow},
		{Name: "window", N: t.Window},
		{Name: "not_evaluable", N: t.NotEvaluable},
	}
}

// ListNotEvaluated lists the rules that evaluated none of their eligible rows, with the reasons.
func (p *Proof) ListNotEvaluated(c *control.Writer) {
	for _, t := range p.sortRuleCounts() {
		if t.Eligible == 0 || t.Evaluated != 0 {
			continue
		}
		reasons := slices.DeleteFunc(listSkipMeasures(t), func(m control.Count) bool { return m.N == 0 })
		c.AddValue(t.Code, "eligible", control.UnitCount, table.Int(t.Eligible), control.Note{Counts: reasons})
	}
}

func (p *Proof) listQuarantine(c *control.Writer) {
	type sum struct {
		rows, readable int64
		amount         ledger.Amount
	}
	bySource := make(map[ledger.Source]*sum)
	for _, q := range p.job.Facts.Quarantine {
		s := bySource[q.Source]
		if s == nil {
			s = &sum{}
			bySource[q.Source] = s
		}
		s.rows++
		if q.Gross.OK {
			s.readable++
			s.amount += q.Gross.V
		}
	}
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		s := bySource[source]
		c.AddCount(string(source), "rows", s.rows)
		c.AddValue(string(source), "amount", control.UnitBRL, table.Cell{N: int64(s.amount), Type: table.TypeMoney, OK: true},
			control.TextNote("readable", "readable", s.readable, "rows", s.rows))
	}
}

func (p *Proof) listTolerance(c *control.Writer) {
	for _, t := range p.job.Facts.Tolerance {
		item := t.Code
		if t.Month != 0 {
			item += " " + t.Month.String()[:len("2026-11")]
		}
		c.AddMoney(item, "used", t.Used, control.Note{})
		if t.Budget.OK {
			c.AddMoney(item, "budget", t.Budget.V, control.Note{})
		}
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

// listActLogEnds lists the last act of each log when the set was rendered.
func (p *Proof) listActLogEnds(c *control.Writer) {
	for _, end := range p.job.Facts.Acts {
		item := control.ActLogItem + end.Account.String()
		c.AddCount(item, control.MeasureLastAct, end.Number)
		if end.Number > 0 {
			c.AddHash(item, control.MeasureLastActHash, end.Hash)
		}
	}
}

func (p *Proof) listRetired(c *control.Writer) {
	r := p.job.Facts.Retired
	if r.Since == 0 {
		return
	}
	c.AddDate("set", control.MeasureRetiredSince, r.Since)
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		c.AddHash(name, control.MeasureRetired, r.Files[name])
	}
}
