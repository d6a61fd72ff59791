package export

import (
	"fmt"
	"strings"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// slipMovement is what an EDI file says happened to a slip, the first that holds. false: it is no title yet, or an
// amount of it is negative, for which a title has no column.
func slipMovement(s *ledger.Slip) (cnab.Movement, bool) {
	paid := s.PaidOn != 0 && s.PaidValue.OK
	status, integration := s.Status.Or(0), s.Integration.Or(0)
	switch {
	case s.Value < 0, paid && s.PaidValue.V < 0:
		return 0, false
	case paid && s.CancelledOn != 0 && s.PaidOn > s.CancelledOn:
		return cnab.PaidLate, true
	case paid:
		return cnab.Paid, true
	case s.CancelledOn != 0:
		return cnab.WrittenOff, true
	case integration == ledger.IntegrationRejected, integration == ledger.IntegrationFailed, status == ledger.BillFailed:
		return cnab.Rejected, true
	case status == ledger.BillIssued, status == ledger.BillOverdue, status == ledger.BillPaid:
		return cnab.Entered, true
	}
	return 0, false
}

// slipTitle is the title movement of a slip, in cents. clear shows the payer.
func slipTitle(s *ledger.Slip, e *ledger.SlipExpectation, m cnab.Movement, number string, clear bool) cnab.Title {
	t := cnab.Title{
		Movement: m, TitleNumber: number, Portfolio: 1, DocumentNumber: slipDocument(s, number), Due: s.Due,
		Face: cents(s.Value), CompanyUse: slipUse(s),
	}
	if clear {
		t.Payer.Name = s.PayerName
		if d, err := ledger.ParseDocument(s.PayerDocument); err == nil {
			t.Payer.Document = d
		}
	}
	switch m {
	case cnab.Paid, cnab.PaidLate:
		t.Motive = "06"
		charges := cents(s.PenaltyReceived.Or(0)) + cents(s.InterestReceived.Or(0))
		rest := cents(s.PaidValue.V) - t.Face - charges
		t.Fee, t.Paid = cents(e.Tariff.Or(0)), cents(s.PaidValue.V)
		t.Additions, t.Discount = charges+max(rest, 0), max(-rest, 0)
		t.Net = t.Paid - t.Fee
		t.EventDate, t.CreditDate = s.PaidOn, s.CreditedOn
		balance(&t)
	case cnab.WrittenOff:
		t.Motive, t.EventDate = "11", s.CancelledOn
	case cnab.Rejected:
		t.EventDate = s.LastChanged
	default:
		t.EventDate = s.Issued
	}
	return t
}

// slipDocument is the end of OurNumber, or the reference where OurNumber is unknown or the title number itself.
func slipDocument(s *ledger.Slip, number string) string {
	if s.OurNumber != "" && strings.TrimLeft(s.OurNumber, "0") != strings.TrimLeft(number, "0") {
		return lastRunes(s.OurNumber, documentNumberWidth)
	}
	return s.ReferenceCode
}

// slipUse is the reference, or the first 25 hex digits of the id.
func slipUse(s *ledger.Slip) string {
	if s.ReferenceCode != "" {
		return s.ReferenceCode
	}
	id := strings.ToUpper(strings.ReplaceAll(s.ID, "-", ""))
	return id[:min(len(id), 25)]
}

// addSlip writes the title of a slip, or counts why not.
func (e *ediFile) addSlip(s *ledger.Slip, x *ledger.SlipExpectation, numbers map[string]string, clear bool) error {
	m, ok := slipMovement(s)
	if !ok {
		e.left.rows++
		e.left.gross += cents(s.Value)
		return nil
	}
	if err := e.w.Title(slipTitle(s, x, m, numbers[s.Subject()], clear)); err != nil {
		return fmt.Errorf("%s: %w", s.Subject(), err)
	}
	return nil
}

// ownNumber is OurNumber when a title could carry it: digits, at most twenty.
func ownNumber(s *ledger.Slip) (string, bool) {
	n := s.OurNumber
	return n, n != "" && len(n) <= 20 && strings.Trim(n, "0123456789") == ""
}
