package sales_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/export/words"
	"concilia/jobs/sales"
	"concilia/jobs/sales/table"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

const (
	goodKey  = "35261111222333000181650010000001231123456780"
	goodCard = `<detPag><tPag>03</tPag><vPag>100.00</vPag></detPag>`
	goodHead = "sale_id,payment_no,sold_at,amount,method\n"
	goodRow  = "A,1,2026-11-03,1.00,pix\n"
)

// writeNote is a note whose customer is Quitéria.
func writeNote(key, payments string) string {
	return `<nfeProc><NFe><infNFe Id="NFe` + key + `"><ide><dhEmi>2026-11-03T10:11:12-03:00</dhEmi><tpNF>1</tpNF><finNFe>1</finNFe><tpAmb>1</tpAmb></ide>` +
		`<emit><CNPJ>11222333000181</CNPJ></emit><dest><CPF>12345678909</CPF><xNome>Quitéria</xNome><email>quiteria@loja.example</email></dest><pag>` + payments +
		`</pag></infNFe></NFe><protNFe><infProt><cStat>100</cStat></infProt></protNFe></nfeProc>`
}

// cancellation is the registered event that voids a note.
func cancellation(key, at string) string {
	return "<procEventoNFe><evento><infEvento><chNFe>" + key + "</chNFe><dhEvento>" + at + "</dhEvento><tpEvento>110111</tpEvento></infEvento></evento>" +
		"<retEvento><infEvento><cStat>135</cStat></infEvento></retEvento></procEventoNFe>"
}

// unusedNumbers is the registered declaration that numbers stay unused.
func unusedNumbers(emitter, from, to string) string {
	return "<ProcInutNFe><inutNFe><infInut><CNPJ>" + emitter + "</CNPJ><mod>65</mod><serie>1</serie><nNFIni>" + from + "</nNFIni><nNFFin>" + to + "</nNFFin></infInut></inutNFe></ProcInutNFe>"
}

// openRead opens and reads a file of a store. It returns the sales in it and what was said of its rows.
func openRead(t *testing.T, name, text, format string) (kept, said []string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &sales.Store{
		ID: "centro", Accounts: []ledger.Account{1001}, Format: format, Documents: []string{"11222333000181"}, Zone: time.FixedZone("-03", -3*60*60),
		Brand: func(string) (string, bool) { return "", false },
	}
	s.Map, _ = table.Preset(format) // none for notes
	file, err := sales.OpenFile(path, s)
	if err != nil {
		return nil, nil, err
	}
	return kept, said, file.Read(func(x *ownsales.Record) error {
		switch {
		case x.Payment != nil:
			kept = append(kept, x.Payment.Sale)
		case x.Fault != nil:
			said = append(said, words.Unpack(x.Fault.Where).String()+": "+words.Unpack(x.Fault.Reason).String())
		}
		return nil
	})
}

