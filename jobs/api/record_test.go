package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"concilia/jobs/api"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

// pull asks once for installments and expects an answer.
func pull(t *testing.T, body string) api.Answer {
	t.Helper()
	f := serve(t, say(200, body))
	answer, err := f.client(t, func(o *api.Options) { o.MaxTries = 1 }).SearchInstallments(t.Context(), 1001, dayOne, dayOne, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// good is the installment that record() spells.
func good() ledger.Installment {
	soldAt, _ := ledger.ParseLocalTime("2026-11-02T16:19:29", zone)
	return ledger.Installment{
		Account: 1001, SoldAt: soldAt, Terminal: "T-0001", Card: "411111******1111", CardType: "CREDIT", CardName: "visa",
		Auth: "026603", NSU: "123456789", Number: 1, Count: 2, Gross: 500000, SaleTotal: ledger.Some[ledger.Amount](1000000),
		Status: "Authorized", MDR: ledger.Some[ledger.Amount](14500), MDRRate: ledger.Some[ledger.Rate](2_900_000),
		Fee: ledger.Some[ledger.Amount](500), SaleFee: ledger.Some[ledger.Amount](1000),
		Antifraud: ledger.Some[ledger.Amount](1500), SaleAntifraud: ledger.Some[ledger.Amount](3000),
		Anticipation: ledger.Some[ledger.Amount](0), AnticipationRate: ledger.Some[ledger.Rate](0),
		Received: ledger.Some[ledger.Amount](0), Forecast: dayOne + 30, ReceivedType: "Normal", ReceivedStatus: "Pending",
		Reference: "PED-1", WebPaymentID: "020080286103040952150000006201850000000000",
		Splits: []ledger.Split{{
			Beneficiary: "12345678000195", Type: "PERCENT", Pct: ledger.Some[ledger.Rate](10_000_000),
			Base: ledger.Some[ledger.Amount](483500), Value: ledger.Some[ledger.Amount](48400),
		}},
	}
}

// Every spelling of the same row, and of rows that say less.
func TestSpellings(t *testing.T) {
	t.Parallel()
	with := func(change func(*ledger.Installment)) ledger.Installment { i := good(); change(&i); return i }
	for _, c := range []struct {
		name string
		row  string
		want ledger.Installment
	}{
		{"as the service prints it", record(), good()},
		{
			"blanks everywhere", strings.NewReplacer(",", " ,\n\t", ":", " : ").Replace(record("transactionDate", `"2026-11-02"`)),
			with(func(i *ledger.Installment) { i.SoldAt, _ = ledger.ParseLocalTime("2026-11-02", zone) }),
		},
		{"fewer decimals", record("installmentValue", "50", "transactionTotalValue", "100.0"), good()},
		{"more decimals that are zero", record("installmentValue", "50.000000"), good()},
		{"exponents", record("installmentValue", "5e1", "discountMdrTax", "29E-1"), good()},
		{"whole numbers with decimals", record("installmentNumber", "1.0", "installmentsCount", "0.2e1"), good()},
		{"escapes", record("nsu", `"\u0031234567\u00389"`, "transactionReference", `"PED\u002d1"`), good()},
		{"names in capitals", strings.ReplaceAll(record(), `"nsu"`, `"NSU"`), good()},
		{"one member twice with one value", record("Nsu", `"123456789"`), good()},
		{"an unknown member", record("novo", `{"a":[1,{"b":"]}"}]}`), good()},
		{"a midnight behind a date", record("receivedDateForeast", `"2026-12-02T00:00:00"`), good()},
		{"an offset is shown on the zone's clock", record("transactionDate", `"2026-11-02T19:19:29Z"`), good()},
		{"a zone's own offset", record("transactionDate", `"2026-11-02T16:19:29.0000000-03:00"`), good()},
		{
			"seven decimals of a second", record("transactionDate", `"2026-11-02T16:19:29.0000001"`),
			with(func(i *ledger.Installment) { i.SoldAt++ }),
		},
		{"no splits", record("splits", ""), with(func(i *ledger.Installment) { i.Splits = nil })},
		{"null splits", record("splits", "null"), with(func(i *ledger.Installment) { i.Splits = nil })},
		{"empty splits", record("splits", "[]"), with(func(i *ledger.Installment) { i.Splits = nil })},
		{
			"an absent amount is not zero", record("discountMdrValue", ""),
			with(func(i *ledger.Installment) { i.MDR = ledger.Opt[ledger.Amount]{} }),
		},
		{
			"nor is a null", record("discountMdrValue", "null", "discountMdrTax", "null"),
			with(func(i *ledger.Installment) { i.MDR, i.MDRRate = ledger.Opt[ledger.Amount]{}, ledger.Opt[ledger.Rate]{} }),
		},
		{
			"nor an empty text", record("receivedValue", `""`),
			with(func(i *ledger.Installment) { i.Received = ledger.Opt[ledger.Amount]{} }),
		},
		{
			"no date is null, empty or the year one", record("receivedDateForeast", `"0001-01-01T00:00:00"`, "receivedDateEffective", `""`),
			with(func(i *ledger.Installment) { i.Forecast = 0 }),
		},
		{
			"null texts are empty", record("nsu", "null", "terminal", "null"),
			with(func(i *ledger.Installment) { i.NSU, i.Terminal = "", "" }),
		},
		{"negative money", record("installmentValue", "-50.0000"), with(func(i *ledger.Installment) { i.Gross = -500000 })},
		{
			"an open card number loses its middle", record("cardNumber", `"4111 1111-1111.1112"`),
			with(func(i *ledger.Installment) { i.Card, i.CardClear = "4111 11**-****.1112", true }),
		},
		{
			"digits of another script are digits", record("cardNumber", `"４１１１１１１１１１１１1112"`),
			with(func(i *ledger.Installment) {
				i.Card, i.CardClear = "４１１１１１"+strings.Repeat("*", 18)+"1112", true
			}),
		},
		{
			"twelve digits, no card by their number, lose what may not be shown", record("cardNumber", `"123456789012"`),
			with(func(i *ledger.Installment) { i.Card, i.CardClear = "123456**9012", true }),
		},
		{
			"ten digits are no more than may be shown", record("cardNumber", `"1234567890"`),
			with(func(i *ledger.Installment) { i.Card = "1234567890" }),
		},
		{
			"unknown words and accents survive", record("installmentStatus", `"Em análise ✓"`),
			with(func(i *ledger.Installment) { i.Status = "Em análise ✓" }),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answer := pull(t, "[ "+c.row+" ]\r\n")
			if len(answer.Bad) > 0 {
				t.Fatalf("quarantined: %s", answer.Bad[0].Reason)
			}
			if diff := cmp.Diff([]ledger.Installment{c.want}, answer.Rows); diff != "" {
				t.Errorf("want (-) got (+):\n%s", diff)
			}
		})
	}
}

// A row with a bad member is set aside with its reason; the rows around it go on.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		row    string
		reason string
		key    bool
		gross  string // empty: not readable
	}{
		{"five decimals", record("installmentValue", "50.00001"), "installmentValue: not a number exact to 4 decimals", true, ""},
		{"a number in quotes", record("discountMdrValue", `"1.45"`), "discountMdrValue: not a number exact to 4 decimals", true, "50.00"},
		{"seven decimals of a rate", record("discountMdrTax", `2.9000001`), "discountMdrTax: not a number exact to 6 decimals", true, "50.00"},
		{"beyond what amounts hold", record("installmentValue", `1e30`), "installmentValue: not a number exact to 4 decimals", true, ""},
		{"more than a row can be worth", record("installmentValue", `1000000000.0001`), "installmentValue: more than a billion reais", true, ""},
		{"an amount that is an object", record("receivedValue", `{"value":1}`), "receivedValue: not a number exact to 4 decimals", true, "50.00"},
		{"no date", record("transactionDate", ""), "transactionDate: missing", false, "50.00"},
		{"an empty date where one is needed", record("transactionDate", `""`), "transactionDate: missing", false, "50.00"},
		{"a date of another land", record("transactionDate", `"02/11/2026"`), "transactionDate: not a date and time", false, "50.00"},
		{"a day that is none", record("receivedDateForeast", `"2026-02-30"`), "receivedDateForeast: not a date", true, "50.00"},
		{"a day with a time", record("receivedDateForeast", `"2026-12-02T10:00:00"`), "receivedDateForeast: not a date", true, "50.00"},
		{"half an installment", record("installmentNumber", "1.5"), "installmentNumber: not a whole number in range", false, "50.00"},
		{"a text that is a number", record("nsu", "123456789"), "nsu: not a text", false, "50.00"},
		{"a member twice with two values", record("NSU", `"2"`), "nsu: given twice", false, "50.00"},
		{"half a surrogate", record("terminal", `"\ud800"`), "terminal: not valid Unicode", true, "50.00"},
		{"bytes that are no UTF-8", record("terminal", "\"\xe7\""), "terminal: not valid Unicode", true, "50.00"},
		{"a NUL", record("terminal", `"\u0000"`), "terminal: holds a NUL character", true, "50.00"},
		{"splits that are no list", record("splits", `{}`), "splits: not a list", true, "50.00"},
		{
			"a bad split", record("splits", `[{},{"pctSplit":"x","valorSplit":0.00001}]`),
			"splits[1].pctSplit: not a number exact to 6 decimals; splits[1].valorSplit: not a number exact to 4 decimals", true, "50.00",
		},
		{"a split that is none", record("splits", `[null]`), "splits[0].row: not an object", true, "50.00"},
		{
			"everything missing at once", `{}`,
			"transactionDate: missing; installmentNumber: missing; installmentsCount: missing; installmentValue: missing", false, "",
		},
		{"no object", `null`, "row: not an object", false, ""},
		{"a list within the list", `[1]`, "row: not an object", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answer := pull(t, "["+record()+","+c.row+","+record()+"]")
			if len(answer.Rows) != 2 || len(answer.Bad) != 1 {
				t.Fatalf("%d rows, %d bad", len(answer.Rows), len(answer.Bad))
			}
			row := answer.Bad[0]
			if row.Reason != c.reason || row.KeyRead != c.key {
				t.Errorf("reason %q, key read %v", row.Reason, row.KeyRead)
			}
			if gross := row.Gross.V.String(); row.Gross.OK != (c.gross != "") || row.Gross.OK && gross != c.gross {
				t.Errorf("gross %v, want %q", row.Gross, c.gross)
			}
			sum := sha256.Sum256(row.Body)
			if row.Hash != hex.EncodeToString(sum[:]) || row.Account != 1001 || row.Source != ledger.Cards || row.Day != dayOne {
				t.Errorf("kept as %+v", row)
			}
			if len(row.Body) != len(c.row) {
				t.Errorf("%d bytes kept of %d", len(row.Body), len(c.row))
			}
		})
	}
}

