package edi

import (
	"strings"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// slipMovement is what an EDI file says happened to a slip, the first that holds. false: it is no title yet, or an
// amount of it is negative, for which a title has no column.
func slipMovement(s *ledger.Slip) (cnab.Movement, bool) {
	paid := s.PaidOn != 0 && s.PaidValue.OK
	status := s.Status.Or(0)
	switch {
	case s.Value < 0, paid && s.PaidValue.V < 0:
		return 0, false
	case paid && s.CancelledOn != 0 && s.PaidOn > s.CancelledOn:
		return cnab.PaidLate, true
	case paid:
		return cnab.Paid, true
	case s.CancelledOn != 0:
		return cnab.WrittenOff, true
	case isRejected(&s.SlipView):
		return cnab.Rejected, true
	case status == ledger.BillIssued, status == ledger.BillOverdue, status == ledger.BillPaid:
		return cnab.Entered, true
	}
	return 0, false
}

// isRejected says that a slip, or what one list says of it, was refused or failed on its way.
func isRejected(v *ledger.SlipView) bool {
	integration := v.Integration.Or(0)
	return integration == ledger.IntegrationRejected || integration == ledger.IntegrationFailed ||
		v.Status.Or(0) == ledger.BillFailed
}

// firstRejectedOn is the day on which any list first said so: what changed of the slip afterwards does not move it.
func firstRejectedOn(s *ledger.Slip) ledger.Date {
	var since ledger.Date
	for _, versions := range [][]ledger.SlipVersion{s.Earlier, s.Views} {
		for i := range versions {
			if d := versions[i].LastChanged; isRejected(&versions[i].SlipView) && d != 0 && (since == 0 || d < since) {
				since = d
			}
		}
	}
	return since
}

// setPayer names who owes the slip. A document whose digits do not check has no column: strict readers refuse the file. It
// is left out and counted.
func (l *OmittedRows) setPayer(t *cnab.Title, s *ledger.Slip) {
	t.Payer.Name = s.PayerName
	switch d, err := ledger.ParseDocument(s.PayerDocument); {
	case err == nil:
		t.Payer.Document = d
	case s.PayerDocument != "":
		l.PayerDocuments++
	}
}

// slipTitle is the title movement of a slip, in cents, before it is numbered and without its payer.
func slipTitle(s *ledger.Slip, e *ledger.SlipExpectation, m cnab.Movement) cnab.Title {
	t := cnab.Title{Movement: m, Portfolio: 1, Due: s.Due, Face: roundToCents(s.Value), CompanyUse: slipCompanyUse(s)}
	switch m {
	case cnab.Paid, cnab.PaidLate:
		t.Motive = "06"
		charges := roundToCents(s.PenaltyReceived.Or(0)) + roundToCents(s.InterestReceived.Or(0))
		rest := roundToCents(s.PaidValue.V) - t.Face - charges
		t.Fee, t.Paid = roundToCents(e.Tariff.Or(0)), roundToCents(s.PaidValue.V)
		t.Additions, t.Discount = charges+max(rest, 0), max(-rest, 0)
		t.Net = t.Paid - t.Fee
		t.EventDate, t.CreditDate = s.PaidOn, s.CreditedOn
		offsetNegatives(&t)
	case cnab.WrittenOff:
		t.Motive, t.EventDate = "11", s.CancelledOn
	case cnab.Rejected:
		t.EventDate = firstRejectedOn(s)
	default:
		t.EventDate = s.Issued
	}
	return t
}

// documentNumberWidth is the width of numero_documento. Longer texts keep their end: merchants number their sales and
// invoices at the end, so their beginnings are alike.
const documentNumberWidth = 15

// NumberSlip gives the title of a slip its number. Its document is the end of ourNumber, or the end of the reference where
// ourNumber is unknown or the number itself.
func NumberSlip(t *cnab.Title, number, ourNumber, reference string) {
	t.TitleNumber, t.DocumentNumber = number, lastRunes(reference, documentNumberWidth)
	if ourNumber != "" && strings.TrimLeft(ourNumber, "0") != strings.TrimLeft(number, "0") {
		t.DocumentNumber = lastRunes(ourNumber, documentNumberWidth)
	}
}

func lastRunes(s string, n int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-n):])
}

// slipCompanyUse is the reference, or the first 25 hex digits of the id.
func slipCompanyUse(s *ledger.Slip) string {
	if s.ReferenceCode != "" {
		return s.ReferenceCode
	}
	id := strings.ToUpper(strings.ReplaceAll(s.ID, "-", ""))
	return id[:min(len(id), 25)]
}

// UsableOurNumber is OurNumber when a title could carry it: digits, at most twenty.
func UsableOurNumber(s *ledger.Slip) (string, bool) {
	n := s.OurNumber
	return n, n != "" && len(n) <= 20 && strings.Trim(n, "0123456789") == ""
}
