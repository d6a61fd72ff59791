package journal_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"concilia/export/journal"
	"concilia/export/report/othersides"
	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// someEntry is one that every format can have.
func someEntry() *bookkeeping.Entry {
	return &bookkeeping.Entry{
		Event: "f2d68c746e0c804c", Number: 1, Type: bookkeeping.EntrySale, Posted: ledger.NewDate(2026, 11, 16), Occurred: ledger.NewDate(2026, 11, 16),
		Subject: "card:1001:2026-11-16:000123456790:D4E5F6:1", Version: 1, Brand: "visa", Text: "VENDA VISA 1/1 NSU 000123456790",
		Lines: []bookkeeping.EntryLine{{Role: bookkeeping.RoleReceivable, Amount: 50_0000}, {Role: bookkeeping.RoleSales, Amount: -50_0000}},
	}
}

func newWriter(tb testing.TB, out io.Writer, f journal.Format) *journal.Writer {
	tb.Helper()
	chart := &journal.Chart{Method: bookkeeping.Accrual, Roles: map[bookkeeping.Role]journal.Account{
		bookkeeping.RoleReceivable: {Code: "1105", Path: "Assets:Cartoes"}, bookkeeping.RoleSales: {Code: "3101", Path: "Income:Vendas"},
	}}
	w, err := journal.NewWriter(out, f, chart, &journal.Head{Account: 1001, Document: "12345678000195"})
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// TestFilesAreReadBack: what was written is read as the same entries, and a file whose entry lost a line or a cent is refused.
func TestFilesAreReadBack(t *testing.T) {
	t.Parallel()
	for _, f := range []journal.Format{journal.Beancount, journal.HLedger, journal.Dominio} {
		var out bytes.Buffer
		w := newWriter(t, &out, f)
		for range 3 {
			if err := w.Write(someEntry()); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := journal.ReadTotals(&out, f)
		if want := (journal.Totals{Entries: 3, Debits: 150_0000, Credits: 150_0000}); err != nil || got != want || w.Totals != want {
			t.Errorf("%s: read %+v, wrote %+v, %v", f, got, w.Totals, err)
		}
		unbalanced := someEntry()
		unbalanced.Lines[0].Amount += 100
		if err := w.Write(unbalanced); err == nil {
			t.Errorf("%s: an entry that is not balanced is written", f)
		}
	}
	for f, text := range map[journal.Format]string{
		journal.Beancount: "2026-11-16 * \"X\" ^a.1\n  Assets:Cartoes  50.01 BRL\n  Income:Vendas  -50.00 BRL\n",
		journal.HLedger:   "2026-11-16 * X\n    ; entry: a.1\n    Assets:Cartoes  50.00 BRL\n",
		journal.Dominio:   "|0000|1|\r\n|6000|V||||\r\n|6100|16/11/2026|1105||50,00||X||||\r\n",
	} {
		if _, err := journal.ReadTotals(strings.NewReader(text), f); err == nil {
			t.Errorf("%s: an entry that is not balanced is read: %q", f, text)
		}
	}
}

// TestOneBalanceIsReadBack: a month in which one account alone has a balance ends with an entry of one line, which is read.
func TestOneBalanceIsReadBack(t *testing.T) {
	t.Parallel()
	chart := &journal.Chart{Method: bookkeeping.Cash, Roles: map[bookkeeping.Role]journal.Account{
		bookkeeping.RoleService: {Path: "Assets:Servico"}, bookkeeping.RoleSales: {Path: "Income:Vendas"},
	}}
	head := &journal.Head{Account: 1001, Balances: []journal.Balance{
		{Role: bookkeeping.RoleService, Debits: 50_0000, Closing: 50_0000}, {Role: bookkeeping.RoleSales, Credits: 50_0000},
	}}
	e := someEntry()
	e.Lines[0].Role = bookkeeping.RoleService
	for _, f := range []journal.Format{journal.Beancount, journal.HLedger} {
		var out bytes.Buffer
		w, err := journal.NewWriter(&out, f, chart, head)
		if err == nil {
			err = w.Write(e)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := journal.ReadTotals(&out, f); err != nil || got != w.Totals {
			t.Errorf("%s: read %+v, wrote %+v, %v", f, got, w.Totals, err)
		}
	}
}

// FuzzReadTotals: whatever a file holds, reading it ends, and what is taken is balanced.
func FuzzReadTotals(f *testing.F) {
	f.Add("2026-11-16 * \"X\" ^a.1\n  Assets:Cartoes  50.00 BRL\n  Income:Vendas  -50.00 BRL\n")
	f.Add("|0000|1|\r\n|6000|X||||\r\n|6100|16/11/2026|1105|3101|50,00||X||||\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []journal.Format{journal.Beancount, journal.HLedger, journal.Dominio} {
			if got, err := journal.ReadTotals(strings.NewReader(text), format); err == nil && got.Debits != got.Credits {
				t.Errorf("%s: %+v", format, got)
			}
		}
	})
}

// BenchmarkWriter writes a million entries of two lines, in each format and as CSV.
func BenchmarkWriter(b *testing.B) {
	b.Run("csv", func(b *testing.B) {
		for b.Loop() {
			w, err := table.NewCSVWriter(io.Discard, othersides.JournalTable)
			row, e := othersides.JournalTable.NewRow(), someEntry()
			for range 1_000_000 {
				for n := range e.Lines {
					othersides.JournalLine(row, e, n, "1105", "Assets:Cartoes")
					text, encodeErr := w.Encode(row)
					if err = errors.Join(err, encodeErr, w.Write(text, row)); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	})
	for _, f := range []journal.Format{journal.Beancount, journal.HLedger, journal.Dominio} {
		b.Run(string(f), func(b *testing.B) {
			for b.Loop() {
				w, e := newWriter(b, io.Discard, f), someEntry()
				for range 1_000_000 {
					if err := w.Write(e); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
