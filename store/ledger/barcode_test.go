package ledger_test

import (
	"strings"
	"testing"
	"time"

	"concilia/store/ledger"
)

// slips are published by banks or stand in public test suites; the second cycle ones follow the same rules.
var slips = []struct {
	origin, line, code string
	factor             int
	read, due          string // read on this day, the factor means that one
	amount             string
}{
	{"Itaú manual", "34191.10121 34567.880058 71234.570001 6 16670000012345", "34196166700000123451101234567880057123457000", 1667, "2003-01-01", "2002-05-01", "123.45"},
	{"Banco do Brasil manual", "00190.50095 40144.816069 06809.350314 3 37370000000100", "00193373700000001000500940144816060680935031", 3737, "2007-12-01", "2007-12-31", "1.00"},
	{"Banrisul manual", "04192.11107 29000.150226 83256.340593 8 10010000055000", "04198100100000550002111029000150228325634059", 1001, "2000-07-03", "2000-07-04", "550.00"},
	{"HSBC manual", "39991.11119 22222.500542 66666.660015 8 10010000031155", "39998100100000311551111122222500546666666001", 1001, "2000-07-03", "2000-07-04", "311.55"},
	{"bank 001", "00190.00009 01238.798977 77700.168188 3 37690000013500", "00193376900000135000000001238798977770016818", 3769, "2008-02-01", "2008-02-01", "135.00"},
	{"bank 237", "23791.17209 60007.589645 52040.300502 5 42230000295295", "23795422300002952951172060007589645204030050", 4223, "2009-04-30", "2009-04-30", "2952.95"},
	{"bank 033", "03399.18997 77500.000904 00026.901025 9 51150000002500", "03399511500000025009189977500000900002690102", 5115, "2011-10-09", "2011-10-09", "25.00"},
	{"bank 104", "10492.00650 61000.100042 00997.263900 9 89810000021403", "10499898100000214032006561000100040099726390", 8981, "2022-05-10", "2022-05-10", "214.03"},
	{"bank 341", "34195.00008 01233.203189 64221.470004 5 84410000002000", "34195844100000020005000001233203186422147000", 8441, "2020-11-16", "2020-11-16", "20.00"},
	{"no factor, open amount", "23794.15009 90019.801670 35000.211405 7 00000000000000", "23797000000000000004150090019801673500021140", 0, "2026-11-20", "", "0.00"},
	{"first day of the second cycle", "34191101213456788005871234570001910000000012345", "34199100000000123451101234567880057123457000", 1000, "2025-02-01", "2025-02-22", "123.45"},
	{"a day of the second cycle", "34191101213456788005871234570001916360000015990", "34199163600000159901101234567880057123457000", 1636, "2026-11-20", "2026-11-20", "159.90"},
	{"bank 001, second cycle", "00190000090123456700400000001172116770000025000", "00191167700000250000000001234567000000000117", 1677, "2026-11-20", "2026-12-31", "250.00"},
}

func TestBarCodeAndDigitableLine(t *testing.T) {
	t.Parallel()
	for _, tc := range slips {
		b, err := ledger.ParseBarCode(tc.code)
		if err != nil {
			t.Errorf("%s: %v", tc.origin, err)
			continue
		}
		l, err := ledger.ParseDigitableLine(tc.line)
		if err != nil {
			t.Errorf("%s: %v", tc.origin, err)
			continue
		}
		if l.BarCode() != b || b.DigitableLine() != l {
			t.Errorf("%s: line gives %s, code gives %s", tc.origin, l.BarCode(), b.DigitableLine())
		}
		if strings.Contains(tc.line, ".") && l.Printed() != tc.line {
			t.Errorf("%s: printed %q", tc.origin, l.Printed())
		}
		if b.Bank() != tc.code[:3] || b.Factor() != tc.factor || b.Amount().String() != tc.amount {
			t.Errorf("%s: bank %s, factor %d, amount %s", tc.origin, b.Bank(), b.Factor(), b.Amount())
		}
		due, err := b.DueDate(parsedDay(t, tc.read))
		if err != nil || due.String() != tc.due {
			t.Errorf("%s: due %s, %v; want %s", tc.origin, due, err, tc.due)
		}
	}
}

