package mailing

import (
	"slices"
	"testing"

	"concilia/cmd/concilia/view/caseview"
	"concilia/config"
	"concilia/store/ledger"
)

// The mail says what is withheld and that something was not evaluated, as the first page does, with links where the console has an
// address.
func TestDigestSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Console.PublicURL = "https://desk.example"
	today := &caseview.Today{
		Withheld: []caseview.TodayWithheld{{Account: 1001, Kind: "slips", Code: "RUN_COVERAGE_GAP"}}, NotJudged: []string{"FORECAST_DATE_MISMATCH"},
	}
	page := newDigestWriter(c, "pt-BR").writePage(today, nil)
	s := page.Sections[0]
	if len(s.Rows) != 1 || s.Title != "Não publicado" {
		t.Fatalf("%+v", s)
	}
	if r := s.Rows[0]; r.Text != "Conta 1001: Boletos" || r.Note != "Não publicado por causa de: Dia sem resposta completa" || r.Link != "https://desk.example/cases?account=1001&code=RUN_COVERAGE_GAP" {
		t.Errorf("withheld: %+v", r)
	}
	if !slices.Contains(page.Lines, "1 regra não avaliou nenhum registro seu.") {
		t.Errorf("not evaluated: %q", page.Lines)
	}
	if s := newDigestWriter(c, "pt-BR").listWithheld(&caseview.Today{}); len(s.Rows) > 0 {
		t.Errorf("nothing is withheld, and the mail says %+v", s)
	}
}

// In addition to its sentence a case has what people look it up by, and an amount only where it has one.
func TestCaseInADigest(t *testing.T) {
	t.Parallel()
	w := newDigestWriter(config.Default(), "pt-BR")
	for want, row := range map[string]caseview.CaseRow{
		"NSU 073500004 · aut. 9GHAH2 · Vencimento 09/11/2026 · Cobrar de: operadora · Conta 1001 · RECEIVED_OVERDUE": {
			Case: caseview.Case{Account: 1001, Code: "RECEIVED_OVERDUE"}, NSU: "073500004", Auth: "9GHAH2", Due: ledger.NewDate(2026, 11, 9), Owner: "Cobrar de: operadora",
		},
		"Boleto FAT-7 · Conta 1002 · SLIP_OVERPAID":     {Case: caseview.Case{Account: 1002, Code: "SLIP_OVERPAID"}, Slip: "2d5684a7-0752", SlipName: "FAT-7"},
		"Boleto 2d5684a7… · Conta 1002 · SLIP_OVERPAID": {Case: caseview.Case{Account: 1002, Code: "SLIP_OVERPAID"}, Slip: "2d5684a7-0752"},
	} {
		if got := w.noteCase(&row); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if amount := w.formatImpact(&row); amount != "" {
			t.Errorf("%s: the amount is %q", want, amount)
		}
	}
}
