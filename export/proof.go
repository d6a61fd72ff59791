package export

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"concilia/export/edi"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// setProof is what control lists of one set.
type setProof struct {
	job               *Job
	digest            string
	revision          int
	result            *Result
	files             []File // of the set, without control itself
	figures           []Figure
	counters          []*table.Counter // of the tables, for the rounding of their sums
	ediOmissions      []ediOmissions
	identityResults   []report.Identity
	withoutDate       map[string]int64 // rows without the basis' date, by side
	changedStatements []string         // sets of earlier statements to issue again
	accountTotals     map[ledger.Account]*report.CardTotals

	verdict      ledger.Verdict
	accountFacts []AccountFacts
}

// ediOmissions are the rows that one EDI file leaves out.
type ediOmissions struct {
	file string
	edi.OmittedRows
}

// listRows returns the rows of all sections in their order. complete adds the run, the revision and the files, which only the
// control table's own file has: workbooks of equal content are equal.
func (p *setProof) listRows(complete bool) []controlRow {
	c := &controlWriter{account: p.job.Account}
	section := func(name string, fn func(*controlWriter)) {
		c.section = name
		fn(c)
	}
	section("run", func(c *controlWriter) { p.listRun(c, complete) })
	section("withheld", p.listWithheld)
	section("digit_columns", p.listDigitColumns)
	section("documents", p.listDocuments)
	section("coverage", p.listCoverage)
	if complete {
		section("files", p.listFiles)
	}
	section("sums", func(c *controlWriter) {
		for _, f := range p.figures {
			c.addFigure(f)
		}
	})
	section("rounding_of_sums", p.listRounding)
	section("identities", p.listIdentities)
	section("left_out", p.listLeftOut)
	section("bridge", p.listBridge)
	section("continuity", p.listContinuity)
	section("rules", p.listRuleCounts)
	section("not_evaluated", p.listNotEvaluated)
	section("quarantine", p.listQuarantine)
	section("tolerance", p.listTolerance)
	section("movement", p.listMovement)
	section("warnings", p.listWarnings)
	return c.rows
}

func (p *setProof) listRun(c *controlWriter, complete bool) {
	j := p.job
	if complete {
		c.addText("run", "id", j.Facts.Run)
		if j.Extract {
			c.addText("set", "extract", p.result.Set)
		} else {
			c.addCount("set", "revision", int64(p.revision))
		}
		if p.result.Supersedes != nil {
			c.addCount("set", "supersedes", int64(*p.result.Supersedes))
		}
		for _, reason := range p.result.reasons {
			c.addTextInWords("set", "why", reason.String(), reason.inWords())
		}
		p.listActLogEnds(c)
	}
	c.addDate("run", "as_of", j.AsOf)
	c.addText("set", "basis", string(j.Basis))
	c.addDate("set", "from", j.Period.From)
	c.addDate("set", "to", j.Period.To)
	if f := j.Filter.Canonical(); f != "" {
		c.addText("set", "filter", f)
	}
	c.addText("set", "account", j.Account)
	c.addHash("set", "content_digest", p.digest)
	c.addText("engine", "version", j.Facts.Engine)
	for _, k := range j.Kinds {
		for _, t := range k.Tables() {
			c.addCount(t.ID, "layout_version", int64(t.Layout))
		}
	}
	if j.hasEDI(report.StatementKind) {
		c.addText(string(report.StatementKind), "opening_from", j.Statement.OpeningFrom)
	}
	if j.Basis == report.ByMovement {
		return // what is told of titles is so whatever the night concludes
	}
	c.addText("run", "verdict", string(p.verdict))
	if j.Basis != report.ByAsOf {
		c.addText("run", "verdict_today", string(j.Facts.Verdict))
	}
	p.listAccounts(c)
}

func (p *setProof) listWithheld(c *controlWriter) {
	for _, w := range p.job.Withheld {
		c.addText(string(w.Kind), "code", w.Code)
	}
}

func (p *setProof) listDocuments(c *controlWriter) {
	docs := p.job.Documents
	for _, name := range shownDocuments {
		if docs[name] != "" {
			c.addHash(name, "hash", docs[name])
		}
	}
}

func (p *setProof) listCoverage(c *controlWriter) {
	for _, v := range p.job.Facts.Coverage {
		item := string(v.Source)
		for _, m := range []struct {
			name string
			n    int64
		}{{"days_complete", v.Complete}, {"days_partial", v.Partial}, {"days_missing", v.Missing}} {
			c.addValue(item, m.name, unitDays, table.Int(m.n), note{})
		}
		c.addDate(item, "history_from", v.HistoryFrom)
		if v.Horizon != 0 {
			c.addDate(item, "horizon", v.Horizon)
		}
	}
}

