package world

import (
	"testing"
	"time"
)

// The vectors are published by banks, the Central Bank and public registers.

func TestBarCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, bar, line string }{
		{"Itaú manual", "34196166700000123451101234567880057123457000", "34191101213456788005871234570001616670000012345"},
		{"Banco do Brasil manual", "00193373700000001000500940144816060680935031", "00190500954014481606906809350314337370000000100"},
		{"Banrisul manual", "04198100100000550002111029000150228325634059", "04192111072900015022683256340593810010000055000"},
		{"public test suite, bank 237", "23795422300002952951172060007589645204030050", "23791172096000758964552040300502542230000295295"},
		{"second cycle of the due factor", "34199163600000159901101234567880057123457000", "34191101213456788005871234570001916360000015990"},
		{"Banco do Brasil, second cycle", "00191167700000250000000001234567000000000117", "00190000090123456700400000001172116770000025000"},
	} {
		if got := checkedBarCode(c.bar[:4] + c.bar[5:]); got != c.bar {
			t.Errorf("%s: bar code %s, want %s", c.why, got, c.bar)
		}
		if got := digitableLine(c.bar); got != c.line {
			t.Errorf("%s: line %s, want %s", c.why, got, c.line)
		}
	}
	for _, bar := range []string{ // raw check digits 11 and 10 become 1
		"34191163600000000021101234567880057123457000", "34191163600000000061101234567880057123457000",
	} {
		if got := checkedBarCode(bar[:4] + bar[5:]); got != bar {
			t.Errorf("bar code %s, want %s", got, bar)
		}
	}
	got := barCode(bank, NewDate(2026, 12, 31), 25000*cent, "0000001234567000000000117")
	if want := "00191167700000250000000001234567000000000117"; got != want {
		t.Errorf("assembled bar code %s, want %s", got, want)
	}
}

func TestDueFactor(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]int{
		"2000-07-03": 1000, "2002-05-01": 1667, "2010-11-17": 4789, "2017-01-21": 7046, "2025-02-21": 9999,
		"2025-02-22": 1000, "2025-02-23": 1001, "2026-11-20": 1636, "2049-10-13": 9999, "2049-10-14": 1000,
	} {
		if got := dueFactor(mustDate(t, date)); got != want {
			t.Errorf("%s: factor %d, want %d", date, got, want)
		}
	}
}

func TestPixCode(t *testing.T) {
	t.Parallel()
	if got := pixCRC("123456789"); got != 0x29B1 {
		t.Errorf("check value %04X, want 29B1", got)
	}
	published := "00020126580014br.gov.bcb.pix0136bee05743-4291-4f3c-9259-595df1307ba1520400005303986540510.005802BR5914Alexandre Lima6019Presidente Prudente62180514Um-Id-Qualquer6304D475"
	got := pixCode("bee05743-4291-4f3c-9259-595df1307ba1", 1000*cent, "Alexandre Lima", "Presidente Prudente", "Um-Id-Qualquer")
	if got != published {
		t.Errorf("pix code\n%s, want\n%s", got, published)
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"52998224725", "11144477735", "39053344705", "12345678909"} {
		if got := s[:9] + cpfCheck(s[:9]); got != s {
			t.Errorf("CPF %s, want %s", got, s)
		}
	}
	for _, s := range []string{
		"11222333000181", "11444777000161", "00000000000191", "34028316000103", "60701190000104",
		"12ABC34501DE35", "ABCDEFGHIJKL80", "1345C3A5000106", beneficiary,
	} {
		if got := s[:12] + cnpjCheck(s[:12]); got != s {
			t.Errorf("CNPJ %s, want %s", got, s)
		}
	}
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		date          string
		bank, counter bool
		why           string
	}{
		{"2026-11-20", false, false, "Black Consciousness Day, from 2024 on"},
		{"2023-11-20", true, true, "not yet a national holiday"},
		{"2025-03-03", false, false, "Carnival Monday"},
		{"2025-03-04", false, false, "Carnival Tuesday"},
		{"2025-03-05", true, true, "Ash Wednesday"},
		{"2026-04-03", false, false, "Good Friday"},
		{"2026-06-04", false, false, "Corpus Christi"},
		{"2026-12-25", false, false, "Christmas"},
		{"2026-12-31", true, false, "last bank day of the year"},
		{"2024-12-30", true, true, "the last but one"},
		{"2022-12-30", true, false, "last bank day of a year that ends on a Saturday"},
		{"2026-11-14", false, false, "Saturday"},
		{"2026-11-18", true, true, "an ordinary Wednesday"},
	} {
		d := mustDate(t, c.date)
		if d.IsBankDay() != c.bank || d.IsCounterDay() != c.counter {
			t.Errorf("%s, %s: bank %t counter %t, want %t %t", c.date, c.why, d.IsBankDay(), d.IsCounterDay(), c.bank, c.counter)
		}
	}
	for y, want := range map[int]string{2000: "2000-04-23", 2019: "2019-04-21", 2024: "2024-03-31", 2025: "2025-04-20", 2026: "2026-04-05", 2038: "2038-04-25"} {
		if got := easterSunday(y).String(); got != want {
			t.Errorf("Easter %s, want %s", got, want)
		}
	}
	if got := mustDate(t, "2024-12-31").AddBankDays(1).String(); got != "2025-01-02" {
		t.Errorf("bank day after 2024-12-31 is %s, want 2025-01-02", got)
	}
	late := time.Date(2026, 11, 18, 2, 59, 0, 0, time.UTC)
	if got := DateOf(late).String(); got != "2026-11-17" {
		t.Errorf("02:59 UTC falls on %s, want 2026-11-17", got)
	}
}

