package nfe_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/export/words"
	"concilia/jobs/sales/nfe"
	"concilia/store/ledger/ownsales"
)

// The keys of the public examples: of digits, and with letters in the CNPJ.
const (
	digitsKey  = "35261111222333000181650010000001231123456780"
	lettersKey = "35261112ABC34501DE35650010000001241876543211"
)

func readNotes(path string) (lines []string, err error) {
	r := nfe.Reader{Emitters: []string{"11222333000181", "12ABC34501DE35"}, Zone: time.FixedZone("-03", -3*60*60)}
	err = r.Read(path, func(x *ownsales.Record) error {
		switch {
		case x.Payment != nil:
			p := x.Payment
			lines = append(lines, strings.Join(strings.Fields(fmt.Sprint("…", p.Sale[max(0, len(p.Sale)-4):], "/", p.Number, " ", p.SoldAt, " ", p.Amount, " ", p.Method, " ", p.Brand, " ", p.Auth, " ", p.Institution, " ", p.Terminal, " ", p.Reference)), " "))
		case x.Void != nil:
			lines = append(lines, fmt.Sprintf("void …%s %s", x.Void.Sale[40:], x.Void.At))
		case x.Numbers != nil:
			n := x.Numbers
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s/%s %d-%d %s", n.Model, n.Series, n.From, n.To, n.Day)))
		case x.Fault != nil:
			lines = append(lines, "fault "+words.Unpack(x.Fault.Reason).String())
		case x.Unmapped != nil:
			lines = append(lines, "unmapped "+x.Unmapped.Member+" "+x.Unmapped.Value)
		}
		return nil
	})
	return lines, err
}

// note is a note with its protocol. change and pay are its payments.
func note(key, status, pay string, more ...string) string {
	emitter := key[6:20]
	ide := "<tpNF>1</tpNF><finNFe>1</finNFe><tpAmb>1</tpAmb>"
	if len(more) > 0 {
		ide = more[0]
	}
	return `<nfeProc xmlns="http://www.portalfiscal.inf.br/nfe"><NFe><infNFe Id="NFe` + key + `"><ide><dhEmi>2026-11-03T10:11:12-03:00</dhEmi>` + ide +
		`</ide><emit><CNPJ>` + emitter + `</CNPJ></emit><dest><CPF>12345678909</CPF><xNome>Maria</xNome></dest><pag>` + pay +
		`</pag></infNFe></NFe><protNFe><infProt><chNFe>` + key + `</chNFe><cStat>` + status + `</cStat></infProt></protNFe></nfeProc>`
}

const card = `<detPag><tPag>03</tPag><vPag>100.00</vPag><card><CNPJ>11444777000161</CNPJ><tBand>01</tBand><cAut>A1B2C3</cAut><idTermPag>T1</idTermPag></card></detPag>`

// billed is a note of 100.00 paid by slip, with what it says of the invoice.
func billed(invoice string) string {
	return strings.Replace(note(digitsKey, "100", `<detPag><tPag>15</tPag><vPag>100.00</vPag></detPag>`), "<pag>", "<cobr>"+invoice+"</cobr><pag>", 1)
}

func event(key, kind, status string) string {
	return `<procEventoNFe><evento><infEvento><chNFe>` + key + `</chNFe><dhEvento>2026-11-04T09:00:00-03:00</dhEvento><tpEvento>` + kind + `</tpEvento></infEvento></evento>` +
		`<retEvento><infEvento><cStat>` + status + `</cStat><chNFe>` + key + `</chNFe></infEvento></retEvento></procEventoNFe>`
}

const unused = `<ProcInutNFe><inutNFe><infInut><CNPJ>11222333000181</CNPJ><mod>65</mod><serie>1</serie><nNFIni>124</nNFIni><nNFFin>126</nNFFin></infInut></inutNFe><retInutNFe><infInut><cStat>102</cStat></infInut></retInutNFe></ProcInutNFe>`