func (p *setProof) listFiles(c *controlWriter) {
	for _, f := range p.files {
		c.addCount(f.Path, "rows", f.Rows)
		c.addCount(f.Path, "bytes", f.Bytes)
		c.addHash(f.Path, "sha256", f.SHA256)
		if f.NSA != nil {
			c.addCount(f.Path, "nsa", int64(*f.NSA))
		}
	}
	p.listRetired(c)
}

func (p *setProof) listRounding(c *controlWriter) {
	for _, s := range p.counters {
		for i := range s.Printed {
			col := &s.Table.Columns[i]
			if col.Type != table.TypeMoney || col.Decimals != 2 {
				continue
			}
			printed, exact := ledger.Amount(s.Printed[i]), ledger.Amount(s.Exact[i])
			c.addMoney(s.Table.ID, col.ID+" at four decimals", exact, note{})
			c.addResidual(s.Table.ID, col.ID+" printed", printed, printed-exact, noteText("printed"))
		}
	}
}

func (p *setProof) listIdentities(c *controlWriter) {
	for _, i := range p.identityResults {
		c.addResidual(i.Name, "printed", i.Printed, i.Printed, note{formula: i.Formula})
		c.addResidual(i.Name, "at four decimals", i.Exact, i.Exact, note{})
	}
}

func (p *setProof) listLeftOut(c *controlWriter) {
	for _, side := range []string{"cards", "slips"} {
		if n, ok := p.withoutDate[side]; ok {
			c.addValue(side, "without_basis_date", unitCount, table.Int(n), note{})
		}
	}
	for _, l := range p.ediOmissions {
		c.addCount(l.file, "rows_not_written", l.Rows)
		c.addMoney(l.file, "rows_not_written_value", l.Gross, note{})
		c.addCount(l.file, "movements_28", l.TakenBack)
		c.addMoney(l.file, "movements_28_value", l.TakenBackSum, note{})
		c.addCount(l.file, "money_on_cancelled", l.OnCancelled)
		c.addMoney(l.file, "money_on_cancelled_value", l.OnCancelledSum, note{})
		if l.NegativeSplits != 0 {
			c.addCount(l.file, "negative_shares", l.NegativeSplits)
			c.addMoney(l.file, "negative_shares_value", l.NegativeSplitSum, note{})
		}
		if l.PayerDocuments != 0 {
			c.addCount(l.file, "payer_documents_not_written", l.PayerDocuments)
		}
	}
}

// valueText is the value of digit columns: they are to be imported as text.
const valueText = "text"

// listDigitColumns lists the columns of the set's csv files whose texts consist of digits. Documents of payers do only if they
// are not masked.
func (p *setProof) listDigitColumns(c *controlWriter) {
	for _, k := range p.job.Kinds {
		for _, t := range k.Tables() {
			for i := range t.Columns {
				if col := &t.Columns[i]; col.Digits && (col.ID != report.PayerDocumentID || p.job.showsPersons(k)) {
					c.addText(t.ID, col.ID, valueText)
				}
			}
		}
	}
}

// listAccounts lists, for a set over all accounts, the verdict and totals of each, and that they add up to the set's totals.
func (p *setProof) listAccounts(c *controlWriter) {
	for _, a := range p.accountFacts {
		item := "account " + a.Account.String()
		c.addText(item, "verdict", string(a.Verdict))
		for _, w := range a.Withheld {
			c.addText(item, "withheld", w.String())
		}
	}
	if p.job.Account != AllAccounts || p.accountTotals == nil || p.result.Totals.Cards == nil {
		return
	}
	var sum report.Totals
	for _, account := range slices.Sorted(maps.Keys(p.accountTotals)) {
		sum.Add(report.Totals{Cards: p.accountTotals[account]})
		for _, m := range p.accountTotals[account].Measures() {
			c.addMoney("account "+account.String(), m.Column, m.Sum, note{})
		}
	}
	if sum.Cards == nil {
		return
	}
	whole := p.result.Totals.Cards.Measures()
	for i, m := range sum.Cards.Measures() {
		c.addResidual("accounts", m.Column, m.Sum, m.Sum-whole[i].Sum, note{})
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

// excessOf is the suffix of the measure of a line's excess, which has a separate row.
const excessOf = " excess"

func (p *setProof) listBridge(c *controlWriter) {
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
			c.addMoney(k.side, measure, sum.Lost(), note{})
		}
		if sum.Excess != 0 {
			c.addMoney(k.side, measure+excessOf, -sum.Excess, note{})
		}
	}
	for _, s := range p.job.Facts.Sides {
		// The bridge has its own date basis: in a set on another basis it covers other rows than those above.
		days := noteText("bridge_of_slips")
		if s.Side == ledger.Cards.Side() {
			days = noteText("bridge_of_cards")
		}
		c.addMoney(s.Side, "sum_of_lines", sides[s.Side], days)
		c.addResidual(s.Side, "expected_less_received", s.Difference, s.Difference-sides[s.Side], note{})
		if s.Side == ledger.Cards.Side() && !p.job.NetOfSplits {
			// If splits are paid out of what is received, the impacts of split rules are in no line of the bridge.
			c.addMoney(s.Side, "split_outside", s.SplitOutside, noteText("split_outside"))
		}
	}
}