func TestRounding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ num, den, want int64 }{
		{5, 10, 1}, {-5, 10, -1}, {4, 10, 0}, {-4, 10, 0}, {15, 10, 2}, {-15, 10, -2}, {7, 3, 2},
	} {
		if got := divHalfAway(c.num, c.den); got != c.want {
			t.Errorf("%d/%d rounds to %d, want %d", c.num, c.den, got, c.want)
		}
	}
	// Gross 333.33, MDR 8.30, fees 0.40, 48 days at 1.09 % a month.
	for _, c := range []struct {
		formula, base string
		want          Money
	}{
		{AnticipationSimple, BaseNetOfMDR, 5_6700},   // 325.03 × 1.09 % × 48/30 = 5.6685232
		{AnticipationSimple, BaseGross, 5_8100},      // 333.33 × 1.09 % × 48/30 = 5.8132752
		{AnticipationFlat, BaseNetOfFees, 3_5400},    // 324.63 × 1.09 % = 3.538467
		{AnticipationCompound, BaseNetOfMDR, 5_5900}, // 325.03 × (1 − 1.0109^−1.6) = 5.5892378
	} {
		r := Interpretation{Anticipation: c.formula, AnticipationBase: c.base}
		f := feeSet{mdr: 8_3000, trn: trnFee, antifraud: antifraudFee}
		if got := r.anticipationCost(333_3300, f, NewDate(2024, 10, 15), NewDate(2024, 12, 2)); got != c.want {
			t.Errorf("anticipation %s on %s: %s, want %s", c.formula, c.base, got.Fixed(), c.want.Fixed())
		}
	}
	// 320.00 × 1 % × 13/30 = 1.38666…
	if got := percentOver(320_0000, interest, 13, 30); got != 1_3900 {
		t.Errorf("interest %s, want 1.3900", got.Fixed())
	}
}

func TestSimulate(t *testing.T) {
	t.Parallel()
	got, err := Simulate(1000_0000)
	if err != nil {
		t.Fatal(err)
	}
	want := [12]string{"1035.24", "1046.98", "1052.82", "1058.72", "1064.68", "1070.71", "1083.51", "1089.72", "1096.00", "1102.36", "1108.78", "1115.29"}
	for i := range got {
		if got[i].Cents() != want[i] {
			t.Errorf("%d installments: %s, want %s", i+1, got[i].Cents(), want[i])
		}
	}
	if _, err := Simulate(0); err == nil {
		t.Error("a net of zero was priced")
	}
}

func mustDate(t *testing.T, s string) Date {
	t.Helper()
	d, err := ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
