package export_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export"
	"concilia/export/cnab"
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
		Account: job().Block.CNAB(), Profile: cnab.Febraban, AsOf: day("2026-11-20"), NSA: 43,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range rows {
		c := s.card()
		c.v.Auth, c.v.Reference, c.v.ClassSince, c.v.LastChanged = names[i].auth, names[i].ref, day("2026-11-05"), day("2026-11-07")
		if err := w.Title(export.CardTitle(&c.v, &c.e, false, []string{"1", "2", "3", "4"}[i])); err != nil {
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

func TestCardTitle(t *testing.T) {
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
		sigma                             bool
		movement                          cnab.Movement
		paid, fee, expenses, credits, net string
		motive                            string
	}{
		{"received as expected", received, false, cnab.Paid, "100.00", "3.00", "0.00", "0.00", "97.00", "06"},
		{"received over", with(func(s *sale) { s.received = "97.50" }), false, cnab.Paid, "100.00", "3.00", "0.00", "0.50", "97.50", "06"},
		{
			"anticipated", with(func(s *sale) { s.anticipation, s.received = "2.00", "95.00" }), false,
			cnab.Paid, "100.00", "3.00", "2.00", "0.00", "95.00", "06",
		},
		{
			"splits taken out of the receipt", with(func(s *sale) { s.splits, s.received = []ledger.Split{share("x", "10")}, "87.00" }), true,
			cnab.Paid, "100.00", "3.00", "10.00", "0.00", "87.00", "06",
		},
		{
			"a negative fee is another credit", with(func(s *sale) { s.mdr, s.received = "-1.00", "101.00" }), false,
			cnab.Paid, "100.00", "0.00", "0.00", "1.00", "101.00", "06",
		},
		{
			"said to be received, and nothing came", with(func(s *sale) { s.received, s.credit = "", "" }), false,
			cnab.Paid, "100.00", "3.00", "97.00", "0.00", "0.00", "06",
		},
		{
			"blocked", with(func(s *sale) { s.received, s.class = "", ledger.Blocked }), false,
			cnab.Entered, "0.00", "3.00", "0.00", "0.00", "0.00", "",
		},
		{
			"charged back with its money kept", with(func(s *sale) { s.class = ledger.Chargeback }), false,
			cnab.WrittenOff, "0.00", "3.00", "0.00", "0.00", "0.00", "09",
		},
		{
			"taken back after it was cancelled", with(func(s *sale) { s.class, s.received = ledger.Cancelled, "-97.00" }), false,
			cnab.FeesDebited, "0.00", "0.00", "97.00", "0.00", "0.00", "06",
		},
	} {
		c := tc.sale.card()
		x := export.CardTitle(&c.v, &c.e, tc.sigma, "1")
		got := []string{x.Paid.String(), x.Fee.String(), x.OtherExpenses.String(), x.OtherCredits.String(), x.Net.String(), x.Motive}
		want := []string{tc.paid, tc.fee, tc.expenses, tc.credits, tc.net, tc.motive}
		if x.Movement != tc.movement || !cmp.Equal(got, want) {
			t.Errorf("%s: movement %s, %v, want %s, %v", tc.why, x.Movement, got, tc.movement, want)
		}
		if err := x.Check(); err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
	}
}

// Movements 03, 09 and 28 are of the day on which that was first seen: a later change of a cancelled row, or of a rejected
// slip, does not move it.
func TestEventDateOfACancelledRowStays(t *testing.T) {
	t.Parallel()
	cancelled := sale{at: "2026-11-02T09:00:00", nsu: "1", number: 1, of: 1, gross: "100.00", cents: 10000, class: ledger.Cancelled}
	takenBack, credited := cancelled, cancelled
	takenBack.received, credited.received, credited.credit = "-97.00", "-97.00", "2026-11-09"
	for _, tc := range []struct {
		why  string
		sale sale
		want string
	}{
		{"cancelled", cancelled, "2026-11-05"},
		{"taken back", takenBack, "2026-11-06"},
		{"taken back on a day that is said", credited, "2026-11-09"},
	} {
		c := tc.sale.card()
		c.v.FirstSeen, c.v.ClassSince, c.v.TakenBackSince, c.v.LastChanged = day("2026-11-03"), day("2026-11-05"), day("2026-11-06"), day("2026-11-12")
		if got := export.CardTitle(&c.v, &c.e, false, "1").EventDate; got != day(tc.want) {
			t.Errorf("%s: %s, want %s", tc.why, got, tc.want)
		}
	}
	view := func(changed string, integration, status int64) ledger.SlipVersion {
		v := ledger.SlipVersion{LastChanged: day(changed)}
		v.Integration = ledger.Opt[int64]{V: integration, OK: integration != 0}
		v.Status = ledger.Opt[int64]{V: status, OK: status != 0}
		return v
	}
	for _, tc := range []struct {
		why            string
		earlier, views []ledger.SlipVersion
		want           string
	}{
		{"rejected when it came", nil, []ledger.SlipVersion{view("2026-11-02", ledger.IntegrationRejected, 0)}, "2026-11-02"},
		{
			"rejected later, and changed after that",
			[]ledger.SlipVersion{view("2026-11-02", ledger.IntegrationProcessing, 0), view("2026-11-04", ledger.IntegrationRejected, 0)},
			[]ledger.SlipVersion{view("2026-11-09", ledger.IntegrationRejected, ledger.BillProcessing)},
			"2026-11-04",
		},
		{
			"one list says it before the other", nil,
			[]ledger.SlipVersion{view("2026-11-08", 0, ledger.BillFailed), view("2026-11-07", ledger.IntegrationFailed, 0), view("2026-11-02", 0, ledger.BillProcessing)},
			"2026-11-07",
		},
	} {
		s := everySlip()[6]
		s.s.Earlier, s.s.Views, s.s.LastChanged = tc.earlier, tc.views, day("2026-11-12")
		x, ok := export.SlipTitle(&s.s, &s.e, "1", false)
		if !ok || x.Movement != cnab.Rejected || x.EventDate != day(tc.want) {
			t.Errorf("%s: movement %s of %s, want 03 of %s", tc.why, x.Movement, x.EventDate, tc.want)
		}
	}
}

func TestSlipTitle(t *testing.T) {
	t.Parallel()
	rows := everySlip()
	paidAfter := rows[2]
	paidAfter.s.CancelledOn = day("2026-11-10")
	over := rows[4]
	over.s.PaidValue = opt("31.00")
	processing := rows[7]
	givenBack, negative, takenBack := rows[2], rows[0], rows[2]
	givenBack.s.PenaltyReceived, givenBack.s.InterestReceived = opt("-5.00"), opt("0.00")
	givenBack.s.PaidValue = opt("154.90")
	negative.s.Value = brl("-1.00")
	takenBack.s.PaidValue = opt("-163.10")
	for _, tc := range []struct {
		why      string
		slip     slip
		movement cnab.Movement
		want     []string // additions, discount, paid, fee, net, other credits
	}{
		{"open", rows[0], cnab.Entered, []string{"0.00", "0.00", "0.00", "0.00", "0.00", "0.00"}},
		{"overdue is no event", rows[1], cnab.Entered, []string{"0.00", "0.00", "0.00", "0.00", "0.00", "0.00"}},
		{"paid late with its charges", rows[2], cnab.Paid, []string{"3.20", "0.00", "163.10", "3.50", "159.60", "0.00"}},
		{"paid after it was cancelled", paidAfter, cnab.PaidLate, []string{"3.20", "0.00", "163.10", "3.50", "159.60", "0.00"}},
		{"paid short, and less than its tariff", rows[3], cnab.Paid, []string{"0.00", "18.00", "2.00", "2.50", "0.00", "0.50"}},
		{"paid over", over, cnab.Paid, []string{"1.00", "0.00", "31.00", "2.50", "28.50", "0.00"}},
		{"cancelled", rows[5], cnab.WrittenOff, []string{"0.00", "0.00", "0.00", "0.00", "0.00", "0.00"}},
		{"rejected", rows[6], cnab.Rejected, []string{"0.00", "0.00", "0.00", "0.00", "0.00", "0.00"}},
		{"charges below zero are a discount", givenBack, cnab.Paid, []string{"0.00", "5.00", "154.90", "3.50", "151.40", "0.00"}},
		{"still processing is no title", processing, 0, nil},
		{"no column holds a value below zero", negative, 0, nil},
		{"nor a payment below zero", takenBack, 0, nil},
	} {
		x, ok := export.SlipTitle(&tc.slip.s, &tc.slip.e, "1", false)
		if ok != (tc.want != nil) {
			t.Errorf("%s: written %v", tc.why, ok)
		}
		if !ok {
			continue
		}
		got := []string{x.Additions.String(), x.Discount.String(), x.Paid.String(), x.Fee.String(), x.Net.String(), x.OtherCredits.String()}
		if x.Movement != tc.movement || !cmp.Equal(got, tc.want) {
			t.Errorf("%s: movement %s, %v, want %s, %v", tc.why, x.Movement, got, tc.movement, tc.want)
		}
		if err := x.Check(); err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
		if x.Payer != (cnab.Payer{}) {
			t.Errorf("%s: the payer is shown", tc.why)
		}
	}
	if x, _ := export.SlipTitle(&rows[0].s, &rows[0].e, "1", true); x.Payer.Document != "52998224725" || x.Payer.Name != "MARIA JOSE" {
		t.Errorf("an identified kind shows the payer %v", x.Payer)
	}
}
