package xlsx_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"concilia/export/xlsx"
)

// A series is named by the cell above its values. A literal name was written as a formula, and legends showed "Column B".
func TestSeriesAreNamedByTheirHeadings(t *testing.T) {
	t.Parallel()
	text := readPart(t, sample(t, 3, xlsx.Options{}), "xl/charts/chart1.xml")
	for _, want := range []string{"<tx><strRef><f>&#39;Painel&#39;!$B$4</f>", "<tx><strRef><f>&#39;Painel&#39;!$C$4</f>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// A chart may be drawn of cells in a sheet that is kept out of sight, and a cell may lead to another sheet.
func TestChartOfAHiddenSheetAndALink(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	wb, err := xlsx.Create(&out, xlsx.Options{TempDir: t.TempDir()})
	must(t, err)
	defer wb.Abort()
	columns := []xlsx.Column{{Kind: xlsx.KindText}, {Kind: xlsx.KindInt}}
	panel, err := wb.AddSheet(xlsx.SheetSpec{Name: "Painel", Freeform: true, Columns: columns})
	must(t, err)
	data, err := wb.AddSheet(xlsx.SheetSpec{Name: "Dados", Freeform: true, Hidden: true, Columns: columns})
	must(t, err)
	must(t, panel.AppendRow([]xlsx.Cell{xlsx.Text("ok")}))
	panel.LinkLastRow(data)
	must(t, data.AppendRow([]xlsx.Cell{xlsx.Text("Dia")}))
	must(t, data.AppendRow([]xlsx.Cell{xlsx.Text("a"), xlsx.Int(1)}))
	must(t, panel.AddChart(xlsx.Chart{Kind: xlsx.Columns, Column: 0, Row: 2, Data: data, Series: []xlsx.Series{{Heading: 1, Values: 1, First: 2, Last: 2}}}))
	must(t, wb.Close())
	for part, want := range map[string]string{
		"xl/workbook.xml": `state="hidden"`, "xl/charts/chart1.xml": "&#39;Dados&#39;!$B$2", "xl/worksheets/sheet1.xml": `location="&#39;Dados&#39;!A1"`,
	} {
		if text := readPart(t, out.Bytes(), part); !strings.Contains(text, want) {
			t.Errorf("%s lacks %s: %s", part, want, text)
		}
	}
}

// readPart is a part of a package.
func readPart(t *testing.T, body []byte, name string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	must(t, err)
	in, err := z.Open(name)
	must(t, err)
	defer in.Close()
	text, err := io.ReadAll(in)
	must(t, err)
	return string(text)
}

func TestChartNeedsItsHeading(t *testing.T) {
	t.Parallel()
	wb, err := xlsx.Create(io.Discard, xlsx.Options{TempDir: t.TempDir()})
	must(t, err)
	defer wb.Abort()
	s, err := wb.AddSheet(xlsx.SheetSpec{Name: "a", Freeform: true, Columns: []xlsx.Column{{Kind: xlsx.KindText}, {Kind: xlsx.KindInt}}})
	must(t, err)
	must(t, s.AppendRow([]xlsx.Cell{xlsx.Text("a"), xlsx.Int(1)}))
	err = s.AddChart(xlsx.Chart{Kind: xlsx.StackedBars, Column: 3, Row: 1, Series: []xlsx.Series{{Values: 1, First: 1, Last: 1}}})
	if err == nil || !strings.Contains(err.Error(), "no such range") {
		t.Errorf("a series without a heading: %v", err)
	}
}
