package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"concilia/export/control"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// Text returns a text in the language of the set.
func (j *Job) Text(id string, values ...any) string {
	return words.Text(j.Language, id, values...)
}

// Captions returns what the set's files say in words.
func (j *Job) Captions() Captions { return Captions{job: j} }

// Captions are the words with which the files of a set explain themselves: names of steps, days and causes, the holder's account, and
// notes that prevent misreading, such as units and signs of the tables, the rows that the bridge covers, and the filter.
type Captions struct{ job *Job }

// TableNote returns the note of a table in the job's language; empty if it has none.
func (c Captions) TableNote(t *table.Table) string {
	if id := "notes." + t.ID; words.Has(id) {
		return c.job.Text(id)
	}
	return ""
}

// ForecastNotes say until when a forecast knows slips, and of which accounts it expects them without a contract.
func (c Captions) ForecastNotes(days []asof.ForecastDay) (notes []string) {
	if c.job.SlipsKnownTo != 0 {
		notes = append(notes, c.job.Text("forecast.slips_known_to", "date", table.DateText(c.job.SlipsKnownTo, c.job.Language)))
	}
	if len(c.job.WithoutContract) > 0 && slices.ContainsFunc(days, func(d asof.ForecastDay) bool { return d.SlipsDueQty > 0 }) {
		accounts := make([]string, len(c.job.WithoutContract))
		for i, a := range c.job.WithoutContract {
			accounts[i] = a.String()
		}
		notes = append(notes, c.job.Text("forecast.without_contract", "accounts", strings.Join(accounts, ", ")))
	}
	return notes
}

// BridgeDay describes the date that a side of the bridge counts by, and which of the set's basis and filter do not apply to it:
// the bridge covers the account by sale date and due date, whatever the set's basis and filter.
func (c Captions) BridgeDay(side string) string {
	day := c.job.Text("page.by_due_date")
	if side == ledger.Cards.Side() {
		day = c.job.Text("page.by_sale_date")
	}
	if c.job.Basis != BridgeBasis(side) && c.job.Basis != report.ByAsOf {
		day = c.job.Text("page.day_not_basis", "day", day, "basis", c.BasisLabel())
	}
	if c.job.Filter.Canonical() != "" {
		day = c.job.Text("page.day_without_filter", "day", day)
	}
	return day
}

// BridgeBasis returns the basis of a side's bridge: the sale date for cards, the due date for slips.
func BridgeBasis(side string) report.Basis {
	if side == ledger.Cards.Side() {
		return report.ByOperation
	}
	return report.ByForecast
}

// FilterWords returns the filter in words for the titles of a file; empty without one.
func (c Captions) FilterWords() string {
	f := c.job.Filter.Canonical()
	if f == "" || c.job.Language == table.English {
		return f
	}
	var parts []string
	for _, part := range strings.Split(f, ";") {
		name, values, _ := strings.Cut(part, "=")
		ids := strings.Split(values, ",")
		if name == "status" {
			for i, id := range ids {
				if _, card := report.CardClassLabels(id); card {
					ids[i] = control.LabelOf(report.CardClassLabels, id)
				} else {
					ids[i] = control.LabelOf(report.SlipClassLabels, id)
				}
			}
		}
		parts = append(parts, control.LabelOf(words.Labels("filter"), name)+" "+strings.Join(ids, ", "))
	}
	return strings.Join(parts, " · ")
}

// BasisLabel returns the name of the basis in the job's language.
func (c Captions) BasisLabel() string {
	return words.Label(c.job.Language, "basis", string(c.job.Basis))
}

// VerdictWords returns a verdict in words.
func (c Captions) VerdictWords(v ledger.Verdict) string { return c.job.Text("verdicts." + string(v)) }

// StepLabel returns the header of the summary's column for a step.
func (c Captions) StepLabel(s report.SummaryStep) string {
	t := report.SummaryTable
	return t.Columns[t.ColumnIndex(s.Column)].Heading(c.job.Language)
}

// DayChartTitle returns the id of the title of the chart by day: by sale date its days are of sales, whatever has been received of
// them since.
func (c Captions) DayChartTitle() string {
	if c.job.Basis == report.ByOperation {
		return "page.net_received_of_sales"
	}
	return "page.expected_received_day"
}

// DayLabel formats a day for a chart, without the year if the period lies in one year. English dates are ISO dates, because
// 05/11 would be read as a day in May.
func (c Captions) DayLabel(d ledger.Date) string {
	p := c.job.Period
	short := p.From.Year() == p.To.Year()
	if c.job.Language == table.English {
		s := d.String()
		if short {
			return s[len("yyyy-"):]
		}
		return s
	}
	s := d.Brazilian()
	if short {
		return s[:len("dd/mm")]
	}
	return s
}

// CauseName returns the name of a cause with the number of its changes.
func (c Captions) CauseName(cause ledger.RestatementCause, changes int64) string {
	name := words.Name(c.job.Language, "cause", string(cause))
	return fmt.Sprintf("%s (%d)", name, changes)
}

// CauseTitle returns the title of a code; the sheet of the cases has the codes themselves.
func (c Captions) CauseTitle(code string) string {
	return cmp.Or(c.job.Words[code].Title, code)
}
