package export

import (
	"cmp"
	"maps"
	"slices"

	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// causeLine is what is unresolved of one code: cases by age, and what is missing because of them. Pending cases and those in
// shadow have no age and are in none of the ages.
type causeLine struct {
	code       string
	ages       [3]int64 // see ageSpans
	lost, late ledger.Amount
}

func (l *causeLine) cases() int64 { return l.ages[0] + l.ages[1] + l.ages[2] }

// ageSpans are the ages of the chart, in business days: as many as people tell apart under a bar.
var ageSpans = [...]struct {
	pt, en string
	last   int64
}{{"até 5 dias úteis", "up to 5 business days", 5}, {"6 a 30", "6 to 30", 30}, {"mais de 30", "over 30", 0}}

// caseAges are the cases of a state set by cause and age.
type caseAges map[string]*causeLine

// add takes a case, as of the day of the set.
func (a caseAges) add(c *Case, asOf ledger.Date) {
	open := c.BusinessDays.OK && c.State.IsUnresolved() && c.State != ledger.Pending && c.State != ledger.Shadow
	figure := c.Figure(asOf)
	missing := figure == ledger.FigureLost || figure == ledger.FigureLate
	if !open && !missing {
		return
	}
	if a[c.Code] == nil {
		a[c.Code] = &causeLine{code: c.Code}
	}
	l := a[c.Code]
	if open {
		span := 0
		for span < len(ageSpans)-1 && c.BusinessDays.V > ageSpans[span].last {
			span++
		}
		l.ages[span]++
	}
	switch cents := c.Impact.V.Rounded(ledger.HalfAwayFromZero); figure {
	case ledger.FigureLost:
		l.lost += cents
	case ledger.FigureLate:
		l.late += cents
	}
}

// panelCauses is how many causes the dashboard shows by themselves.
const panelCauses = 8

// top are the lines with the most at stake, then the most cases, and the rest in one.
func (a caseAges) top(rest string) []causeLine {
	var lines []causeLine
	for l := range maps.Values(a) {
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(x, y causeLine) int {
		return cmp.Or(cmp.Compare(y.lost+y.late, x.lost+x.late), cmp.Compare(y.cases(), x.cases()), cmp.Compare(x.code, y.code))
	})
	if len(lines) <= panelCauses {
		return lines
	}
	other := causeLine{code: rest}
	for _, l := range lines[panelCauses:] {
		for i := range other.ages {
			other.ages[i] += l.ages[i]
		}
		other.lost, other.late = other.lost+l.lost, other.late+l.late
	}
	return append(lines[:panelCauses:panelCauses], other)
}

// casesByAge shows how many cases stand by cause and age, and what is missing by cause.
func (r *rendering) casesByAge(s *xlsx.Sheet) error {
	lines := r.ages.top(r.words("demais", "others"))
	ages, money := make([][]xlsx.Cell, 0, len(lines)), make([][]xlsx.Cell, 0, len(lines))
	for i := range lines {
		l := &lines[i]
		if l.cases() > 0 {
			ages = append(ages, []xlsx.Cell{xlsx.Text(r.causeTitle(l.code)), xlsx.Int(l.ages[0]), xlsx.Int(l.ages[1]), xlsx.Int(l.ages[2])})
		}
		if l.lost+l.late != 0 {
			money = append(money, []xlsx.Cell{xlsx.Text(r.causeTitle(l.code)), xlsx.Money2(int64(l.lost)), xlsx.Money2(int64(l.late))})
		}
	}
	names := make([]string, len(ageSpans))
	for i, span := range ageSpans {
		names[i] = r.words(span.pt, span.en)
	}
	if err := r.causeChart(s, r.words("Exceções por causa e idade", "Exceptions by cause and age"), names, ages); err != nil {
		return err
	}
	return r.causeChart(s, r.words("R$ que faltam, por causa", "R$ missing, by cause"),
		[]string{FigureName(ledger.FigureLost, r.job.Language), FigureName(ledger.FigureLate, r.job.Language)}, money)
}

// causeTitle is a cause in plain words: the sheet of the cases has the codes.
func (r *rendering) causeTitle(code string) string {
	return cmp.Or(r.job.Words[code].Title, code)
}

// causeChart writes a table of causes and draws its columns one on the other, lying, because causes are sentences; without a
// cause there is nothing to draw.
func (r *rendering) causeChart(s *xlsx.Sheet, title string, columns []string, rows [][]xlsx.Cell) error {
	first, last, err := block(s, append([]string{title}, columns...), rows, r.panelTotal(rows...)...)
	if err != nil || len(rows) == 0 {
		return err
	}
	chart := xlsx.Chart{Kind: xlsx.StackedBars, Title: title, Column: 5, Row: first - 1, Width: 860, Height: 260}
	for i := range columns {
		chart.Series = append(chart.Series, xlsx.Series{
			Heading: first - 1, Categories: 0, Values: i + 1, First: first, Last: last, Colour: chartColours[i%len(chartColours)],
		})
	}
	return s.AddChart(chart)
}
