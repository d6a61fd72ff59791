package html

import (
	"bufio"
	_ "embed" // the template and the style are files, so that an editor knows what they are
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
)

var (
	//go:embed page.tmpl
	pageText string
	//go:embed charts.tmpl
	chartText string
	//go:embed style.css
	styleText string
	//go:embed claims.tmpl
	claimsText string
)

// topCauses is how many causes have a line each; the others share one.
const topCauses = 5

// Write writes the page. It fails only when w does, or when the causes do not add up to what is missing.
func Write(w io.Writer, p Page) error {
	v := &pageView{Page: &p}
	if err := v.validate(); err != nil {
		return err
	}
	return writePage(w, "page", p.Name, v, v.templateFuncs(), styleText, chartText+claimsText+pageText)
}

// writePage writes the data as the template kind, which texts define, shows it; errors name the page.
func writePage(w io.Writer, kind, name string, data any, funcs template.FuncMap, style, texts string) error {
	t, err := template.New("set").Funcs(funcs).Parse(`{{define "style"}}<style>` + style + `</style>{{end}}` + texts)
	if err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	out := bufio.NewWriter(w)
	if err := t.ExecuteTemplate(out, kind, data); err != nil {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	return out.Flush()
}

// pageView is a page as the template asks for it.
type pageView struct{ *Page }

// Top is the largest amount of the chart, at least 0.
func (d Days) Top() (top ledger.Amount) {
	for _, day := range d.Days {
		top = max(top, day.First, day.Second)
	}
	return top
}

func (v *pageView) templateFuncs() template.FuncMap {
	return template.FuncMap{
		"w": v.lookUpText, "amount": v.amountFigure, "count": v.countFigure, "money": v.formatMoney, "step": v.formatStep, "totals": v.columnTotals, "add": func(a, b int) int { return a + b },
		"pack": namedArguments, "waterfall": v.drawWaterfall, "columns": v.drawDayColumns, "ages": v.drawAges, "bars": v.drawBars, "share": v.shareOfMissing,
		"sums": v.groupSums, "totalsOf": v.claimsTotals,
	}
}

// namedArguments makes a map of names and values, the arguments of a template.
func namedArguments(nameAndValue ...any) map[string]any {
	out := make(map[string]any)
	for i := 0; i+1 < len(nameAndValue); i += 2 {
		out[fmt.Sprint(nameAndValue[i])] = nameAndValue[i+1]
	}
	return out
}

// lookUpText returns a text for people in the language of the page.
func (v *pageView) lookUpText(id string, values ...any) string {
	return words.Text(v.Language, id, values...)
}

// formatMoney is an amount that is shown and not proven here.
func (v *pageView) formatMoney(a ledger.Amount) string { return formatNumber(a.String(), v.Language) }

// formatStep is an amount of a bridge: in cents, as people write it, or all of the bridge at four decimals where one of its amounts has
// parts of a cent, since it closes there and nowhere else.
func (v *pageView) formatStep(b Bridge, a ledger.Amount) string {
	decimals := 2
	if !b.isInCents() {
		decimals = 4
	}
	return formatNumber(a.Fixed(decimals), v.Language)
}

// columnTotals returns the figures of a column's total: one, or for a signed column the sum of what is lost and, if there
// is any, the sum of what is in excess.
func (v *pageView) columnTotals(t Table, c Column) []provenFigure {
	key := t.ID + "." + c.Measure
	if !c.Signed {
		return []provenFigure{v.totalFigure(key, c, c.Total)}
	}
	figs := []provenFigure{v.totalFigure(key+signLost, c, c.Total)}
	if c.Excess != 0 {
		figs = append(figs, v.totalFigure(key+signExcess, c, c.Excess))
	}
	return figs
}

// totalFigure is a total in the format of its column's cells.
func (v *pageView) totalFigure(key string, c Column, total int64) provenFigure {
	if c.Count {
		return v.countFigure(key, total)
	}
	if c.Decimals > 0 {
		text := ledger.Amount(total).Fixed(c.Decimals)
		return provenFigure{key, text, formatNumber(text, v.Language)}
	}
	return v.amountFigure(key, ledger.Amount(total))
}

// groupSums are a group's sums of a column, none where it has none.
func (v *pageView) groupSums(g Group, c Column) []string {
	var out []string
	for _, a := range g.Sums(c) {
		out = append(out, v.formatMoney(a))
	}
	return out
}

// claimsTotals are the proven totals of a column of the claims; none where it has none.
func (v *pageView) claimsTotals(t Table, c Column) []provenFigure {
	for _, x := range t.Columns {
		if x.Measure != "" && x.Measure == c.Measure {
			return v.columnTotals(t, x)
		}
	}
	return nil
}

// validate refuses a page whose first screen would contradict itself.
func (v *pageView) validate() error {
	m := &v.Missing
	for _, line := range m.Lines {
		if figure := m.Figures.AmountOf(ledger.Figure(line.Key)); line.Amount != figure {
			return fmt.Errorf("page %s: %s shows %s, should show %s", v.Name, line.Key, line.Amount, figure)
		}
	}
	for _, side := range []struct {
		what   string
		causes []Cause
		total  ledger.Amount
		cases  int64
	}{
		{"missing", m.Causes, m.Figures.Missing(), m.Cases},
		{"at risk", m.AtRisk, m.Figures.AtRisk, countCases(m.AtRisk)},
		{"in excess", m.Gained, m.Figures.Excess, m.ExcessCases},
	} {
		var sum ledger.Amount
		var cases int64
		for _, c := range side.causes {
			sum, cases = sum+c.Amount, cases+c.Cases
		}
		if sum != side.total || cases != side.cases {
			return fmt.Errorf("page %s: the causes of what is %s add up to %s in %d cases, should be %s in %d",
				v.Name, side.what, sum, cases, side.total, side.cases)
		}
	}
	return nil
}

func countCases(causes []Cause) (n int64) {
	for _, c := range causes {
		n += c.Cases
	}
	return n
}

// maxAccountLines is the most lines of accounts before the verdict: with more of them the causes would leave the first
// screen of a phone.
const maxAccountLines = 3

// First are the accounts with a line of their own at the top of the page: all of them, or the worst ones if there are more
// than maxAccountLines.
func (v *pageView) First() []Account {
	if len(v.Accounts) <= maxAccountLines {
		return v.Accounts
	}
	return v.Accounts[:maxAccountLines-1]
}

// otherAccounts are the accounts that First leaves out, counted by verdict, worst first.
type otherAccounts struct {
	Count    int
	Verdicts []verdictCount
}

type verdictCount struct {
	Verdict string
	Count   int
}

// Others counts the accounts beyond First; nil without any.
func (v *pageView) Others() *otherAccounts {
	rest := v.Accounts[len(v.First()):]
	if len(rest) == 0 {
		return nil
	}
	out := &otherAccounts{Count: len(rest)}
	for _, a := range rest {
		if n := len(out.Verdicts); n > 0 && out.Verdicts[n-1].Verdict == a.Verdict {
			out.Verdicts[n-1].Count++
			continue
		}
		out.Verdicts = append(out.Verdicts, verdictCount{a.Verdict, 1})
	}
	return out
}

// Top are the largest causes.
func (v *pageView) Top() []Cause { return v.Missing.Causes[:min(topCauses, len(v.Missing.Causes))] }

// Rest is the sum of the other causes; nil without any.
func (v *pageView) Rest() *Cause {
	more := v.Missing.Causes[len(v.Top()):]
	if len(more) == 0 {
		return nil
	}
	rest := &Cause{Code: fmt.Sprint(len(more))}
	for _, c := range more {
		rest.Amount += c.Amount
		rest.Cases += c.Cases
	}
	return rest
}

// ToDo are the causes that have a next step: what is missing first, then what is at risk.
func (v *pageView) ToDo() []Cause {
	var out []Cause
	for _, c := range slices.Concat(v.Missing.Causes, v.Missing.AtRisk, v.Missing.Gained) {
		if c.Next != "" && !slices.ContainsFunc(out, func(o Cause) bool { return o.Code == c.Code }) {
			out = append(out, c)
		}
	}
	return out
}

// Anchor is that of a row; empty without one.
func (t Table) Anchor(row int) string {
	if row >= len(t.Anchors) {
		return ""
	}
	return t.Anchors[row]
}

// RowTo is where the cell of a row leads: the first one after that of the account.
func (t Table) RowTo(row, column int) string {
	if row >= len(t.RowsTo) || column != t.LinkAt {
		return ""
	}
	return t.RowsTo[row]
}

// More reports whether there are rows that are not shown.
func (t Table) More() bool { return t.Count > int64(len(t.Rows)) }

// Sign is the verdict's symbol, so that it does not depend on colour.
func (l Level) Sign() string { return [...]string{"✓", "!", "✕"}[l] }

// Class is the style of the level.
func (l Level) Class() string { return [...]string{"good", "fair", "bad"}[l] }

// provenFigure is a proven figure on the page: its name, its exact value, and how it is shown.
type provenFigure struct{ Key, Value, Text string }

// minus is the sign that is as wide as a digit.
const minus = "−"

// amountFigure is money with at least two decimals.
func (v *pageView) amountFigure(key string, a ledger.Amount) provenFigure {
	text := a.String()
	return provenFigure{key, text, formatNumber(text, v.Language)}
}

func (v *pageView) countFigure(key string, n int64) provenFigure {
	text := strconv.FormatInt(n, 10)
	return provenFigure{key, text, formatNumber(text, v.Language)}
}

// FormatNumber formats a plain decimal number as pages in that language show it.
func FormatNumber(plain, language string) string { return formatNumber(plain, language) }

// formatNumber formats a plain number with the thousands and decimal separators of the language.
func formatNumber(plain, language string) string {
	group, point := ".", ","
	if language == "en" {
		group, point = ",", "."
	}
	sign := ""
	if strings.HasPrefix(plain, "-") {
		sign, plain = minus, plain[1:]
	}
	whole, decimals, cut := strings.Cut(plain, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if cut {
		return sign + whole + point + decimals
	}
	return sign + whole
}