func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	answer := pull(t, "["+record("novo", "1", "4111111111111111", "2")+","+
		record("novo", "2", "Z", "null", "splits", `[{"taxa":1}]`)+"]")
	want := []string{"411111******1111", "Z", "novo", "splits.taxa"}
	if diff := cmp.Diff(want, answer.Unknown); diff != "" || len(answer.Rows) != 2 {
		t.Errorf("%d rows, unknown want (-) got (+):\n%s", len(answer.Rows), diff)
	}
}

// A slip's placeholder for "not paid", its statuses, and a detail that is none.
func TestSlips(t *testing.T) {
	t.Parallel()
	const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
	one := func(rest string) string {
		return `{"id":"` + strings.ToUpper(id) + `","value":1,"dueDate":"2026-11-02",` + rest + `}`
	}
	f := serve(t, say(200, "["+one(`"effectivePaymentValue":0,"statusBill":99`)+","+
		one(`"effectivePaymentValue":0.0,"effectivePaymentDate":"2026-11-01"`)+","+
		one(`"effectivePaymentValue":0.01,"OurNumber":"1"`)+`,{"id":" ","value":1,"dueDate":null}`+"]"))
	a, err := f.client(t).ListSlips(t.Context(), ledger.SlipsPayment, 1001, dayOne, dayOne, ledger.Opt[int64]{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Rows[0].PaidValue.OK || !a.Rows[1].PaidValue.OK || a.Rows[2].PaidValue != ledger.Some[ledger.Amount](100) {
		t.Errorf("paid values %v %v %v", a.Rows[0].PaidValue, a.Rows[1].PaidValue, a.Rows[2].PaidValue)
	}
	if r := a.Rows[0]; r.ID != id || r.List != ledger.SlipsPayment || r.Account != 1001 || r.Status != ledger.Some[int64](99) {
		t.Errorf("row %+v", r)
	}
	if len(a.Bad) != 1 || a.Bad[0].Reason != "dueDate: missing; id: missing" || a.Bad[0].KeyRead {
		t.Errorf("bad %+v", a.Bad)
	}
	if diff := cmp.Diff([]string{"OurNumber"}, a.Unknown); diff != "" {
		t.Errorf("a member of another list is unknown here:\n%s", diff)
	}
	for _, c := range []struct {
		name, body, says string
		unsuccessful     bool
	}{
		{"success false", `{"success":false,"message":"Boleto não localizado"}`, "Boleto não localizado", true},
		{"another slip", strings.Replace(one(`"success":true`), "3FA8", "4FA8", 1), "another slip", false},
		{"a list", `[]`, "not the detail of a slip", false},
		{"cut", `{"success":true`, "not the detail of a slip", false},
	} {
		f := serve(t, say(200, c.body))
		_, err := f.client(t).ReadSlip(t.Context(), 1001, id)
		if err == nil || !strings.Contains(err.Error(), c.says) || errors.Is(err, api.ErrUnsuccessful) != c.unsuccessful {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := f.client(t).ListSlips(t.Context(), ledger.SlipsDue, 1001, dayOne, dayOne, ledger.Some[int64](1)); err == nil {
		t.Error("the list by due date took a filter it does not have")
	}
	if _, err := f.client(t).ListSlips(t.Context(), ledger.Cards, 1001, dayOne, dayOne, ledger.Opt[int64]{}); err == nil {
		t.Error("cards are no list of slips")
	}
}

// A slip that one list shows twice is reported when the two differ, whatever the case of its id.
func TestSlipsShownTwice(t *testing.T) {
	t.Parallel()
	one := func(id, value string) string {
		return `{"id":"` + id + `","value":` + value + `,"dueDate":"2026-11-02"}`
	}
	for _, c := range []struct {
		name string
		body []string
		want []string
	}{
		{"each slip once", []string{one("a", "1"), one("b", "2")}, nil},
		{"one twice, alike to the digit of a spelling", []string{one("a", "1"), one("A", "1.00")}, nil},
		{"one twice with two values", []string{one("a", "1"), one("b", "2"), one("A", "1.01")}, []string{"a"}},
		{"alike first, then not", []string{one("a", "1"), one("a", "1"), one("a", "2")}, []string{"a"}},
		{"told once however often", []string{one("a", "1"), one("a", "2"), one("a", "3")}, []string{"a"}},
		{"in the order of their second showing", []string{one("a", "1"), one("b", "1"), one("b", "2"), one("a", "2")}, []string{"b", "a"}},
	} {
		f := serve(t, say(200, "["+strings.Join(c.body, ",")+"]"))
		a, err := f.client(t).ListSlips(t.Context(), ledger.SlipsDue, 1001, dayOne, dayOne, ledger.Opt[int64]{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, a.Conflicting); diff != "" || len(a.Rows) != len(c.body) {
			t.Errorf("%s: %d rows, twice want (-) got (+):\n%s", c.name, len(a.Rows), diff)
		}
	}
}
