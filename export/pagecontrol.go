package export

import (
	"strconv"

	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// notEvaluatedLines are what was not evaluated and why: rules with rows to look at that looked at none, and rows that could
// not be read.
func (p *setProof) notEvaluatedLines() []string {
	c := &controlWriter{account: p.job.Account, section: "not_evaluated"}
	p.listNotEvaluated(c)
	var out []string
	for i := range c.rows {
		row := controlInWords(&c.rows[i], p.job.Language)
		title := row[2].S
		if cause := p.job.Words[title]; cause.Title != "" {
			title = cause.Title + " (" + title + ")"
		}
		line := title + ": " + words.Text(p.job.Language, "control.eligible", "n", row[5].N)
		if row[10].S != "" {
			line += "; " + row[10].S
		}
		out = append(out, line)
	}
	if n := len(p.job.Facts.Quarantine); n > 0 {
		out = append(out, words.Text(p.job.Language, "control.quarantine", "n", n))
	}
	return out
}

// pageBridge is the bridge as control lists it, side by side. The bridge is kept by sale date and due date: the page of a period
// has the sides that it holds by those dates, and all of their rows.
func (p *setProof) pageBridge(text textFunc) []html.Bridge {
	c := &controlWriter{account: p.job.Account, section: "bridge"}
	p.listBridge(c)
	var out []html.Bridge
	for _, s := range p.job.Facts.Sides {
		if p.job.Basis != report.ByAsOf && (p.job.Basis != bridgeBasis(s.Side) || p.job.Filter.Canonical() != "") {
			continue
		}
		b := html.Bridge{Key: s.Side, Heading: words.Label(p.job.Language, "control", s.Side)}
		b.Note = p.job.bridgeDay(text, s.Side)
		for i := range c.rows {
			row := c.rows[i].Row
			amount := ledger.Amount(row[5].N)
			switch {
			case row[2].S != s.Side || row[3].S == "split_outside":
			case row[3].S == "sum_of_lines":
				b.Sum = amount
			case row[3].S == "expected_less_received":
				b.Difference, b.Residue = amount, ledger.Amount(row[residualColumn].N)
			default:
				b.Lines = append(b.Lines, html.Step{Label: bridgeWords(row[3].S, p.job.Language), Amount: amount})
			}
		}
		out = append(out, b)
	}
	return out
}

// pageControl is the control part: the same head as the sheet's, then every figure by ledger and writer. Who looks for
// the third finds the file named here.
func (p *setProof) pageControl(r *rendering) html.Control {
	j := p.job
	out := html.Control{File: "control_" + setName(j.Account, j.Basis, j.Period, j.Filter.Canonical()) + j.editionPattern() + ".csv"}
	for i, line := range p.headLines(r) {
		if len(line) == 0 {
			break // the amounts follow: the tables have them
		}
		if i == 0 {
			continue // the verdict stands at the top
		}
		said := html.Proof{
			Label: line[0].Text, Result: line[2].Text, Detail: line[4].Text,
			OK: line[2].Style == xlsx.Good, Neutral: line[2].Style != xlsx.Good && line[2].Style != xlsx.Bad,
		}
		if rest := line[3]; rest.Kind == xlsx.KindMoney4 {
			said.Detail = r.text("control.residual", "amount", html.FormatNumber(ledger.Amount(rest.N).Fixed(4), string(j.Language)), "detail", said.Detail)
		}
		out.Lines = append(out.Lines, said)
	}
	for i := range p.figures {
		f := &p.figures[i]
		item, measure := f.File, f.Measure
		if j.Language != table.English {
			item, measure = itemWords("sums", f.File), measureWords(f.File, f.Measure)
		}
		out.Figures = append(out.Figures, html.Figure{
			File: item, Measure: measure, Ledger: f.pageText(f.Ledger, j.Language), Writer: f.pageText(ledger.Some(f.Writer), j.Language),
			Residual: f.pageText(ledger.Some(f.residual()), j.Language), Differs: f.residual() != 0,
		})
	}
	return out
}

// pageText is a figure as people read it: counts whole, everything else with four decimals.
func (f *Figure) pageText(o ledger.Opt[int64], l table.Language) string {
	switch {
	case !o.OK:
		return "–"
	case f.Unit == unitCount && o.V%10_000 == 0:
		return html.FormatNumber(strconv.FormatInt(o.V/10_000, 10), string(l))
	}
	return html.FormatNumber(ledger.Amount(o.V).Fixed(4), string(l))
}
