package xlsx_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"concilia/export/xlsx"
)

// parts are the files of a workbook, by name.
func parts(t *testing.T, body []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	must(t, err)
	out := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, err)
		out[f.Name] = string(text)
	}
	return out
}

// A sentence of several lines makes its row as high; programs that do not measure it let it run over the next one.
func TestRowsAreAsHighAsTheirSentences(t *testing.T) {
	t.Parallel()
	sentence := strings.Repeat("A parcela está cancelada, mas constam R$ 236,20 recebidos. ", 3)
	for _, row := range []struct {
		because, text string
		width         int
		want          string
	}{
		{"three times sixty characters in a column of sixty", sentence, 60, `<row r="2" ht="39" customHeight="1">`},
		{"it fits", "curta", 60, `<row r="2">`},
		{"a column without a width may get as wide as one gets", sentence[:50], 0, `<row r="2" ht="26" customHeight="1">`},
		{"no row is higher than a screen", strings.Repeat(sentence, 40), 60, `<row r="2" ht="260" customHeight="1">`},
	} {
		var out bytes.Buffer
		wb, err := xlsx.Create(&out, xlsx.Options{TempDir: t.TempDir()})
		must(t, err)
		s, err := wb.AddSheet(xlsx.SheetSpec{Name: "S", Columns: []xlsx.Column{{Header: "H", Kind: xlsx.KindText, Width: row.width}}})
		must(t, err)
		must(t, s.AppendRow([]xlsx.Cell{xlsx.Text(row.text).WithStyle(xlsx.Wrapped)}))
		must(t, wb.Close())
		if text := parts(t, out.Bytes())["xl/worksheets/sheet1.xml"]; !strings.Contains(text, row.want) {
			t.Errorf("%s: no %s", row.because, row.want)
		}
	}
}
