package ofx_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"concilia/export/words"
	"concilia/jobs/bank/ofx"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/ledgertest"
)

// statement is a file with the given rows and further members of the statement.
func statement(rows, more string) string {
	return "OFXHEADER:100\r\nCHARSET:1252\r\n\r\n<OFX><SIGNONMSGSRSV1><SONRS><DTSERVER>20261106080000[-3:BRT]</SONRS></SIGNONMSGSRSV1>" +
		"<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>0341<ACCTID>1234123456<ACCTTYPE>CHECKING</BANKACCTFROM>" +
		"<BANKTRANLIST><DTSTART>20261103<DTEND>20261105" + rows + "</BANKTRANLIST>" + more + "</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
}

const row = "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261104<TRNAMT>357.98<FITID>1<MEMO>PIX RECEBIDO</STMTTRN>"

func read(file string, o ofx.Options) ([]banking.Statement, error) {
	return ofx.Read(io.NewSectionReader(strings.NewReader(file), 0, int64(len(file))), o)
}

// describe is a statement in a few lines, for comparison.
func describe(all []banking.Statement) string {
	var b strings.Builder
	for _, st := range all {
		fmt.Fprintf(&b, "%s %s %s stated %v made %s as of %s %v\n", st.Bank, st.Account, st.Window, st.Stated, st.Made, st.AsOf, st.Notes)
		for _, x := range st.Balances {
			fmt.Fprintf(&b, "  balance %s %s\n", x.Day, x.Amount.Fixed(2))
		}
		for _, r := range ledgertest.ListRows(st.Rows) {
			fmt.Fprintf(&b, "  %s %s %s\n", r.Day, r.Amount.Fixed(2), r.Text)
		}
	}
	return b.String()
}

const head = "0341 1234123456 2026-11-03..2026-11-05 stated true made 2026-11-06T08:00:00 as of 2026-11-06 []\n"

