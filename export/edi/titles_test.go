package edi_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/cnab"
	"concilia/export/edi"
	"concilia/store/ledger"
)

// The four installments of the standard example of an EDI file of ours: one taken back, one received a day late and
// 0.10 short with a tenth split off, its second part open, one cancelled.
func TestInstallmentsOfTheExample(t *testing.T) {
	t.Parallel()
	tenth := ledger.Split{Beneficiary: "11444777000161", Value: opt("9.66")}
	rows := []sale{
		{
			at: "2026-10-01T10:00:00", nsu: "000123450007", number: 1, of: 1, gross: "50.00", cents: 5000, received: "-48.43",
			forecast: "2026-10-21", credit: "2026-11-19", class: ledger.Received,
		},
		{
			at: "2026-10-19T10:00:00", nsu: "000123456789", number: 1, of: 2, gross: "100.00", cents: 10000, mdr: "2.99", fee: "0.10",
			af: "0.30", received: "96.51", forecast: "2026-11-18", credit: "2026-11-19", class: ledger.Received, splits: []ledger.Split{tenth},
		},
		{
			at: "2026-10-19T10:00:00", nsu: "000123456789", number: 2, of: 2, gross: "100.00", cents: 10000, mdr: "2.99", fee: "0.10",
			af: "0.30", forecast: "2026-12-18", class: ledger.Open, splits: []ledger.Split{tenth},
		},
		{
			at: "2026-10-20T10:00:00", nsu: "000123456790", number: 1, of: 1, gross: "50.00", cents: 5000, mdr: "1.17", fee: "0.10",
			af: "0.30", forecast: "2026-11-19", class: ledger.Cancelled,
		},
	}
	names := []struct{ auth, ref string }{{"G7H8I9", "PEDIDO-0977"}, {"A1B2C3", "PEDIDO-1001"}, {"A1B2C3", "PEDIDO-1001"}, {"D4E5F6", "PEDIDO-1002"}}
	var out bytes.Buffer
	w, err := cnab.NewWriter(&out, cnab.Header{
		Account: account(), Profile: cnab.Febraban, AsOf: day("2026-11-20"), NSA: 43,
	})
	if err != nil {
		t.Fatal(err)
	}
	var titles edi.TitleBuilder
	for i, s := range rows {
		v, x := s.card()
		v.Auth, v.Reference, v.ClassSince, v.LastChanged = names[i].auth, names[i].ref, day("2026-11-05"), day("2026-11-07")
		title, _ := titles.CardTitle(v, x, 0)
		title.TitleNumber = strconv.Itoa(i + 1)
		if err := w.WriteTitle(title); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0010001300001T 2801234500000006789010000000000000000000011000123450007   2110202600000000000500000000000001/01 G7H8I9 PEDIDO-0977 090000000000000000                                        000000000000000000000000006",
		"0010001300002U 280000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000048430000000000000001911202600000000            000000000000000                              00000000000000000000000",
		"0010001300003T 0601234500000006789010000000000000000000021000123456789   1811202600000000001000000000000001/02 A1B2C3 PEDIDO-1001 090000000000000000                                        000000000000000000000033906",
		"0010001300004U 060000000000000000000000000000000000000000000000000000000000000000000000100000000000000096510000000000000100000000000000001911202619112026            000000000000000                              00000000000000000000000",
		"0010001300005Y 06500123450000000678901 000000000000000000021200000000000096600000000 000000000000  11444777000161                          00000100019112026000000000000000000",
		"0010001300006T 0201234500000006789010000000000000000000031000123456789   1812202600000000001000000000000002/02 A1B2C3 PEDIDO-1001 090000000000000000                                        0000000000000000000000339",
		"0010001300007U 020000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001910202600000000            000000000000000                              00000000000000000000000",
		"0010001300008Y 02500123450000000678901 000000000000000000031200000000000096600000000 000000000000  11444777000161                          00000100000000000000000000000000000",
		"0010001300009T 0901234500000006789010000000000000000000041000123456790   1911202600000000000500000000000001/01 D4E5F6 PEDIDO-1002 090000000000000000                                        000000000000000000000015711",
		"0010001300010U 090000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000511202600000000            000000000000000                              00000000000000000000000",
	}
	var got []string
	for _, line := range strings.Split(out.String(), "\r\n")[2:12] {
		got = append(got, strings.TrimRight(line, " "))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCard(t *testing.T) {
	t.Parallel()
	received := sale{
		at: "2026-11-02T09:00:00", nsu: "1", number: 1, of: 1, gross: "100.00", cents: 10000, mdr: "3.00",
		received: "97.00", credit: "2026-11-04", class: ledger.Received,
	}
	with := func(change func(*sale)) sale {
		s := received
		change(&s)
		return s
	}
	for _, tc := range []struct {
		why                               string
		sale                              sale
		splits                            string // taken out of the receipt
		movement                          cnab.Movement
		paid, fee, expenses, credits, net string
		motive                            string
	}{
		{"received as expected", received, "0", cnab.Paid, "100.00", "3.00", "0.00", "0.00", "97.00", "06"},
		{"received over", with(func(s *sale) { s.received = "97.50" }), "0", cnab.Paid, "100.00", "3.00", "0.00", "0.50", "97.50", "06"},
		{
			"anticipated", with(func(s *sale) { s.anticipation, s.received = "2.00", "95.00" }), "0",
			cnab.Paid, "100.00", "3.00", "2.00", "0.00", "95.00", "06",
		},
		{
			"splits taken out of the receipt",
			with(func(s *sale) { s.splits, s.received = []ledger.Split{{Beneficiary: "x", Value: opt("10")}}, "87.00" }), "10",
			cnab.Paid, "100.00", "3.00", "10.00", "0.00", "87.00", "06",
		},
		{
			"a negative fee is another credit", with(func(s *sale) { s.mdr, s.received = "-1.00", "101.00" }), "0",
			cnab.Paid, "100.00", "0.00", "0.00", "1.00", "101.00", "06",
		},
		{
			"said to be received, and nothing came", with(func(s *sale) { s.received, s.credit = "", "" }), "0",
			cnab.Paid, "100.00", "3.00", "97.00", "0.00", "0.00", "06",
		},
		{
			"blocked", with(func(s *sale) { s.received, s.class = "", ledger.Blocked }), "0",
			cnab.Entered, "0.00", "3.00", "0.00", "0.00", "0.00", "",
		},
		{
			"charged back with its money kept", with(func(s *sale) { s.class = ledger.Chargeback }), "0",
			cnab.WrittenOff, "0.00", "3.00", "0.00", "0.00", "0.00", "09",
		},
		{
			"taken back after it was cancelled", with(func(s *sale) { s.class, s.received = ledger.Cancelled, "-97.00" }), "0",
			cnab.FeesDebited, "0.00", "0.00", "97.00", "0.00", "0.00", "06",
		},
	} {
		v, expected := tc.sale.card()
		x, ok := new(edi.TitleBuilder).CardTitle(v, expected, brl(tc.splits))
		got := []string{x.Paid.String(), x.Fee.String(), x.OtherExpenses.String(), x.OtherCredits.String(), x.Net.String(), x.Motive}
		want := []string{tc.paid, tc.fee, tc.expenses, tc.credits, tc.net, tc.motive}
		if !ok || x.Movement != tc.movement || !cmp.Equal(got, want) {
			t.Errorf("%s: movement %s, %v, want %s, %v", tc.why, x.Movement, got, tc.movement, want)
		}
		x.TitleNumber = "1"
		if err := x.CheckAmounts(); err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
	}
}
