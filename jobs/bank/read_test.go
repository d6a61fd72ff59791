package bank_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/export/words"
	"concilia/jobs/bank"
	"concilia/jobs/bank/columns"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/ledgertest"
)

var (
	itau = bank.Account{ID: "itau", Bank: "341", Branch: "1234", Number: "12345-6", Accounts: []ledger.Account{1001}}
	bb   = bank.Account{ID: "bb", Bank: "001", Branch: "1234", Number: "67890-1", Accounts: []ledger.Account{1002}}
)

// ofxOf is a statement of an account with rows of date, amount and text.
func ofxOf(bankID, account, made, from, to, more string, rows ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<OFX><DTSERVER>%s<STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>%s<ACCTID>%s</BANKACCTFROM><BANKTRANLIST><DTSTART>%s<DTEND>%s\n", made, bankID, account, from, to)
	for _, r := range rows {
		f := strings.SplitN(r, " ", 3)
		fmt.Fprintf(&b, "<STMTTRN><DTPOSTED>%s<TRNAMT>%s<MEMO>%s</STMTTRN>\n", f[0], f[1], f[2])
	}
	b.WriteString("</BANKTRANLIST>" + more + "</STMTRS></OFX>")
	return []byte(b.String())
}

// readFile reads a file that is in memory. Its rows need not be closed: they are in memory, too.
func readFile(file []byte, accounts []bank.Account, o bank.ReadOptions) ([]bank.Reading, int, error) {
	f, err := bank.NewFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, 0, err
	}
	return f.ReadStatements(accounts, o)
}

func read(t *testing.T, file []byte, accounts ...bank.Account) banking.Statement {
	t.Helper()
	all, _, err := readFile(file, accounts, bank.ReadOptions{})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d statements, %v", len(all), err)
	}
	return all[0].Statement
}

// TestDaysThatAreWhole: which days a statement has all of, by its window and the day it was made.
func TestDaysThatAreWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, made, from, to, want string }{
		{"made after the window", "20261110", "20261103", "20261109", "2026-11-03..2026-11-09"},
		{"made on its last day, which is not over", "20261109180000", "20261103", "20261109", "2026-11-03..2026-11-08"},
		{"a window of the day it was made says nothing, and its rows stand between others", "20261110", "20261110", "20261110", "2026-11-05..2026-11-05"},
	} {
		st := read(t, ofxOf("341", "123456", tt.made, tt.from, tt.to, "", "20261104 1.00 A", "20261105 2.00 B", "20261106 -3.00 C"), itau)
		if st.Whole.String() != tt.want {
			t.Errorf("%s: whole %s, want %s", tt.name, st.Whole, tt.want)
		}
	}
}

// TestRowsThatAreNoMovement: balances written as rows are counted, closings of a day are its balance, and what is dated
// after the statement's day is announced.
func TestRowsThatAreNoMovement(t *testing.T) {
	t.Parallel()
	st := read(t, ofxOf("341", "123456", "20261106", "20261103", "20261105", "<LEDGERBAL><BALAMT>9.00<DTASOF>20261105</LEDGERBAL>",
		"20261103 100.00 SALDO ANTERIOR", "20261104 1.00 PIX", "20261104 101.00 Saldo do dia", "20261110 -4.00 BOLETO AGENDADO"), itau)
	var got []string
	for _, r := range ledgertest.ListRows(st.Rows) {
		got = append(got, fmt.Sprintf("%s %s %v", r.Day, r.Text, r.Scheduled))
	}
	if d := cmp.Diff([]string{"2026-11-04 PIX false", "2026-11-10 BOLETO AGENDADO true"}, got); d != "" || st.BalanceRows != 2 {
		t.Errorf("%d balance rows:\n%s", st.BalanceRows, d)
	}
	want := []banking.Balance{
		{Day: ledger.NewDate(2026, 11, 5), Amount: 90_000, Choice: 0},
		{Day: ledger.NewDate(2026, 11, 10), Amount: 90_000, Choice: 0},
		{Day: ledger.NewDate(2026, 11, 4), Amount: 1_010_000, Choice: 1},
	}
	if d := cmp.Diff(want, st.Balances); d != "" {
		t.Error(d)
	}
}

