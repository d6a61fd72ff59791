package edi

import (
	"fmt"
	"strings"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// CardEntry returns the entry of an installment: its received amount, whatever its class. That amount is net of fees and
// anticipation, so they have no entries. false: the received amount is zero.
func CardEntry(v *ledger.InstallmentVersion, e *ledger.Expectation) (cnab.Entry, bool) {
	received := roundToCents(v.Received.Or(0))
	number, of := v.Key().Number, v.InstallmentCount()
	out := newEntry(v.Effective, received, "222", "103")
	word := "CARTAO"
	if out.Debit {
		word = "ESTORNO"
	}
	out.Text = fmt.Sprintf("%s %s %02d/%02d", word, strings.ToUpper(e.Brand), number, of)
	out.Document = fmt.Sprintf("%s AUT %s P%02d/%02d", padZeros(v.NSU, 12), v.Auth, number, of)
	return out, received != 0
}

// SlipEntries are what a slip moved: the payment and, right after it, its tariff; or, net, one entry of their difference.
func SlipEntries(s *ledger.Slip, e *ledger.SlipExpectation, net bool) []cnab.Entry {
	paid, tariff := roundToCents(s.PaidValue.Or(0)), roundToCents(e.Tariff.Or(0))
	var out []cnab.Entry
	put := func(amount ledger.Amount, credit, debit, text string) {
		if amount != 0 {
			x := newEntry(s.CreditedOn, amount, credit, debit)
			x.Text, x.Document = text, slipReference(s)
			out = append(out, x)
		}
	}
	settled := func(amount ledger.Amount) {
		text := "LIQUIDACAO BOLETO"
		if amount < 0 {
			text = "ESTORNO BOLETO"
		}
		put(amount, "202", "103", text)
	}
	switch {
	case !net:
		settled(paid)
		put(-tariff, "204", "105", "TARIFA BOLETO")
	case paid >= 0 && paid < tariff:
		// The slip did not pay for its own tariff: what is left of it is a fee, not a reversal.
		put(paid-tariff, "202", "105", "TARIFA BOLETO")
	default:
		settled(paid - tariff)
	}
	return out
}

// newEntry is an entry of that signed amount under the category of its side.
func newEntry(d ledger.Date, amount ledger.Amount, credit, debit string) cnab.Entry {
	e := cnab.Entry{Booked: d, Posted: d, Amount: amount.Abs(), Debit: amount < 0, Category: credit}
	if e.Debit {
		e.Category = debit
	}
	e.History = "0" + e.Category
	return e
}

// slipReference is the reference, else OurNumber, else the first 25 hex digits of the id.
func slipReference(s *ledger.Slip) string {
	if s.ReferenceCode == "" && s.OurNumber != "" {
		return s.OurNumber
	}
	return slipCompanyUse(s)
}

func padZeros(s string, n int) string { return strings.Repeat("0", max(0, n-len(s))) + s }
