package html

import (
	"bufio"
	_ "embed" // the template and the style are files, so that an editor knows what they are
	"fmt"
	"html/template"
	"io"
	"slices"

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

// shownCauses is how many causes stand one by one; the rest shares a line.
const shownCauses = 5

// Write writes the page. It fails only when w does, or when the causes do not add up to what is missing.
func Write(w io.Writer, p Page) error {
	v := &view{Page: &p}
	if err := v.check(); err != nil {
		return err
	}
	t, err := template.New("set").Funcs(v.funcs()).Parse(`{{define "style"}}<style>` + styleText + `</style>{{end}}` + chartText + claimsText + pageText)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	out := bufio.NewWriter(w)
	if err := t.ExecuteTemplate(out, "page", v); err != nil {
		return fmt.Errorf("page %s: %w", p.Name, err)
	}
	return out.Flush()
}

// view is a page as the template asks for it.
type view struct{ *Page }

// Top is the tallest column of the chart; 0 when none stands.
func (d Days) Top() (top ledger.Amount) {
	for _, day := range d.Days {
		top = max(top, day.First, day.Second)
	}
	return top
}

func (v *view) funcs() template.FuncMap {
	return template.FuncMap{
		"w": v.words, "amount": v.amount, "count": v.count, "money": v.money, "exact": v.exact, "totals": v.totals, "add": func(a, b int) int { return a + b },
		"pack": pack, "waterfall": v.waterfall, "columns": v.columns, "ages": v.ages, "bars": v.bars, "share": v.share,
		"sums": v.sums, "totalsOf": v.totalsOf,
	}
}

// pack names what a part of the page is handed.
func pack(nameAndValue ...any) map[string]any {
	out := make(map[string]any)
	for i := 0; i+1 < len(nameAndValue); i += 2 {
		out[fmt.Sprint(nameAndValue[i])] = nameAndValue[i+1]
	}
	return out
}

// words is the one of two texts that the page's language asks for.
func (v *view) words(pt, en string) string {
	if v.Language == "en" {
		return en
	}
	return pt
}

// money is an amount that is shown and not proven here.
func (v *view) money(a ledger.Amount) string { return shown(a.String(), v.Language) }

// exact is one at four decimals: a bridge closes there and nowhere else.
func (v *view) exact(a ledger.Amount) string { return shown(a.Fixed(4), v.Language) }

// totals are the figures of a column's total: one, or of a signed column that of what is lost and, where there is any, that of
// what is in excess.
func (v *view) totals(t Table, c Column) []fig {
	key := t.ID + "." + c.Measure
	if !c.Signed {
		return []fig{v.figure(key, c, c.Total)}
	}
	figs := []fig{v.figure(key+signLost, c, c.Total)}
	if c.Excess != 0 {
		figs = append(figs, v.figure(key+signExcess, c, c.Excess))
	}
	return figs
}

// figure is a total as the cells of its column are spelled.
func (v *view) figure(key string, c Column, total int64) fig {
	if c.Count {
		return v.count(key, total)
	}
	if c.Decimals > 0 {
		text := ledger.Amount(total).Fixed(c.Decimals)
		return fig{key, text, shown(text, v.Language)}
	}
	return v.amount(key, ledger.Amount(total))
}

// sums are a group's sums of a column, none where it has none.
func (v *view) sums(g Group, c Column) []string {
	var out []string
	for _, a := range g.Sums(c) {
		out = append(out, v.money(a))
	}
	return out
}

// totalsOf are the proven totals of a column of the claims; none where it has none.
func (v *view) totalsOf(t Table, c Column) []fig {
	for _, x := range t.Columns {
		if x.Measure != "" && x.Measure == c.Measure {
			return v.totals(t, x)
		}
	}
	return nil
}

// check refuses a page whose first screen would contradict itself.
func (v *view) check() error {
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
		{"at risk", m.AtRisk, m.Figures.AtRisk, casesOf(m.AtRisk)},
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

func casesOf(causes []Cause) (n int64) {
	for _, c := range causes {
		n += c.Cases
	}
	return n
}

// shownAccounts is how many accounts stand before the verdict: with more of them the causes would leave the first screen
// of a phone.
const shownAccounts = 3

// First are the accounts that stand before everything else: all of them, or the worst and a line for the rest.
func (v *view) First() []Account {
	if len(v.Accounts) <= shownAccounts {
		return v.Accounts
	}
	return v.Accounts[:shownAccounts-1]
}

// others are the accounts that First leaves out, counted by what they say, worst first.
type others struct {
	Count    int
	Verdicts []said
}

type said struct {
	Verdict string
	Count   int
}

// Others counts the accounts beyond First; nil without any.
func (v *view) Others() *others {
	rest := v.Accounts[len(v.First()):]
	if len(rest) == 0 {
		return nil
	}
	out := &others{Count: len(rest)}
	for _, a := range rest {
		if n := len(out.Verdicts); n > 0 && out.Verdicts[n-1].Verdict == a.Verdict {
			out.Verdicts[n-1].Count++
			continue
		}
		out.Verdicts = append(out.Verdicts, said{a.Verdict, 1})
	}
	return out
}

// Top are the largest causes.
func (v *view) Top() []Cause { return v.Missing.Causes[:min(shownCauses, len(v.Missing.Causes))] }

// Rest is the sum of the other causes; nil without any.
func (v *view) Rest() *Cause {
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
func (v *view) ToDo() []Cause {
	var out []Cause
	for _, c := range slices.Concat(v.Missing.Causes, v.Missing.AtRisk, v.Missing.Gained) {
		if c.Next != "" && !slices.ContainsFunc(out, func(o Cause) bool { return o.Code == c.Code }) {
			out = append(out, c)
		}
	}
	return out
}

// More says whether there are rows that are not shown.
func (t Table) More() bool { return t.Count > int64(len(t.Rows)) }

// Sign is the verdict's mark beside its colour.
func (l Level) Sign() string { return [...]string{"✓", "!", "✕"}[l] }

// Class is the style of the level.
func (l Level) Class() string { return [...]string{"good", "fair", "bad"}[l] }
