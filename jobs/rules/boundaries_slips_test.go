package rules_test

import (
	"strings"
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

type view = ledger.SlipView

// inCredit changes what only the list by credit date shows.
func inCredit(change func(*view)) func(*view) {
	return func(v *view) {
		if v.List == ledger.SlipsCredit {
			change(v)
		}
	}
}

// all applies changes one after the other.
func all(changes ...func(*view)) func(*view) {
	return func(v *view) {
		for _, c := range changes {
			c(v)
		}
	}
}

// lately is a slip of 100.00 paid thirteen days late with a penalty of 2.00 and an interest of 0.43.
func lately(changes ...func(*view)) *ledger.Slip {
	return slip(all(append([]func(*view){
		func(v *view) {
			v.PaidOn, v.CreditedOn, v.PaidValue = day("2024-11-21"), day("2024-11-22"), some("102.43")
		},
		inCredit(func(v *view) { v.PenaltyReceived, v.InterestReceived = some("2"), some("0.43") }),
	}, changes...)...))
}

func TestBoundariesOfSlips(t *testing.T) {
	t.Parallel()
	paid := func(on, value string) func(*view) {
		return func(v *view) { v.PaidOn, v.PaidValue = day(on), some(value) }
	}
	worth := func(value string) func(*view) { return func(v *view) { v.PaidValue = some(value) } }
	penalty := func(value string) func(*view) {
		return inCredit(func(v *view) { v.PenaltyReceived = some(value) })
	}
	interest := func(value string) func(*view) {
		return inCredit(func(v *view) { v.InterestReceived = some(value) })
	}
	cancelled := func(v *view) { v.CancelledOn, v.CancelReason = day("2024-11-01"), "x" }
	bill := func(n int64) func(*view) { return func(v *view) { v.Status = ledger.Some(n) } }
	registration := func(n int64) func(*view) { return func(v *view) { v.Integration = ledger.Some(n) } }
	hidden := func(s *ledger.Slip) *ledger.Slip { // the credit list does not know it
		x := ledger.SlipOf(s.Views[1:], nil)
		return &x
	}
	fixed := func(o *rules.Options) {
		o.Profile.Slip = agreements.SlipInterpretation{Penalty: agreements.PenaltyFixed, Interest: agreements.InterestDailyFixed}
	}
	daily := func(o *rules.Options) { o.Profile.Slip.Interest = agreements.InterestDaily }
	for _, c := range []struct {
		code, says string
		slip       *ledger.Slip
		want       rules.Status
		severity   ledger.Severity
		w          world
	}{
		{"SLIP_PAID_INCOMPLETE", "says paid alone", unpaid(bill(3)), fires, "E", world{}},
		{"SLIP_PAID_INCOMPLETE", "not paid", unpaid(bill(2)), none, "", world{}},
		{"SLIP_PAYMENT_WITHOUT_STATUS", "says paid", slip(bill(3)), passes, "", world{}},
		{"SLIP_PAYMENT_WITHOUT_STATUS", "says nothing", slip(func(v *view) { v.Status = ledger.Opt[int64]{} }), rules.NotEvaluable, "", world{}},
		{"SLIP_SHORT_PAID", "a ten-thousandth", slip(worth("99.9999")), fires, "W", world{}},
		{"SLIP_SHORT_PAID", "a tenth of the value, perhaps a discount", slip(worth("90")), fires, "W", world{}},
		{"SLIP_SHORT_PAID", "more than a tenth", slip(worth("89.9999")), fires, "E", world{}},
		{"SLIP_SHORT_PAID", "a tenth, after the due date, on the day that counts as it", slip(all(
			func(v *view) { v.Due = day("2024-11-16") }, paid("2024-11-18", "90"),
		)), fires, "E", world{}},
		{"SLIP_SHORT_PAID", "the agreed discount", slip(paid("2024-11-05", "95")), passes, "", world{}},
		{"SLIP_SHORT_PAID", "less than the agreed discount", slip(paid("2024-11-05", "97")), passes, "", world{}},
		{"SLIP_SHORT_PAID", "a ten-thousandth more than agreed", slip(paid("2024-11-05", "94.9999")), fires, "W", world{}},
		{"SLIP_SHORT_PAID", "no date", slip(all(worth("50"), func(v *view) { v.PaidOn = 0 })), none, "", world{}},
		{"SLIP_SHORT_PAID", "late", lately(worth("50")), none, "", world{}},
		{"SLIP_SHORT_PAID", "a charge that was not due is part of what is to be paid", slip(penalty("2")), fires, "W", world{}},
		{"SLIP_OVERPAID", "a ten-thousandth", slip(worth("100.0001")), fires, "W", world{}},
		{"SLIP_OVERPAID", "the value", slip(worth("100")), passes, "", world{}},
		{"SLIP_PAYMENT_COMPOSITION_MISMATCH", "a cent", lately(worth("102.42")), within, "", world{}},
		{"SLIP_PAYMENT_COMPOSITION_MISMATCH", "a cent and a ten-thousandth", lately(worth("102.4401")), fires, "E", world{}},
		{"SLIP_PAYMENT_COMPOSITION_MISMATCH", "nothing paid", lately(worth("0")), fires, "E", world{}},
		{"SLIP_PAYMENT_COMPOSITION_MISMATCH", "charges not shown", hidden(lately(worth("50"))), none, "", world{}},
		{"SLIP_LATE_PENALTY_MISMATCH", "a cent", lately(penalty("2.01")), within, "", world{}},
		{"SLIP_LATE_PENALTY_MISMATCH", "a cent and a ten-thousandth", lately(penalty("2.0101")), fires, "E", world{}},
		{"SLIP_LATE_PENALTY_MISMATCH", "fixed", lately(penalty("2")), passes, "", world{change: fixed}},
		{"SLIP_LATE_PENALTY_MISMATCH", "in time", slip(penalty("2")), none, "", world{}},
		{"SLIP_LATE_INTEREST_MISMATCH", "two cents and a ten-thousandth", lately(interest("0.4501")), fires, "E", world{}},
		{"SLIP_LATE_INTEREST_MISMATCH", "1 % a day", lately(interest("13")), passes, "", world{change: daily}},
		{"SLIP_LATE_INTEREST_MISMATCH", "half a percent of 13.00", lately(interest("13.065")), within, "", world{change: daily}},
		{"SLIP_LATE_INTEREST_MISMATCH", "more than half a percent of it", lately(interest("13.0651")), fires, "", world{change: daily}},
		{"SLIP_LATE_INTEREST_MISMATCH", "1.00 a day", lately(interest("13")), passes, "", world{change: fixed}},
		{"SLIP_CHARGE_NOT_DUE", "interest alone", slip(interest("0.01")), fires, "W", world{}},
		{"SLIP_CHARGE_NOT_DUE", "below zero", slip(interest("-0.01")), fires, "W", world{}},
		{"SLIP_CHARGE_NOT_DUE", "late", lately(), none, "", world{}},
		{"SLIP_CHARGE_NOT_DUE", "not shown", hidden(slip(penalty("2"))), none, "", world{}},
		{"SLIP_PAID_NOT_ALLOWED", "on the limit", lately(func(v *view) { v.LateLimit = day("2024-11-21") }), passes, "", world{}},
		{"SLIP_PAID_NOT_ALLOWED", "the day after it", lately(func(v *view) { v.LateLimit = day("2024-11-19") }), fires, "E", world{}},
		{"SLIP_PAID_NOT_ALLOWED", "in time", slip(inCredit(func(v *view) { v.LateAllowed = ledger.Some(false) })), none, "", world{}},
		{"SLIP_CANCELLED_BUT_PAID", "not paid", unpaid(cancelled), passes, "", world{}},
		{"SLIP_CANCELLED_BUT_PAID", "not cancelled", slip(func(*view) {}), none, "", world{}},
		{"SLIP_CREDIT_OVERDUE", "nothing paid", slip(all(worth("0"), func(v *view) { v.CreditedOn = 0 })), none, "", world{}},
		{"SLIP_CREDIT_OVERDUE", "a date no calendar knows", slip(func(v *view) { v.PaidOn, v.CreditedOn = day("1980-01-01"), 0 }), rules.NotEvaluable, "", world{}},
		{"SLIP_CREDIT_BEFORE_PAYMENT", "on the same day", slip(func(v *view) { v.CreditedOn = v.PaidOn }), passes, "", world{}},
		{"SLIP_INTEGRATION_STUCK", "failed is another rule's", unpaid(all(registration(1), bill(99))), none, "", world{}},
		{"SLIP_INTEGRATION_STUCK", "no list says", unpaid(func(v *view) { v.Integration = ledger.Opt[int64]{} }), rules.NotEvaluable, "", world{}},
		{"SLIP_INTEGRATION_STUCK", "three business days", unpaid(registration(1)), fires, "W", world{asOf: "2024-10-15"}},
		{"SLIP_INTEGRATION_STUCK", "30 days past due", unpaid(registration(1)), fires, "E", world{asOf: "2024-12-08"}},
		{"SLIP_INTEGRATION_FAILED", "failed", unpaid(registration(99)), fires, "E", world{}},
		{"SLIP_INTEGRATION_FAILED", "the status alone says so", unpaid(bill(99)), passes, "", world{}},
		{"SLIP_INTEGRATION_FAILED", "30 days past due", unpaid(registration(99)), fires, "E", world{asOf: "2024-12-08"}},
		{"SLIP_INTEGRATION_FAILED", "issued", unpaid(registration(2)), none, "", world{}},
		{"SLIP_PAYMENT_LIST_NOT_PAID", "says paid", slip(func(*view) {}), passes, "", world{}},
		{"SLIP_PAYMENT_LIST_NOT_PAID", "says nothing", slip(func(v *view) { v.Status = ledger.Opt[int64]{} }), rules.NotEvaluable, "", world{}},
		{"SLIP_STATUS_LAG", "paid", slip(bill(2)), none, "", world{}},
		{"SLIP_STATUS_LAG", "the last day of the year is no counter's", unpaid(func(v *view) { v.Due = day("2024-12-31") }), passes, "", world{asOf: "2025-01-03"}},
		{"SLIP_STATUS_LAG", "but the second one of the next is past", unpaid(func(v *view) { v.Due = day("2024-12-31") }), fires, "", world{asOf: "2025-01-04"}},
		{"SLIP_DOCUMENT_INVALID", "a CNPJ", slip(func(v *view) { v.PayerDocument = "11222333000181" }), passes, "", world{}},
		{"SLIP_DOCUMENT_INVALID", "none", slip(func(v *view) { v.PayerDocument = "" }), none, "", world{}},
	} {
		t.Run(c.code+"/"+strings.ReplaceAll(c.says, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if c.w.asOf == "" {
				c.w.asOf = "2024-11-25"
			}
			e := c.w.env(t)
			o := e.EvaluateSlip(e.Index(c.code), rules.NewSlip(e, c.slip))
			if o.Status != c.want {
				t.Fatalf("status %d, want %d (%+v)", o.Status, c.want, o)
			}
			if got := e.Severity(e.Index(c.code), &o); c.severity != "" && got != c.severity {
				t.Errorf("severity %s, want %s", got, c.severity)
			}
		})
	}
}

// A code is used only where both of its spellings hold and agree.
func TestBoundariesOfCodes(t *testing.T) {
	t.Parallel()
	const bar, other = "00193373700000001000500940144816060680935031", "23793381286000782713695000063305975520000370000"
	line := string(must(ledger.ParseBarCode(bar)).DigitableLine())
	coded := func(changes ...func(*view)) *ledger.Slip {
		return unpaid(all(append([]func(*view){func(v *view) {
			v.BarCode, v.DigitableLine = bar, line
			v.Value = must(ledger.ParseBarCode(bar)).Amount()
			v.Due = must(must(ledger.ParseBarCode(bar)).DueDate(day("2010-01-01")))
		}}, changes...)...))
	}
	typed := func(v *view) { v.BarCode = "" }
	two := func(v *view) { v.DigitableLine = other }
	bill := func(n int64) func(*view) { return func(v *view) { v.Status = ledger.Some(n) } }
	dearer := func(v *view) { v.Value += ledger.Cent }
	moved := coded(func(v *view) { v.Due += 5 })
	moved.Earlier = append(moved.Earlier, coded().Views...)
	for _, c := range []struct {
		code, says string
		slip       *ledger.Slip
		asOf       string
		want       rules.Status
	}{
		{"SLIP_CODE_INVALID", "the typed line alone", coded(typed), "", passes},
		{"SLIP_CODE_INVALID", "two codes", coded(two), "", fires},
		{"SLIP_CODE_INVALID", "two codes, 30 days past due", coded(two), "2008-01-30", fires},
		{"SLIP_CODE_INVALID", "two codes, 31 days past due", coded(two), "2008-01-31", passes},
		{"SLIP_CODE_INVALID", "two codes of a cancelled slip", coded(two, func(v *view) { v.CancelledOn = day("2007-12-01") }), "", passes},
		{"SLIP_CODE_AMOUNT_MISMATCH", "by the typed line", coded(typed, dearer), "", fires},
		{"SLIP_CODE_AMOUNT_MISMATCH", "two codes: by neither", coded(two, dearer), "", none},
		{"SLIP_CODE_AMOUNT_MISMATCH", "in process", coded(bill(1), dearer), "", none},
		{"SLIP_CODE_AMOUNT_MISMATCH", "failed", coded(bill(99), dearer), "", none},
		{"SLIP_CODE_DUE_MISMATCH", "a date the slip once had", moved, "", passes},
		{"SLIP_CODE_DUE_MISMATCH", "in process", coded(bill(1), func(v *view) { v.Due-- }), "", none},
		{"SLIP_CODE_DUE_MISMATCH", "one it never had", coded(func(v *view) { v.Due-- }), "", fires},
		{"SLIP_CODE_DUE_MISMATCH", "a day off the factor's second turn", coded(func(v *view) { v.Due += 9001 }), "", fires},
	} {
		if c.asOf == "" {
			c.asOf = "2007-12-20"
		}
		e := world{asOf: c.asOf}.env(t)
		if o := e.EvaluateSlip(e.Index(c.code), rules.NewSlip(e, c.slip)); o.Status != c.want {
			t.Errorf("%s, %s: status %d, want %d (%+v)", c.code, c.says, o.Status, c.want, o)
		}
	}
}

// Lists of different runs prove nothing against each other: such a rule says so, and leaves its case as it is.
func TestViewsOfOtherRuns(t *testing.T) {
	t.Parallel()
	differs := func(v *view) {
		if v.List == ledger.SlipsDue {
			v.Value = reais("99")
		}
	}
	older := func(s *ledger.Slip, lists ...ledger.Source) *ledger.Slip {
		for i := range s.Views {
			for _, l := range lists {
				if s.Views[i].List == l {
					s.Views[i].LastRun = "before"
				}
			}
		}
		return s
	}
	detailed := func(s *ledger.Slip) *ledger.Slip {
		d := s.Views[0]
		d.List, d.Value = ledger.SlipDetail, reais("98")
		s.Views = append(s.Views, d)
		return s
	}
	lists := ledger.SlipLists()
	for _, c := range []struct {
		code, says string
		slip       *ledger.Slip
		want       rules.Status
	}{
		{"SLIP_LIST_FIELD_CONFLICT", "all of this run", slip(differs), fires},
		{"SLIP_LIST_FIELD_CONFLICT", "one of this run", older(slip(differs), ledger.SlipsCredit, ledger.SlipsPayment), rules.NotEvaluable},
		{"SLIP_LIST_FIELD_CONFLICT", "two of this run agree, and the third may not", older(slip(differs), ledger.SlipsDue), rules.NotPulled},
		{"SLIP_LIST_FIELD_CONFLICT", "all of this run agree", slip(func(*view) {}), passes},
		{"SLIP_LIST_FIELD_CONFLICT", "none of this run", older(slip(differs), lists...), rules.NotEvaluable},
		{"SLIP_LIST_FIELD_CONFLICT", "one list in all", unpaid(differs), none},
		{"SLIP_DETAIL_CONFLICT", "both of this run", detailed(slip(func(*view) {})), fires},
		{"SLIP_DETAIL_CONFLICT", "the detail of another", older(detailed(slip(func(*view) {})), ledger.SlipDetail), rules.NotEvaluable},
		{"SLIP_DETAIL_CONFLICT", "the lists of another", older(detailed(slip(func(*view) {})), lists...), rules.NotEvaluable},
		{"SLIP_DETAIL_CONFLICT", "no detail", slip(differs), none},
		{"SLIP_MISSING_IN_CREDIT_LIST", "a window of another run", slip(func(*view) {}), rules.NotPulled},
		{"SLIP_MISSING_IN_CREDIT_LIST", "not credited", slip(func(v *view) { v.CreditedOn = 0 }), none},
	} {
		e := world{change: func(o *rules.Options) { o.Answered = func(rules.Recheck) bool { return true } }}.env(t)
		if o := e.EvaluateSlip(e.Index(c.code), rules.NewSlip(e, c.slip)); o.Status != c.want {
			t.Errorf("%s, %s: status %d, want %d (%+v)", c.code, c.says, o.Status, c.want, o)
		}
	}
}

// A registration counts as in process from the run that first saw it so, not from the first sight of the slip.
func TestInProcessSince(t *testing.T) {
	t.Parallel()
	s := unpaid(func(v *view) { v.Issued, v.Integration = 0, ledger.Some[int64](ledger.IntegrationProcessing) })
	before := s.Views[0]
	before.Integration = ledger.Some[int64](ledger.IntegrationIssued)
	before.LastChanged, s.Views[0].LastChanged = day("2024-10-10"), day("2024-10-21")
	s.Earlier = append(s.Earlier, before)
	for asOf, want := range map[string]rules.Status{"2024-10-22": passes, "2024-10-23": fires} {
		e := world{asOf: asOf}.env(t)
		if o := e.EvaluateSlip(e.Index("SLIP_INTEGRATION_STUCK"), rules.NewSlip(e, s)); o.Status != want {
			t.Errorf("as of %s: status %d, want %d", asOf, o.Status, want)
		}
	}
}
