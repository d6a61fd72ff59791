package agreements_test

import (
	"strings"
	"testing"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

const goodRegister = "document,name,valid_from,valid_to\n" +
	"12.345.678/0001-95,\"Silva, Souza & Cia\",2024-01-01,2024-12-31\n" +
	"12345678000195,Silva,2025-06-01,\n" +
	"529.982.247-25,Ana,,\n"

func TestRegister(t *testing.T) {
	t.Parallel()
	for _, spelled := range []struct{ says, text string }{
		{"as it is", goodRegister},
		{"with a byte order mark", "\ufeff" + goodRegister},
		{"with line ends of Windows", strings.ReplaceAll(goodRegister, "\n", "\r\n")},
		{"without a last line end, blanks around values, an empty line", strings.TrimSpace(strings.ReplaceAll(goodRegister, "\n529", "\n\n 529"))},
	} {
		r, err := agreements.ParseRegister("r.csv", []byte(spelled.text))
		if err != nil {
			t.Fatalf("%s: %v", spelled.says, err)
		}
		for _, c := range []struct {
			says, who, on string
			want          bool
		}{
			{"the first day of a validity", "12345678000195", "2024-01-01", true},
			{"the day before", "12345678000195", "2023-12-31", false},
			{"the last day", "12345678000195", "2024-12-31", true},
			{"between two validities", "12345678000195", "2025-01-01", false},
			{"within the second, without end", "12345678000195", "2031-01-01", true},
			{"written with punctuation", "12.345.678/0001-95", "2024-06-01", true},
			{"without dates: always", "52998224725", "1999-01-01", true},
			{"nobody", "11144477735", "2024-06-01", false},
			{"nothing", "", "2024-06-01", false},
		} {
			if got := r.Contains(c.who, date(t, c.on)); got != c.want {
				t.Errorf("%s: %s: %v", spelled.says, c.says, got)
			}
		}
		again, err := agreements.ParseRegister("r.csv", r.Text())
		if err != nil || again.Hash() != r.Hash() || len(again.All()) != 3 {
			t.Errorf("%s: the canonical text reads as something else: %v\n%s", spelled.says, err, r.Text())
		}
	}
}

func TestRegisterProblems(t *testing.T) {
	t.Parallel()
	const head = "document,name,valid_from,valid_to\n"
	for _, c := range []struct {
		says, text string
		want       []string
	}{
		{"nothing", "", []string{"r.csv: a first line document,name,valid_from,valid_to"}},
		{"another first line", "cnpj,name\n", []string{`r.csv line 1: "cnpj,name": first the line document,name,valid_from,valid_to`}},
		{"semicolons", "document;name;valid_from;valid_to\n1;2;3;4\n", []string{
			`r.csv line 1: "document;name;valid_from;valid_to": values separated by commas, not by semicolons or tabs; first the line document,name,valid_from,valid_to`,
		}},
		{"bytes that are no UTF-8", head + "12345678000195,Jo\xe3o,,\n", []string{"r.csv: text in UTF-8; save it as CSV UTF-8"}},
		{"every problem at once, no document shown", head + "1234567800019,a,2024-02-30,\n12345678000195,b,2024-02-01,2024-01-31,\n52998224725,c,2024-02-01,2024-01-31\n", []string{
			"r.csv line 2 document: a CPF of 11 or a CNPJ of 14 characters; a spreadsheet may have dropped zeros in front (not shown)",
			`r.csv line 2 valid_from: "2024-02-30": a date, such as 2026-01-31`,
			"r.csv line 3: 4 values separated by commas, empty ones too; this line has 5",
			`r.csv line 4 valid_to: "2024-01-31": no earlier than valid_from, 2024-02-01`,
		}},
		{"two validities of one document", head + "12345678000195,a,2024-06-01,\n12.345.678/0001-95,b,2024-01-01,2024-06-01\n", []string{
			`r.csv line 3 valid_from: "2024-06-01": a validity of its own: that of the same document on line 2 overlaps it`,
		}},
		{"a quote in the middle", head + "12345678000195,a\"b,,\n", []string{
			"r.csv line 2: quotes around a whole value, doubled inside it: bare \" in non-quoted-field at sign 17",
		}},
		{"a name of two lines", head + "12345678000195,\"a\nb\",,\n", []string{"r.csv line 2 name: one line of at most 200 characters (not shown)"}},
	} {
		_, err := agreements.ParseRegister("r.csv", []byte(c.text))
		told(t, c.says, err, c.want)
	}
}

// told compares the lines of an error with those wanted.
func told(t *testing.T, says string, err error, want []string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant\n%s", says, got, strings.Join(want, "\n"))
	}
}

const goodOrders = "account,order,ordered_on,pay_on,nsu,auth,installment\n" +
	"1001,A-77,2024-10-25,2024-10-28,000123,A1,2\n" +
	"1001,A-77,2024-10-25,2024-10-28,000123,A1,3\n" +
	"1002,ALL,2024-10-01,,,,\n" +
	"1003,AUTUMN,2024-10-01,2024-10-31,,,\n"

