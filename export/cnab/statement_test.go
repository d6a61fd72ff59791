package cnab_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// entries are those of the sample of the same name.
var entries = []cnab.Entry{
	{Amount: c(33210), Category: "222", Text: "CARTAO VISA 01/03", Document: "000123456789 AUT 123456 P01/03"},
	{Amount: c(16310), Category: "202", Text: "LIQUIDACAO BOLETO", Document: "FAT-000001"},
	{Amount: c(350), Debit: true, Category: "105", Text: "TARIFA BOLETO", Document: "FAT-000001"},
	{Amount: c(40000), Debit: true, Category: "103", Text: "ESTORNO VISA 02/03", Document: "000123450000 AUT 654321 P02/03"},
}

func dated(e cnab.Entry) cnab.Entry {
	e.Booked, e.Posted, e.History = on(11, 20), on(11, 20), "0"+e.Category
	return e
}

func statement(t testing.TB, h cnab.Header, o cnab.Opening, all ...cnab.Entry) ([]byte, *cnab.StatementWriter) {
	t.Helper()
	var out bytes.Buffer
	s, err := cnab.NewStatementWriter(&out, h, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if err := s.WriteEntry(dated(e)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(on(11, 20)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), s
}

func statementHeader(p cnab.Profile) cnab.Header {
	return cnab.Header{Account: shop, Profile: p, AsOf: on(11, 20), NSA: 42, Remark: "MOVIMENTO SERVICO"}
}

func TestStatementMakesItsSample(t *testing.T) {
	t.Parallel()
	got, s := statement(t, statementHeader(cnab.Febraban), cnab.Opening{Day: on(11, 19), Balance: c(100_000)}, entries...)
	if d := cmp.Diff(lines(sample(t, "statement.ret")), lines(got)); d != "" {
		t.Errorf("not the sample:\n%s", d)
	}
	want := cnab.Totals{Records: 8, Lotes: 1, Entries: 4, Credits: c(49520), Debits: c(40350)}
	if d := cmp.Diff(want, s.Totals()); d != "" || s.Balance() != c(109_170) {
		t.Errorf("balance %s, totals:\n%s", s.Balance(), d)
	}
}

// The profile bb is what readers of Banco do Brasil's statements verify constant by constant.
func TestStatementOfBancoDoBrasil(t *testing.T) {
	t.Parallel()
	raw, _ := statement(t, statementHeader(cnab.BB), cnab.Opening{Day: on(11, 19), Balance: c(-1)}, entries[:1]...)
	got := lines(raw)
	for _, want := range []struct {
		why        string
		line, from int
		text       string
	}{
		{"the bank's name", 1, 103, "BANCO DO BRASIL               "},
		{"the file's edition", 1, 164, "08906250"},
		{"nothing after it, no remark either", 1, 172, strings.Repeat(" ", 69)},
		{"the lote's edition", 2, 14, "032"},
		{"a check digit of branch and account", 2, 72, "0"},
		{"a balance below zero is a debit", 2, 151, "000000000000000001DFBRL00042"},
		{"no complement is zeros", 3, 112, "00" + "00000000000000000000" + "S"},
		{"and the digit in each entry", 3, 72, "0"},
		{"closing", 4, 151, "000000000000033209CF"},
	} {
		if at := got[want.line-1][want.from-1:][:len(want.text)]; at != want.text {
			t.Errorf("%s: %q, want %q", want.why, at, want.text)
		}
	}
	if _, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{}); err != nil {
		t.Error(err)
	}
}

func TestStatementRefuses(t *testing.T) {
	t.Parallel()
	s, err := cnab.NewStatementWriter(io.Discard, statementHeader(cnab.Febraban), cnab.Opening{Day: on(11, 19)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why  string
		edit func(*cnab.Entry)
		want string
	}{
		{"a category of the other side", func(e *cnab.Entry) { e.Debit = true }, `entry 1 of the file: category "222" does not agree with D/C "D"`},
		{"no category", func(e *cnab.Entry) { e.Category = "" }, `entry 1 of the file: category "" does not agree with D/C "C"`},
		{"an amount that is not whole cents", func(e *cnab.Entry) { e.Amount++ }, `field "valor" (151-168)`},
		{"an amount below zero", func(e *cnab.Entry) { e.Amount = -e.Amount }, "is negative; the columns have no sign"},
		{"a history code that would be cut", func(e *cnab.Entry) { e.History = "02222" }, `field "cod_historico" (173-176)`},
	} {
		e := dated(entries[0])
		tc.edit(&e)
		if err := s.WriteEntry(e); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.why, err, tc.want)
		}
	}
	if err := errors.Join(s.WriteEntry(dated(entries[0])), s.Close(on(11, 20))); err != nil {
		t.Errorf("a refused entry leaves no trace: %v", err)
	}
	if n := s.Totals(); n.Entries != 1 || n.Records != 5 {
		t.Errorf("%+v", n)
	}
	if err := s.WriteEntry(dated(entries[0])); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("an entry after the end: %v", err)
	}
	if _, err := cnab.NewStatementWriter(io.Discard, statementHeader(cnab.Febraban), cnab.Opening{Balance: 1}); err == nil {
		t.Error("an opening without a day, of a part of a cent")
	}
	h := statementHeader(cnab.Febraban)
	h.Remark = "A REMARK OF MORE THAN TWENTY COLUMNS"
	if _, err := cnab.NewStatementWriter(io.Discard, h, cnab.Opening{Day: on(11, 19)}); err == nil {
		t.Error("a remark that would be cut")
	}
}