// What is no file of sales is refused whole, in a sentence with its remedy.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	note := writeNote(goodKey, goodCard)
	const (
		asTold  = "export it again as the tax office returned it"
		asNotes = "export the sales in format nfe"
		asTable = "export the sales in format neutral"
	)
	for _, c := range []struct{ name, format, text, id, message, remedy string }{
		{"an empty table", "neutral", "", "empty", "nothing in it", "export it again"},
		{"a table of blanks", "neutral", " \r\n\n", "empty", "nothing in it", "export it again"},
		{"a PDF for a table", "neutral", "%PDF-1.7", "foreign", "this is a PDF, not a file of format neutral", asTable},
		{"a page for a table", "neutral", "<!DOCTYPE html><html></html>", "foreign", "this is a web page (HTML), not a file of format neutral", asTable},
		{"a workbook for a table", "neutral", "PK\x03\x04xl", "foreign", "this is a workbook (XLSX) or a ZIP, not a file of format neutral", asTable},
		{"an old workbook for a table", "neutral", "\xd0\xcf\x11\xe0xls", "foreign", "this is a workbook (XLS), not a file of format neutral", asTable},
		{"notes for a table", "neutral", `<?xml version="1.0"?>` + note, "foreign", "this is XML, not a file of format neutral", asTable},
		{"a table for orders of VTEX", "vtex", goodHead + goodRow, "foreign", "no JSON", "export the orders as JSON or JSON Lines"},
		{"a column is missing", "neutral", "sale_id,sold_at,method\nA,2026-11-03,pix\n", "columns", `no column "amount" among the 3 of the line; of the map's columns it has "method", "sale_id", "sold_at"`, "export the report the map is for, or mend the map"},
		{"no line that names columns", "neutral", "A,2026-11-03,1.00,pix,Quitéria\n", "columns", `no column "amount" among the 5 of the line; none of the map's columns is there: the line may name none`, "export the report the map is for, or mend the map"},
		{"a column is there twice", "neutral", "sale_id,sold_at,amount,method,amount\n", "columns", `column "amount" is there twice`, "export it again, or map another column"},
		{"JSON without a member", "neutral", `{"sale_id":"A","sold_at":"2026-11-03","method":"pix"}`, "columns", `object 1 has no member "amount"`, "export what the map is for, or mend the map"},
		{"JSON that is cut", "neutral", `[{"sale_id":"A","sold_at":"2026-11-03","amount":"1","method":"pix"},{"sa`, "cut", "object 2 is cut or no object", "export it again"},
		{"a list that is cut", "neutral", `[{"sale_id":"A","sold_at":"2026-11-03","amount":"1","method":"pix"}`, "cut", "it ends within its list", "export it again"},
		{"an open quote", "neutral", goodHead + `A,1,"` + strings.Repeat("x", 5<<20), "limit", "a row of more than 4 MiB", "export it again: a quote may be open"},
		{"no note at all", "nfe", "", "empty", "nothing in it", "export it again"},
		{"a PDF for notes", "nfe", "%PDF-1.7", "foreign", "this is a PDF, not a file of format nfe", asNotes},
		{"a page for notes", "nfe", "<html></html>", "foreign", "this is a web page (HTML), not a file of format nfe", asNotes},
		{"a table for notes", "nfe", goodHead + goodRow, "foreign", "neither XML nor a ZIP", "export the notes as the tax office returned them"},
		{"another XML", "nfe", "<cteProc/>", "foreign", "f: no note, event or unused number in it", asTold},
		{"a note that is cut", "nfe", note[:200], "cut", "f: no whole XML, it breaks in line 1", asTold},
		{"a ZIP that is cut", "nfe", "PK\x03\x04", "cut", "no whole ZIP", asTold},
		{"a DOCTYPE", "nfe", "<!DOCTYPE nfeProc>" + note, "doctype", "f: a DOCTYPE or entity, which no note has", asTold},
		{"an entity", "nfe", strings.Replace(note, "Quitéria", "&q;", 1), "doctype", "f: a DOCTYPE or entity, which no note has", asTold},
		{"an encoding of no note", "nfe", `<?xml version="1.0" encoding="EBCDIC"?>` + note, "encoding", `f: encoding "EBCDIC": only UTF-8, ISO-8859-1 and Windows-1252`, asTold},
		{"bytes of another encoding", "nfe", "\n" + strings.Replace(note, "Quitéria", "Quit\xe9ria", 1), "encoding", "f: not in the encoding that it declares, from line 2 on", asTold},
		{"too deep", "nfe", strings.Repeat("<a>", 65), "limit", "f: elements more than 64 deep", asTold},
		{"a text of more than a mebibyte in pieces", "nfe", "<a>" + strings.Repeat(strings.Repeat("x", 700<<10)+"<!-- -->", 2) + "</a>", "limit", "f: a text of more than 1 MiB", asTold},
		{"a text without end", "nfe", "<a>" + strings.Repeat("x", 2<<20), "limit", "f: a text of more than 1 MiB", asTold},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := openRead(t, "f", c.text, c.format)
			var got *words.Refusal
			if !errors.As(err, &got) {
				t.Fatalf("not refused: %v", err)
			}
			if diff := cmp.Diff([]string{c.id, c.message, c.remedy}, []string{got.ID, got.Message.In("en"), got.Remedy.In("en")}); diff != "" {
				t.Errorf("wanted (-) and said (+):\n%s", diff)
			}
		})
	}
}