func TestDueDateOfBothCycles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why    string
		code   string
		factor int
		read   string
		due    string
	}{
		{"1667 read in 2003", factorCode("1667"), 1667, "2003-11-20", "2002-05-01"},
		{"1667 read in November 2026", factorCode("1667"), 1667, "2026-11-20", "2026-12-21"},
		{"the lowest factor", factorCode("1000"), 1000, "2000-07-03", "2000-07-03"},
		{"two days later", factorCode("1002"), 1002, "2000-07-05", "2000-07-05"},
		{"a day in 2010", factorCode("4789"), 4789, "2010-11-17", "2010-11-17"},
		{"a day in 2014", factorCode("6000"), 6000, "2014-03-12", "2014-03-12"},
		{"a day in 2017", factorCode("7046"), 7046, "2017-01-21", "2017-01-21"},
		{"the last day of the first cycle", factorCode("9999"), 9999, "2025-02-21", "2025-02-21"},
		{"a day later the cycle begins again", factorCode("1001"), 1001, "2025-02-23", "2025-02-23"},
		{"the last day of the second cycle", factorCode("9999"), 9999, "2049-10-13", "2049-10-13"},
		{"the first day of the third", factorCode("1000"), 1000, "2049-10-14", "2049-10-14"},
		{"5500 days ahead still count", factorCode("9999"), 9999, ledger.NewDate(2025, time.February, 21-5500).String(), "2025-02-21"},
		{"5501 do not", factorCode("9999"), 9999, ledger.NewDate(2025, time.February, 21-5501).String(), ""},
		{"3000 days back still count", factorCode("9999"), 9999, ledger.NewDate(2025, time.February, 21+3000).String(), "2025-02-21"},
		{"3001 do not", factorCode("9999"), 9999, ledger.NewDate(2025, time.February, 21+3001).String(), ""},
	} {
		b, err := ledger.ParseBarCode(tc.code)
		if err != nil {
			t.Fatalf("%s: %v", tc.why, err)
		}
		due, err := b.DueDate(parsedDay(t, tc.read))
		if b.Factor() != tc.factor || due.String() != tc.due || (err != nil) != (tc.due == "") {
			t.Errorf("%s: factor %d, due %q, %v", tc.why, b.Factor(), due, err)
		}
	}
}

func TestBarCodeEdges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ why, code, amount, err string }{
		{"a raw digit of 11 counts as 1", "34191163600000000021101234567880057123457000", "0.02", ""},
		{"a raw digit of 10 counts as 1", "34191163600000000061101234567880057123457000", "0.06", ""},
		{"an amount that runs over the factor", factorCode("0001"), "100000000.00", ""},
		{"one digit changed", "34196166700000123451101234567880057123457001", "", "bar code: general check digit is 6, should be 4"},
		{"a tax document", "84670000001435900240200240500024384221010811", "", "bar code: begins with 8: a tax or utility document, not a bank slip"},
		{"another currency", "34166166700000123451101234567880057123457000", "", "bar code: currency is 6, should be 9 (real)"},
		{"too short", "3419", "", "bar code: 4 characters, should be 44"},
		{"a letter", "3419616670000012345110123456788005712345700A", "", "bar code: character 44 is not a digit"},
	} {
		b, err := ledger.ParseBarCode(tc.code)
		if tc.err == "" {
			if err != nil || b.Amount().String() != tc.amount {
				t.Errorf("%s: %s, %v", tc.why, b.Amount(), err)
			}
			continue
		}
		if err == nil || err.Error() != tc.err || b != "" {
			t.Errorf("%s: error %v, want %q", tc.why, err, tc.err)
		}
	}
	if z := ledger.BarCode("nothing"); z.Bank() != "" || z.Factor() != 0 || z.Amount() != 0 || z.DigitableLine() != "" {
		t.Error("text that was never parsed gives something")
	}
}

func TestParseDigitableLineRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ why, in, want string }{
		{"field 2 has a wrong digit", "34191.10121 34567.880059 71234.570001 6 16670000012345", "digitable line: check digit of field 2 is 9, should be 8"},
		{
			"every fault is named at once", "34191.10122 34567.880058 71234.570002 7 16670000012345",
			"digitable line: check digit of field 1 is 2, should be 1; check digit of field 3 is 2, should be 1; general check digit is 7, should be 6",
		},
		{"a tax document", "846700000017435900240209024050002435842210108119", "digitable line: 48 digits that begin with 8: a tax or utility document, not a bank slip"},
		{"too short", "34191", "digitable line: 5 characters, should be 47"},
		{"text without end", strings.Repeat("1", 1000), "digitable line: too long"},
	} {
		l, err := ledger.ParseDigitableLine(tc.in)
		if err == nil || err.Error() != tc.want || l != "" {
			t.Errorf("%s: error %v, want %q", tc.why, err, tc.want)
		}
	}
}

func FuzzParseDigitableLine(f *testing.F) {
	for _, s := range slips {
		f.Add(s.line)
		f.Add(s.code)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if b, err := ledger.ParseBarCode(s); err == nil && b.DigitableLine().BarCode() != b {
			t.Errorf("%s does not come back from its line", b)
		}
		l, err := ledger.ParseDigitableLine(s)
		if err != nil {
			return
		}
		again, err := ledger.ParseDigitableLine(l.Printed())
		if err != nil || again != l || l.BarCode().DigitableLine() != l {
			t.Errorf("%s does not come back: %s, %v", l, again, err)
		}
	})
}

// factorCode is a code with that factor and the check digit it needs.
func factorCode(factor string) string {
	for d := '1'; d <= '9'; d++ {
		code := "3419" + string(d) + factor + "00000000001101234567880057123457000"
		if _, err := ledger.ParseBarCode(code); err == nil {
			return code
		}
	}
	panic("no check digit fits")
}

func parsedDay(t *testing.T, s string) ledger.Date {
	t.Helper()
	d, err := ledger.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
