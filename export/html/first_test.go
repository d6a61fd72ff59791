package html_test

import (
	"fmt"
	"strings"
	"testing"

	"concilia/export/html"
)

// However many accounts there are, at most three lines of them precede the verdict: the worst, and a count of the others'
// verdicts. All of them are listed further down.
func TestManyAccountsLeaveTheCausesInSight(t *testing.T) {
	t.Parallel()
	accounts := func(n int) []html.Account {
		var out []html.Account
		for i := range n {
			a := html.Account{Number: fmt.Sprint(1001 + i), Name: "Loja <" + fmt.Sprint(i) + ">", Level: html.Bad, Verdict: "divergências"}
			if i > 3 {
				a.Level, a.Verdict = html.Good, "conciliado"
			}
			out = append(out, a)
		}
		return out
	}
	for _, tc := range []struct {
		n, before, after int
		rest             string
	}{
		{1, 1, 0, ""},
		{3, 3, 0, ""},
		{4, 3, 4, "e mais 2: 2 divergências</span>"},
		{40, 3, 40, "e mais 38: 2 divergências, 36 conciliado</span>"},
	} {
		p := sample("pt-BR")
		p.Accounts = accounts(tc.n)
		text := string(written(t, p))
		first, rest, _ := strings.Cut(text, `<p class="verdict`)
		if got := strings.Count(first, "<li"); got != tc.before {
			t.Errorf("%d accounts: %d lines before the verdict, want %d", tc.n, got, tc.before)
		}
		if got := strings.Count(rest, "· Loja &lt;"); got != tc.after {
			t.Errorf("%d accounts: %d below, want %d", tc.n, got, tc.after)
		}
		if !strings.Contains(first, tc.rest) {
			t.Errorf("%d accounts: no %q in %s", tc.n, tc.rest, first)
		}
	}
}

// The amount after the weeks that are shown is a text: a bar of it would dwarf those of the weeks.
func TestLaterDwarfsNoWeek(t *testing.T) {
	t.Parallel()
	p := sample("pt-BR")
	p.Agenda.Lines = []html.Step{{Label: "semana de 16/11", Amount: brl("10.00")}, {Label: "depois", Amount: brl("990.00"), TextOnly: true}}
	p.Agenda.Total = brl("1000.00")
	_, text, _ := strings.Cut(string(written(t, p)), `id="agenda"`)
	text, _, _ = strings.Cut(text, "</section>")
	if n := strings.Count(text, `class="total"`); n != 1 || !strings.Contains(text, `width="3600" height="170" rx="30"/><rect class="total" x="0"`) ||
		!strings.Contains(text, "990,00") {
		t.Errorf("%d bars: %s", n, text)
	}
	if !strings.Contains(text, `class="total" x="0" y="190" width="3600"`) {
		t.Errorf("the one week does not fill its chart: %s", text)
	}
}

// A period without a cause says of what: the account's verdict may rest on another one.
func TestPeriodPageNamesThePeriod(t *testing.T) {
	t.Parallel()
	p := sample("pt-BR")
	p.Period, p.Missing = true, html.Missing{}
	text := string(written(t, p))
	for _, want := range []string{"Faltam no período", "no período nada falta"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}