// A folder is for notes alone.
func TestFolderForATable(t *testing.T) {
	t.Parallel()
	m, _ := table.Preset("neutral")
	_, err := sales.OpenFile(t.TempDir(), &sales.Store{ID: "centro", Accounts: []ledger.Account{1001}, Format: "neutral", Map: m})
	var got *words.Refusal
	if !errors.As(err, &got) || got.ID != "foreign" || got.Message.In("en") != "a folder" {
		t.Errorf("not refused: %v", err)
	}
}

// A row that cannot be used is reported with its place, without what a customer's column that slipped may say; the rows around it are read.
func TestRowsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	broken := goodKey[:43] + "1"
	row := func(bad string) string { return goodHead + goodRow + bad + "\n" + "Z,1,2026-11-04,2.00,pix\n" }
	notes := func(bad string) string { return "<lote>" + bad + writeNote(goodKey, goodCard) + "</lote>" }
	for _, c := range []struct{ name, format, text, said string }{
		{"no sale", "neutral", row(",1,2026-11-03,1.00,pix"), "line 3: no sale_id"},
		{"a day that is none", "neutral", row("B,1,2026-02-30,1.00,pix"), `line 3: sold_at "2026-02-30": no date as iso`},
		{"no amount", "neutral", row("B,1,2026-11-03,,pix"), `line 3: amount "": not readable`},
		{"nothing", "neutral", row("B,1,2026-11-03,0.00,pix"), "line 3: amount 0.00: it must be above 0"},
		{"less than nothing", "neutral", row("B,1,2026-11-03,-1.00,pix"), "line 3: amount -1.00: it must be above 0"},
		{"parts of cents", "neutral", row("B,1,2026-11-03,1.005,pix"), `line 3: amount "1.005": not whole cents`},
		{"no number", "neutral", row("B,0,2026-11-03,1.00,pix"), `line 3: payment_no "0": a number from 1 to 1000000`},
		{"other money", "neutral", strings.ReplaceAll(row("B,1,2026-11-03,1.00,pix,USD"), "method\n", "method,currency\n"), `line 3: currency "USD": only BRL`},
		{"a count of installments that is none", "neutral", strings.ReplaceAll(row("B,1,2026-11-03,1.00,credit,100"), "method\n", "method,installments\n"), `line 3: installments "100": a number from 1 to 99`},
		{"an account that is none", "neutral", strings.ReplaceAll(row("B,1,2026-11-03,1.00,credit,mil"), "method\n", "method,account\n"), `line 3: account "xxx": a number from 1 to 9007199254740992`},
		{"a cancellation on no day", "neutral", strings.ReplaceAll(row("B,1,2026-11-03,1.00,credit,ontem"), "method\n", "method,cancelled_at\n"), `line 3: cancelled_at "xxxxx": no date as iso`},
		{"interest that is none", "neutral", strings.ReplaceAll(row("B,1,2026-11-03,1.00,credit,um"), "method\n", "method,interest\n"), `line 3: interest "xx": not readable`},
		{"a refund of nothing", "shopify-transactions", "Transaction Date,Type,Order,Amount\n2026-11-03,charge,A,1.00\n2026-11-05,refund,A,0.00\n2026-11-04,charge,Z,2.00\n", "line 3: a refund without order, date or amount"},
		{"a refund of no order", "shopify-transactions", "Transaction Date,Type,Order,Amount\n2026-11-03,charge,A,1.00\n2026-11-05,refund,,-1.00\n2026-11-04,charge,Z,2.00\n", "line 3: a refund without order, date or amount"},
		{"a customer in the amount", "neutral", row("B,1,2026-11-03,Quitéria 123.456.789-09,1.00,pix"), `line 3: amount "xxxxxxxx": not readable`},
		{"a customer in the date", "neutral", row("B,1,quiteria@loja.example,1.00,pix"), `line 3: sold_at "xxxxxxxx@xxxx.xxxxxxx": no date as iso`},
		{"a wrong check digit", "nfe", notes(writeNote(broken, goodCard)), "f: the check digit of the key is wrong, or it is no key"},
		{"a test", "nfe", notes(strings.Replace(writeNote(goodKey, goodCard), "<tpAmb>1", "<tpAmb>2", 1)), "f: issued in the test environment (tpAmb 2)"},
		{"somebody else's", "nfe", notes(strings.Replace(writeNote(goodKey, goodCard), "<CNPJ>11222333000181", "<CNPJ>99222333000181", 1)), `f: emitter "99222333000181" is none of the store's documents`},
		{"a person's", "nfe", notes(strings.Replace(writeNote(goodKey, goodCard), "<CNPJ>11222333000181</CNPJ>", "<CPF>12345678909</CPF>", 1)), `f: emitter "" is none of the store's documents`},
		{"no protocol", "nfe", notes(strings.Replace(writeNote(goodKey, goodCard), "<cStat>100</cStat>", "", 1)), "f: no protocol of the tax office: whether it was authorized is not known"},
		{"neither authorized nor denied", "nfe", notes(strings.Replace(writeNote(goodKey, goodCard), "<cStat>100", "<cStat>204", 1)), `f: status "204" of the tax office: neither authorized nor denied`},
		{"a day that is no day", "nfe", notes(strings.Replace(writeNote(goodKey, goodCard), "2026-11-03T", "2026-02-30T", 1)), `f: dhEmi "2026-02-30T10:11:12-03:00": no date`},
		{"a payment of nothing", "nfe", notes(writeNote(goodKey, strings.Replace(goodCard, "100.00", "0.00", 1))), "f: payment 1: vPag 0.00: it must be above 0"},
		{"a payment in parts of cents", "nfe", notes(writeNote(goodKey, strings.Replace(goodCard, "100.00", "1.005", 1))), `f: payment 1: vPag "1.005": no whole cents`},
		{"change that is none", "nfe", notes(writeNote(goodKey, `<detPag><tPag>01</tPag><vPag>5.00</vPag></detPag><vTroco>um</vTroco>`)), `f: payment 1: vTroco "xx": not readable`},
		{"a cancellation of somebody else's note", "nfe", notes(cancellation(strings.Replace(goodKey, "11222333000181", "99222333000181", 1), "2026-11-04T09:00:00-03:00")), `f: event of a note that is no key of the store: "35261199222333000181650010000001231123456780"`},
		{"a cancellation that names no note", "nfe", notes(cancellation("x", "2026-11-04T09:00:00-03:00")), `f: event of a note that is no key of the store: "x"`},
		{"a cancellation on no day", "nfe", notes(cancellation(goodKey, "ontem")), `f: dhEvento "xxxxx": no date`},
		{"somebody else's unused numbers", "nfe", notes(unusedNumbers("99222333000181", "124", "126")), "f: unused numbers that are not of the store, or no numbers"},
		{"unused numbers from the last to the first", "nfe", notes(unusedNumbers("11222333000181", "126", "124")), "f: unused numbers that are not of the store, or no numbers"},
		{"a day of payment that is none", "nfe", notes(writeNote(goodKey, strings.Replace(goodCard, "</vPag>", "</vPag><dPag>ontem</dPag>", 1))), `f: payment 1: dPag "xxxxx": no date`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kept, said, err := openRead(t, "f", c.text, c.format)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{c.said}, said); diff != "" {
				t.Errorf("wanted (-) and said (+):\n%s", diff)
			}
			want := []string{"A", "Z"}
			if c.format == "nfe" {
				want = []string{goodKey}
			}
			if diff := cmp.Diff(want, kept); diff != "" {
				t.Errorf("wanted (-) and kept (+):\n%s", diff)
			}
		})
	}
}