func TestStatementsAsBanksWriteThem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, want string }{
		{"elements without closing tags on one line", statement(row, ""), head + "  2026-11-04 357.98 PIX RECEBIDO\n"},
		{
			"closed elements, a line each, small letters", statement(strings.ToLower("\n<STMTTRN>\n<TRNTYPE>CREDIT</TRNTYPE>\n<DTPOSTED>20261104120000[-3:BRT]</DTPOSTED>\n<TRNAMT>357,98</TRNAMT>\n<MEMO>Pix recebido</MEMO>\n</STMTTRN>\n"), ""),
			head + "  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{"a bare ampersand and entities", statement(strings.Replace(row, "PIX RECEBIDO", "A & B &amp; C &lt; D", 1), ""), head + "  2026-11-04 357.98 A & B & C < D\n"},
		{"a less-than sign in a text", statement(strings.Replace(row, "PIX RECEBIDO", "A < B", 1), ""), head + "  2026-11-04 357.98 A < B\n"},
		{"an unknown element among the known ones", statement(strings.Replace(row, "<FITID>", "<X.YZ>5<FITID>", 1), ""), head + "  2026-11-04 357.98 PIX RECEBIDO\n"},
		{"the name where there is no memo", statement(strings.Replace(row, "MEMO", "NAME", 1), ""), head + "  2026-11-04 357.98 PIX RECEBIDO\n"},
		{"the name behind a memo that lacks it", statement(strings.Replace(row, "<MEMO>", "<NAME>Loja<MEMO>", 1), ""), head + "  2026-11-04 357.98 PIX RECEBIDO LOJA\n"},
		{
			"another account's number within a row is not ours", statement(strings.Replace(row, "<MEMO>", "<BANKACCTTO><BANKID>1<ACCTID>999</BANKACCTTO><MEMO>", 1), ""),
			head + "  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{
			"debits told by their types where nothing has a sign", statement(row+strings.NewReplacer("CREDIT", "DEBIT", "357.98", "12.00").Replace(row), ""),
			head + "  2026-11-04 357.98 PIX RECEBIDO\n  2026-11-04 -12.00 PIX RECEBIDO\n",
		},
		{
			"types decide nothing where something has a sign", statement(strings.Replace(row, "357.98", "-5.00", 1)+strings.Replace(row, "CREDIT", "DEBIT", 1), ""),
			head + "  2026-11-04 -5.00 PIX RECEBIDO\n  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{
			"a balance of a day of its own", statement(row, "<LEDGERBAL><BALAMT>1.457,98<DTASOF>20261105</LEDGERBAL><AVAILBAL><BALAMT>9<DTASOF>20261105</AVAILBAL>"),
			strings.Replace(head, "as of 2026-11-06", "as of 2026-11-05", 1) + "  balance 2026-11-05 1457.98\n  balance 2026-11-04 1457.98\n  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{
			"a balance dated before the first row", statement(row, "<LEDGERBAL><BALAMT>5.00<DTASOF>20261101</LEDGERBAL>"),
			strings.Replace(head, "[]", "[no_balance_date]", 1) + "  balance 2026-11-01 5.00\n  balance 2026-11-05 5.00\n  balance 2026-11-04 5.00\n  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{"a quiet period", statement("", ""), head},
		{"bytes in Windows-1252", statement(strings.Replace(row, "PIX RECEBIDO", "CR\xc9DITO", 1), ""), head + "  2026-11-04 357.98 CREDITO\n"},
		{"UTF-8 under a header that says 1252", statement(strings.Replace(row, "PIX RECEBIDO", "CRÉDITO", 1), ""), strings.Replace(head, "[]", "[encoding]", 1) + "  2026-11-04 357.98 CREDITO\n"},
		{
			"no window but the day it was made", strings.NewReplacer("<DTSTART>20261103", "<DTSTART>20261106", "<DTEND>20261105", "<DTEND>20261106").Replace(statement(row, "")),
			"0341 1234123456 2026-11-04..2026-11-04 stated false made 2026-11-06T08:00:00 as of 2026-11-06 []\n  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{
			"a zero instead of the instant made", strings.Replace(statement(row, ""), "20261106080000[-3:BRT]", "00000000000000", 1),
			strings.NewReplacer("[]", "[no_server_date]", "made 2026-11-06T08:00:00 as of 2026-11-06", "made 2026-11-05T00:00:00 as of 2026-11-05").Replace(head) + "  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{"lines that end in CR alone", strings.ReplaceAll(strings.ReplaceAll(statement(row, ""), "\r\n", "\r"), "<STMTTRN>", "\r<STMTTRN>\r"), head + "  2026-11-04 357.98 PIX RECEBIDO\n"},
		{"a small <ofx> behind an XML header", `<?xml version="1.0"?><?OFX OFXHEADER="200" VERSION="211"?>` + strings.Replace(statement(row, ""), "<OFX>", "<ofx>", 1)[len("OFXHEADER:100\r\nCHARSET:1252\r\n\r\n"):], head + "  2026-11-04 357.98 PIX RECEBIDO\n"},
		{
			"one number for two rows, which tells nothing", statement(row+row, ""),
			head + "  2026-11-04 357.98 PIX RECEBIDO\n  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{"the number of a check where there is no text", statement(strings.Replace(row, "<MEMO>PIX RECEBIDO", "<CHECKNUM>000123", 1), ""), head + "  2026-11-04 357.98 000123\n"},
		{"a name that the memo has is not said twice", statement(strings.Replace(row, "<MEMO>", "<NAME>pix<MEMO>", 1), ""), head + "  2026-11-04 357.98 PIX RECEBIDO\n"},
		{
			"fees and checks are debits, and other types are not, where nothing has a sign",
			statement(row+strings.NewReplacer("CREDIT", "SRVCHG", "357.98", "1.00").Replace(row)+strings.NewReplacer("CREDIT", "CHECK", "357.98", "2.00").Replace(row)+
				strings.NewReplacer("CREDIT", "PAYMENT", "357.98", "3.00").Replace(row)+strings.NewReplacer("CREDIT", "XFER", "357.98", "4.00").Replace(row), ""),
			head + "  2026-11-04 357.98 PIX RECEBIDO\n  2026-11-04 -1.00 PIX RECEBIDO\n  2026-11-04 -2.00 PIX RECEBIDO\n  2026-11-04 3.00 PIX RECEBIDO\n  2026-11-04 4.00 PIX RECEBIDO\n",
		},
		{"thousands in points and the sign behind", statement(strings.Replace(row, "357.98", " 6000.000,00- ", 1), ""), head + "  2026-11-04 -6000000.00 PIX RECEBIDO\n"},
		{
			"no window at all: from the first row to the last", strings.Replace(statement(row+strings.Replace(row, "20261104", "20261105", 1), ""), "<DTSTART>20261103<DTEND>20261105", "", 1),
			"0341 1234123456 2026-11-04..2026-11-05 stated false made 2026-11-06T08:00:00 as of 2026-11-06 []\n  2026-11-04 357.98 PIX RECEBIDO\n  2026-11-05 357.98 PIX RECEBIDO\n",
		},
		{
			"no instant made: the day of the balance", strings.Replace(statement(row, "<LEDGERBAL><BALAMT>5.00<DTASOF>20261105</LEDGERBAL>"), "<DTSERVER>20261106080000[-3:BRT]", "", 1),
			strings.NewReplacer("made 2026-11-06T08:00:00 as of 2026-11-06", "made 2026-11-05T00:00:00 as of 2026-11-05").Replace(head) + "  balance 2026-11-05 5.00\n  balance 2026-11-04 5.00\n  2026-11-04 357.98 PIX RECEBIDO\n",
		},
		{
			"a balance row without an amount", statement(row+"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>20261104<TRNAMT><MEMO>SALDO ANTERIOR</STMTTRN>", ""),
			head + "  2026-11-04 357.98 PIX RECEBIDO\n  2026-11-04 0.00 SALDO ANTERIOR\n",
		},
	} {
		got, err := read(tt.file, ofx.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for i := range got { // every file here has credits alone, which a note says
			got[i].Notes = without(got[i].Notes, "all_positive")
		}
		if d := cmp.Diff(tt.want, describe(got)); d != "" {
			t.Errorf("%s: wanted (-), got (+):\n%s", tt.name, d)
		}
	}
}

func without(notes []string, note string) []string {
	kept := []string{}
	for _, n := range notes {
		if n != note {
			kept = append(kept, n)
		}
	}
	return kept
}

func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	full := statement(row, "")
	for _, tt := range []struct{ name, file, id, message string }{
		{"no OFX", "Data;Valor", "foreign", "no <OFX>"},
		{"a card bill alone", "<OFX><CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS>" + row + "</CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>", "card_bill", "credit card bill"},
		{"dollars", strings.Replace(full, "BRL", "USD", 1), "currency", "statement in USD"},
		{"cut within the list", full[:strings.Index(full, "</BANKTRANLIST>")], "cut", "ends in line 4 within BANKTRANLIST"},
		{"cut after the list", strings.TrimSuffix(full, "</OFX>"), "cut", "within OFX"},
		{"an amount in words", strings.Replace(full, "357.98", "muito", 1), "amount", `line 4: amount "muito"`},
		{"no date", strings.Replace(full, "<DTPOSTED>20261104", "", 1), "date", "line 4: date"},
		{"an impossible date", strings.Replace(full, "<DTPOSTED>20261104", "<DTPOSTED>20261131", 1), "date", "20261131"},
		{"a date before 2000", strings.Replace(full, "<DTPOSTED>20261104", "<DTPOSTED>19991231", 1), "date", "19991231"},
		{"an unreadable balance", statement(row, "<LEDGERBAL><BALAMT>--<DTASOF>20261105</LEDGERBAL>"), "balance", "balance"},
		{"ten amounts without a decimal mark", statement(strings.Repeat(strings.Replace(row, "357.98", "35798", 1), 10), ""), "decimal", "10 amounts"},
		{"neither row nor window", strings.NewReplacer(row, "", "<DTSTART>20261103<DTEND>20261105", "").Replace(full), "empty", "no line"},
	} {
		got, err := read(tt.file, ofx.Options{})
		var refusal *words.Refusal
		if !errors.As(err, &refusal) || refusal.ID != tt.id || !strings.Contains(refusal.Message.In("en"), tt.message) || refusal.Remedy.ID == "" || got != nil {
			t.Errorf("%s: %v, %v; want %s with %q", tt.name, err, got, tt.id, tt.message)
		}
	}
}

func TestAmountsInCents(t *testing.T) {
	t.Parallel()
	got, err := read(statement(strings.Replace(row, "357.98", "35798", 1), ""), ofx.Options{Amounts: "cents"})
	if err != nil || ledgertest.ListRows(got[0].Rows)[0].Amount.Fixed(2) != "357.98" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestSeveralStatementsInOneFile(t *testing.T) {
	t.Parallel()
	one := statement(row, "")
	begin, end := strings.Index(one, "<STMTRS>"), strings.Index(one, "</STMTRS>")+len("</STMTRS>")
	second := strings.Replace(one[begin:end], "1234123456", "777", 1)
	got, err := read(one[:end]+second+one[end:], ofx.Options{})
	if err != nil || len(got) != 2 || got[1].Account != "777" || got[1].Rows.Len() != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestFilesLargerThanTheirWindow: little of a file is in memory at a time, wherever its pieces are cut: within a tag, a character, a line end.
func TestFilesLargerThanTheirWindow(t *testing.T) {
	t.Parallel()
	var rows, want strings.Builder
	for i := range 2_000 {
		text := "CRÉDITO Nº " + strings.Repeat("x", i%97) + fmt.Sprint(i)
		fmt.Fprintf(&rows, "<STMTTRN>\r\n<TRNTYPE>CREDIT\r\n<DTPOSTED>20261104\r\n<TRNAMT>%d.05\r\n<MEMO>%s\r\n</STMTTRN>\r\n", i, text)
		fmt.Fprintf(&want, "  2026-11-04 %d.05 %s\n", i, banking.NormalizeText(text))
	}
	inUTF8 := statement(rows.String(), "")
	in1252, err := charmap.Windows1252.NewEncoder().String(inUTF8)
	if err != nil {
		t.Fatal(err)
	}
	for charset, file := range map[string]string{"UTF-8": inUTF8, "Windows-1252": in1252} {
		got, err := read(file, ofx.Options{})
		if err != nil {
			t.Fatal(charset, err)
		}
		_, told, _ := strings.Cut(describe(got), "\n")
		if d := cmp.Diff(want.String(), told); d != "" {
			t.Errorf("%s:\n%.2000s", charset, d)
		}
		_, err = read(file[:len(file)-len("</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>")], ofx.Options{})
		var refusal *words.Refusal
		if !errors.As(err, &refusal) || refusal.ID != "cut" || !strings.Contains(refusal.Message.In("en"), "line 12003 within BANKTRANLIST") {
			t.Errorf("%s, without its end: %v", charset, err)
		}
	}
	long := statement(strings.Replace(row, "PIX RECEBIDO", "A"+strings.Repeat(" ", 300_000)+"B", 1), "")
	if got, err := read(long, ofx.Options{}); err != nil || !strings.HasSuffix(describe(got), " 357.98 A\n") {
		t.Errorf("a text of 300,000 bytes: %v, %.200s", err, describe(got))
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(statement(row, "<LEDGERBAL><BALAMT>1.457,98<DTASOF>20261105</LEDGERBAL>")))
	f.Add([]byte("<OFX><STMTRS><STMTTRN><DTPOSTED>20261104<TRNAMT>1</OFX>"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := read(string(file), ofx.Options{})
		var refusal *words.Refusal
		if err != nil && !errors.As(err, &refusal) {
			t.Fatalf("%v", err)
		}
		for _, st := range got {
			if st.Window.From == 0 || st.Window.To < st.Window.From || st.AsOf == 0 {
				t.Fatalf("window %s, as of %s", st.Window, st.AsOf)
			}
			for _, r := range ledgertest.ListRows(st.Rows) {
				if r.Day == 0 || r.Text != banking.NormalizeText(r.Text) {
					t.Fatalf("row %+v", r)
				}
			}
		}
	})
}
