package edi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/cnab"
	"concilia/export/edi"
	"concilia/store/ledger"
)

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
		v, x := tc.sale.card()
		v.FirstSeen, v.ClassSince, v.TakenBackSince, v.LastChanged = day("2026-11-03"), day("2026-11-05"), day("2026-11-06"), day("2026-11-12")
		if got, _ := new(edi.TitleBuilder).CardTitle(v, x, 0); got.EventDate != day(tc.want) {
			t.Errorf("%s: %s, want %s", tc.why, got.EventDate, tc.want)
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
		s := isRejected()
		s.s.Earlier, s.s.Views, s.s.LastChanged = tc.earlier, tc.views, day("2026-11-12")
		x, ok := new(edi.TitleBuilder).SlipTitle(&s.s, &s.e, false)
		if !ok || x.Movement != cnab.Rejected || x.EventDate != day(tc.want) {
			t.Errorf("%s: movement %s of %s, want 03 of %s", tc.why, x.Movement, x.EventDate, tc.want)
		}
	}
}

func TestSlip(t *testing.T) {
	t.Parallel()
	paidAfter := paid("159.90", "163.10", "3.50")
	paidAfter.s.CancelledOn = day("2026-11-10")
	givenBack, negative, takenBack := paid("159.90", "163.10", "3.50"), issued("100.00"), paid("159.90", "163.10", "3.50")
	overdue, cancelled, processing := issued("75.555"), issued("40.00"), issued("60.00")
	overdue.s.Status, processing.s.Status = ledger.Some(int64(ledger.BillOverdue)), ledger.Some(int64(ledger.BillProcessing))
	cancelled.s.Status, cancelled.s.CancelledOn = ledger.Opt[int64]{}, day("2026-11-04")
	charged := paid("159.90", "163.10", "3.50")
	charged.s.PenaltyReceived, charged.s.InterestReceived = opt("3.00"), opt("0.20")
	paidAfter.s.PenaltyReceived, paidAfter.s.InterestReceived = opt("3.00"), opt("0.20")
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
		{"open", issued("100.00"), cnab.Entered, []string{"0.00", "0.00", "0.00", "0.00", "0.00", "0.00"}},
		{"overdue is no event", overdue, cnab.Entered, []string{"0.00", "0.00", "0.00", "0.00", "0.00", "0.00"}},
		{"paid late with its charges", charged, cnab.Paid, []string{"3.20", "0.00", "163.10", "3.50", "159.60", "0.00"}},
		{"paid after it was cancelled", paidAfter, cnab.PaidLate, []string{"3.20", "0.00", "163.10", "3.50", "159.60", "0.00"}},
		{"paid short, and less than its tariff", paid("20.00", "2.00", "2.50"), cnab.Paid, []string{"0.00", "18.00", "2.00", "2.50", "0.00", "0.50"}},
		{"paid over", paid("30.00", "31.00", "2.50"), cnab.Paid, []string{"1.00", "0.00", "31.00", "2.50", "28.50", "0.00"}},
		{"cancelled", cancelled, cnab.WrittenOff, []string{"0.00", "0.00", "0.00", "0.00", "0.00", "0.00"}},
		{"rejected", isRejected(), cnab.Rejected, []string{"0.00", "0.00", "0.00", "0.00", "0.00", "0.00"}},
		{"charges below zero are a discount", givenBack, cnab.Paid, []string{"0.00", "5.00", "154.90", "3.50", "151.40", "0.00"}},
		{"still processing is no title", processing, 0, nil},
		{"no column holds a value below zero", negative, 0, nil},
		{"nor a payment below zero", takenBack, 0, nil},
	} {
		var titles edi.TitleBuilder
		x, ok := titles.SlipTitle(&tc.slip.s, &tc.slip.e, false)
		if ok != (tc.want != nil) || titles.Omitted.Rows == 0 != ok {
			t.Errorf("%s: written %v, %d left out", tc.why, ok, titles.Omitted.Rows)
		}
		if !ok {
			continue
		}
		got := []string{x.Additions.String(), x.Discount.String(), x.Paid.String(), x.Fee.String(), x.Net.String(), x.OtherCredits.String()}
		if x.Movement != tc.movement || !cmp.Equal(got, tc.want) {
			t.Errorf("%s: movement %s, %v, want %s, %v", tc.why, x.Movement, got, tc.movement, tc.want)
		}
		edi.NumberSlip(&x, "1", "", "")
		if err := x.CheckAmounts(); err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
		if x.Payer != (cnab.Payer{}) {
			t.Errorf("%s: the payer is shown", tc.why)
		}
	}
	open := issued("100.00")
	if x, _ := new(edi.TitleBuilder).SlipTitle(&open.s, &open.e, true); x.Payer.Document != "52998224725" || x.Payer.Name != "MARIA JOSE" {
		t.Errorf("an identified kind shows the payer %v", x.Payer)
	}
}

// The document number of a slip's title is the end of its number at the bank, or of the merchant's reference where the
// former is unknown or the title's number.
func TestNumber(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ why, ours, document string }{
		{"another number at the bank", "00000000000000000777", "000000000000777"},
		{"the number itself", "0042", "FAT-1"},
		{"unknown", "", "FAT-1"},
	} {
		var x cnab.Title
		edi.NumberSlip(&x, "42", tc.ours, "FAT-1")
		if x.TitleNumber != "42" || x.DocumentNumber != tc.document {
			t.Errorf("%s: number %s, document %s, want %s", tc.why, x.TitleNumber, x.DocumentNumber, tc.document)
		}
	}
}

// Invoices are numbered at the end of their references: of two that differ there alone the documents differ, too.
func TestDocumentKeepsTheEndOfAReference(t *testing.T) {
	t.Parallel()
	for reference, want := range map[string]string{
		"FAT-1001-207300001": "-1001-207300001",
		"FAT-1001-207300002": "-1001-207300002",
		"PEDIDO AÇÃO 000123": "IDO AÇÃO 000123",
	} {
		var x cnab.Title
		edi.NumberSlip(&x, "42", "", reference)
		if x.DocumentNumber != want {
			t.Errorf("%s: document %q, want %q", reference, x.DocumentNumber, want)
		}
	}
}

// A payer's document whose digits do not check is in no file; where payers are shown at all, it is counted.
func TestPayerDocumentsThatDoNotCheckAreCounted(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why, document string
		clear         bool
		written       ledger.Document
		left          int64
	}{
		{"its digits check", "52998224725", true, "52998224725", 0},
		{"its digits do not check", "52998224724", true, "", 1},
		{"none was sent", "", true, "", 0},
		{"payers are not shown", "52998224724", false, "", 0},
	} {
		s := issued("100.00")
		s.s.PayerDocument = tc.document
		var titles edi.TitleBuilder
		x, _ := titles.SlipTitle(&s.s, &s.e, tc.clear)
		if x.Payer.Document != tc.written || titles.Omitted.PayerDocuments != tc.left {
			t.Errorf("%s: written %q, %d left out; want %q, %d", tc.why, x.Payer.Document, titles.Omitted.PayerDocuments, tc.written, tc.left)
		}
	}
}
