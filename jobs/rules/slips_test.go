package rules_test

import (
	"strings"
	"testing"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/slips"
	"concilia/store/ledger"
)

func TestSlips(t *testing.T) {
	t.Parallel()
	type view = ledger.SlipView
	late := func(change func(*view)) *ledger.Slip {
		return slip(func(v *view) {
			// Thirteen days late: 2 % penalty, 1 % a month: 2.00 and 0.43.
			v.PaidOn, v.CreditedOn, v.PaidValue = day("2024-11-21"), day("2024-11-22"), some("102.43")
			if v.List == ledger.SlipsCredit {
				v.PenaltyReceived, v.InterestReceived = some("2"), some("0.43")
			}
			change(v)
		})
	}
	same := func(*view) {}
	ran := func(change func(*view)) *ledger.Slip { return slip(change) }
	bar := "00193373700000001000500940144816060680935031"
	line := string(must(ledger.ParseBarCode(bar)).DigitableLine())
	coded := func(change func(*view)) *ledger.Slip {
		return unpaid(func(v *view) {
			v.BarCode, v.DigitableLine = bar, line
			v.Value = must(ledger.ParseBarCode(bar)).Amount()
			v.Due = must(must(ledger.ParseBarCode(bar)).DueDate(day("2010-01-01")))
			change(v)
		})
	}
	then := "2007-12-20" // before the coded slip is forgotten
	for _, c := range []struct {
		code, says string
		slip       *ledger.Slip
		asOf       string
		want       rules.Status
		severity   ledger.Severity
	}{
		{"SLIP_PAID_INCOMPLETE", "date and value", slip(same), "", passes, ""},
		{"SLIP_PAID_INCOMPLETE", "no date", slip(func(v *view) { v.PaidOn = 0 }), "", fires, "E"},
		{"SLIP_PAID_INCOMPLETE", "no value", slip(func(v *view) { v.PaidValue = some("0") }), "", fires, "E"},
		{"SLIP_PAYMENT_WITHOUT_STATUS", "says issued", slip(func(v *view) { v.Status = ledger.Some[int64](2) }), "", fires, "E"},
		{"SLIP_PAYMENT_WITHOUT_STATUS", "not paid", unpaid(same), "", none, ""},
		{"SLIP_SHORT_PAID", "all of it", slip(same), "", passes, ""},
		{"SLIP_SHORT_PAID", "an agreed discount of 5, three days before", slip(func(v *view) { v.PaidOn, v.PaidValue = day("2024-11-05"), some("95") }), "", passes, ""},
		{"SLIP_SHORT_PAID", "a discount a day too late, perhaps", slip(func(v *view) { v.PaidOn, v.PaidValue = day("2024-11-06"), some("95") }), "", fires, "W"},
		{"SLIP_SHORT_PAID", "half of it", slip(func(v *view) { v.PaidValue = some("50") }), "", fires, "E"},
		{"SLIP_OVERPAID", "ten too much", slip(func(v *view) { v.PaidValue = some("110") }), "", fires, "W"},
		{"SLIP_OVERPAID", "less is the other rule's", slip(func(v *view) { v.PaidValue = some("50") }), "", passes, ""},
		{"SLIP_PAYMENT_COMPOSITION_MISMATCH", "adds up", late(same), "", passes, ""},
		{"SLIP_PAYMENT_COMPOSITION_MISMATCH", "two cents short", late(func(v *view) { v.PaidValue = some("102.41") }), "", fires, "E"},
		{"SLIP_LATE_PENALTY_MISMATCH", "2 %", late(same), "", passes, ""},
		{"SLIP_LATE_PENALTY_MISMATCH", "1 real less", late(func(v *view) {
			if v.List == ledger.SlipsCredit {
				v.PenaltyReceived = some("1")
			}
		}), "", fires, "E"},
		{"SLIP_LATE_PENALTY_MISMATCH", "no terms", late(func(v *view) { v.Penalty = ledger.Opt[ledger.Amount]{} }), "", rules.NotEvaluable, ""},
		{"SLIP_LATE_INTEREST_MISMATCH", "13 days", late(same), "", passes, ""},
		{"SLIP_LATE_INTEREST_MISMATCH", "two cents", late(func(v *view) {
			if v.List == ledger.SlipsCredit {
				v.InterestReceived = some("0.45")
			}
		}), "", within, ""},
		{"SLIP_LATE_INTEREST_MISMATCH", "a month's", late(func(v *view) {
			if v.List == ledger.SlipsCredit {
				v.InterestReceived = some("1")
			}
		}), "", fires, "E"},
		{"SLIP_CHARGE_NOT_DUE", "a penalty though in time", slip(func(v *view) {
			if v.List == ledger.SlipsCredit {
				v.PenaltyReceived = some("2")
			}
		}), "", fires, "W"},
		{"SLIP_CHARGE_NOT_DUE", "none", slip(same), "", passes, ""},
		{"SLIP_PAID_NOT_ALLOWED", "allowed", late(same), "", passes, ""},
		{"SLIP_PAID_NOT_ALLOWED", "not allowed", late(func(v *view) {
			if v.List == ledger.SlipsCredit {
				v.LateAllowed = ledger.Some(false)
			}
		}), "", fires, "E"},
		{"SLIP_PAID_NOT_ALLOWED", "past the limit", late(func(v *view) { v.LateLimit = day("2024-11-18") }), "", fires, "E"},
		{"SLIP_PAID_NOT_ALLOWED", "a limit on a holiday moves on", late(func(v *view) { v.LateLimit = day("2024-11-20") }), "", passes, ""},
		{"SLIP_CREDIT_BEFORE_PAYMENT", "credited first", slip(func(v *view) { v.CreditedOn = day("2024-11-07") }), "", fires, "E"},
		{"SLIP_CREDIT_NON_BUSINESS_DAY", "on a Sunday", slip(func(v *view) { v.CreditedOn = day("2024-11-10") }), "", fires, "W"},
		{"SLIP_CREDIT_NON_BUSINESS_DAY", "on the year's last business day", slip(func(v *view) { v.CreditedOn = day("2024-12-31") }), "", passes, ""},
		{"SLIP_CANCELLED_BUT_PAID", "paid", slip(func(v *view) { v.CancelledOn = day("2024-11-01") }), "", fires, "E"},
		{"SLIP_CANCEL_INCOMPLETE", "no reason", slip(func(v *view) { v.CancelledOn = day("2024-11-01") }), "", fires, "I"},
		{"SLIP_CANCEL_INCOMPLETE", "a reason", slip(func(v *view) { v.CancelledOn, v.CancelReason = day("2024-11-01"), "x" }), "", passes, ""},
		{"SLIP_STATUS_LAG", "the day after", unpaid(same), "2024-11-11", passes, ""},
		{"SLIP_STATUS_LAG", "two business days after", unpaid(same), "2024-11-12", fires, "I"},
		{"SLIP_STATUS_LAG", "says overdue", unpaid(func(v *view) { v.Status = ledger.Some[int64](9) }), "2024-11-12", passes, ""},
		{"SLIP_INTEGRATION_STUCK", "issued", unpaid(same), "2024-10-14", passes, ""},
		{"SLIP_INTEGRATION_STUCK", "a business day", unpaid(func(v *view) { v.Integration = ledger.Some[int64](1) }), "2024-10-11", passes, ""},
		{"SLIP_INTEGRATION_STUCK", "two", unpaid(func(v *view) { v.Integration = ledger.Some[int64](1) }), "2024-10-14", fires, "W"},
		{"SLIP_INTEGRATION_STUCK", "four", unpaid(func(v *view) { v.Integration = ledger.Some[int64](1) }), "2024-10-16", fires, "E"},
		{"SLIP_INTEGRATION_STUCK", "over 30 days past due", unpaid(func(v *view) { v.Integration = ledger.Some[int64](1) }), "2024-12-09", passes, ""},
		{"SLIP_INTEGRATION_FAILED", "rejected", unpaid(func(v *view) { v.Integration = ledger.Some[int64](9) }), "", fires, "E"},
		{"SLIP_INTEGRATION_FAILED", "over 30 days past due", unpaid(func(v *view) { v.Integration = ledger.Some[int64](9) }), "2024-12-09", passes, ""},
		{"SLIP_PAYMENT_LIST_NOT_PAID", "says issued there", ran(func(v *view) {
			if v.List == ledger.SlipsPayment {
				v.Status = ledger.Some[int64](2)
			}
		}), "", fires, "E"},
		{"SLIP_CODE_INVALID", "good", coded(same), then, passes, ""},
		{"SLIP_CODE_INVALID", "a digit turned", coded(func(v *view) { v.BarCode = bar[:43] + "2" }), then, fires, "E"},
		{"SLIP_CODE_INVALID", "two slips' codes", coded(func(v *view) {
			v.DigitableLine = "23793381286000782713695000063305975520000370000"
		}), then, fires, "E"},
		{"SLIP_CODE_INVALID", "no code", unpaid(same), "", none, ""},
		{"SLIP_CODE_AMOUNT_MISMATCH", "the value", coded(same), then, passes, ""},
		{"SLIP_CODE_AMOUNT_MISMATCH", "another value", coded(func(v *view) { v.Value += ledger.Real }), then, fires, "E"},
		{"SLIP_CODE_DUE_MISMATCH", "the due date", coded(same), then, passes, ""},
		{"SLIP_CODE_DUE_MISMATCH", "a factor's second turn", coded(func(v *view) { v.Due += 9000 }), then, passes, ""},
		{"SLIP_CODE_DUE_MISMATCH", "a day later", coded(func(v *view) { v.Due++ }), then, fires, "W"},
		{"SLIP_DOCUMENT_INVALID", "a CPF", slip(same), "", passes, ""},
		{"SLIP_DOCUMENT_INVALID", "a turned digit", slip(func(v *view) { v.PayerDocument = "52998224726" }), "", fires, "W"},
		{"SLIP_DOCUMENT_INVALID", "a CNPJ with letters", slip(func(v *view) { v.PayerDocument = "12ABC34501DE35" }), "", fires, "I"},
	} {
		t.Run(c.code+"/"+strings.ReplaceAll(c.says, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if c.asOf == "" {
				c.asOf = "2024-11-25"
			}
			e := world{asOf: c.asOf}.env(t)
			if e.Index(c.code) < 0 {
				t.Fatal("no such rule")
			}
			o := e.EvaluateSlip(e.Index(c.code), rules.NewSlip(e, c.slip))
			if o.Status != c.want {
				t.Fatalf("status %d, want %d (%+v)", o.Status, c.want, o)
			}
			if got := e.Severity(e.Index(c.code), &o); c.severity != "" && got != c.severity {
				t.Errorf("severity %s, want %s", got, c.severity)
			}
			if o.Status == fires {
				told(t, c.code, o)
			}
		})
	}
}

