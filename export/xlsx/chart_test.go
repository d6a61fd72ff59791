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
	body := sample(t, 3, xlsx.Options{})
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	must(t, err)
	in, err := z.Open("xl/charts/chart1.xml")
	must(t, err)
	defer in.Close()
	text, err := io.ReadAll(in)
	must(t, err)
	for _, want := range []string{"<tx><strRef><f>&#39;Painel&#39;!$B$4</f>", "<tx><strRef><f>&#39;Painel&#39;!$C$4</f>"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
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
