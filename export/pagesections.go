package export

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/readback"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// notEvaluatedLines returns what was not evaluated and why: rules that evaluated none of their eligible rows, and rows that
// could not be read.
func (p *setProof) notEvaluatedLines() []string {
	c := &control.Writer{Account: p.job.Account, Section: "not_evaluated"}
	p.listNotEvaluated(c)
	var out []string
	for i := range c.Rows {
		row := control.RowInWords(&c.Rows[i], p.job.Language)
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

// listPageSides returns the sides whose bridges the page shows. The bridge is computed by sale date and due date, so the page of
// a period has that of a side only if its basis is that date and it has no filter: else it would be of other rows than the page.
func (j *Job) listPageSides() (sides []BridgeSide) {
	for _, s := range j.Facts.Sides {
		if j.Basis == report.ByAsOf || j.Basis == bridgeBasis(s.Side) && j.Filter.Canonical() == "" {
			sides = append(sides, s)
		}
	}
	return sides
}

// pageBridge returns the bridge as control lists it, one side after the other.
func (p *setProof) pageBridge(text textFunc) []html.Bridge {
	c := &control.Writer{Account: p.job.Account, Section: "bridge"}
	p.listBridge(c)
	var out []html.Bridge
	for _, s := range p.job.listPageSides() {
		b := html.Bridge{Key: s.Side, Heading: words.Label(p.job.Language, "control", s.Side)}
		b.Note = p.job.bridgeDay(text, s.Side)
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
				b.Lines = append(b.Lines, html.Step{Label: control.BridgeWords(row[3].S, p.job.Language), Amount: amount})
			}
		}
		out = append(out, b)
	}
	return out
}

// pageControl returns the control part of a page: the head of the control sheet, then each figure by ledger and writer. The
// figure read back is in the control file, which it names.
func (p *setProof) pageControl(r *rendering) html.Control {
	j := p.job
	out := html.Control{File: "control_" + manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical()) + j.editionPattern() + ".csv"}
	for i, line := range p.headLines(r, j.listPageSides()) {
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
			proven.Detail = r.lookUpText("control.residual", "amount", html.FormatNumber(ledger.Amount(rest.N).Fixed(4), string(j.Language)), "detail", proven.Detail)
		}
		out.Lines = append(out.Lines, proven)
	}
	for i := range p.figures {
		f := &p.figures[i]
		item, measure := f.File, f.Measure
		if j.Language != table.English {
			item, measure = control.ItemWords("sums", f.File), control.MeasureWords(f.File, f.Measure)
		}
		out.Figures = append(out.Figures, html.Figure{
			File: item, Measure: measure, Ledger: figureText(f, f.Ledger, j.Language), Writer: figureText(f, ledger.Some(f.Writer), j.Language),
			Residual: figureText(f, ledger.Some(f.Residual()), j.Language), Differs: f.Residual() != 0,
		})
	}
	return out
}

// figureText formats a figure for people: counts without decimals, everything else with four.
func figureText(f *control.Figure, o ledger.Opt[int64], l table.Language) string {
	switch {
	case !o.OK:
		return "–"
	case f.Unit == control.UnitCount && o.V%10_000 == 0:
		return html.FormatNumber(strconv.FormatInt(o.V/10_000, 10), string(l))
	}
	return html.FormatNumber(ledger.Amount(o.V).Fixed(4), string(l))
}

// agendaWeeks is how many weeks the page shows on lines of their own; later weeks share one.
const agendaWeeks = 8

// pageAgenda returns what is to be received: by week if the set has the agenda, else one figure of what the rows of the period
// are still to bring.
func (r *rendering) pageAgenda() (*html.Agenda, error) {
	t := report.AgendaTable
	if r.tables[t.ID] == nil {
		if r.summary == nil {
			return nil, nil
		}
		return &html.Agenda{
			Total: r.summary.NotDue(),
			Note:  r.lookUpText("page.not_due_yet_period_week"),
		}, nil
	}
	weeks, undated := make(map[ledger.Date]ledger.Amount), ledger.Amount(0)
	day, net := t.ColumnIndex("adjusted_date"), t.ColumnIndex("net")
	err := readback.WithFile(r.stagingPath(t.ID+".csv"), func(in io.Reader) error {
		_, err := table.ReadCSV(in, t, func(row table.Row) error {
			if !row[day].OK {
				undated += ledger.Amount(row[net].N)
				return nil
			}
			on := ledger.Date(row[day].N)
			monday := on - ledger.Date((int(on.Weekday())+6)%7)
			weeks[monday] += ledger.Amount(row[net].N)
			return nil
		})
		return err
	})
	return r.agendaLines(weeks, undated), err
}

