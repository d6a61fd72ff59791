package render_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/page"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/report/asof"
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

// What finance asks first is on the first screen: verdict, what is withheld, sums, identities, and the amounts.
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
		rows := sheet(t, out, renderJob(t, j, everyClass(), tg), tc.name)
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
	rows := sheet(t, out, renderJob(t, j, everyClass(), tg), "Controle")
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
	rows := sheet(t, out, renderJob(t, job(), everyClass(), tg), "Boletos por dia")
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
	rows := sheet(t, out, renderJob(t, j, f, tg), "Dados dos gráficos")
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
	j.Account, j.Kinds = manifest.AllAccounts, []report.Kind{report.SummaryKind, report.ControlKind}
	j.Facts.Accounts = []export.AccountFacts{{Account: 1001, Verdict: ledger.Breaks}, {Account: 1002, Verdict: ledger.Incomplete}}
	for _, c := range everyClass().cards {
		c.v.Account, c.e.Key.Account = 1002, 1002
		f.cards = append(f.cards, c)
	}
	got := body(t, out, renderJob(t, j, f, tg), "control", report.CSV)
	for _, want := range []string{
		"all,run,account 1001,gross,brl,600.00,", "all,run,account 1002,gross,brl,600.00,",
		"all,run,accounts,gross,brl,1200.00,,,,0.0000,",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("control has no %s", want)
		}
	}
}

// The bridge goes by sale and due dates whatever the basis of the set: control says so, lest it be held against the
// totals of another basis.
func TestControlSaysOnWhichDaysTheBridgeStands(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j := job()
	j.Facts.Sides = []export.BridgeSide{{Side: "cards"}, {Side: "slips"}}
	j.Facts.Bridge = nil
	r := renderJob(t, j, everyClass(), tg)
	got := body(t, out, r, "control", report.CSV)
	for _, want := range []string{
		"bridge,cards,sum_of_lines,brl,0.00,,,,,\"by sale date, whatever basis and filter\",",
		"bridge,slips,sum_of_lines,brl,0.00,,,,,\"by due date, whatever basis and filter\",",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("control has no %s", want)
		}
	}
	if rows := sheet(t, out, r, "Controle"); !has(rows, "Ponte dos boletos", "", "fecha", "0", "pelo vencimento, e não por data da venda, esperado menos recebido: R$ 0,00") {
		t.Errorf("rows %v", rows[:20])
	}
}

// The figures of the page are named in words, as those of the workbook.
func TestFiguresOfThePageHaveWords(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	_, body := readPage(t, out, renderJob(t, j, f, tg))
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

// What the control file names by ids, the control sheet names in words.
func TestControlItemsInWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ why, section, item, want string }{
		{"a file of a table", "sums", "installments.csv", "Parcelas (csv)"},
		{"the second file of titles", "sums", "installments-2.ret", "Parcelas, parte 2 (EDI)"},
		{"a table whose own name has a dash", "sums", "agenda-roll.csv", "Movimento da agenda (csv)"},
		{"causes on the page", "sums", "settlement.html causes", "Causas (página)"},
		{"causes of a restatement on the page", "sums", "settlement.html restatement-causes", "Causas da reapresentação (página)"},
		{"a file for spreadsheets", "sums", "claims.br.csv", "Pedido de ressarcimento (csv-br)"},
		{"a file for programs", "sums", "installments.jsonl", "Parcelas (jsonl)"},
		{"a published file keeps its name", "files", "summary_1001_operation_20261101_20261130_r0.br.csv", "summary_1001_operation_20261101_20261130_r0.br.csv"},
		{"acts about an account", "run", "acts 1001", "atos da conta 1001"},
		{"acts about no account", "run", "acts 0", "atos"},
		{"an identity of a closed month", "identities", "restated 1001 2026-10 cards gross", "reapresentado, conta 1001 2026-10 cartões valor bruto"},
		{"what has no word stays", "sums", "else", "else"},
	} {
		if got := control.ItemWords(row.section, row.item); got != row.want {
			t.Errorf("%s: %q is %q, should be %q", row.why, row.item, got, row.want)
		}
	}
}

// Measures are headers, also of a file for spreadsheets, and reasons are words.
func TestControlMeasuresAndReasonsInWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ why, item, measure, want string }{
		{"a column of a file for spreadsheets", "fees.br.csv", "due", "Devido"},
		{"what is no column stays", "fees.br.csv", "else", "else"},
	} {
		if got := control.MeasureWords(row.item, row.measure); got != row.want {
			t.Errorf("%s: %q is %q, should be %q", row.why, row.measure, got, row.want)
		}
	}
	for _, row := range []struct{ why, change, what, want string }{
		{"nothing was published before", "first", "", "primeira publicação"},
		{"rows differ", "changed", "slips", "Boletos: alterado"},
		{"a document differs", "changed", "contract", "contrato: alterado"},
		{"a table is new", "added", "claims", "Pedido de ressarcimento: incluído"},
	} {
		if got := (export.RevisionReason{Change: row.change, What: row.what}).InWords(); got != row.want {
			t.Errorf("%s: %q, should be %q", row.why, got, row.want)
		}
	}
}