func TestOrders(t *testing.T) {
	t.Parallel()
	o, err := agreements.ParseOrders("o.csv", []byte(goodOrders))
	if err != nil {
		t.Fatal(err)
	}
	key := func(a ledger.Account, sold, nsu, auth string, n int) ledger.InstallmentKey {
		return ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: a, Day: date(t, sold), NSU: nsu, Auth: auth, Occurrence: 1}, Number: n}
	}
	for _, c := range []struct {
		says string
		k    ledger.InstallmentKey
		paid string
		want bool
	}{
		{"paid on the day asked for", key(1001, "2024-10-21", "000123", "A1", 2), "2024-10-28", true},
		{"paid a day late", key(1001, "2024-10-21", "000123", "A1", 3), "2024-10-29", true},
		{"paid before the day asked for", key(1001, "2024-10-21", "000123", "A1", 2), "2024-10-25", false},
		{"another installment", key(1001, "2024-10-21", "000123", "A1", 1), "2024-10-28", false},
		{"another authorization", key(1001, "2024-10-21", "000123", "A2", 2), "2024-10-28", false},
		{"an NSU without its zeros is another", key(1001, "2024-10-21", "123", "A1", 2), "2024-10-28", false},
		{"sold after the order: the NSU came again", key(1001, "2024-10-26", "000123", "A1", 2), "2024-10-28", false},
		{"a standing order, its first day", key(1002, "2024-09-21", "9", "Z", 1), "2024-10-01", true},
		{"the day before it", key(1002, "2024-09-21", "9", "Z", 1), "2024-09-30", false},
		{"years later, without end", key(1002, "2024-09-21", "9", "Z", 1), "2030-01-01", true},
		{"a standing order, its last day", key(1003, "2024-09-21", "9", "Z", 1), "2024-10-31", true},
		{"the day after it", key(1003, "2024-09-21", "9", "Z", 1), "2024-11-01", false},
		{"an account without orders", key(1004, "2024-10-21", "000123", "A1", 2), "2024-10-28", false},
	} {
		if got := o.Covers(c.k, date(t, c.paid)); got != c.want {
			t.Errorf("%s: %v", c.says, got)
		}
	}
	again, err := agreements.ParseOrders("o.csv", o.Text())
	if err != nil || again.Hash() != o.Hash() || string(o.Text()) != goodOrders {
		t.Errorf("the canonical text reads as something else: %v\n%s", err, o.Text())
	}
}

func TestOrdersProblems(t *testing.T) {
	t.Parallel()
	const head = "account,order,ordered_on,pay_on,nsu,auth,installment\n"
	const together = "nsu, auth and installment together, or none of them for a standing order"
	for _, c := range []struct {
		says, text string
		want       []string
	}{
		{"every problem of a line", head + "+1,,2024-13-01,2024-10-28,1,A,0\n", []string{
			`o.csv line 2 account: "+1": the number of an account`,
			"o.csv line 2 order: the order's name or number",
			`o.csv line 2 ordered_on: "2024-13-01": a date, such as 2026-01-31`,
			`o.csv line 2 installment: "0": an installment's number, 1 to 999`,
		}},
		{"no account", head + ",A,2024-10-01,,,,\n", []string{"o.csv line 2 account: the number of an account"}},
		{"no day of payment where an installment is named", head + "1,A,2024-10-01,,1,A,1\n", []string{"o.csv line 2 pay_on: a date, such as 2026-01-31"}},
		{"paid before it was ordered", head + "1,A,2024-10-02,2024-10-01,1,A,1\n", []string{`o.csv line 2 pay_on: "2024-10-01": no earlier than ordered_on, 2024-10-02`}},
		{"half an installment", head + "1,A,2024-10-01,2024-10-02,1,,\n1,B,2024-10-01,2024-10-02,,A,\n1,C,2024-10-01,2024-10-02,1,A,\n", []string{
			"o.csv line 2 auth: " + together,
			"o.csv line 3 nsu: " + together,
			"o.csv line 4 installment: an installment's number, 1 to 999",
		}},
		{"one installment twice in one order", head + "1,A,2024-10-01,2024-10-02,1,A,1\n1,A,2024-10-01,2024-10-03,1,A,1\n", []string{
			`o.csv line 3 order: "A": each installment of an order once: line 2 names it`,
		}},
	} {
		_, err := agreements.ParseOrders("o.csv", []byte(c.text))
		told(t, c.says, err, c.want)
	}
}

func FuzzParseRegister(f *testing.F) {
	f.Add([]byte(goodRegister))
	f.Add([]byte("\ufeffdocument,name,valid_from,valid_to\r\n12345678000195,\"a\"\"b\",,2024-01-01\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := agreements.ParseRegister("f.yaml", data)
		if err != nil {
			refused(t, err)
			return
		}
		again, err := agreements.ParseRegister("f.yaml", r.Text())
		if err != nil || again.Hash() != r.Hash() {
			t.Fatalf("the canonical text reads as something else: %v\n%s", err, r.Text())
		}
		for _, b := range r.All() {
			if on := max(b.ValidFrom, 1); !r.Contains(b.Document, on) {
				t.Fatalf("a line that does not hold: %+v", b)
			}
		}
	})
}

func FuzzParseOrders(f *testing.F) {
	f.Add([]byte(goodOrders))
	f.Add([]byte("account,order,ordered_on,pay_on,nsu,auth,installment\n1,\" a\",2024-01-01,,,,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := agreements.ParseOrders("f.yaml", data)
		if err != nil {
			refused(t, err)
			return
		}
		again, err := agreements.ParseOrders("f.yaml", o.Text())
		if err != nil || again.Hash() != o.Hash() {
			t.Fatalf("the canonical text reads as something else: %v\n%s", err, o.Text())
		}
		for _, x := range o.All() {
			k := ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: x.Account, Day: x.OrderedOn, NSU: x.NSU, Auth: x.Auth}, Number: x.Installment}
			if !o.Covers(k, max(x.PayOn, x.OrderedOn)) {
				t.Fatalf("an order that covers nothing: %+v", x)
			}
		}
	})
}
