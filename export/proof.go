package export

import (
	"concilia/export/edi"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// proof gathers what control lists of one set.
type proof struct {
	job      *Job
	digest   string
	revision int
	result   *Result
	files    []File // of the set, without control itself
	figures  []Figure
	counters []*table.Counter // of the tables, for the rounding of their sums
	left     []left
	idents   []report.Identity
	noDate   map[string]int64 // rows without the basis' date, by side
	restated []string         // sets of earlier statements to issue again
	accounts map[ledger.Account]*report.CardTotals

	verdict      ledger.Verdict
	accountFacts []AccountFacts
}

// left is what one EDI file leaves out.
type left struct {
	file string
	edi.OmittedRows
}

// list writes the sections in their order. own is the control table's own file: only there do the run, the revision
// and the files themselves stand, because equal content gives equal workbooks.
func (p *proof) list(own bool) []controlRow {
	c := &controlWriter{account: p.job.Account}
	section := func(name string, fn func(*controlWriter)) {
		c.section = name
		fn(c)
	}
	section("run", func(c *controlWriter) { p.run(c, own) })
	section("withheld", p.withheld)
	section("digit_columns", p.digitColumns)
	section("documents", p.documents)
	section("coverage", p.coverage)
	if own {
		section("files", p.listFiles)
	}
	section("sums", func(c *controlWriter) {
		for _, f := range p.figures {
			c.tie(f)
		}
	})
	section("rounding_of_sums", p.rounding)
	section("identities", p.identities)
	section("left_out", p.leftOut)
	section("bridge", p.bridge)
	section("continuity", p.continuity)
	section("rules", p.rules)
	section("not_evaluated", p.notEvaluated)
	section("quarantine", p.quarantine)
	section("tolerance", p.tolerance)
	section("warnings", p.warnings)
	return c.rows
}

func (p *proof) run(c *controlWriter, own bool) {
	j := p.job
	if own {
		c.text("run", "id", j.Facts.Run)
		if j.Extract {
			c.text("set", "extract", p.result.Set)
		} else {
			c.count("set", "revision", int64(p.revision))
		}
		if p.result.Supersedes != nil {
			c.count("set", "supersedes", int64(*p.result.Supersedes))
		}
		for _, reason := range p.result.reasons {
			c.textInWords("set", "why", reason.String(), reason.inWords())
		}
		p.actsOf(c)
	}
	c.date("run", "as_of", j.AsOf)
	c.text("set", "basis", string(j.Basis))
	c.date("set", "from", j.Period.From)
	c.date("set", "to", j.Period.To)
	if f := j.Filter.Canonical(); f != "" {
		c.text("set", "filter", f)
	}
	c.text("set", "account", j.Account)
	c.hash("set", "content_digest", p.digest)
	c.text("engine", "version", j.Facts.Engine)
	for _, k := range j.Kinds {
		for _, t := range k.Tables() {
			c.count(t.ID, "layout_version", int64(t.Layout))
		}
	}
	if j.edi(report.StatementKind) {
		c.text(string(report.StatementKind), "opening_from", j.Statement.OpeningFrom)
	}
	c.text("run", "verdict", string(p.verdict))
	if j.Basis != report.ByAsOf {
		c.text("run", "verdict_today", string(j.Facts.Verdict))
	}
	p.accountsOf(c)
}

func (p *proof) withheld(c *controlWriter) {
	for _, w := range p.job.Withheld {
		c.text(string(w.Kind), "code", w.Code)
	}
}

func (p *proof) documents(c *controlWriter) {
	docs := p.job.Documents
	for _, name := range shownDocuments {
		if docs[name] != "" {
			c.hash(name, "hash", docs[name])
		}
	}
}

func (p *proof) coverage(c *controlWriter) {
	for _, v := range p.job.Facts.Coverage {
		item := string(v.Source)
		for _, m := range []struct {
			name string
			n    int64
		}{{"days_complete", v.Complete}, {"days_partial", v.Partial}, {"days_missing", v.Missing}} {
			c.put(item, m.name, unitDays, table.Int(m.n), note{})
		}
		c.date(item, "history_from", v.HistoryFrom)
		if v.Horizon != 0 {
			c.date(item, "horizon", v.Horizon)
		}
	}
}

func (p *proof) listFiles(c *controlWriter) {
	for _, f := range p.files {
		c.count(f.Path, "rows", f.Rows)
		c.count(f.Path, "bytes", f.Bytes)
		c.hash(f.Path, "sha256", f.SHA256)
		if f.NSA != nil {
			c.count(f.Path, "nsa", int64(*f.NSA))
		}
	}
	p.listRetired(c)
}

func (p *proof) rounding(c *controlWriter) {
	for _, s := range p.counters {
		for i := range s.Printed {
			col := &s.Table.Columns[i]
			if col.Type != table.TypeMoney || col.Decimals != 2 {
				continue
			}
			printed, exact := ledger.Amount(s.Printed[i]), ledger.Amount(s.Exact[i])
			c.money(s.Table.ID, col.ID+" at four decimals", exact, note{})
			c.residual(s.Table.ID, col.ID+" printed", printed, printed-exact, noteText("printed"))
		}
	}
}

func (p *proof) identities(c *controlWriter) {
	for _, i := range p.idents {
		c.residual(i.Name, "printed", i.Printed, i.Printed, note{formula: i.Formula})
		c.residual(i.Name, "at four decimals", i.Exact, i.Exact, note{})
	}
}

func (p *proof) leftOut(c *controlWriter) {
	for _, side := range []string{"cards", "slips"} {
		if n, ok := p.noDate[side]; ok {
			c.put(side, "without_basis_date", unitCount, table.Int(n), note{})
		}
	}
	for _, l := range p.left {
		c.count(l.file, "rows_not_written", l.Rows)
		c.money(l.file, "rows_not_written_value", l.Gross, note{})
		c.count(l.file, "movements_28", l.TakenBack)
		c.money(l.file, "movements_28_value", l.TakenBackSum, note{})
		c.count(l.file, "money_on_cancelled", l.OnCancelled)
		c.money(l.file, "money_on_cancelled_value", l.OnCancelledSum, note{})
		if l.NegativeSplits != 0 {
			c.count(l.file, "negative_shares", l.NegativeSplits)
			c.money(l.file, "negative_shares_value", l.NegativeSplitSum, note{})
		}
		if l.PayerDocuments != 0 {
			c.count(l.file, "payer_documents_not_written", l.PayerDocuments)
		}
	}
}

// valueText says of a column of digits what it is to be imported as.
const valueText = "text"

// digitColumns lists the columns of the set's csv files whose texts are digits alone. Documents of payers are that only
// where they are shown whole.
func (p *proof) digitColumns(c *controlWriter) {
	for _, k := range p.job.Kinds {
		for _, t := range k.Tables() {
			for i := range t.Columns {
				if col := &t.Columns[i]; col.Digits && (col.ID != report.PayerDocumentID || p.job.clear(k)) {
					c.text(t.ID, col.ID, valueText)
				}
			}
		}
	}
}