// Each oddity of notes, and what becomes of it.
func TestReadOddities(t *testing.T) {
	t.Parallel()
	used := "65/001 123-123 2026-11-03"
	paid := "…6780/1 2026-11-03T10:11:12 100.00 credit visa A1B2C3 11444777000161 T1"
	for _, c := range []struct {
		name, text string
		want       []string
		refused    string
	}{
		{name: "a note paid by card", text: note(digitsKey, "100", card), want: []string{used, paid}},
		{name: "authorized out of time", text: note(digitsKey, "150", card), want: []string{used, paid}},
		{name: "an emitter with letters", text: note(lettersKey, "100", card), want: []string{"65/001 124-124 2026-11-03", "…3211/1 2026-11-03T10:11:12 100.00 credit visa A1B2C3 11444777000161 T1"}},
		{name: "denied: the number is used, nothing was sold", text: note(digitsKey, "302", card), want: []string{used}},
		{name: "a purchase", text: note(digitsKey, "100", card, "<tpNF>0</tpNF><finNFe>1</finNFe>"), want: []string{used}},
		{name: "a return", text: note(digitsKey, "100", card, "<tpNF>1</tpNF><finNFe>4</finNFe>"), want: []string{used}},
		{name: "in the test environment", text: note(digitsKey, "100", card, "<tpNF>1</tpNF><finNFe>1</finNFe><tpAmb>2</tpAmb>"), want: []string{"fault issued in the test environment (tpAmb 2)"}},
		{name: "no protocol", text: strings.Replace(note(digitsKey, "100", card), "<cStat>100</cStat>", "", 1), want: []string{"fault no protocol of the tax office: whether it was authorized is not known"}},
		{name: "another status", text: note(digitsKey, "204", card), want: []string{`fault status "204" of the tax office: neither authorized nor denied`}},
		{name: "a wrong check digit", text: note(digitsKey[:43]+"1", "100", card), want: []string{"fault the check digit of the key is wrong, or it is no key"}},
		{name: "no key", text: strings.Replace(note(digitsKey, "100", card), `Id="NFe`+digitsKey+`"`, "", 1), want: []string{"fault the check digit of the key is wrong, or it is no key"}},
		{name: "somebody else's", text: strings.ReplaceAll(note(digitsKey, "100", card), "<CNPJ>11222333000181", "<CNPJ>99222333000181"), want: []string{`fault emitter "99222333000181" is none of the store's documents`}},
		{name: "several payments, change of the cash, a day of its own, zeros as authorization", text: note(digitsKey, "100", `<detPag><tPag>01</tPag><vPag>60.00</vPag></detPag><detPag><tPag>17</tPag><vPag>50.00</vPag><dPag>2026-11-02</dPag><card><cAut>000000</cAut></card></detPag><detPag><tPag>90</tPag><vPag>0.00</vPag></detPag><vTroco>10.00</vTroco>`), want: []string{
			used, "…6780/1 2026-11-03T10:11:12 50.00 other", "…6780/2 2026-11-02T00:00:00 50.00 pix",
		}},
		{name: "a slip, by its invoice", text: billed(`<fat><nFat>F-77</nFat></fat><dup><nDup>001</nDup><vDup>100.00</vDup></dup>`), want: []string{used, "…6780/1 2026-11-03T10:11:12 100.00 slip F-77"}},
		{name: "a payment by two slips", text: billed(`<fat><nFat>F-77</nFat></fat><dup><nDup>001</nDup><vDup>60.00</vDup></dup><dup><nDup>002</nDup><vDup>40.00</vDup></dup>`), want: []string{
			used, "…6780/1 2026-11-03T10:11:12 60.00 slip F-77/001", "…6780/101 2026-11-03T10:11:12 40.00 slip F-77/002",
		}},
		{name: "slips that do not come to the payment", text: billed(`<fat><nFat>F-77</nFat></fat><dup><nDup>001</nDup><vDup>60.00</vDup></dup><dup><nDup>002</nDup><vDup>30.00</vDup></dup>`), want: []string{used, "…6780/1 2026-11-03T10:11:12 100.00 slip"}},
		{name: "a slip without an invoice", text: billed(""), want: []string{used, "…6780/1 2026-11-03T10:11:12 100.00 slip"}},
		{name: "an invoice of what was paid by card", text: strings.Replace(note(digitsKey, "100", card), "<pag>", "<cobr><fat><nFat>F-77</nFat></fat></cobr><pag>", 1), want: []string{used, paid}},
		{name: "a brand without a name", text: note(digitsKey, "100", strings.Replace(card, "<tBand>01", "<tBand>99", 1)), want: []string{used, "unmapped tBand 99", "…6780/1 2026-11-03T10:11:12 100.00 credit A1B2C3 11444777000161 T1"}},
		{name: "a payment of nothing, and one of parts of cents", text: note(digitsKey, "100", `<detPag><tPag>03</tPag><vPag>0.00</vPag></detPag><detPag><tPag>03</tPag><vPag>1.005</vPag></detPag>`), want: []string{
			used, "fault payment 1: vPag 0.00: it must be above 0", `fault payment 2: vPag "1.005": no whole cents`,
		}},
		{name: "cancelled", text: event(digitsKey, "110111", "135"), want: []string{"65/001 123-123", "void …6780 2026-11-04T09:00:00"}},
		{name: "cancelled by another note", text: event(digitsKey, "110112", "155"), want: []string{"65/001 123-123", "void …6780 2026-11-04T09:00:00"}},
		{name: "a letter of correction voids nothing", text: event(digitsKey, "110110", "135")},
		{name: "an event that was not registered", text: event(digitsKey, "110111", "501")},
		{name: "numbers that stay unused", text: unused, want: []string{"65/001 124-126"}},
		{name: "several documents in one", text: "<lote>" + note(digitsKey, "100", card) + event(digitsKey, "110111", "135") + unused + "</lote>", want: []string{used, paid, "65/001 123-123", "void …6780 2026-11-04T09:00:00", "65/001 124-126"}},
		{name: "Windows-1252 with its declaration", text: `<?xml version="1.0" encoding="ISO-8859-1"?>` + strings.Replace(note(digitsKey, "100", card), "Maria", "Jo\xe3o", 1), want: []string{used, paid}},
		{name: "a DOCTYPE", text: `<!DOCTYPE nfeProc [<!ENTITY x "y">]>` + note(digitsKey, "100", card), refused: "doctype"},
		{name: "an entity", text: strings.Replace(note(digitsKey, "100", card), "Maria", "&x;", 1), refused: "doctype"},
		{name: "cut", text: note(digitsKey, "100", card)[:500], refused: "cut"},
		{name: "another XML", text: "<cteProc><CTe/></cteProc>", refused: "foreign"},
		{name: "elements without end", text: strings.Repeat("<a>", 100), refused: "limit"},
		{name: "a text without end", text: "<a>" + strings.Repeat("x", 2<<20), refused: "limit"},
		{name: "an unknown encoding", text: `<?xml version="1.0" encoding="EBCDIC"?><a/>`, refused: "encoding"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "nota.xml")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			lines, err := readNotes(path)
			if diff := cmp.Diff(c.want, lines); diff != "" {
				t.Errorf("wanted (-) and read (+):\n%s", diff)
			}
			checkRefusal(t, err, c.refused)
		})
	}
}

