package export_test

import (
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Rates are kept as texts. Excel in Brazil does not take 2.3400 for what it is, and a sheet adds up no text.
func TestValuesAreSpelledForPeople(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because, text, br, page string
		typed                   bool
	}{
		{"an amount", "1126.55", "1126,55", "1.126,55", true},
		{"a rate, which is a text in the csv", "2.3400", "2,3400", "2,34", true},
		{"a claw-back", "-0.105", "-0,105", "−0,105", true},
		{"a day", "2026-11-05", "2026-11-05", "05/11/2026", true},
		{"a status is no amount", "12", "12", "12", false},
		{"nor is a number with zeros before it", "007.50", "007.50", "007.50", false},
		{"nor one of more decimals than any amount has", "1.23456", "1.23456", "1.23456", false},
		{"words stay words", "em 2.50", "em 2.50", "em 2.50", false},
	} {
		if br, page, typed := export.ValueFor(row.text); br != row.br || page != row.page || typed != row.typed {
			t.Errorf("%s: %q is %s, %s, %t", row.because, row.text, br, page, typed)
		}
	}
}

// A set by another basis, or of a part of the rows, says that its bridge is neither; the state has no basis to tell of.
func TestTheBridgeSaysWhatItDoesNotFollow(t *testing.T) {
	t.Parallel()
	visa := report.Filter{Brands: []string{"visa"}, Classes: []ledger.Class{ledger.Received}}
	for _, row := range []struct {
		because      string
		basis        report.Basis
		filter       report.Filter
		language     table.Language
		cards, slips string
	}{
		{"the basis of the cards' bridge", report.ByOperation, report.Filter{}, "", "pela data da venda", "pelo vencimento, e não pela base operação"},
		{"that of the slips'", report.ByForecast, report.Filter{}, "", "pela data da venda, e não pela base previsão", "pelo vencimento"},
		{"a filter", report.ByOperation, visa, "", "pela data da venda, sem o filtro", "pelo vencimento, e não pela base operação, sem o filtro"},
		{"in English", report.ByCredit, visa, table.English, "by sale date, not by basis credit, without the filter", "by due date, not by basis credit, without the filter"},
		{"the state", report.ByAsOf, report.Filter{}, "", "pela data da venda", "pelo vencimento"},
	} {
		j := job()
		j.Basis, j.Filter, j.Language = row.basis, row.filter, row.language
		if cards, slips := j.BridgeDay("cards"), j.BridgeDay("slips"); cards != row.cards || slips != row.slips {
			t.Errorf("%s: %q and %q", row.because, cards, slips)
		}
	}
}

// The filter is said in words in Portuguese, and tables say what their signs and units are.
func TestPageSaysItsFilterAndItsSigns(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	j.Kinds = slices.DeleteFunc(j.Kinds, func(k report.Kind) bool { return k == report.SlipsKind })
	j.Filter = report.Filter{Brands: []string{"visa", "Elo"}, Classes: []ledger.Class{ledger.Received, ledger.Chargeback}}
	_, body := page(t, out, render(t, j, f, tg))
	for _, want := range []string{
		"· bandeira elo, visa · situação contestada, recebida</p>",
		"<br>Contratado e praticado: MDR em %, antecipação em % a.m., tarifas em R$ · diferença = cobrado − devido</p>",
		"o terceiro valor", "Agenda de recebíveis",
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, never := range []string{"Ponte: do esperado", "brand=", "figuras", "figura,"} {
		if strings.Contains(string(body), never) {
			t.Errorf("the page says %q", never)
		}
	}
}

// Days of an English page begin with the month, as its dates do.
func TestDaysOfAnEnglishChart(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	j.Language = table.English
	_, body := page(t, out, render(t, j, f, tg))
	if !strings.Contains(string(body), "<title>11-02, Expected") || strings.Contains(string(body), "<title>02/11") {
		t.Error("the days of the chart are not those of an English page")
	}
}

// The dashboard's agenda is all of the agenda: what the chart has no room for stands below it, and a total says so.
func TestPanelHasAllOfTheAgenda(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	feed := ahead()
	for monday := day("2027-01-11"); monday < day("2027-05-01"); monday += 7 {
		feed.items = append(feed.items, item(monday.String(), monday.String(), "1.00"))
	}
	r, err := export.Render(t.Context(), agendaJob(report.CSV, report.XLSX), feed, tg)
	if err != nil {
		t.Fatal(err)
	}
	rows := sheet(t, out, r, "Painel")
	for _, want := range [][]string{{"15/03/27", "0.97", "0"}, {"depois", "5.82", "0"}, {"sem data", "9.7", "0"}, {"Total", "319.45", "63.05"}} {
		if !has(rows, want...) {
			t.Errorf("no %v in %v", want, rows)
		}
	}
}

// A row of the agenda's movements adds up on the page: no movement that some group has is left out there.
func TestMovementsOnThePageAddUp(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	feed := ahead()
	feed.moves = feed.moves[1:] // the first night of one brand: what was there, and nothing else
	r, err := export.Render(t.Context(), agendaJob(report.CSV, report.HTML), feed, tg)
	if err != nil {
		t.Fatal(err)
	}
	_, body := page(t, out, r)
	_, text, _ := strings.Cut(string(body), "<h3>Movimento da agenda</h3>")
	head, _, _ := strings.Cut(text, "</thead>")
	if !strings.Contains(head, "Início</th>") || strings.Contains(head, "Desbloqueado") {
		t.Errorf("columns %s", head)
	}
}

// Why money is not attributed, and the identities of a closed month, are said in Portuguese too, numbers as well.
func TestReasonsAndClosedMonthsHaveWords(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := restatementJob()
	_, body := page(t, out, render(t, j, f, tg))
	if !strings.Contains(string(body), "não atribuído (em observação)</th>") {
		t.Error("the page does not say why money is not attributed")
	}
	j.Formats = []report.Format{report.CSV, report.XLSX}
	tg, out = target(t)
	rows := sheet(t, out, render(t, j, f, tg), "Reapresentação")
	for _, want := range []string{
		"Σ Δ líquido, cartões 2026-10, r2 = Líquido esperado ( 887,495 − 950,00 ) + Custo de antecipação ( 7,50 − 5,00 )",
		"Σ Δ bruto, boletos 2026-10, r2 = valor dos boletos ( 81,00 − 80,00 )",
	} {
		if !slices.ContainsFunc(rows, func(row []string) bool { return slices.Contains(row, want) }) {
			t.Errorf("no %q in %q", want, rows)
		}
	}
}
