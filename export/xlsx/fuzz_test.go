package xlsx_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"concilia/export/xlsx"
)

// FuzzText writes any text and checks that the file opens and that the text is read back, except for characters that XML
// does not allow.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "=1+1", " a ", "a\r\nb", "_x000D_", "_x005F_x0041_", "\x00\uFFFE", "]]>", "&lt;", "\xff", "😀"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 32767 {
			return
		}
		want := strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF {
				return utf8.RuneError
			}
			return r
		}, strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
		if got := readBack(t, oneCell(t, xlsx.Text(s))); got.Raw != want || got.Formula != "" {
			t.Fatalf("wrote %q, read %+v", s, got)
		}
	})
}

// FuzzSheet reads any sheet XML in an otherwise good package: an error or rows in order, never a panic.
func FuzzSheet(f *testing.F) {
	f.Add([]byte(`<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c><c r="C1" t="inlineStr"><is><t>a&#98;</t></is></c></row></sheetData></worksheet>`))
	f.Add([]byte(`<x:worksheet xmlns:x="u"><x:sheetData><x:row><x:c t="b"><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>`))
	f.Add([]byte(`<a><![CDATA[x]]><!-- > --><?p?><b c="&gt;>"/></a>`))
	whole := oneCell(f, xlsx.Int(1))
	f.Fuzz(func(t *testing.T, sheet []byte) {
		packed := replaceSheet(t, whole, sheet)
		last := 0
		err := open(t, packed).Rows("a", func(row int, cells []xlsx.Value) error {
			if row <= last || len(cells) == 0 {
				t.Fatalf("row %d after %d, %d cells", row, last, len(cells))
			}
			last = row
			for _, c := range cells {
				// Any value is either exact or an error.
				_, _ = c.Scaled(4)
			}
			return nil
		})
		_ = err // a damaged sheet may be refused
	})
}

// TestDamaged checks that each kind of damaged workbook is an error that describes the damage.
func TestDamaged(t *testing.T) {
	t.Parallel()
	whole := oneCell(t, xlsx.Int(1))
	for _, c := range []struct{ why, sheet, want string }{
		{"an end missing", `<worksheet><sheetData>`, "unexpected EOF"},
		{"elements crossed", `<a><b></a></b>`, "closes where"},
		{"a document type", `<!DOCTYPE a [<!ENTITY b "c">]><a/>`, "document type"},
		{"an unknown entity", `<a>&b;</a>`, "entity"},
		{"rows backwards", `<a><row r="2"/><row r="1"/></a>`, "after row 2"},
		{"cells backwards", `<sheetData><row r="1"><c r="B1"/><c r="A1"/></row></sheetData>`, "after column 2"},
		{"a cell in another row", `<sheetData><row r="1"><c r="B2"/></row></sheetData>`, "in row 1"},
		{"a shared string that is not there", `<sheetData><row><c t="s"><v>0</v></c></row></sheetData>`, "shared string"},
		{"a type unheard of", `<sheetData><row><c t="q"><v>0</v></c></row></sheetData>`, "type"},
		{"a column past the last", `<sheetData><row><c r="XFE1"><v>0</v></c></row></sheetData>`, "reference"},
		{"a tree too deep", strings.Repeat("<a>", 100), "deeper"},
	} {
		err := open(t, replaceSheet(t, whole, []byte(c.sheet))).Rows("a", func(int, []xlsx.Value) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
	for n := 0; n < len(whole); n += 97 {
		if _, err := xlsx.Open(bytes.NewReader(whole[:n]), int64(n)); err == nil {
			t.Errorf("the first %d bytes open as a workbook", n)
		}
	}
}

// replaceSheet is the workbook with other bytes in its sheet.
func replaceSheet(tb testing.TB, workbook, sheet []byte) []byte {
	tb.Helper()
	in, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	must(tb, err)
	var packed bytes.Buffer
	out := zip.NewWriter(&packed)
	for _, file := range in.File {
		w, err := out.CreateHeader(&zip.FileHeader{Name: file.Name})
		must(tb, err)
		if file.Name == "xl/worksheets/sheet1.xml" {
			_, err = w.Write(sheet)
		} else {
			var r io.ReadCloser
			r, err = file.Open()
			must(tb, err)
			_, err = io.Copy(w, r)
		}
		must(tb, err)
	}
	must(tb, out.Close())
	return packed.Bytes()
}