// Each code of a means of payment and of a brand, and what it stands for; one that has no name is reported, and left open.
func TestCodesOfPayments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ element, codes, word string }{
		{"tPag", "03", "credit"},
		{"tPag", "04", "debit"},
		{"tPag", "10 11 12 13", "voucher"},
		{"tPag", "15", "slip"},
		{"tPag", "17 20", "pix"},
		{"tPag", "01 02 05 14 16 18 19 21 91 99", "other"},
		{"tBand", "01", "visa"},
		{"tBand", "02", "mastercard"},
		{"tBand", "03", "amex"},
		{"tBand", "05", "diners"},
		{"tBand", "06", "elo"},
		{"tBand", "07", "hipercard"},
		{"tBand", "04 08 09 99", ""},
	} {
		for code := range strings.FieldsSeq(c.codes) {
			was := map[string]string{"tPag": "03", "tBand": "01"}[c.element]
			pay := strings.Replace(card, "<"+c.element+">"+was, "<"+c.element+">"+code, 1)
			path := filepath.Join(t.TempDir(), "nota.xml")
			if err := os.WriteFile(path, []byte(note(digitsKey, "100", pay)), 0o600); err != nil {
				t.Fatal(err)
			}
			lines, err := readNotes(path)
			checkRefusal(t, err, "")
			method, brand := c.word, "visa"
			if c.element == "tBand" {
				method, brand = "credit", c.word
			}
			want := []string{"65/001 123-123 2026-11-03"}
			if brand == "" {
				want = append(want, "unmapped tBand "+code)
			}
			want = append(want, strings.Join(strings.Fields("…6780/1 2026-11-03T10:11:12 100.00 "+method+" "+brand+" A1B2C3 11444777000161 T1"), " "))
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("%s %s: wanted (-) and read (+):\n%s", c.element, code, diff)
			}
		}
	}
}

func checkRefusal(t *testing.T, err error, id string) {
	t.Helper()
	var r *words.Refusal
	switch {
	case id == "" && err != nil:
		t.Errorf("refused: %v", err)
	case id != "" && (!errors.As(err, &r) || r.ID != id || r.Message.ID == "" || r.Remedy.ID == ""):
		t.Errorf("%v, want a refusal for %s", err, id)
	}
}