func (r *rendering) agendaLines(weeks map[ledger.Date]ledger.Amount, undated ledger.Amount) *html.Agenda {
	a := &html.Agenda{Note: r.lookUpText("page.net_come_week_business_day"), Total: undated}
	var later ledger.Amount
	for i, monday := range slices.Sorted(maps.Keys(weeks)) {
		a.Total += weeks[monday]
		if i >= agendaWeeks {
			later += weeks[monday]
			continue
		}
		a.Lines = append(a.Lines, html.Step{Label: r.lookUpText("page.week_of", "date", table.DateText(monday, r.job.Language)), Amount: weeks[monday]})
	}
	if len(weeks) > agendaWeeks {
		a.Lines = append(a.Lines, html.Step{Label: r.lookUpText("page.later"), Amount: later, TextOnly: true})
	}
	if undated != 0 {
		a.Lines = append(a.Lines, html.Step{Label: r.lookUpText("page.without_a_date"), Amount: undated, TextOnly: true})
	}
	return a
}

// pageColumns returns the columns of a table that the page shows. Of the agenda's movements it shows each that some group has,
// so that the shown columns of a row add up.
func (r *rendering) pageColumns(t *table.Table) ([]int, error) {
	chosen := chosenColumns(t, r.job.Account)
	if t != report.AgendaRollTable {
		return chosen, nil
	}
	var out []int
	moved := make([]bool, t.Width())
	err := readback.WithFile(r.stagingPath(t.ID+".csv"), func(in io.Reader) error {
		_, err := table.ReadCSV(in, t, func(row table.Row) error {
			for i := range row {
				moved[i] = moved[i] || row[i].Type == table.TypeMoney && row[i].N != 0
			}
			return nil
		})
		return err
	})
	for i := range moved {
		if moved[i] || slices.Contains(chosen, i) {
			out = append(out, i)
		}
	}
	return out, err
}

// pageSlips are the slips of a page whose set has no table of slips: the page over all accounts, whose set has the summary of
// cards alone, shows what is missing of both sides.
type pageSlips struct {
	days report.SlipDays
	rows *table.Digester // digest of the slips, so that a changed slip makes a new revision
}

// hasPageSlips reports whether the page counts slips that the set has no table of.
func (r *rendering) hasPageSlips() bool {
	return r.job.Account == manifest.AllAccounts && r.job.hasFormat(report.HTML) && r.job.Basis != report.ByAsOf && !r.readsSide("slips")
}

// readPageSlips reads the slips for the page alone.
func (r *rendering) readPageSlips(ctx context.Context) error {
	if !r.hasPageSlips() {
		return nil
	}
	withheld := make(map[ledger.Account]bool)
	for _, a := range r.job.Facts.Accounts {
		withheld[a.Account] = a.NoSlips != ""
	}
	b := &pageSlips{days: report.NewSlipDays(r.job.Basis, r.job.AsOf), rows: table.NewDigester(report.SlipsTable)}
	row := b.rows.Counter.Table.NewRow()
	err := r.source.Slips(ctx, func(s *ledger.Slip, e *ledger.SlipExpectation) error {
		switch {
		case withheld[s.Account]:
			return nil
		case e == nil:
			return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", s.Subject())
		}
		b.days.Add(s, e)
		r.causes.addSlipVerdict(s, e)
		report.FillSlipRow(row, s, e, false)
		return b.rows.Add(row)
	})
	r.pageSlips = b
	return err
}

// pageSlipDays returns the slips by day for the page; nil if it counts none.
func (r *rendering) pageSlipDays() *report.SlipDays {
	switch {
	case r.pageSlips != nil:
		return &r.pageSlips.days
	case r.slipsByDay != nil:
		return &r.slipsByDay.SlipDays
	}
	return nil
}

// pageSlipsNote names the accounts whose slips the page leaves out because they are withheld.
func (r *rendering) pageSlipsNote() string {
	note := ""
	for _, a := range r.job.Facts.Accounts {
		if a.NoSlips == "" {
			continue
		}
		if note != "" {
			note += ", "
		}
		note += a.Account.String() + " (" + a.NoSlips + ")"
	}
	if note == "" {
		return ""
	}
	return r.lookUpText("page.without_slips_of", "accounts", note)
}
