package rules_test

import (
	"testing"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

func TestChangedAfterClose(t *testing.T) {
	t.Parallel()
	const code = "SRC_CHANGED_AFTER_CLOSE"
	type V = ledger.InstallmentVersion
	closed := func(basis, from, to, asOf string) world {
		return world{asOf: "2025-02-01", change: func(o *rules.Options) {
			o.Closes = []rules.Close{{Basis: basis, Period: ledger.Period{From: day(from), To: day(to)}, AsOf: day(asOf)}}
		}}
	}
	october := closed("operation", "2024-10-01", "2024-10-31", "2024-11-05")
	december := closed("credit", "2024-12-01", "2024-12-31", "2025-01-05")
	got := receipt("2024-12-20", "97.11")
	runCards(t, []cardCase{
		{code: code, says: "nothing is closed", want: rules.NoInput},
		{code: code, says: "another month is closed", w: closed("operation", "2024-09-01", "2024-09-30", "2024-11-05"), want: none},
		{code: code, says: "as it was when it was closed", make: became(), w: october, want: passes},
		{code: code, says: "changed before the close", make: became(version{"2024-11-05", func(v *V) { v.Gross++ }}), w: october, want: passes},
		{code: code, says: "the value changed after it", make: became(version{"2024-11-06", func(v *V) { v.Gross++ }}), w: october, want: fires, severity: "W"},
		{code: code, says: "the count", make: became(version{"2024-11-06", func(v *V) { v.Count = 4 }}), w: october, want: fires, severity: "W"},
		{code: code, says: "the MDR", make: became(version{"2024-11-06", func(v *V) { v.MDR = some("1") }}), w: october, want: fires, severity: "W"},
		{code: code, says: "a fee", make: became(version{"2024-11-06", func(v *V) { v.Fee = some("1") }}), w: october, want: fires, severity: "W"},
		{code: code, says: "the other fee", make: became(version{"2024-11-06", func(v *V) { v.Antifraud = some("1") }}), w: october, want: fires, severity: "W"},
		{code: code, says: "cancelled", make: became(version{"2024-11-06", status("Cancelada", "")}), w: october, want: fires, severity: "W"},
		{code: code, says: "a receipt restates no month of operation", make: became(version{"2024-12-21", got}), w: october, want: passes},
		{code: code, says: "a sale that came to light after the close", make: func(h histories) histories {
			h = became()(h)
			h[1].Current().LastChanged = day("2024-11-06")
			return h
		}, w: october, want: fires, severity: "W"},

		{code: code, says: "received in the month, seen before the close", make: became(version{"2024-12-21", got}), w: december, want: passes},
		{code: code, says: "received in the month, seen after the close: it came in", make: became(version{"2025-01-06", got}), w: december, want: fires, severity: "W"},
		{code: code, says: "moved out of the month", make: became(version{"2024-12-21", got}, version{"2025-01-06", receipt("2025-01-02", "97.11")}), w: december, want: fires, severity: "W"},
		{code: code, says: "another receipt", make: became(version{"2024-12-21", got}, version{"2025-01-06", receipt("2024-12-20", "97")}), w: december, want: fires, severity: "W"},
		{code: code, says: "another day of the month", make: became(version{"2024-12-21", got}, version{"2025-01-06", receipt("2024-12-23", "97.11")}), w: december, want: fires, severity: "W"},
		{code: code, says: "a value of the sale restates no month of credit", make: became(version{"2024-12-21", got}, version{"2025-01-06", func(v *V) { v.Gross++ }}), w: december, want: passes},
		{code: code, says: "received in another month", make: became(version{"2025-01-06", receipt("2025-01-06", "97.11")}), w: december, want: none},
		{code: code, says: "no other basis restates", make: became(version{"2025-01-06", got}), w: closed("forecast", "2024-01-01", "2025-12-31", "2024-11-05"), want: none},
	})
	pay := func(on, value string) func(*ledger.SlipView) {
		return func(v *ledger.SlipView) { v.PaidOn, v.CreditedOn, v.PaidValue = day(on), day(on), some(value) }
	}
	for _, c := range []struct {
		says string
		s    *ledger.Slip
		w    world
		want rules.Status
	}{
		{"issued in the month, as it was", seen(ledger.SlipsCredit), closed("operation", "2024-10-01", "2024-10-31", "2024-10-10"), passes},
		{"another value after the close", seen(ledger.SlipsCredit, func(v *ledger.SlipView) { v.Value++ }), closed("operation", "2024-10-01", "2024-10-31", "2024-10-10"), fires},
		{"another value before it", seen(ledger.SlipsCredit, func(v *ledger.SlipView) { v.Value++ }), closed("operation", "2024-10-01", "2024-10-31", "2024-10-11"), passes},
		{"cancelled after the close", seen(ledger.SlipsCredit, func(v *ledger.SlipView) { v.CancelledOn = day("2024-10-11") }), closed("operation", "2024-10-01", "2024-10-31", "2024-10-10"), fires},
		{"seen for the first time after the close", seen(ledger.SlipsCredit), closed("operation", "2024-10-01", "2024-10-31", "2024-10-09"), fires},
		{"credited in the month after it was closed", seen(ledger.SlipsCredit, pay("2024-11-08", "100")), closed("credit", "2024-11-01", "2024-11-30", "2024-10-10"), fires},
		{"another value credited", seen(ledger.SlipsCredit, pay("2024-11-08", "100"), pay("2024-11-08", "99")), closed("credit", "2024-11-01", "2024-11-30", "2024-10-11"), fires},
		{"credited as it was", seen(ledger.SlipsCredit, pay("2024-11-08", "100")), closed("credit", "2024-11-01", "2024-11-30", "2024-10-11"), passes},
		{"not credited in it", seen(ledger.SlipsCredit), closed("credit", "2024-11-01", "2024-11-30", "2024-10-11"), none},
	} {
		e := c.w.env(t)
		o := e.EvaluateSlip(e.Index(code), rules.NewSlip(e, c.s))
		if o.Status != c.want {
			t.Errorf("%s: status %d, want %d", c.says, o.Status, c.want)
		}
		if o.Status == fires {
			told(t, code, o)
		}
	}
}