func writeZIP(t testing.TB, entries ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		e, err := w.Create(entries[i])
		if err == nil {
			_, err = e.Write([]byte(entries[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "notas.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeRawZIP writes a ZIP whose directory says of its one entry, which holds unused numbers, what a header does.
func writeRawZIP(t *testing.T, h zip.FileHeader) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h.Name = "a.xml"
	e, err := w.CreateRaw(&h)
	if err == nil {
		_, err = e.Write([]byte(unused))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "raw.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A ZIP and a folder say what their documents say, a folder in order of name; what is no document is passed over, and what is no archive of notes
// is refused.
func TestArchives(t *testing.T) {
	t.Parallel()
	want := []string{"65/001 123-123 2026-11-03", "…6780/1 2026-11-03T10:11:12 100.00 credit visa A1B2C3 11444777000161 T1", "65/001 124-126"}
	lines, err := readNotes(writeZIP(t, "b.xml", unused, "nested/a.xml", note(digitsKey, "100", card), "leia.txt", "x"))
	checkRefusal(t, err, "")
	if diff := cmp.Diff([]string{want[2], want[0], want[1]}, lines); diff != "" {
		t.Error(diff)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"a.xml": note(digitsKey, "100", card), "b.XML": unused, "danfe.pdf": "%PDF"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines, err = readNotes(dir)
	checkRefusal(t, err, "")
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	const size = uint64(len(unused))
	for _, c := range []struct{ name, path, id, message string }{
		{"leads out", writeZIP(t, "../a.xml", unused), "limit", `entry "../a.xml" leads out of the archive`},
		{"leads to the root", writeZIP(t, "/a.xml", unused), "limit", `entry "/a.xml" leads out of the archive`},
		{"leads to a drive", writeZIP(t, "C:a.xml", unused), "limit", `entry "C:a.xml" leads out of the archive`},
		{"leads out, with the other slash", writeZIP(t, `x\..\..\a.xml`, unused), "limit", `entry "x\\..\\..\\a.xml" leads out of the archive`},
		{"an archive in it", writeZIP(t, "a.zip", "PK"), "limit", `entry "a.zip" is an archive itself`},
		{"a bomb", writeZIP(t, "a.xml", strings.Repeat("<a></a>", 1<<20)), "limit", `entry "a.xml" unpacks to more than 200 times its size`},
		{"more than 10 GiB", writeRawZIP(t, zip.FileHeader{Method: zip.Deflate, CompressedSize64: 1 << 30, UncompressedSize64: 11 << 30}), "limit", "more than 10 GiB unpacked"},
		{"packed in a way that nothing here unpacks", writeRawZIP(t, zip.FileHeader{Method: 99, CompressedSize64: size, UncompressedSize64: size}), "cut", `entry "a.xml": cannot be unpacked`},
		{"longer than its directory says", writeRawZIP(t, zip.FileHeader{Method: zip.Store, CompressedSize64: size, UncompressedSize64: 9}), "cut", "a.xml: no whole XML, it breaks in line 1"},
		{"packed bytes that are damaged", writeRawZIP(t, zip.FileHeader{Method: zip.Deflate, CompressedSize64: size, UncompressedSize64: size}), "cut", "a.xml: no whole XML, it breaks in line 1"},
		{"no XML", writeZIP(t, "a.txt", "x"), "empty", "no XML in the ZIP"},
		{"no folder of XML", t.TempDir(), "empty", "no XML in the folder"},
	} {
		_, err := readNotes(c.path)
		t.Run(c.name, func(t *testing.T) {
			checkRefusal(t, err, c.id)
			var r *words.Refusal
			if errors.As(err, &r) && (r.Message.In("en") != c.message || r.Remedy.In("en") != "export it again as the tax office returned it") {
				t.Errorf("it says %q", err)
			}
		})
	}
	whole, err := os.ReadFile(writeZIP(t, "a.xml", unused))
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.zip")
	if err := os.WriteFile(cut, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = readNotes(cut)
	checkRefusal(t, err, "cut")
}

func FuzzReadXML(f *testing.F) {
	f.Add([]byte(note(digitsKey, "100", card)))
	f.Add([]byte(event(digitsKey, "110111", "135")))
	f.Add([]byte(unused))
	f.Fuzz(checkFile)
}

func FuzzReadZIP(f *testing.F) {
	for _, entries := range [][]string{{"a.xml", unused}, {"a.xml", note(digitsKey, "100", card)}} {
		b, err := os.ReadFile(writeZIP(f, entries...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(checkFile)
}

// checkFile reads any bytes: they are read or refused.
func checkFile(t *testing.T, b []byte) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readNotes(path)
	var r *words.Refusal
	if err != nil && !errors.As(err, &r) {
		t.Errorf("neither read nor refused: %v", err)
	}
}
