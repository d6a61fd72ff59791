package export

import (
	"io"
	"maps"
	"slices"

	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// agendaWeeks is how many weeks the page shows one by one; what comes later shares a line.
const agendaWeeks = 8

// pageAgenda is what is still to come: by week where the set has the agenda, else what the rows of the period still
// wait for, in one figure.
func (r *rendering) pageAgenda() (*html.Agenda, error) {
	t := report.AgendaTable
	if r.tables[t.ID] == nil {
		if r.summary == nil {
			return nil, nil
		}
		return &html.Agenda{
			Total: r.summary.NotDue(),
			Note:  r.text("page.not_due_yet_period_week"),
		}, nil
	}
	weeks, undated := make(map[ledger.Date]ledger.Amount), ledger.Amount(0)
	day, net := t.ColumnIndex("adjusted_date"), t.ColumnIndex("net")
	err := withFile(r.stagingPath(t.ID+".csv"), func(in io.Reader) error {
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
	a := &html.Agenda{Note: r.text("page.net_come_week_business_day"), Total: undated}
	var later ledger.Amount
	for i, monday := range slices.Sorted(maps.Keys(weeks)) {
		a.Total += weeks[monday]
		if i >= agendaWeeks {
			later += weeks[monday]
			continue
		}
		a.Lines = append(a.Lines, html.Step{Label: r.text("page.week_of", "date", pageDate(monday, r.job.Language)), Amount: weeks[monday]})
	}
	if len(weeks) > agendaWeeks {
		a.Lines = append(a.Lines, html.Step{Label: r.text("page.later"), Amount: later, TextOnly: true})
	}
	if undated != 0 {
		a.Lines = append(a.Lines, html.Step{Label: r.text("page.without_a_date"), Amount: undated, TextOnly: true})
	}
	return a
}

// pageColumns are the columns of a table that the page shows. Of the agenda's movements it shows every one that some group
// has, so that a row adds up before the reader's eyes.
func (r *rendering) pageColumns(t *table.Table) ([]int, error) {
	chosen := chosenColumns(t, r.job.Account)
	if t != report.AgendaRollTable {
		return chosen, nil
	}
	var out []int
	moved := make([]bool, t.Width())
	err := withFile(r.stagingPath(t.ID+".csv"), func(in io.Reader) error {
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