// TestBalanceOfTheDayItWasMade is brought back to the day before by the rows of that day.
func TestBalanceOfTheDayItWasMade(t *testing.T) {
	t.Parallel()
	st := read(t, ofxOf("341", "123456", "20261106", "20261103", "20261106", "<LEDGERBAL><BALAMT>10.00<DTASOF>20261106</LEDGERBAL>",
		"20261104 1.00 PIX", "20261106 4.00 PIX"), itau)
	if d := cmp.Diff([]banking.Balance{{Day: ledger.NewDate(2026, 11, 5), Amount: 60_000}}, st.Balances[:1]); d != "" {
		t.Error(d)
	}
}

// TestWhoseStatement: an account is found by its digits as banks write them, and never by a few of them.
func TestWhoseStatement(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, bank, account string
		ours                bool
	}{
		{"as configured", "341", "12345-6", true},
		{"leading zeros and the bank's", "0341", "0000123456", true},
		{"without check digit", "341", "12345", true},
		{"branch in front", "341", "1234123456", true},
		{"branch in front, without check digit", "341", "123412345", true},
		{"no bank stated", "", "123456", true},
		{"another bank", "001", "123456", false},
		{"another account", "341", "123457", false},
		{"an end of four digits", "341", "3456", false},
		{"an account that ours ends in", "341", "23456", false},
		{"none stated", "341", "-", false},
	} {
		all, _, err := readFile(ofxOf(tt.bank, tt.account, "20261106", "20261103", "20261105", ""), []bank.Account{itau}, bank.ReadOptions{})
		if ours := err == nil && len(all) == 1; ours != tt.ours {
			t.Errorf("%s: %v, %v", tt.name, ours, err)
		}
	}
}

// TestBranchOfAnotherAccount: an account of our number in another branch is another's; a branch may be stated with its check digit, or not.
func TestBranchOfAnotherAccount(t *testing.T) {
	t.Parallel()
	for branch, ours := range map[string]bool{"1234": true, "01234": true, "1234-5": true, "": true, "9999": false, "4321": false} {
		file := strings.Replace(string(ofxOf("341", "123456", "20261106", "20261103", "20261105", "")), "<ACCTID>", "<BRANCHID>"+branch+"<ACCTID>", 1)
		if _, _, err := readFile([]byte(file), []bank.Account{itau}, bank.ReadOptions{}); (err == nil) != ours {
			t.Errorf("branch %q: %v", branch, err)
		}
	}
}

// TestNoOtherAccountIsTakenIn: of random accounts at random banks a file is taken in only if its bank is ours and its digits are ours, with
// or without check digit, and with anything in front of five of them at least; and a card bill never.
func TestNoOtherAccountIsTakenIn(t *testing.T) {
	t.Parallel()
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`[1-9][0-9]{2,7}`).Draw(t, "ours")
		ours := bank.Account{ID: "ours", Bank: "341", Branch: rapid.SampledFrom([]string{"", "1234"}).Draw(t, "branch"), Number: number, Accounts: []ledger.Account{1001}}
		stated := rapid.OneOf(
			rapid.StringMatching(`[0-9]{3,12}`), rapid.Just(number), rapid.Just("000"+number), rapid.Just(number[:len(number)-1]),
			rapid.Just("1234"+number), rapid.Just(number[1:]), rapid.Just(number+"0"), rapid.Just("77"+number[:len(number)-1]),
		).Draw(t, "stated")
		code := rapid.SampledFrom([]string{"341", "0341", "237", "34", ""}).Draw(t, "bank")
		file := string(ofxOf(code, stated, "20261106", "20261103", "20261105", "", "20261104 1.00 A"))
		_, _, err := readFile([]byte(file), []bank.Account{ours}, bank.ReadOptions{})
		may := false
		for _, n := range []string{number, number[:len(number)-1]} {
			rest, ends := strings.CutSuffix(strings.TrimLeft(stated, "0"), n)
			may = may || ends && (rest == "" || len(n) >= 5 || rest == ours.Branch)
		}
		if is := err == nil; is != (may && (code == "" || strings.TrimLeft(code, "0") == "341")) {
			t.Fatalf("%s of bank %q beside ours, %s %s: %v", stated, code, ours.Branch, number, err)
		}
		if err == nil {
			taken++
		}
		bill := strings.NewReplacer("STMTRS", "CCSTMTRS", "BANKACCTFROM", "CCACCTFROM").Replace(file)
		if _, _, err := readFile([]byte(bill), []bank.Account{ours}, bank.ReadOptions{}); err == nil {
			t.Fatalf("a card bill was taken in:\n%s", bill)
		}
	})
	if taken == 0 {
		t.Error("nothing was ever taken in")
	}
}

