package journal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"concilia/export/journal"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// manyLines is an entry with two debits, three credits and a text that a spreadsheet would part.
func manyLines() *bookkeeping.Entry {
	e := someEntry()
	e.Text = "RECEB A, B; C"
	e.Lines = []bookkeeping.EntryLine{
		{Role: bookkeeping.RoleService, Amount: 96_5100},
		{Role: bookkeeping.RoleClaims, Amount: 1000},
		{Role: bookkeeping.RoleReceivable, Amount: -50_0000},
		{Role: bookkeeping.RoleSales, Amount: -46_5100},
		{Role: bookkeeping.RoleExcess, Amount: -1000},
	}
	return e
}

// TestOwnCSV: the office's own CSV has its columns in its order, a row per line or per debit and credit, and is read back.
func TestOwnCSV(t *testing.T) {
	t.Parallel()
	hashed := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return text + "," + hex.EncodeToString(sum[:8]) + "\n"
	}
	const of = "f2d68c746e0c804c.1,"
	const facts = ",0,2026-11-16,2026-11-16,sale,,card:1001:2026-11-16:000123456790:D4E5F6:1,1,visa,,\"RECEB A, B; C\","
	row := func(n, rest string) string { return hashed(of + n + strings.ReplaceAll(facts, ",0,", ",,") + rest) }
	for _, c := range []struct {
		says    string
		layout  journal.Layout
		columns []journal.Column
		want    string
		rows    int64
	}{
		{
			"columns of one's own", journal.ByLine,
			[]journal.Column{{"Data", "posted_on"}, {"Débito", "debit"}, {"Conta", "code"}, {"Crédito", "credit"}, {"Histórico, curto", "text"}},
			"Data,Débito,Conta,Crédito,\"Histórico, curto\"\n" +
				"2026-11-16,96.51,1106,,\"RECEB A, B; C\"\n2026-11-16,0.10,1107,,\"RECEB A, B; C\"\n" +
				"2026-11-16,,1105,50.00,\"RECEB A, B; C\"\n2026-11-16,,3101,46.51,\"RECEB A, B; C\"\n2026-11-16,,2107,0.10,\"RECEB A, B; C\"\n", 5,
		},
		{
			"a row per debit and credit", journal.ByPair, nil,
			"entry,line,set,posted_on,occurred_on,type,reverses,subject,version,brand,product,text,debit_code,credit_code,amount,row_hash\n" +
				row("1", "1106,1105,50.00") + row("2", "1106,3101,46.51") + row("3", "1107,2107,0.10"), 3,
		},
		{
			"a hash before the amount covers the others", journal.ByPair,
			[]journal.Column{{"Hash", "row_hash"}, {"Valor", "amount"}, {"Conta", "debit_code"}},
			"Hash,Valor,Conta\n" + hashFirst("50.00,1106") + hashFirst("46.51,1106") + hashFirst("0.10,1107"), 3,
		},
	} {
		chart := &journal.Chart{Layout: c.layout, Columns: c.columns, Roles: map[bookkeeping.Role]journal.Account{
			bookkeeping.RoleReceivable: {Code: "1105"}, bookkeeping.RoleService: {Code: "1106"}, bookkeeping.RoleClaims: {Code: "1107"},
			bookkeeping.RoleSales: {Code: "3101"}, bookkeeping.RoleExcess: {Code: "2107"},
		}}
		var out bytes.Buffer
		w, err := journal.NewWriter(&out, journal.CSV, chart, &journal.Head{Account: 1001})
		if err == nil {
			err = w.Write(manyLines())
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.says, out.String(), c.want)
		}
		want := journal.Totals{Entries: c.rows, Debits: 96_6100, Credits: 96_6100}
		got, err := journal.ReadOwn(bytes.NewReader(out.Bytes()), chart.OwnValues())
		if err != nil || got != want || w.Totals != want {
			t.Errorf("%s: read %+v, wrote %+v, %v", c.says, got, w.Totals, err)
		}
	}
}

func hashFirst(rest string) string {
	sum := sha256.Sum256([]byte(rest))
	return hex.EncodeToString(sum[:8]) + "," + rest + "\n"
}

// TestOwnCSVIsRefused: a file that lost a cent, a row or a cell is not read.
func TestOwnCSVIsRefused(t *testing.T) {
	t.Parallel()
	values := []string{"text", "debit", "credit"}
	for says, c := range map[string][2]string{
		"a cent is missing":   {"Texto,D,C\nA,1.00,\nA,,0.99\n", "debits and credits differ by 0.01"},
		"a row is missing":    {"Texto,D,C\nA,1.00,\n", "debits and credits differ by 1.00"},
		"a cell is missing":   {"Texto,D,C\nA,1.00\n", "record on line 2: wrong number of fields"},
		"an amount is none":   {"Texto,D,C\nA,x,\n", `row 2: "x" is no amount of an entry`},
		"a debit is negative": {"Texto,D,C\nA,-1.00,\n", `row 2: "-1.00" is no amount of an entry`},
		"no header":           {"", "header: EOF"},
	} {
		if _, err := journal.ReadOwn(strings.NewReader(c[0]), values); err == nil || err.Error() != c[1] {
			t.Errorf("%s: %v, want %s", says, err, c[1])
		}
	}
}

// TestPairsAreTheEntry: whatever an entry's lines are, its pairs debit and credit each role by as much, and are no more than its lines less one.
func TestPairsAreTheEntry(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2026, 0))
	for range 2000 {
		e := &bookkeeping.Entry{}
		var sum ledger.Amount
		for i := range 1 + r.IntN(6) {
			a := ledger.Amount(100 * (r.IntN(9) - 4))
			if a == 0 {
				a = 100
			}
			sum += a
			e.Lines = append(e.Lines, bookkeeping.EntryLine{Role: bookkeeping.Roles()[i], Amount: a})
		}
		if sum == 0 {
			continue
		}
		e.Lines = append(e.Lines, bookkeeping.EntryLine{Role: bookkeeping.RoleOpening, Amount: -sum})
		left := map[bookkeeping.Role]ledger.Amount{}
		for _, l := range e.Lines {
			left[l.Role] += l.Amount
		}
		pairs := journal.ListPairs(e)
		for _, p := range pairs {
			left[p.Debit] -= p.Amount
			left[p.Credit] += p.Amount
		}
		for role, rest := range left {
			if rest != 0 {
				t.Fatalf("%+v: %s has %s left by %+v", e.Lines, role, rest.Fixed(2), pairs)
			}
		}
		if len(pairs) >= len(e.Lines) || slices.ContainsFunc(pairs, func(p journal.Pair) bool { return p.Amount <= 0 }) {
			t.Fatalf("%+v is %+v", e.Lines, pairs)
		}
	}
}
