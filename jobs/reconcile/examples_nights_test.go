package reconcile_test

import (
	"fmt"
	"slices"
	"testing"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// life lives one night after another and tells of the case of a code: nothing, or its state, severity and hint, and
// the impact.
func life(t *testing.T, m *memory, code string, asOf ledger.Date) (string, ledger.Date) {
	t.Helper()
	m.reconciled(t, inputs(asOf.String()))
	for _, f := range m.findings {
		if f.Code == code {
			return fmt.Sprintf("%s %s %s%s", f.State, f.Severity, f.Impact.V, f.Hint), f.BreakOn
		}
	}
	return "", 0
}

// What falls due pends from the night after its business day, opens by itself on the night after its grace and is aged on
// the night after five business days: weekends, a holiday, Carnival and the turn of the year.
func TestNightsOfOverdue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ df, due, open, aged string }{
		{"2024-11-19", "2024-11-19", "2024-11-22", "2024-11-28"},
		{"2024-11-20", "2024-11-21", "2024-11-23", "2024-11-29"},
		{"2024-11-21", "2024-11-21", "2024-11-23", "2024-11-29"},
		{"2024-11-22", "2024-11-22", "2024-11-26", "2024-11-30"},
		{"2024-11-23", "2024-11-25", "2024-11-27", "2024-12-03"},
		{"2024-11-24", "2024-11-25", "2024-11-27", "2024-12-03"},
		{"2024-11-25", "2024-11-25", "2024-11-27", "2024-12-03"},
		{"2025-02-28", "2025-02-28", "2025-03-06", "2025-03-12"},
		{"2025-03-03", "2025-03-05", "2025-03-07", "2025-03-13"},
		{"2025-03-05", "2025-03-05", "2025-03-07", "2025-03-13"},
		{"2024-12-31", "2024-12-31", "2025-01-03", "2025-01-09"},
	} {
		sold := (day(c.df) - 30).String()
		m := &memory{sales: []*ledger.Sale{saleOf(installment(sold, "1", "A", 1, func(i *ledger.Installment) { i.Forecast = day(c.df) }))}}
		for asOf := day(c.df); asOf <= day(c.aged)+1; asOf++ {
			want, breaks := "", ledger.Date(0)
			switch {
			case asOf >= day(c.aged):
				want = "open E 97.11aged"
			case asOf >= day(c.open):
				want = "open E 97.11"
			case asOf > day(c.due):
				want, breaks = "pending E 0.00", day(c.open)
			}
			if got, on := life(t, m, "RECEIVED_OVERDUE", asOf); got != want || on != breaks {
				t.Errorf("forecast %s, as of %s: %q, breaks on %q; want %q on %q", c.df, asOf, got, on, want, breaks)
			}
		}
	}
}

// A payment is to be credited a business day after it settles; it pends, is a warning on the night after one more, and an
// error after three.
func TestNightsOfCredit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ paid, due, warn, err string }{
		{"2024-11-14", "2024-11-18", "2024-11-19", "2024-11-22"},
		{"2024-11-15", "2024-11-19", "2024-11-21", "2024-11-25"},
		{"2024-11-16", "2024-11-19", "2024-11-21", "2024-11-25"},
		{"2024-11-18", "2024-11-19", "2024-11-21", "2024-11-25"},
		{"2024-12-31", "2025-01-02", "2025-01-03", "2025-01-07"},
	} {
		v := ledger.SlipView{
			Account: 1001, ID: "a", Value: reais("150"), Issued: day("2024-10-10"), Due: day(c.paid), PaidOn: day(c.paid), PaidValue: some("150"),
			Status: ledger.Some[int64](ledger.BillPaid),
		}
		m := &memory{slips: []*ledger.Slip{viewsOf(v, []ledger.Source{ledger.SlipsDue, ledger.SlipsPayment}, nil)}}
		for asOf := day(c.paid) + 1; asOf <= day(c.err)+2; asOf++ {
			want, breaks := "", ledger.Date(0)
			switch {
			case asOf > day(c.err):
				want = "open E 150.00"
			case asOf > day(c.warn):
				want = "open W 150.00"
			case asOf > day(c.due):
				want, breaks = "pending W 0.00", day(c.warn)+1
			}
			if got, on := life(t, m, "SLIP_CREDIT_OVERDUE", asOf); got != want || on != breaks {
				t.Errorf("paid %s, as of %s: %q, breaks on %q; want %q on %q", c.paid, asOf, got, on, want, breaks)
			}
		}
	}
}

// A slip due on a day without counter service is paid in time on the next one, and late the day after that.
func TestNightsOfSlips(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ due, onTime string }{
		{"2024-11-16", "2024-11-18"},
		{"2024-11-20", "2024-11-21"},
		{"2024-12-30", "2024-12-30"},
		{"2024-12-31", "2025-01-02"},
		{"2025-03-03", "2025-03-05"},
	} {
		for _, late := range []bool{false, true} {
			v := ledger.SlipView{
				Account: 1001, ID: "a", Value: reais("100"), Issued: day("2024-10-10"), Due: day(c.due), PaidOn: day(c.onTime), PaidValue: some("102"),
				Status: ledger.Some[int64](ledger.BillPaid),
			}
			want := "SLIP_CHARGE_NOT_DUE"
			if late {
				v.PaidOn, want = v.PaidOn+1, ""
			}
			v.CreditedOn = v.PaidOn + 20
			m := &memory{slips: []*ledger.Slip{viewsOf(v, []ledger.Source{ledger.SlipsCredit}, func(v *ledger.SlipView) {
				v.Penalty, v.PenaltyReceived, v.Interest, v.InterestReceived, v.LateAllowed = some("2"), some("2"), some("0"), some("0"), ledger.Some(true)
			})}}
			m.reconciled(t, inputs((v.CreditedOn + 1).String()))
			var got string
			for _, f := range m.findings {
				if slices.Contains([]string{"SLIP_CHARGE_NOT_DUE", "SLIP_LATE_PENALTY_MISMATCH", "SLIP_OVERPAID"}, f.Code) {
					got += f.Code
				}
			}
			if got != want {
				t.Errorf("due %s, paid %s with a penalty of 2 %%: %q, want %q", c.due, v.PaidOn, got, want)
			}
		}
	}
}

// The day the contract means is 20 November 2024, a holiday: both that day and the next keep its word. Under a calendar
// without the holiday the next day is a business day late.
func TestForecastUnderTwoCalendars(t *testing.T) {
	t.Parallel()
	without := must(calendar.New(calendar.Options{Removed: []ledger.Date{day("2024-11-20")}}))
	for _, c := range []struct {
		df      string
		holiday bool
		want    string
	}{
		{"2024-11-20", true, "FORECAST_NON_BUSINESS_DAY I"},
		{"2024-11-21", true, ""},
		{"2024-11-20", false, ""},
		{"2024-11-21", false, "FORECAST_DATE_MISMATCH W"},
	} {
		in := inputs("2024-11-15")
		if !c.holiday {
			in.Calendar = func(ledger.Account) *calendar.Calendar { return without }
		}
		m := &memory{sales: []*ledger.Sale{saleOf(installment("2024-10-21", "000123", "A1B2C3", 1, func(i *ledger.Installment) { i.Forecast = day(c.df) }))}}
		m.reconciled(t, in)
		got := ""
		for _, f := range m.findings {
			if f.Subject == "card:1001:2024-10-21:000123:A1B2C3:1" {
				got += f.Code + " " + string(f.Severity)
			}
		}
		if got != c.want {
			t.Errorf("forecast %s, holiday %v: %q, want %q", c.df, c.holiday, got, c.want)
		}
	}
}