// Two views of a run that contradict each other open no case until the service was asked again.
func TestListsAreAskedAgainFirst(t *testing.T) {
	t.Parallel()
	differs := slip(func(v *ledger.SlipView) {
		if v.List == ledger.SlipsDue {
			v.Value = reais("99")
		}
	})
	absent := slip(func(*ledger.SlipView) {})
	absent.Views = absent.Views[:1] // the credit list alone
	uncredited := slip(func(*ledger.SlipView) {})
	uncredited.Views = uncredited.Views[1:]
	detailed := slip(func(v *ledger.SlipView) {})
	detailed.Views = append(detailed.Views, detailed.Views[0])
	last := &detailed.Views[len(detailed.Views)-1]
	last.List, last.Value = ledger.SlipDetail, reais("99")
	complete := func(ledger.Source, ledger.Date) bool { return true }
	for _, c := range []struct {
		code string
		slip *ledger.Slip
	}{
		{"SLIP_LIST_FIELD_CONFLICT", differs},
		{"SLIP_MISSING_IN_DUE_LIST", absent},
		{"SLIP_MISSING_IN_PAYMENT_LIST", absent},
		{"SLIP_MISSING_IN_CREDIT_LIST", uncredited},
		{"SLIP_DETAIL_CONFLICT", detailed},
	} {
		asks := slips.RechecksOf("now", c.slip, complete)
		if len(asks) == 0 {
			t.Fatalf("%s: nothing to ask again", c.code)
		}
		for _, answered := range []bool{false, true} {
			e := world{change: func(o *rules.Options) {
				o.CompleteNow = complete
				o.Answered = func(rules.Recheck) bool { return answered }
			}}.env(t)
			want := rules.NotEvaluable
			if answered {
				want = fires
			}
			if o := e.EvaluateSlip(e.Index(c.code), rules.NewSlip(e, c.slip)); o.Status != want {
				t.Errorf("%s, answered %v: status %d", c.code, answered, o.Status)
			} else if answered {
				told(t, c.code, o)
			}
		}
	}
	if asks := slips.RechecksOf("now", slip(func(*ledger.SlipView) {}), complete); len(asks) != 0 {
		t.Errorf("a slip that agrees with itself is asked again: %v", asks)
	}
	if asks := slips.RechecksOf("another run", differs, complete); len(asks) != 1+2+1 {
		t.Errorf("views of another run prove nothing but absence: %v", asks)
	}
}