func (p *setProof) listRuleCounts(c *controlWriter) {
	for _, t := range p.sortedRuleCounts() {
		for _, m := range tallyMeasures(t) {
			c.addCount(t.Code, m.name, m.n)
		}
	}
}

func (p *setProof) sortedRuleCounts() []ledger.RuleCounts {
	return slices.SortedFunc(slices.Values(p.job.Facts.Tallies), func(a, b ledger.RuleCounts) int {
		return cmp.Compare(a.Code, b.Code)
	})
}

type measure struct {
	name string
	n    int64
}

func tallyMeasures(t ledger.RuleCounts) []measure {
	return append([]measure{
		{"eligible", t.Eligible}, {"evaluated", t.Evaluated}, {"fired", t.Fired}, {"within_tolerance", t.Within},
	}, skippedMeasures(t)...)
}

func skippedMeasures(t ledger.RuleCounts) []measure {
	return []measure{
		{"no_input", t.NoInput},
		{"unmapped", t.Unmapped},
		{"shadow", t.Shadow},
		{"window", t.Window},
		{"not_evaluable", t.NotEvaluable},
	}
}

// listNotEvaluated lists the rules that evaluated none of their eligible rows, with the reasons.
func (p *setProof) listNotEvaluated(c *controlWriter) {
	for _, t := range p.sortedRuleCounts() {
		if t.Eligible == 0 || t.Evaluated != 0 {
			continue
		}
		reasons := slices.DeleteFunc(skippedMeasures(t), func(m measure) bool { return m.n == 0 })
		c.addValue(t.Code, "eligible", unitCount, table.Int(t.Eligible), note{counts: reasons})
	}
}

func (p *setProof) listQuarantine(c *controlWriter) {
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
		c.addCount(string(source), "rows", s.rows)
		c.addValue(string(source), "amount", unitBRL, table.Cell{N: int64(s.amount), Type: table.TypeMoney, OK: true},
			noteText("readable", "readable", s.readable, "rows", s.rows))
	}
}

func (p *setProof) listTolerance(c *controlWriter) {
	for _, t := range p.job.Facts.Tolerance {
		item := t.Code
		if t.Month != 0 {
			item += " " + t.Month.String()[:len("2026-11")]
		}
		c.addMoney(item, "used", t.Used, note{})
		if t.Budget.OK {
			c.addMoney(item, "budget", t.Budget.V, note{})
		}
	}
}

func (p *setProof) listWarnings(c *controlWriter) {
	j := p.job
	if j.hasAnyEDI() && j.Block.CNAB().HasNonStandardReaders() {
		c.addWarning("edi", "bank "+j.Block.Bank.Code, "bank_readers")
	}
	for _, set := range p.changedStatements {
		c.addWarning(string(report.StatementKind), set, "earlier_statement")
	}
}

// listContinuity lists the sums of agenda-roll if the set has it.
func (p *setProof) listContinuity(c *controlWriter) {
	for _, s := range p.counters {
		if s.Table != report.AgendaRollTable {
			continue
		}
		for i := range s.Printed {
			col, sum := &s.Table.Columns[i], ledger.Amount(s.Printed[i])
			switch {
			case col.ID == "residual":
				c.addResidual(s.Table.ID, col.ID, sum, sum, note{})
			case col.Type == table.TypeMoney:
				c.addMoney(s.Table.ID, col.ID, sum, note{})
			}
		}
	}
}