// Past 99 999 entries the account goes on in another lote, which opens with what the first closed with.
func TestStatementGoesOnInAnotherLote(t *testing.T) {
	t.Parallel()
	all := make([]cnab.Entry, 100_001)
	for i := range all {
		all[i] = entries[i%4]
	}
	raw, s := statement(t, statementHeader(cnab.Febraban), cnab.Opening{Day: on(11, 19)}, all...)
	file, err := cnab.Read(bytes.NewReader(raw), cnab.ReadOptions{OnEntry: func(int, cnab.Entry) error { return nil }})
	if err != nil || file.Totals != s.Totals() || file.Totals.Lotes != 2 {
		t.Fatalf("%v, written %+v, read %+v", err, s.Totals(), file.Totals)
	}
	first, second := file.Lotes[0].Trailer, file.Lotes[1].Header
	for _, id := range []string{"situacao", "posicao"} {
		if first.Raw(id) != second.Raw(id) {
			t.Errorf("%s: %q, then %q", id, first.Raw(id), second.Raw(id))
		}
	}
	if first.Raw("valor_saldo_final") != second.Raw("valor_saldo_inicial") || first.Raw("posicao") != "P" ||
		file.Lotes[1].Trailer.Raw("posicao") != "F" || file.Lotes[0].Header.Raw("posicao") != "F" {
		t.Error("the second lote does not go on where the first ended")
	}
}

func TestStatementReportsAFailingDisk(t *testing.T) {
	t.Parallel()
	s, err := cnab.NewStatementWriter(&failing{left: 70_000}, statementHeader(cnab.Febraban), cnab.Opening{Day: on(11, 19)})
	for range 1000 {
		err = errors.Join(err, s.WriteEntry(dated(entries[0])))
	}
	if !errors.Is(err, errDisk) || !errors.Is(s.Close(on(11, 20)), errDisk) {
		t.Errorf("error %v", err)
	}
}

// TestAnyEntriesComeBack writes any statement and reads it again.
func TestAnyEntriesComeBack(t *testing.T) {
	t.Parallel()
	entry := rapid.Custom(func(rt *rapid.T) cnab.Entry {
		e := rapid.SampledFrom(entries).Draw(rt, "entry")
		e.Amount = c(rapid.Int64Range(0, 1_000_000_000_000).Draw(rt, "cents"))
		e.Document = rapid.StringMatching(`([A-Z0-9][A-Z0-9 ]{0,37}[A-Z0-9])?`).Draw(rt, "document")
		return dated(e)
	})
	rapid.Check(t, func(rt *rapid.T) {
		all := rapid.SliceOfN(entry, 0, 12).Draw(rt, "entries")
		profile := rapid.SampledFrom([]cnab.Profile{cnab.Febraban, cnab.BB}).Draw(rt, "profile")
		opening := c(rapid.Int64Range(-1_000_000_000, 1_000_000_000).Draw(rt, "opening"))
		var out bytes.Buffer
		s, err := cnab.NewStatementWriter(&out, statementHeader(profile), cnab.Opening{Day: on(11, 19), Balance: opening})
		if err != nil {
			rt.Fatal(err)
		}
		for _, e := range all {
			if err := s.WriteEntry(e); err != nil {
				rt.Fatal(err)
			}
		}
		if err := s.Close(on(11, 20)); err != nil {
			rt.Fatal(err)
		}
		again, file, err := reemit(out.Bytes())
		if err != nil || !bytes.Equal(again, out.Bytes()) {
			rt.Fatal("the file does not come back: ", err)
		}
		if want := opening + file.Totals.Credits - file.Totals.Debits; s.Balance() != want || file.Totals != s.Totals() {
			rt.Fatalf("balance %s, want %s", s.Balance(), want)
		}
		if len(all) == 0 {
			all = nil
		}
		if d := cmp.Diff(all, file.Lotes[0].Entries); d != "" {
			rt.Fatal(d)
		}
	})
}

func BenchmarkWriteEntries(b *testing.B) {
	begin := func() *cnab.StatementWriter {
		s, err := cnab.NewStatementWriter(io.Discard, statementHeader(cnab.Febraban), cnab.Opening{Day: on(11, 19), Balance: ledger.Real})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	s, e := begin(), dated(entries[0])
	b.ReportAllocs()
	b.SetBytes(cnab.Width + 2)
	for i := 0; b.Loop(); i++ {
		if i%900_000 == 899_999 { // a file holds a million records
			s = begin()
		}
		if err := s.WriteEntry(e); err != nil {
			b.Fatal(err)
		}
	}
}