// A slip that another one of its reference code took the place of is accused no more, whatever its registration or its
// code; one without a reference code is not asked about.
func TestReplacedSlips(t *testing.T) {
	t.Parallel()
	for code, s := range map[string]*ledger.Slip{
		"SLIP_INTEGRATION_STUCK":  unpaid(func(v *ledger.SlipView) { v.Integration, v.ReferenceCode = ledger.Some[int64](1), "R" }),
		"SLIP_INTEGRATION_FAILED": unpaid(func(v *ledger.SlipView) { v.Integration, v.ReferenceCode = ledger.Some[int64](9), "R" }),
		"SLIP_CODE_INVALID": unpaid(func(v *ledger.SlipView) {
			v.BarCode, v.ReferenceCode = "00193373700000001000500940144816060680935032", "R"
		}),
	} {
		for _, replaced := range []bool{false, true} {
			e := world{asOf: "2024-10-16", change: func(o *rules.Options) {
				o.Replaced = func(s *ledger.Slip) bool { return s.ReferenceCode == "" || replaced }
			}}.env(t)
			want := fires
			if replaced {
				want = passes
			}
			if o := e.EvaluateSlip(e.Index(code), rules.NewSlip(e, s)); o.Status != want {
				t.Errorf("%s, replaced %v: status %d", code, replaced, o.Status)
			}
			s.ReferenceCode = ""
			if o := e.EvaluateSlip(e.Index(code), rules.NewSlip(e, s)); o.Status != fires {
				t.Errorf("%s without a reference code: status %d", code, o.Status)
			}
			s.ReferenceCode = "R"
		}
	}
}

