package xlsx_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"concilia/export/xlsx"
)

// day is 2026-11-18 as a Rata Die number.
const day = 739938

// sampleColumns has a column of each kind.
func sampleColumns() []xlsx.Column {
	return []xlsx.Column{
		{Header: "Conta", Kind: xlsx.KindText},
		{Header: "Data da venda", Kind: xlsx.KindDateTime},
		{Header: "NSU", Kind: xlsx.KindText},
		{Header: "Bandeira", Kind: xlsx.KindText},
		{Header: "Parcela", Kind: xlsx.KindInt},
		{Header: "Valor da venda", Kind: xlsx.KindMoney4},
		{Header: "Valor bruto", Kind: xlsx.KindMoney2, Subtotal: true},
		{Header: "MDR", Kind: xlsx.KindMoney2, Subtotal: true},
		{Header: "Taxa MDR %", Kind: xlsx.KindRate4},
		{Header: "Líquido esperado", Kind: xlsx.KindMoney2, Subtotal: true},
		{Header: "Recebido", Kind: xlsx.KindMoney2, Subtotal: true},
		{Header: "Diferença", Kind: xlsx.KindMoney2, Subtotal: true, HighlightNonZero: true},
		{Header: "Data de crédito", Kind: xlsx.KindDate},
		{Header: "Float médio em dias úteis", Kind: xlsx.KindNumber2},
		{Header: "Encontrado", Kind: xlsx.KindAny},
		{Header: "Códigos", Kind: xlsx.KindText},
	}
}

// sampleRow is the nth row: values differ, some are absent, every ninth has a difference.
func sampleRow(n int64, row []xlsx.Cell) []xlsx.Cell {
	gross := (n%97 + 1) * 12_3400
	mdr := gross * 234 / 10000 / 100 * 100
	diff := int64(0)
	codes := ""
	if n%9 == 4 {
		diff, codes = -mdr-1_0000, "RECEIVED_SHORT|FEE_MDR"
	}
	brand := []string{"visa", "mastercard", "elo"}[n%3]
	row = append(row[:0],
		xlsx.Text("1001"), xlsx.DateTime(day-n%60, (n*977)%86400), xlsx.Text(fmt.Sprintf("%09d", n*37%1000000)), xlsx.Text(brand),
		xlsx.Int(n%12+1), xlsx.Money4(gross*3+1234), xlsx.Money2(gross), xlsx.Money2(mdr), xlsx.Rate4(2_340_000),
		xlsx.Money2(gross-mdr), xlsx.Money2(gross-mdr+diff), xlsx.Money2(diff), xlsx.Date(day+n%30), xlsx.Number2(n%5*5000),
		xlsx.Text("=1+1"), xlsx.Text(codes))
	if n%7 == 0 {
		row[12] = xlsx.Cell{}
	}
	if n%2 == 0 {
		row[14] = xlsx.Money2(gross)
	}
	return row
}

// sample writes a workbook of a long table, an empty one and a page with charts.
func sample(tb testing.TB, rows int64, o xlsx.Options) []byte {
	tb.Helper()
	var out bytes.Buffer
	o.Title, o.Creator, o.Created = "Conciliação 1001", "concilia", time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
	if o.TempDir == "" {
		o.TempDir = tb.TempDir()
	}
	wb, err := xlsx.Create(&out, o)
	must(tb, err)
	defer wb.Abort()

	panel, err := wb.AddSheet(xlsx.SheetSpec{
		Name: "Painel", Freeform: true, Title: []string{"Painel", "conta 1001 · crédito · 01/11/2026 a 30/11/2026"},
		Columns: []xlsx.Column{{Kind: xlsx.KindText, Width: 26}, {Kind: xlsx.KindMoney2}, {Kind: xlsx.KindMoney2}},
	})
	must(tb, err)
	must(tb, panel.AppendRow([]xlsx.Cell{xlsx.Text("Ponte").WithStyle(xlsx.Heading)}))
	first := panel.LastRow() + 1
	for _, step := range []struct {
		name       string
		base, step int64
	}{{"Bruto", 0, 100_000_0000}, {"MDR", 97_660_0000, 2_340_0000}, {"Tarifas", 96_000_0000, 1_660_0000}, {"Líquido", 0, 96_000_0000}} {
		must(tb, panel.AppendRow([]xlsx.Cell{xlsx.Text(step.name), xlsx.Money2(step.base), xlsx.Money2(step.step)}))
	}
	must(tb, panel.AddChart(xlsx.Chart{
		Kind: xlsx.Stacked, Title: "Do bruto ao líquido", Column: 4, Row: 4, Width: 520, Height: 300, NoLegend: true,
		Series: []xlsx.Series{
			{Heading: first - 1, Categories: 0, Values: 1, First: first, Last: panel.LastRow(), Invisible: true},
			{Heading: first - 1, Categories: 0, Values: 2, First: first, Last: panel.LastRow(), Colour: "1F3864"},
		},
	}))

	table, err := wb.AddSheet(xlsx.SheetSpec{
		Name: "Parcelas", Frozen: 3, Columns: sampleColumns(),
		Title: []string{"Parcelas", "conta 1001 · crédito · 01/11/2026 a 30/11/2026 · posição 18/11/2026"},
	})
	must(tb, err)
	var row []xlsx.Cell
	var sums [12]int64
	for n := range rows {
		row = sampleRow(n, row)
		for i := range sums {
			sums[i] += row[i].N
		}
		must(tb, table.AppendRow(row))
	}
	must(tb, table.AddTotals([]xlsx.Cell{
		6: xlsx.Money2(sums[6]), 7: xlsx.Money2(sums[7]), 8: xlsx.Rate4(2_340_000),
		9: xlsx.Money2(sums[9]), 10: xlsx.Money2(sums[10]), 11: xlsx.Money2(sums[11]), 15: {},
	}))
	must(tb, table.AddNotes([][]xlsx.Cell{
		{xlsx.Text("bruto − MDR = líquido esperado; resíduo"), {}, {}, {}, {}, {}, xlsx.Money4(0).WithStyle(xlsx.Good)},
		{xlsx.Text("líquido = recebido; resíduo"), {}, {}, {}, {}, {}, xlsx.Money4(-1_2300).WithStyle(xlsx.Bad)},
	}))

	empty, err := wb.AddSheet(xlsx.SheetSpec{Name: "Boletos", Columns: sampleColumns()[:8]})
	must(tb, err)
	must(tb, empty.AddTotals(nil))
	must(tb, wb.Close())
	return out.Bytes()
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// TestKeepSample writes the sample to the file named by WORKBOOK_SAMPLE, for inspection.
func TestKeepSample(t *testing.T) {
	path := os.Getenv("WORKBOOK_SAMPLE")
	if path == "" {
		t.Skip("WORKBOOK_SAMPLE names no file")
	}
	must(t, os.WriteFile(path, sample(t, 120, xlsx.Options{}), 0o666))
}
