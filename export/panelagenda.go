package export

import (
	"slices"

	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// AgendaSpan is what a week or a month is to bring, by the business days of its forecasts: amounts as printed.
type AgendaSpan struct {
	Label        string      // 2026-W47 or 2026-11; empty: no date sent
	First        ledger.Date // the Monday of a week, the first of a month; none: no date sent
	Installments int64
	Gross        ledger.Amount // as Deductions, of the blocked ones too
	Deductions   ledger.Amount
	Net          ledger.Amount
	Anticipated  ledger.Amount // of Net
	Blocked      ledger.Amount // not of Net
}

// weeks and months add the agenda up, in order; what has no date comes last. Accounts are added up.
func (a *agenda) weeks() []AgendaSpan {
	return a.spans(weekOf, func(d ledger.Date) ledger.Date { return d - ledger.Date((d.Weekday()+6)%7) })
}

func (a *agenda) months() []AgendaSpan { return a.spans(monthOf, ledger.Date.MonthStart) }

func (a *agenda) spans(label func(ledger.Date) string, first func(ledger.Date) ledger.Date) []AgendaSpan {
	lines := make(map[ledger.Date]*agendaLine) // by first day
	labels := make(map[ledger.Date]string)
	for _, l := range a.lines {
		var day ledger.Date
		if l.adjusted != 0 {
			day = first(l.adjusted)
		}
		if lines[day] == nil {
			lines[day], labels[day] = &agendaLine{}, label(l.adjusted)
		}
		lines[day].merge(l)
	}
	var out []AgendaSpan
	for day, l := range lines {
		out = append(out, AgendaSpan{
			Label: labels[day], First: day, Installments: l.rows, Gross: l.gross.Printed, Deductions: l.deductions.Printed,
			Net: l.net.Printed, Anticipated: l.anticipated.Printed, Blocked: l.blocked.Printed,
		})
	}
	slices.SortFunc(out, func(a, b AgendaSpan) int { return compareLast(a.First, b.First) })
	return out
}

// subtotals are the weeks and the months below the agenda's sheet, each under the column that it adds up.
func (r *rendering) subtotals() [][]xlsx.Cell {
	var lines [][]xlsx.Cell
	at := agendaTable.ColumnIndex
	for _, by := range []struct {
		column string
		pt, en string
		spans  []AgendaSpan
	}{
		{"week", "Subtotais por semana", "Subtotals by week", r.agenda.weeks()},
		{"month", "Subtotais por mês", "Subtotals by month", r.agenda.months()},
	} {
		head := make([]xlsx.Cell, at("brand")+1)
		head[at("brand")] = xlsx.Text(r.words(by.pt, by.en)).WithStyle(xlsx.Strong)
		lines = append(lines, nil, head)
		for _, s := range by.spans {
			row := make([]xlsx.Cell, at("blocked")+1)
			row[at(by.column)] = xlsx.Text(r.spanLabel(s))
			row[at("installments")] = xlsx.Int(s.Installments)
			for id, amount := range map[string]ledger.Amount{
				"gross": s.Gross, "deductions": s.Deductions, "net": s.Net, "anticipated": s.Anticipated, "blocked": s.Blocked,
			} {
				row[at(id)] = xlsx.Money2(int64(amount))
			}
			lines = append(lines, row)
		}
	}
	return lines
}

func (r *rendering) spanLabel(s AgendaSpan) string {
	if s.Label == "" {
		return r.words("sem data", "no date")
	}
	return s.Label
}

// panelWeeks is how many weeks the dashboard shows: a chart has room for the labels of so many.
const panelWeeks = 13

// agendaAhead shows what each week is to bring and what of it is blocked. A week is named by its Monday, as people know
// it; weeks for which the chart has no room, and what has no date, share a line below it.
func (r *rendering) agendaAhead(s *xlsx.Sheet) error {
	var rows, rest [][]xlsx.Cell
	var later, undated AgendaSpan
	beyond := false
	line := func(label string, a AgendaSpan) []xlsx.Cell {
		return []xlsx.Cell{xlsx.Text(label), xlsx.Money2(int64(a.Net)), xlsx.Money2(int64(a.Blocked))}
	}
	for _, w := range r.agenda.weeks() {
		switch {
		case w.First == 0:
			undated = w
		case len(rows) < panelWeeks:
			rows = append(rows, line(r.weekLabel(w.First), w))
		default:
			beyond = true
			later.Net, later.Blocked = later.Net+w.Net, later.Blocked+w.Blocked
		}
	}
	title := r.words("Agenda de recebíveis, por semana (início)", "Agenda ahead, by week from")
	if beyond {
		rest = append(rest, line(r.words("depois", "later"), later))
	}
	if undated.Net != 0 || undated.Blocked != 0 {
		rest = append(rest, line(r.words("sem data", "no date"), undated))
	}
	return r.dayChart(s, title, []string{r.words("Líquido", "Net"), r.words("Bloqueado", "Blocked")}, rows, rest...)
}

// weekLabel is the Monday of a week, short enough for a chart.
func (r *rendering) weekLabel(monday ledger.Date) string {
	if r.job.Language == table.English {
		return monday.String()
	}
	s := monday.Brazilian()
	return s[:len("dd/mm/")] + s[len("dd/mm/yy"):]
}