// The detail has no status overdue and calls such a slip issued: that is no conflict, any other status is.
func TestDetailHasNoOverdue(t *testing.T) {
	t.Parallel()
	for status, want := range map[int64]rules.Status{2: passes, 1: fires} {
		s := unpaid(func(v *ledger.SlipView) { v.Status = ledger.Some[int64](9) })
		s.Views = append(s.Views, s.Views[0])
		s.Views[1].List, s.Views[1].Status = ledger.SlipDetail, ledger.Some(status)
		e := world{change: func(o *rules.Options) { o.Answered = func(rules.Recheck) bool { return true } }}.env(t)
		if o := e.EvaluateSlip(e.Index("SLIP_DETAIL_CONFLICT"), rules.NewSlip(e, s)); o.Status != want {
			t.Errorf("detail status %d: %d, want %d", status, o.Status, want)
		}
	}
}

// Payer data never enters a finding.
func TestConflictsHideThePayer(t *testing.T) {
	t.Parallel()
	s := slip(func(v *ledger.SlipView) {
		if v.List == ledger.SlipsDue {
			v.PayerName = "Beatriz"
		}
	})
	e := world{change: func(o *rules.Options) { o.Answered = func(rules.Recheck) bool { return true } }}.env(t)
	o := e.EvaluateSlip(e.Index("SLIP_LIST_FIELD_CONFLICT"), rules.NewSlip(e, s))
	f := ledger.Finding{Code: "SLIP_LIST_FIELD_CONFLICT", Expected: o.Expected, Actual: o.Actual, Numbers: o.Numbers}
	if said := (catalogue.Voice{Language: "en"}).Explain(f); o.Status != fires || strings.Contains(said, "Ana") || strings.Contains(said, "Beatriz") {
		t.Errorf("%d: %s", o.Status, said)
	}
}