// TestEveryDownloadSaysTheSame: however a bank numbers, orders, spaces and spells the rows of a download, it says the same of its days.
func TestEveryDownloadSaysTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var rows []string
		for range rapid.IntRange(1, 12).Draw(t, "rows") {
			rows = append(rows, fmt.Sprintf("202611%02d %d.%02d %s", rapid.IntRange(3, 5).Draw(t, "day"), rapid.IntRange(-3, 3).Draw(t, "reais")*10, rapid.IntRange(0, 1).Draw(t, "cents")*50,
				rapid.SampledFrom([]string{"PIX RECEBIDO", "CRÉDITO LOJA Nº 1", "TARIFA"}).Draw(t, "text")))
		}
		tell := func(file []byte) (out []string) {
			all, _, err := readFile(file, []bank.Account{itau}, bank.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range ledgertest.ListRows(all[0].Statement.Rows) {
				out = append(out, fmt.Sprintf("%s %s %s", r.Day, r.Amount.Fixed(2), r.Text))
			}
			slices.Sort(out)
			return append(out, all[0].Statement.Whole.String())
		}
		once := tell(ofxOf("341", "123456", "20261106", "20261103", "20261105", "", rows...))
		again := rapid.Permutation(slices.Clone(rows)).Draw(t, "order")
		for i, r := range again {
			f := strings.SplitN(r, " ", 3)
			f[2] = rapid.SampledFrom([]func(string) string{
				strings.ToLower, func(s string) string { return strings.ReplaceAll(s, " ", "   ") }, func(s string) string { return "  " + s + "\t" }, func(s string) string { return s },
			}).Draw(t, "spelled")(f[2])
			again[i] = strings.Join(f, " ")
		}
		file := strings.ReplaceAll(string(ofxOf("341", "0000123456", "20261107", "20261103", "20261105", "", again...)), "<TRNAMT>", fmt.Sprintf("<FITID>%d<TRNAMT>", rapid.Int().Draw(t, "number")))
		if rapid.Bool().Draw(t, "closed elements") {
			file = strings.NewReplacer("\n<STMTTRN>", "\r\n<STMTTRN>", "</STMTTRN>", "</MEMO></STMTTRN>").Replace(file)
		}
		if d := cmp.Diff(once, tell([]byte(file))); d != "" {
			t.Fatalf("the first download (-), the next (+):\n%s", d)
		}
	})
}

// TestRefusedFiles: each refusal says what is wrong and what to do.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	sample := string(cnabSample(t))
	twin := itau
	twin.ID, twin.Branch = "twin", "9999"
	for _, tt := range []struct {
		name, file, id, message string
		accounts                []bank.Account
	}{
		{"nothing in it", " \n", "empty", "no line", nil},
		{"a PDF", "%PDF-1.7", "foreign", "a PDF", nil},
		{"a workbook", "PK\x03\x04", "foreign", "XLSX", nil},
		{"a page", "<!DOCTYPE html><p>", "foreign", "HTML", nil},
		{"an old workbook", "\xd0\xcf\x11\xe0\xa1\xb1", "foreign", "XLS", nil},
		{"a CNAB 400", strings.Repeat("0", 400) + "\r\n", "foreign", "CNAB 400", nil},
		{"a table without columns declared", "Data;Valor\n", "columns", "neither", nil},
		{"another account's", string(ofxOf("341", "999999", "20261106", "20261103", "20261105", "")), "account", "file: 341  999999; configured: itau (341 1234 12345-6)", nil},
		{"one that fits two", string(ofxOf("341", "123456", "20261106", "20261103", "20261105", "")), "ambiguous", "itau or twin", []bank.Account{itau, twin}},
		{"our own statement", string(ownSample(t)), "own", "made by concilia", []bank.Account{bb}},
		{"a CNAB 240 cut in the middle", sample[:242*4], "cut", "line", []bank.Account{bb}},
		{"a CNAB 240 whose sums are wrong", strings.Replace(sample, "000000000000040350000000000000049520", "000000000000040350000000000000049521", 1), "cut", "495.20", []bank.Account{bb}},
		{"a CNAB 240 in dollars", strings.Replace(sample, "CFBRL", "CFUSD", 1), "currency", "USD", []bank.Account{bb}},
		{"a retorno", string(file(t, "installments.ret")), "foreign", "retorno", []bank.Account{bb}},
	} {
		accounts := tt.accounts
		if accounts == nil {
			accounts = []bank.Account{itau}
		}
		_, _, err := readFile([]byte(tt.file), accounts, bank.ReadOptions{})
		var refusal *words.Refusal
		if !errors.As(err, &refusal) || refusal.ID != tt.id || !strings.Contains(refusal.Message.In("en"), tt.message) || refusal.Remedy.ID == "" {
			t.Errorf("%s: %v, want %s with %q", tt.name, err, tt.id, tt.message)
		}
	}
}

