package export

import (
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// What a reader has to know before a figure is read the wrong way round: units and signs of the tables, what of a set its
// bridge is of, and a filter in words.

// tableNote is that of a table in the job's language; empty without one.
func (r *rendering) tableNote(t *table.Table) string {
	if id := "notes." + t.ID; words.Has(id) {
		return r.text(id)
	}
	return ""
}

// bridgeDay says by which day a side of the bridge counts, and what of the set it does not follow: the bridge is kept by
// sale date and due date and is the account's, whatever the set is asked by.
func (j *Job) bridgeDay(text textFunc, side string) string {
	day := text("page.by_due_date")
	if side == ledger.Cards.Side() {
		day = text("page.by_sale_date")
	}
	if j.Basis != bridgeBasis(side) && j.Basis != report.ByAsOf {
		day = text("page.day_not_basis", "day", day, "basis", j.basisLabel())
	}
	if j.Filter.Canonical() != "" {
		day = text("page.day_without_filter", "day", day)
	}
	return day
}

// bridgeBasis is the basis whose periods hold the rows that the bridge of a side is of: of cards by sale date, of slips by due
// date.
func bridgeBasis(side string) report.Basis {
	if side == ledger.Cards.Side() {
		return report.ByOperation
	}
	return report.ByForecast
}

// filterWords is the filter as the titles of a file say it; empty without one.
func (j *Job) filterWords() string {
	f := j.Filter.Canonical()
	if f == "" || j.Language == table.English {
		return f
	}
	var parts []string
	for _, part := range strings.Split(f, ";") {
		name, values, _ := strings.Cut(part, "=")
		ids := strings.Split(values, ",")
		if name == "status" {
			for i, id := range ids {
				if _, card := report.CardClassLabels[id]; card {
					ids[i] = labelOf(report.CardClassLabels, id)
				} else {
					ids[i] = labelOf(report.SlipClassLabels, id)
				}
			}
		}
		parts = append(parts, labelOf(words.Labels("filter"), name)+" "+strings.Join(ids, ", "))
	}
	return strings.Join(parts, " · ")
}
