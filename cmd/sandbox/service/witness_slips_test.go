package service_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"concilia/cmd/sandbox/world"
)

// shared are the members both camelCase lists have; the credit list spells all but the last with a capital.
const shared = slipMembers + " statusBill statusIntegration"

// slips judges the three lists of an account together, then each slip.
func (f *finder) slips(due, paid, credited map[string]row) {
	references := map[string]bool{}
	for id, r := range due {
		subject := fmt.Sprintf("slip:%d:%s", f.account, id)
		p, isPaid := paid[id]
		c, isCredited := credited[id]
		f.when(isPaid != (r.text("statusBill") == "3"), "SLIP_MISSING_IN_PAYMENT_LIST", subject)
		f.when(isCredited != (r.day("effectiveCreditDate") != 0), "SLIP_MISSING_IN_CREDIT_LIST", subject)
		conflict := false
		for name := range strings.FieldsSeq(shared) {
			capital := strings.ToUpper(name[:1]) + name[1:]
			conflict = conflict || isPaid && p.text(name) != r.text(name)
			conflict = conflict || isCredited && name != "statusIntegration" && c.text(capital) != r.text(name)
		}
		f.when(conflict, "SLIP_LIST_FIELD_CONFLICT", subject)
		if isCredited {
			f.when(references[c.text("ReferenceCode")] || len(c.text("ReferenceCode")) > 20 || len(c.text("OurNumber")) != 17, "SLIP_DUPLICATE_ID", subject)
			references[c.text("ReferenceCode")] = true
		}
		f.slip(subject, r, c)
	}
	for id := range paid {
		f.when(due[id] == nil, "SLIP_MISSING_IN_DUE_LIST", id)
	}
	for id := range credited {
		f.when(due[id] == nil, "SLIP_MISSING_IN_DUE_LIST", id)
	}
}

// slip judges one slip; c is its record in the list by credit date, nil when it is not there.
func (f *finder) slip(subject string, r, c row) {
	value, due, status := r.num("value"), r.day("dueDate"), r.int("statusBill")
	f.when(!validDocument(r.text("payerDocument")), "SLIP_DOCUMENT_INVALID", subject)
	f.codes(subject, r, value, due, status)
	switch status {
	case 3:
		f.paidSlip(subject, r, c, value, due)
		return
	case 99:
		f.when(r.text("statusIntegration") != "9", "SLIP_INTEGRATION_STUCK", subject)
		f.add("SLIP_INTEGRATION_FAILED", subject, value.StringFixed(2))
	case 1:
		f.when(r.day("issueDate").AddBankDays(1) < f.asOf, "SLIP_INTEGRATION_STUCK", subject)
	case 2:
		f.when(f.asOf > due.CounterDayOnOrAfter(), "SLIP_STATUS_LAG", subject)
	case 9:
		f.when(f.asOf <= due.CounterDayOnOrAfter(), "SLIP_STATUS_REGRESSION", subject)
	}
	f.when(r.text("effectivePaymentDate") != "" || r.text("effectivePaymentValue") != "", "SLIP_PAYMENT_WITHOUT_STATUS", subject)
}