// TestRefusedSizes: a file, or a statement of it, that is too large for one is refused, and says into what it is to be cut.
func TestRefusedSizes(t *testing.T) {
	t.Parallel()
	table := itau
	table.Columns = &columns.Map{Delimiter: ";", Date: "D", DateLayout: "yyyymmdd", Amount: "V", Decimal: ","}
	row := []byte("20261104;1,00\n")
	for _, tt := range []struct {
		name, message string
		file          []byte
	}{
		{"a byte beyond 512 MiB", "536870913 bytes", make([]byte, bank.MaxFileSize+1)},
		{"a row beyond a million", "1000001 rows", append([]byte("D;V\n"), bytes.Repeat(row, 1_000_001)...)},
	} {
		_, _, err := readFile(tt.file, []bank.Account{table}, bank.ReadOptions{})
		var refusal *words.Refusal
		if !errors.As(err, &refusal) || refusal.ID != "size" || refusal.Message.In("en") != tt.message || !strings.Contains(refusal.Remedy.In("en"), "cut by period") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../../testdata/cnab/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ownSample(t testing.TB) []byte { t.Helper(); return file(t, "statement.ret") }

// cnabSample is a statement of a bank: the sample without the remark that makes it ours.
func cnabSample(t testing.TB) []byte {
	t.Helper()
	return []byte(strings.Replace(string(ownSample(t)), "MOVIMENTO SERVICO", strings.Repeat(" ", 17), 1))
}

// TestStatementInCNAB: entries, balances and days of a CNAB 240 statement.
func TestStatementInCNAB(t *testing.T) {
	t.Parallel()
	st := read(t, cnabSample(t), itau, bb)
	var got []string
	for _, r := range ledgertest.ListRows(st.Rows) {
		got = append(got, fmt.Sprintf("%s %s %s %s", r.Day, r.Amount.Fixed(2), r.Category, r.Text))
	}
	want := []string{
		"2026-11-20 332.10 222 CARTAO VISA 01/03 000123456789 AUT 123456 P01/03",
		"2026-11-20 163.10 202 LIQUIDACAO BOLETO FAT-000001",
		"2026-11-20 -3.50 105 TARIFA BOLETO FAT-000001",
		"2026-11-20 -400.00 103 ESTORNO VISA 02/03 000123450000 AUT 654321 P02/03",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	balances := []banking.Balance{
		{Day: ledger.NewDate(2026, 11, 19), Amount: 10_000_000, Choice: 0}, {Day: ledger.NewDate(2026, 11, 20), Amount: 10_917_000, Choice: 1},
	}
	if d := cmp.Diff(balances, st.Balances); d != "" || st.Whole.String() != "2026-11-20..2026-11-20" {
		t.Errorf("whole %s, balances:\n%s", st.Whole, d)
	}
}

// patch overwrites columns, counted from 1, of the lines of a CNAB 240 file that fit.
func patch(file []byte, fits func(line string) bool, column int, with string) []byte {
	lines := strings.SplitAfter(string(file), "\n")
	for i, l := range lines {
		if len(l) >= 240 && fits(l) {
			lines[i] = l[:column-1] + with + l[column-1+len(with):]
		}
	}
	return []byte(strings.Join(lines, ""))
}

func isEntry(l string) bool   { return l[7] == '3' && l[13] == 'E' }
func isTrailer(l string) bool { return l[7] == '5' }

// TestOdditiesInCNAB: how banks fill segment E in their own ways.
func TestOdditiesInCNAB(t *testing.T) {
	t.Parallel()
	plain := read(t, cnabSample(t), bb)
	for _, tt := range []struct {
		name string
		file []byte
		is   func(banking.Statement) bool
	}{
		{"no accounting day, in blanks: that of the entry", patch(cnabSample(t), isEntry, 135, "        "), func(st banking.Statement) bool {
			return ledgertest.ListRows(st.Rows)[0].Day == ledgertest.ListRows(plain.Rows)[0].Day
		}},
		{"no accounting day, in zeros", patch(cnabSample(t), isEntry, 135, "00000000"), func(st banking.Statement) bool {
			return ledgertest.ListRows(st.Rows)[0].Day == ledgertest.ListRows(plain.Rows)[0].Day
		}},
		{"a blank nature is money", patch(cnabSample(t), isEntry, 109, "   "), func(st banking.Statement) bool { return st.Rows.Len() == plain.Rows.Len() && st.Blocked == 0 }},
		{"money for later days is counted, and no line", patch(cnabSample(t), isEntry, 109, "CDS"), func(st banking.Statement) bool { return st.Rows.Len() == 0 && st.Blocked == plain.Rows.Len() }},
		{"an unknown category is no fault", patch(cnabSample(t), isEntry, 170, "999"), func(st banking.Statement) bool { return st.Rows.Len() == plain.Rows.Len() }},
		{"a category against its side is no fault: the side counts", patch(cnabSample(t), func(l string) bool { return isEntry(l) && l[168] == 'C' }, 170, "1"), func(st banking.Statement) bool {
			return st.Rows.Len() == plain.Rows.Len() && ledgertest.ListRows(st.Rows)[0].Amount == ledgertest.ListRows(plain.Rows)[0].Amount
		}},
		{"an intermediate position only adds", patch(cnabSample(t), isTrailer, 170, "I"), func(st banking.Statement) bool {
			return !st.Whole.Contains(ledgertest.ListRows(plain.Rows)[0].Day) && st.Rows.Len() == plain.Rows.Len() && slices.Contains(st.Notes, "partial_position")
		}},
		{"lines that end in LF alone", []byte(strings.ReplaceAll(string(cnabSample(t)), "\r\n", "\n")), func(st banking.Statement) bool { return st.Rows.Len() == plain.Rows.Len() }},
	} {
		all, _, err := readFile(tt.file, []bank.Account{bb}, bank.ReadOptions{})
		if err != nil || len(all) != 1 {
			t.Errorf("%s: %d statements, %v", tt.name, len(all), err)
			continue
		}
		if !tt.is(all[0].Statement) {
			t.Errorf("%s: %+v", tt.name, all[0].Statement)
		}
	}
}

// TestOwnStatementOnDemand: --own takes in a statement that we made, and its balances prove nothing.
func TestOwnStatementOnDemand(t *testing.T) {
	t.Parallel()
	all, _, err := readFile(ownSample(t), []bank.Account{bb}, bank.ReadOptions{Own: true})
	if err != nil || len(all) != 1 || all[0].Statement.Rows.Len() != 4 || len(all[0].Statement.Balances) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestBlockedEntriesAreCounted and are no lines; a wrong closing balance is for the chain to find.
func TestBlockedEntriesAreCounted(t *testing.T) {
	t.Parallel()
	text := strings.Replace(string(cnabSample(t)), "DPV00", "SCR00", 1)
	text = strings.Replace(text, "000000000000109170C", "000000000000109171C", 1)
	st := read(t, []byte(text), bb)
	if st.Blocked != 1 || st.Rows.Len() != 3 || st.Balances[1].Amount != 10_917_100 {
		t.Errorf("%d blocked, %d rows, balances %v", st.Blocked, st.Rows.Len(), st.Balances)
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add(ofxOf("341", "123456", "20261106", "20261103", "20261105", "", "20261104 1.00 A"))
	f.Add(cnabSample(f))
	f.Fuzz(func(t *testing.T, file []byte) {
		all, _, err := readFile(file, []bank.Account{itau, bb}, bank.ReadOptions{})
		var refusal *words.Refusal
		if err != nil && !errors.As(err, &refusal) {
			t.Fatal(err)
		}
		for i := range all {
			st := &all[i].Statement
			for _, r := range ledgertest.ListRows(st.Rows) {
				if r.Day == 0 || r.Scheduled != (r.Day > st.AsOf) || strings.ContainsAny(r.Text+r.Document+r.Category, "\t\n") {
					t.Fatalf("row %+v as of %s", r, st.AsOf)
				}
			}
		}
	})
}
