package cnab_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"concilia/export/cnab"
)

// TestForeignFormatIsOneFault: a workbook, a page or a file of the older layout gives one fault that names the format,
// not hundreds about its lines.
func TestForeignFormatIsOneFault(t *testing.T) {
	t.Parallel()
	good := sample(t, "bank-collection.ret")
	const not = "cnab line 1: not a CNAB 240 file, but "
	for _, row := range []struct {
		because, want string
		raw           []byte
	}{
		{"an XLSX is a ZIP archive", not + "a ZIP archive or a workbook (XLSX)", append([]byte("PK\x03\x04"), bytes.Repeat([]byte("\x00\n"), 900)...)},
		{"a page of HTML instead of the file", not + "HTML or XML", []byte("<!DOCTYPE html>\n<p>Erro</p>\n")},
		{"an error of a service", not + "JSON", []byte(`{"success":false}`)},
		{"a PDF", not + "a PDF document", []byte("%PDF-1.7\n")},
		{"a compressed file", not + "a gzip archive", []byte("\x1f\x8b\x08\x00")},
		{"UTF-16, as an editor saves it", not + "UTF-16 text: save it as plain ASCII", utf16File(good)},
		{"the older layout", not + "a CNAB 400 file, the older layout: ask for CNAB 240", []byte("02RETORNO" + strings.Repeat(" ", 391) + "\r\n")},
		{"lines that end in CR alone", not + "a file whose lines end in CR alone: they have to end in CR LF", bytes.ReplaceAll(good, []byte("\r\n"), []byte("\r"))},
		{"records one behind the other", not + "a file without line ends: each record has to end in CR LF", bytes.ReplaceAll(good, []byte("\r\n"), nil)},
		{"our own table instead of the file", not + "a table (CSV)", []byte("account,sale_at,terminal\n1001,2026-11-18,E1\n")},
		{"nothing but zero bytes", not + "binary, no text", make([]byte, 5000)},
		{"a mark that editors put before UTF-8", "cnab line 1: begins with a UTF-8 byte order mark: save the file as plain ASCII, without one", append([]byte("\xef\xbb\xbf"), good...)},
		{"two files in one", "cnab line 9: another file follows the file trailer: part them, one file is read at a time", append(bytes.Clone(good), good...)},
		{"no byte", "cnab line 1: the file is empty", nil},
		{"a line end alone", "cnab line 1: 0 bytes, should be 240|cnab line 1: the file has no record", []byte("\r\n")},
	} {
		_, err := cnab.Read(bytes.NewReader(row.raw), cnab.ReadOptions{})
		var faults cnab.Faults
		if !errors.As(err, &faults) || strings.ReplaceAll(faults.Error(), "\n", "|") != row.want {
			t.Errorf("%s: %v", row.because, err)
		}
		var out bytes.Buffer
		if _, err := cnab.Inspect(bytes.NewReader(row.raw), &out, cnab.InspectOptions{}); err != nil || strings.Contains(out.String(), "a ! stands") {
			t.Errorf("%s: inspected %v; nothing was marked:\n%s", row.because, err, out.String())
		}
	}
}

// utf16File is text as UTF-16, low byte first, with its mark.
func utf16File(text []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(string(text))) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

// TestABrokenReaderOfTheHead: what fails before the first line is no fault of the file.
func TestABrokenReaderOfTheHead(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if _, err := cnab.Read(io.MultiReader(strings.NewReader("001"), failingReader{broken}), cnab.ReadOptions{}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// TestOneDamageIsOneFault: after a missing or repeated record or lote, the following numbers continue from it and are no
// faults.
func TestOneDamageIsOneFault(t *testing.T) {
	t.Parallel()
	cards := sample(t, "installments.ret")
	for _, row := range []struct {
		because string
		raw     []byte
		want    []string
	}{
		{"a Y is missing", picked(edited(cards, at{13, 23, "1"}, at{14, 29, "3"}), 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14), []string{
			`cnab line 7 segment T field "numero_registro" (9-13): "00006": should be 00005`,
		}},
		{"a title stands twice", picked(edited(cards, at{13, 23, "4"}, at{13, 29, "5"}, at{13, 42, "35000"}, at{14, 29, "6"}), 1, 2, 3, 4, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), []string{
			`cnab line 5 segment T field "numero_registro" (9-13): "00001": should be 00003`,
		}},
		{"a lote stands twice", picked(edited(cards, at{14, 23, "2"}, at{14, 28, "26"}), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14), []string{
			`cnab line 14 cobrança lote header field "lote" (4-7): "0001": should be 0002`,
		}},
		{"a record of neither the lote nor its header", edited(cards, at{2, 4, "0002"}, at{3, 4, "0007"}), []string{
			`cnab line 2 cobrança lote header field "lote" (4-7): "0002": should be 0001`,
			`cnab line 3 segment T field "lote" (4-7): "0007": should be 0001, as in the header of its lote`,
		}},
		{"two numbers out of turn, apart", edited(cards, at{4, 9, "00009"}, at{8, 9, "00099"}), []string{
			`cnab line 4 segment U field "numero_registro" (9-13): "00009": should be 00002`,
			`cnab line 8 segment T field "numero_registro" (9-13): "00099": should be 00006`,
		}},
	} {
		_, err := cnab.Read(bytes.NewReader(row.raw), cnab.ReadOptions{})
		var faults cnab.Faults
		errors.As(err, &faults)
		var got []string
		for _, f := range faults.List {
			got = append(got, f.String())
		}
		if d := cmp.Diff(row.want, got); d != "" {
			t.Errorf("%s:\n%s", row.because, d)
		}
	}
}
