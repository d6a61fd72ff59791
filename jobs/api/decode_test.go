package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"concilia/jobs/api"
	"concilia/jobs/api/mask"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// oracle takes a list apart by encoding/json alone; ok is false when it is no valid list from first byte to last.
func oracle(body []byte) (records []json.RawMessage, ok bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, false
	}
	for d.More() {
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return nil, false
		}
		records = append(records, raw)
	}
	if _, err := d.Token(); err != nil {
		return nil, false
	}
	_, err := d.Token()
	return records, err == io.EOF
}

// agree holds the scanner, the framing and encoding/json equal on one body.
func agree(t *testing.T, body []byte) api.List {
	t.Helper()
	records, ok := oracle(body)
	got, err := api.ReadInstallments(bytes.NewReader(body), zone, true)
	if ok != (err == nil) {
		t.Fatalf("encoding/json reads it: %v; we say %v\n%q", ok, err, body)
	}
	slowly, err := api.ReadInstallments(iotest.OneByteReader(bytes.NewReader(body)), zone, true)
	if ok != (err == nil) {
		t.Fatalf("byte by byte we say %v\n%q", err, body)
	}
	if !ok {
		return api.List{}
	}
	var want api.List
	unknown := map[string]bool{}
	for _, raw := range records {
		one := api.ReadInstallment(raw, zone)
		want.Rows, want.Bad = append(want.Rows, one.Rows...), append(want.Bad, one.Bad...)
		for _, name := range one.Unknown {
			unknown[name] = true
		}
	}
	got.Scanned, slowly.Scanned = 0, 0
	if len(unknown) <= len(got.Unknown) {
		want.Unknown = got.Unknown
	}
	for name, list := range map[string]api.List{"at once": got, "byte by byte": slowly} {
		if diff := cmp.Diff(want, list, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s, encoding/json (-) and we (+) differ:\n%s", name, diff)
		}
	}
	return got
}

// What the service spells goes through the scanner, whatever the blanks and the order.
func TestScannerTakesThePlainSpelling(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]string{
		"as printed":          record(),
		"blanks":              strings.NewReplacer(",", " ,\n\t", `":`, "\" :\r\n").Replace(record()),
		"another order":       `{"installmentValue":1,"installmentsCount":1,"installmentNumber":1,"nsu":"1","transactionDate":"2026-11-02T16:19:29"}`,
		"accents":             record("installmentStatus", `"Em análise"`),
		"nulls":               record("nsu", "null", "splits", "null", "discountMdrTax", "null", "receivedValue", "null"),
		"two splits":          record("splits", `[ {"valorSplit":1} , {"valorSplit":-0.5} ]`),
		"an open card number": record("cardNumber", `"4111111111111111"`),
	} {
		// Behind a comma and a blank the record is complete in the buffer, whatever its length.
		got, err := api.ReadInstallments(strings.NewReader("["+row+", "+row+"]"), zone, true)
		if err != nil || got.Scanned != 2 {
			t.Errorf("%s: the scanner read %d of 2 rows, %d bad, error %v", name, got.Scanned, len(got.Bad), err)
		}
		agree(t, []byte("["+row+", "+row+"]"))
	}
}

// A body much longer than the buffer, with a record far longer than the usual one in its middle.
func TestLongBody(t *testing.T) {
	t.Parallel()
	long := record("transactionReference", `"`+strings.Repeat("x", 600_000)+`"`)
	body := "[" + strings.Repeat(record()+",\n", 2000) + long + strings.Repeat(","+record("novo", "1"), 10) + "]"
	got := agree(t, []byte(body))
	if len(got.Rows) != 2011 {
		t.Errorf("%d rows", len(got.Rows))
	}
	_, err := api.ReadInstallments(strings.NewReader(`["`+strings.Repeat("x", 2<<20)+`"]`), zone, true)
	if err == nil || !strings.Contains(err.Error(), "a row is longer than 1048576 bytes") {
		t.Errorf("error %v", err)
	}
}

func FuzzInstallments(f *testing.F) {
	sample, err := os.ReadFile(filepath.Join(samples, "installments.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sample)
	for _, body := range []string{
		"[]", " [ ] ", "[1,]", "[,]", "[{}]", "null", "[null,5,\"]\",[]]", "[" + record() + "," + record("nsu", "1") + "]",
		"[" + record("installmentValue", "0.00001", "discountMdrTax", "1e2") + "]", "[" + record("NSU", `"\ud800"`) + "]",
		`[{"installmentValue":-0,"installmentsCount":1,"installmentNumber":00,"transactionDate":"2026-11-02T16:19:29Z"}]`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) < 1<<16 {
			agree(t, body)
		}
	})
}

// One record, so that the fuzzer need not find the brackets: it also holds that no card number leaves in the clear.
func FuzzInstallment(f *testing.F) {
	f.Add([]byte(record()))
	f.Add([]byte(record("splits", `[{"pctSplit":1.0000001}]`, "cardNumber", "4111111111111111")))
	f.Add([]byte(`{"cardNumber":"5555 5555 5555 4444","installmentNumber":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) >= 1<<16 || !json.Valid(raw) {
			return
		}
		got := agree(t, append(append([]byte("["), raw...), ']'))
		for _, r := range got.Rows {
			if again := mask.Card(r.Card); again != r.Card {
				t.Errorf("card %q is not masked", r.Card)
			}
		}
		for _, row := range got.Bad {
			if again := mask.Cards(bytes.Clone(row.Body)); !bytes.Equal(again, row.Body) {
				t.Errorf("body %q is not masked", row.Body)
			}
		}
	})
}

func FuzzSlips(f *testing.F) {
	for _, name := range []string{"slips_due", "slips_credit"} {
		sample, err := os.ReadFile(filepath.Join(samples, name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(sample)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		records, ok := oracle(body)
		for _, list := range ledger.SlipLists() {
			rows, bad, err := api.ReadSlips(bytes.NewReader(body), list, zone)
			if ok != (err == nil) || ok && len(rows)+len(bad) != len(records) {
				t.Fatalf("%s: %d rows and %d bad of %d, error %v", list, len(rows), len(bad), len(records), err)
			}
			for _, r := range rows {
				if r.ID == "" || r.ID != strings.ToLower(strings.TrimSpace(r.ID)) || r.Due == 0 {
					t.Fatalf("%s: row %+v", list, r)
				}
			}
		}
	})
}

func TestDigitsBehindEscapesAreMasked(t *testing.T) {
	t.Parallel()
	answer := pull(t, `[{"a":"\u0034111111111111111","cardNumber":"4111\u002011111111\u00201112"}]`)
	if got := string(answer.Bad[0].Body); got != `{"a":"\u003411111******1111","cardNumber":"4111\u002011******\u00201112"}` {
		t.Errorf("kept as %s", got)
	}
}

// BenchmarkInstallments reads records of about 1.1 kB, by the scanner and by encoding/json alone.
func BenchmarkInstallments(b *testing.B) {
	const rows = 1000
	list := make([]string, rows)
	for i := range list {
		list[i] = record("nsu", `"`+string(rune('0'+i%10))+strings.Repeat("7", 8)+`"`)
	}
	body := []byte("[" + strings.Join(list, ",") + "]")
	for name, scan := range map[string]bool{"scanner": true, "encoding_json": false} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				got, err := api.ReadInstallments(bytes.NewReader(body), zone, scan)
				if err != nil || len(got.Rows) != rows {
					b.Fatal(len(got.Rows), err)
				}
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
