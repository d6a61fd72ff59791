package edi

import (
	"strings"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// slipMovement returns the movement of a slip, the first case that applies. false: it is no title yet, or one of its
// amounts is negative, and the columns of a title have no sign.
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

// isRejected reports whether a slip, or one list's version of it, was rejected or failed at the bank.
func isRejected(v *ledger.SlipView) bool {
	integration := v.Integration.Or(0)
	return integration == ledger.IntegrationRejected || integration == ledger.IntegrationFailed ||
		v.Status.Or(0) == ledger.BillFailed
}

// firstRejectedOn returns the day on which any list first showed the slip as rejected. Later changes of the slip do not
// move it.
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

// setPayer sets the payer of a slip. A document with wrong check digits is left out and counted, since strict readers
// would refuse the file.
func (l *OmittedRows) setPayer(t *cnab.Title, s *ledger.Slip) {
	t.Payer.Name = s.PayerName
	switch d, err := ledger.ParseDocument(s.PayerDocument); {
	case err == nil:
		t.Payer.Document = d
	case s.PayerDocument != "":
		l.PayerDocuments++
	}
}

// slipTitle returns the title movement of a slip, in cents, without its number and its payer.
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

// NumberSlip sets the number and the document number of a slip's title. The document number is the end of ourNumber, or
// of the reference where ourNumber is unknown or equal to the number.
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

// slipCompanyUse returns the reference, or the first 25 hex digits of the id.
func slipCompanyUse(s *ledger.Slip) string {
	if s.ReferenceCode != "" {
		return s.ReferenceCode
	}
	id := strings.ToUpper(strings.ReplaceAll(s.ID, "-", ""))
	return id[:min(len(id), 25)]
}

// UsableOurNumber returns OurNumber, and whether it can be a title number: one to twenty digits.
func UsableOurNumber(s *ledger.Slip) (string, bool) {
	n := s.OurNumber
	return n, n != "" && len(n) <= 20 && strings.Trim(n, "0123456789") == ""
}
