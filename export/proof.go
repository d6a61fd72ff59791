package export

import (
	"concilia/export/edi"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// setProof gathers what control lists of one set.
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

// ediOmissions is what one EDI file leaves out.
type ediOmissions struct {
	file string
	edi.OmittedRows
}

// listRows writes the sections in their order. own is the control table's own file: only there do the run, the revision
// and the files themselves stand, because equal content gives equal workbooks.
func (p *setProof) listRows(own bool) []controlRow {
	c := &controlWriter{account: p.job.Account}
	section := func(name string, fn func(*controlWriter)) {
		c.section = name
		fn(c)
	}
	section("run", func(c *controlWriter) { p.listRun(c, own) })
	section("withheld", p.listWithheld)
	section("digit_columns", p.listDigitColumns)
	section("documents", p.listDocuments)
	section("coverage", p.listCoverage)
	if own {
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
	section("warnings", p.listWarnings)
	return c.rows
}

func (p *setProof) listRun(c *controlWriter, own bool) {
	j := p.job
	if own {
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

// valueText says of a column of digits what it is to be imported as.
const valueText = "text"

// listDigitColumns lists the columns of the set's csv files whose texts are digits alone. Documents of payers are that only
// where they are shown whole.
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
