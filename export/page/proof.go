package page

import (
	"strconv"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/proof"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// listNotEvaluated returns what was not evaluated and why: rules that evaluated none of their eligible rows, and rows that
// could not be read.
func listNotEvaluated(j *export.Job) []string {
	c := &control.Writer{Account: j.Account, Section: "not_evaluated"}
	proof.ListNotEvaluated(c, j)
	var out []string
	for i := range c.Rows {
		row := control.RowInWords(&c.Rows[i], j.Language)
		title := row[2].S
		if cause := j.Words[title]; cause.Title != "" {
			title = cause.Title + " (" + title + ")"
		}
		line := title + ": " + words.Text(j.Language, "control.eligible", "n", row[5].N)
		if row[10].S != "" {
			line += "; " + row[10].S
		}
		out = append(out, line)
	}
	if n := len(j.Facts.Quarantine); n > 0 {
		out = append(out, words.Text(j.Language, "control.quarantine", "n", n))
	}
	return out
}

// listBridgeSides returns the sides whose bridges the page shows. The bridge is computed by sale date and due date, so the page of
// a period has that of a side only if its basis is that date and it has no filter: else it would be of other rows than the page.
func listBridgeSides(j *export.Job) (sides []export.BridgeSide) {
	for _, s := range j.Facts.Sides {
		if j.Basis == report.ByAsOf || j.Basis == export.BridgeBasis(s.Side) && j.Filter.Canonical() == "" {
			sides = append(sides, s)
		}
	}
	return sides
}

// buildBridges returns the bridge as control lists it, one side after the other.
func buildBridges(j *export.Job) []html.Bridge {
	c := &control.Writer{Account: j.Account, Section: "bridge"}
	proof.ListBridge(c, j)
	var out []html.Bridge
	for _, s := range listBridgeSides(j) {
		b := html.Bridge{Key: s.Side, Heading: words.Label(j.Language, "control", s.Side)}
		b.Note = j.Captions().BridgeDay(s.Side)
		for i := range c.Rows {
			row := c.Rows[i].Row
			amount := ledger.Amount(row[5].N)
			switch {
			case row[2].S != s.Side || row[3].S == "split_outside":
			case row[3].S == "sum_of_lines":
				b.Sum = amount
			case row[3].S == "expected_less_received":
				b.Difference, b.Residue = amount, ledger.Amount(row[control.ResidualColumn].N)
			default:
				b.Lines = append(b.Lines, html.Step{Label: control.BridgeWords(row[3].S, j.Language), Amount: amount})
			}
		}
		out = append(out, b)
	}
	return out
}

// buildControl returns the control part of a page: the head of the control sheet, then each figure by ledger and writer. The
// figure read back is in the control file, which it names.
func buildControl(j *export.Job, p *proof.Proof) html.Control {
	out := html.Control{File: "control_" + manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical()) + editionPattern(j) + ".csv"}
	for i, line := range p.HeadLines(listBridgeSides(j)) {
		if len(line) == 0 {
			break // the amounts follow: the tables have them
		}
		if i == 0 {
			continue // the page has the verdict at the top
		}
		proven := html.Proof{
			Label: line[0].Text, Result: line[2].Text, Detail: line[4].Text,
			OK: line[2].Style == xlsx.Good, Neutral: line[2].Style != xlsx.Good && line[2].Style != xlsx.Bad,
		}
		if rest := line[3]; rest.Kind == xlsx.KindMoney4 {
			proven.Detail = j.Text("control.residual", "amount", html.FormatNumber(ledger.Amount(rest.N).Fixed(4), string(j.Language)), "detail", proven.Detail)
		}
		out.Lines = append(out.Lines, proven)
	}
	for i := range p.Figures {
		f := &p.Figures[i]
		item, measure := f.File, f.Measure
		if j.Language != table.English {
			item, measure = control.ItemWords("sums", f.File), control.MeasureWords(f.File, f.Measure)
		}
		out.Figures = append(out.Figures, html.Figure{
			File: item, Measure: measure, Ledger: formatFigure(f, f.Ledger, j.Language), Writer: formatFigure(f, ledger.Some(f.Writer), j.Language),
			Residual: formatFigure(f, ledger.Some(f.Residual()), j.Language), Differs: f.Residual() != 0,
		})
	}
	return out
}

// formatFigure formats a figure for people: counts without decimals, everything else with four.
func formatFigure(f *control.Figure, o ledger.Opt[int64], l table.Language) string {
	switch {
	case !o.OK:
		return "–"
	case f.Unit == control.UnitCount && o.V%10_000 == 0:
		return html.FormatNumber(strconv.FormatInt(o.V/10_000, 10), string(l))
	}
	return html.FormatNumber(ledger.Amount(o.V).Fixed(4), string(l))
}