func (f *finder) paidSlip(subject string, r, c row, value decimal.Decimal, due world.Date) {
	paid, credited, amount := r.day("effectivePaymentDate"), r.day("effectiveCreditDate"), r.num("effectivePaymentValue")
	f.when(paid == 0 || amount.IsZero(), "SLIP_PAID_INCOMPLETE", subject)
	late := paid > due.CounterDayOnOrAfter()
	expected := paid.BankDayOnOrAfter().AddBankDays(1)
	if credited == 0 {
		if f.asOf > expected.AddBankDays(1) {
			f.add("SLIP_CREDIT_OVERDUE", subject, amount.StringFixed(2))
		} else if f.asOf > expected {
			f.add("SLIP_CREDIT_OVERDUE", subject, "0.00")
		}
	} else {
		f.when(credited != expected || credited < paid || !credited.IsBankDay(), "SLIP_CREDIT_NON_BUSINESS_DAY", subject)
	}
	if c != nil && c.text("CancelDate") != "" {
		cancelled := c.day("CancelDate")
		f.when(cancelled <= c.day("IssueDate") || cancelled >= paid || c.text("CancellationReason") == "", "SLIP_CANCEL_INCOMPLETE", subject)
		f.add("SLIP_CANCELLED_BUT_PAID", subject, amount.Neg().StringFixed(2))
		return
	}
	f.when(c != nil && c.text("CancellationReason") != "", "SLIP_CANCEL_INCOMPLETE", subject)
	penalty, interest := decimal.Zero, decimal.Zero
	if c != nil {
		penalty, interest = c.num("OverduePenaltyReceived"), c.num("OverdueInterestReceived")
	}
	if !late {
		f.when(!penalty.IsZero() || !interest.IsZero(), "SLIP_CHARGE_NOT_DUE", subject)
		if short := value.Sub(amount); short.IsPositive() {
			f.add("SLIP_SHORT_PAID", subject, short.StringFixed(2))
		} else if short.IsNegative() {
			f.add("SLIP_OVERPAID", subject, short.StringFixed(2))
		}
		return
	}
	if c == nil {
		return
	}
	days := decimal.NewFromInt(int64(paid - due))
	wantPenalty := pct(value, c.num("OverduePaymentPenalty"))
	if f.reading.SlipPenalty == world.PenaltyFixed {
		wantPenalty = c.num("OverduePaymentPenalty")
	}
	wantInterest := c.num("OverduePaymentInterest").Mul(days)
	switch f.reading.SlipInterest {
	case world.InterestDailyFixed:
	case world.InterestDaily:
		wantInterest = pct(value, wantInterest)
	default:
		wantInterest = value.Mul(wantInterest).Div(dec("3000")).Round(2)
	}
	if !penalty.Equal(wantPenalty) {
		f.add("SLIP_LATE_PENALTY_MISMATCH", subject, wantPenalty.Sub(penalty).StringFixed(2))
	}
	f.when(!interest.Equal(wantInterest), "SLIP_LATE_INTEREST_MISMATCH", subject)
	f.when(!amount.Equal(value.Add(penalty).Add(interest)), "SLIP_PAYMENT_COMPOSITION_MISMATCH", subject)
	f.when(c.text("OverduePaymentAllow") != "true" || paid > c.day("OverduePaymentDateLimit").CounterDayOnOrAfter(), "SLIP_PAID_NOT_ALLOWED", subject)
}

// codes takes bar code and line apart again, the other way round from how they were made.
func (f *finder) codes(subject string, r row, value decimal.Decimal, due world.Date, status int) {
	bar, line, pix := r.text("barCode"), r.text("digitableLine"), r.text("pixEmv")
	if status == 1 || status == 99 {
		f.when(bar+line+pix != "", "SLIP_CODE_INVALID", subject)
		return
	}
	valid := len(bar) == 44 && len(line) == 47 && mod10(line[:10]) && mod10(line[10:21]) && mod10(line[21:32]) &&
		line[:4]+line[32:47]+line[4:9]+line[10:20]+line[21:31] == bar
	if !valid {
		f.add("SLIP_CODE_INVALID", subject, "")
		return
	}
	cents, _ := strconv.ParseInt(bar[9:19], 10, 64)
	f.when(!decimal.New(cents, -2).Equal(value), "SLIP_CODE_AMOUNT_MISMATCH", subject)
	factor, _ := strconv.Atoi(bar[5:9])
	restart := world.NewDate(2025, 2, 22)
	if due < restart {
		restart -= 9000
	}
	f.when(restart+world.Date(factor-1000) != due, "SLIP_CODE_DUE_MISMATCH", subject)
	f.when(!strings.Contains(pix, "54"+fmt.Sprintf("%02d", len(value.StringFixed(2)))+value.StringFixed(2)), "PIX_AMOUNT", subject)
}

// mod10 reports whether a field ends in its check digit: with it, the weighted sum is a multiple of ten.
func mod10(s string) bool {
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return sum%10 == 0
}

// validDocument checks a CPF or CNPJ by its defining sums: each, with its check digit, is 0 or 1 mod 11.
func validDocument(s string) bool {
	weights := map[int][]int{11: {10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 14: {5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2, 1}}[len(s)]
	if weights == nil {
		return false
	}
	first := map[int]int{11: 11, 14: 6}[len(s)]
	return checks(s[:len(s)-1], weights) && checks(s, append([]int{first}, weights...))
}

func checks(s string, weights []int) bool {
	sum := 0
	for i := range len(s) {
		sum += int(s[i]-'0') * weights[i]
	}
	return sum%11 == 0 || sum%11 == 1 && s[len(s)-1] == '0'
}
