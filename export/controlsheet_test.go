package export_test

import (
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// sheet is the cells of a sheet of the set's workbook as text, row by row, without the blank ones.
func sheet(t *testing.T, out *folder, r export.Result, name string) [][]string {
	t.Helper()
	path := ""
	for _, f := range r.Files {
		if f.Kind == report.Settlement && f.Format == report.XLSX {
			path = filepath.Join(out.root, r.Dir, f.Path)
		}
	}
	book, err := xlsx.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	var rows [][]string
	err = book.Rows(name, func(_ int, cells []xlsx.Value) error {
		row := make([]string, 0, len(cells))
		for _, c := range cells {
			row = append(row, c.Raw)
		}
		if strings.Join(row, "") != "" {
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// has says whether a row begins so.
func has(rows [][]string, want ...string) bool {
	for _, row := range rows {
		if len(row) >= len(want) && strings.Join(row[:len(want)], "|") == strings.Join(want, "|") {
			return true
		}
	}
	return false
}

// What finance asks first stands in the first screen: verdict, what is withheld, sums, identities, and the amounts.
func TestControlSheetBeginsWithTheAnswer(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		language table.Language
		name     string
		want     [][]string
	}{
		{table.Portuguese, "Controle", [][]string{
			{"Veredito", "", "conciliado", "", "hoje, em todos os períodos: divergências"},
			{"Publicação", "", "nada retido"},
			{"Identidades", "", "11 de 11 fecham", "0"},
			{"Valor bruto", "", "600"},
		}},
		{table.English, "Control", [][]string{
			{"Verdict", "", "reconciled", "", "today, over all periods: breaks"},
			{"Publication", "", "nothing withheld"},
			{"Identities", "", "11 of 11 hold", "0"},
			{"Gross", "", "600"},
		}},
	} {
		tg, out := target(t)
		j := job()
		j.Language, j.Facts.Verdict = tc.language, ledger.Breaks
		rows := sheet(t, out, render(t, j, everyClass(), tg), tc.name)
		for _, want := range tc.want {
			if !has(rows[:24], want...) {
				t.Errorf("no line %v in %v", want, rows[:24])
			}
		}
	}
}

// A pt-BR sheet has words for people; the ids of programs stand in the control file.
func TestControlSheetHasNoIdsOfPrograms(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j := job()
	j.Withheld = []export.Withheld{{Kind: report.SlipsKind, Code: "RUN_WINDOW_INCOMPLETE"}}
	rows := sheet(t, out, render(t, j, everyClass(), tg), "Controle")
	table := false
	for _, row := range rows {
		if table = table || row[0] == "Conta"; !table {
			continue
		}
		for _, cell := range append(row[2:4:4], row[min(10, len(row)):]...) {
			if strings.Contains(cell, "_") && cell != strings.ToUpper(cell) {
				t.Errorf("an id in %v", row)
			}
		}
	}
	if !has(rows, "1001", "somas", "Boletos (EDI)", "valor dos títulos") ||
		!has(rows, "1001", "arredondamento", "Boletos", "Valor pago, impresso") {
		t.Errorf("rows %v", rows)
	}
}

// The identities under a table stand in columns that show them whole.
func TestNotesOfATableAreNotCut(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	rows := sheet(t, out, render(t, job(), everyClass(), tg), "Boletos por dia")
	if !has(rows, "", "0", "0", "Emitidos = A vencer + Vencidos + Cancelados + Recusados + valor nominal dos pagos") {
		t.Errorf("rows %v", rows)
	}
}

// Where splits are taken out of the receipt, they are a step from gross to net.
func TestWaterfallHasTheSplitsThatAreTakenOut(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := job(), everyClass()
	j.NetOfSplits = true
	for i := range f.cards {
		if c := &f.cards[i]; !c.e.Class.IsReversal() {
			c.e.Net -= c.v.SplitTotal()
		}
	}
	rows := sheet(t, out, render(t, j, f, tg), "Painel")
	for _, row := range rows {
		if row[0] == "Splits" {
			return
		}
	}
	t.Errorf("rows %v", rows)
}

// Control of the set over all accounts says what each has, and that they add up to the whole.
func TestAccountsAddUpInControl(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := job(), everyClass()
	j.Account, j.Kinds = export.AllAccounts, []report.Kind{report.SummaryKind, report.ControlKind}
	j.Facts.Accounts = []export.AccountFacts{{Account: 1001, Verdict: ledger.Breaks}, {Account: 1002, Verdict: ledger.Incomplete}}
	for _, c := range everyClass().cards {
		c.v.Account, c.e.Key.Account = 1002, 1002
		f.cards = append(f.cards, c)
	}
	got := body(t, out, render(t, j, f, tg), "control", report.CSV)
	for _, want := range []string{
		"all,run,account 1001,gross,brl,600.00,", "all,run,account 1002,gross,brl,600.00,",
		"all,run,accounts,gross,brl,1200.00,,,,0.0000,",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("control has no %s", want)
		}
	}
}

// The bridge stands on sale and due dates whatever the basis of the set: control says so, lest it be held against the
// totals of another basis.
func TestControlSaysOnWhichDaysTheBridgeStands(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j := job()
	j.Facts.Sides = []export.BridgeSide{{Side: "cards"}, {Side: "slips"}}
	j.Facts.Bridge = nil
	r := render(t, j, everyClass(), tg)
	got := body(t, out, r, "control", report.CSV)
	for _, want := range []string{
		"bridge,cards,sum_of_lines,brl,0.00,,,,,\"by sale date, whatever basis and filter\",",
		"bridge,slips,sum_of_lines,brl,0.00,,,,,\"by due date, whatever basis and filter\",",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("control has no %s", want)
		}
	}
	if rows := sheet(t, out, r, "Controle"); !has(rows, "Ponte dos boletos", "", "fecha", "0", "pelo vencimento, e não pela base operação, esperado menos recebido: R$ 0,00") {
		t.Errorf("rows %v", rows[:20])
	}
}

// The figures of the page are named in words, as those of the workbook.
func TestFiguresOfThePageHaveWords(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	_, body := page(t, out, render(t, j, f, tg))
	_, text, ok := strings.Cut(string(body), "Todos os valores")
	if !ok {
		t.Fatal("the page lists no figures")
	}
	for _, want := range []string{
		"Resumo (página)</th><td>Valor bruto", "Causas (página)</th><td>casos", "Causas (página)</th><td>falta", "Causas (página)</th><td>perda confirmada",
		"Causas (página)</th><td>em risco, já vencido", "Causas (página)</th><td>em risco, a vencer", "Causas (página)</th><td>em contestação",
		"Causas (página)</th><td>recebido a mais (não abatido)", "Causas (página)</th><td>casos recebidos a mais",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, never := range []string{"settlement.html", ">lost<", ">late<", ">at_risk<", ">claimed<", ">missing<", "excess"} {
		if strings.Contains(text, never) {
			t.Errorf("the figures say %q", never)
		}
	}
}
