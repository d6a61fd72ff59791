package slips

import (
	"strconv"
	"strings"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// viewsDiffer says whether two views of a slip differ in a member, or a list that should show it has no view of it.
func viewsDiffer(s *ledger.Slip) bool {
	for i := range s.Views {
		for j := range s.Views[:i] {
			if _, differ := compareViews(&s.Views[j].SlipView, &s.Views[i].SlipView); differ {
				return true
			}
		}
	}
	for _, list := range ledger.SlipLists() {
		if rules.DateInList(list, &s.SlipView) != 0 && s.View(list) == nil {
			return true
		}
	}
	return false
}

// difference is a member two views disagree on, with what each says.
type difference struct{ member, a, b string }

func (d difference) toOutcome() rules.Outcome {
	return rules.Outcome{Status: rules.Fires, Expected: ledger.Text(d.a), Actual: ledger.Text(d.b), Numbers: []ledger.Number{rules.NamedText("member", d.member)}}
}

// hiddenText replaces what a payer's member says: findings are printed.
const hiddenText = "***"

// compareViews finds the first member two views disagree on. Members that one of them left out are no disagreement, but
// for the dates and value of a payment, which every view has or should have.
func compareViews(a, b *ledger.SlipView) (difference, bool) {
	absent := func(s string) string {
		if s == "" {
			return "–"
		}
		return s
	}
	paid := func(v *ledger.SlipView) string {
		if v.PaidValue.Or(0) == 0 {
			return ""
		}
		return v.PaidValue.V.String()
	}
	for _, m := range [...]struct{ member, a, b string }{
		{"value", a.Value.String(), b.Value.String()},
		{"effectivePaymentDate", absent(a.PaidOn.String()), absent(b.PaidOn.String())},
		{"effectiveCreditDate", absent(a.CreditedOn.String()), absent(b.CreditedOn.String())},
		{"effectivePaymentValue", absent(paid(a)), absent(paid(b))},
		{"issueDate", a.Issued.String(), b.Issued.String()},
		{"dueDate", a.Due.String(), b.Due.String()},
		{"barCode", a.BarCode, b.BarCode},
		{"digitableLine", a.DigitableLine, b.DigitableLine},
		{"pixEmv", a.PixCode, b.PixCode},
		{"statusBill", optionalText(a.Status), optionalText(b.Status)},
		{"statusIntegration", registrationText(a), registrationText(b)},
		{"payerDocument", a.PayerDocument, b.PayerDocument},
		{"payerName", a.PayerName, b.PayerName},
		{"payerStreetAndNumber", a.PayerStreet, b.PayerStreet},
		{"payerZipCode", a.PayerZip, b.PayerZip},
		{"payerCity", a.PayerCity, b.PayerCity},
		{"payerCityState", a.PayerState, b.PayerState},
		{"payerNeighborhood", a.PayerDistrict, b.PayerDistrict},
		{"payerPhoneNumber", a.PayerPhone, b.PayerPhone},
	} {
		if m.a == m.b || m.a == "" || m.b == "" || m.member == "statusBill" && sameStatus(a, b) {
			continue
		}
		if m.member == "payerDocument" && (a.IsForgotten() || b.IsForgotten()) {
			continue
		}
		d := difference{m.member, m.a, m.b}
		if strings.HasPrefix(m.member, "payer") || strings.HasPrefix(m.member, "pix") {
			d.a, d.b = hiddenText, hiddenText
		}
		return d, true
	}
	return difference{}, false
}

// sameStatus allows what the detail can't say: it has no overdue, and calls such a slip issued.
func sameStatus(a, b *ledger.SlipView) bool {
	if b.List == ledger.SlipDetail {
		return a.Status.V == ledger.BillOverdue && b.Status.V == ledger.BillIssued
	}
	return false
}

// registrationText is the member as the view's own list shows it: that by credit date only filters by it, once a week.
func registrationText(v *ledger.SlipView) string {
	if v.List == ledger.SlipsCredit {
		return ""
	}
	return optionalText(v.Integration)
}

func optionalText(o ledger.Opt[int64]) string {
	if !o.OK {
		return ""
	}
	return strconv.FormatInt(o.V, 10)
}