// Control's own file says where the logs of acts ended, and verify gives that back. An act by itself makes no revision
// and changes no other file.
func TestEndsOfActsStandInControlAlone(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("ab", 32)
	with := func(acts ...ledger.ActLogEnd) export.Job {
		j := job()
		j.Facts.Acts = acts
		return j
	}
	tg, out := target(t)
	first := renderJob(t, with(ledger.ActLogEnd{}, ledger.ActLogEnd{Account: 1001, Number: 2, Hash: hash}), everyClass(), tg)
	control := body(t, out, first, "control", report.CSV)
	for _, row := range []string{"acts 0,last_act,count,0,", "acts 1001,last_act,count,2,", "acts 1001,last_act_hash,sha256," + hash} {
		if !strings.Contains(control, "1001,run,"+row) {
			t.Errorf("control has no row %s", row)
		}
	}
	ends := verifyTree(t, out.root).ActLogEnds
	if len(ends) != 2 || ends[1].ActLogEnd != (ledger.ActLogEnd{Account: 1001, Number: 2, Hash: hash}) || ends[0].ActLogEnd != (ledger.ActLogEnd{}) ||
		ends[1].Set != "1001" || ends[1].Run != job().Facts.Run || !strings.HasSuffix(ends[1].File, ".manifest.json") {
		t.Errorf("verify found the ends %+v", ends)
	}

	later := with(ledger.ActLogEnd{Account: 1001, Number: 3, Hash: hash})
	later.Current = &export.CurrentRevision{Revision: first.Revision, Fingerprints: first.Fingerprints}
	if r := renderJob(t, later, everyClass(), tg); !r.Unchanged {
		t.Errorf("an act by itself made a revision: %v", r.Why)
	}
	other, elsewhere := target(t)
	again := renderJob(t, with(), everyClass(), other)
	for i, f := range first.Files {
		if f.Kind != report.ControlKind && !bytes.Equal(read(t, out, first, f), read(t, elsewhere, again, again.Files[i])) {
			t.Errorf("%s tells of acts", f.Path)
		}
	}
}

func read(t *testing.T, out *folder, r export.Result, f manifest.File) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

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
		if br, page, typed := valueFor(row.text); br != row.br || page != row.page || typed != row.typed {
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
		{"the basis of the cards' bridge", report.ByOperation, report.Filter{}, "", "pela data da venda", "pelo vencimento, e não por data da venda"},
		{"that of the slips'", report.ByForecast, report.Filter{}, "", "pela data da venda, e não por data prevista", "pelo vencimento"},
		{"a filter", report.ByOperation, visa, "", "pela data da venda, sem o filtro", "pelo vencimento, e não por data da venda, sem o filtro"},
		{"in English", report.ByCredit, visa, table.English, "by sale date, not by basis credit, without the filter", "by due date, not by basis credit, without the filter"},
		{"the state", report.ByAsOf, report.Filter{}, "", "pela data da venda", "pelo vencimento"},
	} {
		j := job()
		j.Basis, j.Filter, j.Language = row.basis, row.filter, row.language
		if cards, slips := j.Captions().BridgeDay("cards"), j.Captions().BridgeDay("slips"); cards != row.cards || slips != row.slips {
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
	_, body := readPage(t, out, renderJob(t, j, f, tg))
	for _, want := range []string{
		"· bandeira elo, visa · situação chargeback, recebida</p>",
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
	_, body := readPage(t, out, renderJob(t, j, f, tg))
	if !strings.Contains(string(body), "<title>11-02, Expected") || strings.Contains(string(body), "<title>02/11") {
		t.Error("the days of the chart are not those of an English page")
	}
}

// The dashboard's agenda is all of the agenda: what the chart has no room for is below it, and a total says so.
func TestPanelHasAllOfTheAgenda(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	feed := ahead()
	for monday := day("2027-01-11"); monday < day("2027-05-01"); monday += 7 {
		feed.items = append(feed.items, item(monday.String(), monday.String(), "1.00"))
	}
	r, err := render.Set(t.Context(), agendaJob(report.CSV, report.XLSX), feed, tg)
	if err != nil {
		t.Fatal(err)
	}
	rows := sheet(t, out, r, "Dados dos gráficos")
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
	r, err := render.Set(t.Context(), agendaJob(report.CSV, report.HTML), feed, tg)
	if err != nil {
		t.Fatal(err)
	}
	_, body := readPage(t, out, r)
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
	_, body := readPage(t, out, renderJob(t, j, f, tg))
	if !strings.Contains(string(body), "não atribuído (em observação)</th>") {
		t.Error("the page does not say why money is not attributed")
	}
	j.Formats = []report.Format{report.CSV, report.XLSX}
	tg, out = target(t)
	rows := sheet(t, out, renderJob(t, j, f, tg), "Reapresentação")
	for _, want := range []string{
		"Σ Δ líquido, cartões 2026-10, r2 = Líquido esperado ( 887,495 − 950,00 ) + Custo de antecipação ( 7,50 − 5,00 )",
		"Σ Δ bruto, boletos 2026-10, r2 = valor dos boletos ( 81,00 − 80,00 )",
	} {
		if !slices.ContainsFunc(rows, func(row []string) bool { return slices.Contains(row, want) }) {
			t.Errorf("no %q in %q", want, rows)
		}
	}
}

// valueFor is how csv-br and page spell a text of a value column, and whether a workbook has it as more than a text.
func valueFor(text string) (br, shown string, typed bool) {
	t := asof.ExceptionsTable
	c := &t.Columns[t.ColumnIndex("expected")]
	v := c.InferType(table.Text(text))
	row := table.BrazilianCSV().AppendRow(nil, &table.Table{Columns: []table.Column{*c, {}}}, table.Row{table.Text(text)}, nil, table.Portuguese)
	return strings.TrimSuffix(string(row), "\r\n"), page.CellText(c, &v, table.Portuguese), v.Type != table.TypeText
}
