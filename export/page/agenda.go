package page

import (
	"io"
	"maps"
	"slices"

	"concilia/export"
	"concilia/export/html"
	"concilia/export/readback"
	"concilia/export/report/asof"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/store/ledger"
)

// agendaWeeks is how many weeks the page shows on lines of their own; later weeks share one.
const agendaWeeks = 8

// buildAgenda returns what is to be received: by week if the set has the agenda, else one figure of what the rows of the period
// are still to bring.
func (r *renderer) buildAgenda() (*html.Agenda, error) {
	t := kindlist.TableInSet(asof.AgendaTable.ID, r.Job.BankColumns)
	if r.Tables[t.ID] == nil {
		if r.Summary == nil {
			return nil, nil
		}
		return &html.Agenda{
			Total: r.Summary.NotDue(),
			Note:  r.Job.Text("page.not_due_yet_period_week"),
		}, nil
	}
	weeks, undated := make(map[ledger.Date]ledger.Amount), ledger.Amount(0)
	day, net := t.ColumnIndex("adjusted_date"), t.ColumnIndex("net")
	err := readback.WithFile(r.Path(t.ID+".csv"), func(in io.Reader) error {
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
	return buildAgendaLines(r.Job, weeks, undated), err
}

func buildAgendaLines(j *export.Job, weeks map[ledger.Date]ledger.Amount, undated ledger.Amount) *html.Agenda {
	a := &html.Agenda{Note: j.Text("page.net_come_week_business_day"), Total: undated}
	var later ledger.Amount
	for i, monday := range slices.Sorted(maps.Keys(weeks)) {
		a.Total += weeks[monday]
		if i >= agendaWeeks {
			later += weeks[monday]
			continue
		}
		a.Lines = append(a.Lines, html.Step{Label: j.Text("page.week_of", "date", table.DateText(monday, j.Language)), Amount: weeks[monday]})
	}
	if len(weeks) > agendaWeeks {
		a.Lines = append(a.Lines, html.Step{Label: j.Text("page.later"), Amount: later, TextOnly: true})
	}
	if undated != 0 {
		a.Lines = append(a.Lines, html.Step{Label: j.Text("page.without_a_date"), Amount: undated, TextOnly: true})
	}
	return a
}
