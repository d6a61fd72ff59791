package rules_test

import (
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// lineOf is a line of order A-77 for an installment sold on 2024-10-21, asked for on Friday 2024-11-01.
func lineOf(number int, change func(*ledger.InstallmentVersion)) cards.OrderLine {
	l := cards.OrderLine{Order: agreements.Order{
		Account: 1001, Order: "A-77", OrderedOn: day("2024-10-30"), PayOn: day("2024-11-01"), NSU: "77", Auth: "A1", Installment: number,
	}}
	if change != nil {
		v := *rows()[number-1].Current()
		change(&v)
		l.Now = &v
	}
	return l
}

func TestOrderUnfilled(t *testing.T) {
	t.Parallel()
	open := func(*ledger.InstallmentVersion) {}
	paidOn := func(d string) func(*ledger.InstallmentVersion) {
		return func(v *ledger.InstallmentVersion) {
			v.Effective, v.Received, v.ReceivedStatus = day(d), some("97.11"), "Pago"
		}
	}
	status := func(s string) func(*ledger.InstallmentVersion) {
		return func(v *ledger.InstallmentVersion) { v.Status = s }
	}
	for _, c := range []struct {
		says  string
		asOf  string
		seen  string // the last answer for the sale day began then; empty: on the as-of
		grace int
		lines []cards.OrderLine
		want  rules.Status
	}{
		{"paid on the day asked for", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, paidOn("2024-11-01"))}, passes},
		{"paid before it", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, paidOn("2024-10-31"))}, passes},
		{"paid a business day later, over a weekend", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, paidOn("2024-11-04"))}, passes},
		{"paid two business days later", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, paidOn("2024-11-05"))}, fires},
		{"paid two business days later, with a grace of two", "2024-11-20", "", 2, []cards.OrderLine{lineOf(1, paidOn("2024-11-05"))}, passes},
		{"not paid, the grace still running", "2024-11-04", "", 1, []cards.OrderLine{lineOf(1, open)}, passes},
		{"not paid the day after the grace", "2024-11-05", "", 1, []cards.OrderLine{lineOf(1, open)}, fires},
		{"not paid when its day was asked for last, on the last day of the grace", "2024-11-05", "2024-11-04", 1, []cards.OrderLine{lineOf(1, open)}, rules.NotPulled},
		{"said to be paid, without a date", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, func(v *ledger.InstallmentVersion) { v.ReceivedStatus = "Pago" })}, passes},
		{"blocked is not paid", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, status("Bloqueada"))}, fires},
		{"cancelled: there is nothing to pay", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, status("Cancelada"))}, none},
		{"one cancelled, one paid", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, status("Cancelada")), lineOf(2, paidOn("2024-11-01"))}, passes},
		{"a status that is not in the mapping", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, status("Xyz"))}, rules.Unmapped},
		{"an installment that the ledger does not hold", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, nil)}, rules.NotEvaluable},
		{"one of three not paid, whatever the others", "2024-11-20", "", 1, []cards.OrderLine{lineOf(1, paidOn("2024-11-01")), lineOf(2, open), lineOf(3, nil)}, fires},
	} {
		e := world{asOf: c.asOf, change: func(o *rules.Options) {
			o.Settings = rules.Settings{cards.OrderUnfilled: {Grace: ledger.Some(c.grace)}}
			if c.seen != "" {
				o.SeenOn = func(ledger.Source, ledger.Date) ledger.Date { return day(c.seen) }
			}
		}}.env(t)
		o := cards.EvaluateOrder(e, &cards.ListedOrder{Order: "A-77", Lines: c.lines})
		if o.Status != c.want {
			t.Errorf("%s: status %d, want %d", c.says, o.Status, c.want)
		}
		if o.Status == fires {
			told(t, cards.OrderUnfilled, o)
		}
	}
}

// The sentence of an order that was not filled counts what was asked for and what came late, and names the first.
func TestOrderUnfilledSentence(t *testing.T) {
	t.Parallel()
	late := func(v *ledger.InstallmentVersion) { v.Effective, v.Received = day("2024-11-20"), some("97.11") }
	first := lineOf(3, func(*ledger.InstallmentVersion) {})
	first.PayOn = day("2024-10-31")
	e := world{asOf: "2024-12-01"}.env(t)
	for _, c := range []struct {
		lines  []cards.OrderLine
		en, pt string
	}{
		{
			[]cards.OrderLine{lineOf(1, late), lineOf(2, func(v *ledger.InstallmentVersion) { v.Effective = day("2024-11-01") }), first},
			"Order A-77 lists 3 installments: 2 were not paid by 2024-11-01, R$ 200.00, 1 of them later; the first is installment 3 of NSU 77, asked for on 2024-10-31.",
			"A ordem A-77 lista 3 parcelas: 2 não foram pagas até 01/11/2024, R$ 200,00, 1 depois disso; a primeira é a parcela 3 do NSU 77, pedida para 31/10/2024.",
		},
		{
			[]cards.OrderLine{first},
			"Order A-77 lists 1 installment: 1 was not paid by 2024-11-01, R$ 100.00; the first is installment 3 of NSU 77, asked for on 2024-10-31.",
			"A ordem A-77 lista 1 parcela: 1 não foi paga até 01/11/2024, R$ 100,00; a primeira é a parcela 3 do NSU 77, pedida para 31/10/2024.",
		},
	} {
		o := cards.EvaluateOrder(e, &cards.ListedOrder{Order: "A-77", Lines: c.lines})
		f := ledger.Finding{Code: cards.OrderUnfilled, Numbers: o.Numbers}
		for lang, want := range map[string]string{"en": c.en, "pt-BR": c.pt} {
			if got := (catalogue.Voice{Language: lang}).Explain(f); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", lang, got, want)
			}
		}
	}
	if got := (&cards.ListedOrder{Order: "A-77"}).Subject(1001); got != "order:1001:A-77" {
		t.Errorf("subject %s", got)
	}
}
