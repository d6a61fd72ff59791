package edi

import (
	"fmt"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// OmittedRows counts the rows that are no title of a file, and the amounts that are written to other fields than those of
// a payment. Amounts are in cents.
type OmittedRows struct {
	Rows             int64         // not written
	Gross            ledger.Amount // their face value
	TakenBack        int64         // movements 28
	TakenBackSum     ledger.Amount
	OnCancelled      int64 // money that stayed on cancelled titles
	OnCancelledSum   ledger.Amount
	NegativeSplits   int64 // negative shares, which are not written: the columns have no sign
	NegativeSplitSum ledger.Amount
	PayerDocuments   int64 // of titles that show their payer: the digits do not check, so no document is written
}

// TitleBuilder makes the titles of one kind and counts what they leave out. The zero Titles has made none.
type TitleBuilder struct {
	Omitted OmittedRows
}

// CardTitle returns the title of an installment, without its number. splits is the amount that the shares take out of
// what is received, or 0. A row whose gross is negative is no title: false.
func (x *TitleBuilder) CardTitle(v *ledger.InstallmentVersion, e *ledger.Expectation, splits ledger.Amount) (cnab.Title, bool) {
	if e.GrossCents < 0 {
		x.Omitted.Rows++
		x.Omitted.Gross += ledger.FromCents(e.GrossCents)
		return cnab.Title{}, false
	}
	t := cardTitle(v, e, splits)
	x.Omitted.addSplits(&t, v)
	switch t.Movement {
	case cnab.FeesDebited:
		x.Omitted.TakenBack++
		x.Omitted.TakenBackSum += t.OtherExpenses
	case cnab.WrittenOff:
		if r := roundToCents(v.Received.Or(0)); r != 0 {
			x.Omitted.OnCancelled++
			x.Omitted.OnCancelledSum += r
		}
	}
	return t, true
}

// SlipTitle returns the title of a slip, without its number. clear includes the payer. false: the slip is no title yet, or
// one of its amounts is negative.
func (x *TitleBuilder) SlipTitle(s *ledger.Slip, e *ledger.SlipExpectation, clear bool) (cnab.Title, bool) {
	m, ok := slipMovement(s)
	if !ok {
		x.Omitted.Rows++
		x.Omitted.Gross += roundToCents(s.Value)
		return cnab.Title{}, false
	}
	t := slipTitle(s, e, m)
	if clear {
		x.Omitted.setPayer(&t, s)
	}
	return t, true
}

// addSplits are the Y-50 records of a title in 02 or 06. A negative share has no column: it is left out and counted.
func (l *OmittedRows) addSplits(t *cnab.Title, v *ledger.InstallmentVersion) {
	if t.Movement != cnab.Entered && t.Movement != cnab.Paid {
		return
	}
	for i := range v.Splits {
		value := roundToCents(v.Splits[i].Value.Or(0))
		if value < 0 {
			l.NegativeSplits++
			l.NegativeSplitSum += value
			continue
		}
		t.Splits = append(t.Splits, cnab.SplitLine{
			Amount: value, Beneficiary: v.Splits[i].Beneficiary, Ordinal: i + 1, CreditDate: t.CreditDate,
		})
	}
}

// cardTitle is the title of an installment without its shares.
func cardTitle(v *ledger.InstallmentVersion, e *ledger.Expectation, splits ledger.Amount) cnab.Title {
	gross := ledger.FromCents(e.GrossCents)
	fees := roundToCents(v.MDR.Or(0)) + roundToCents(v.Fee.Or(0)) + roundToCents(v.Antifraud.Or(0))
	received := roundToCents(v.Received.Or(0))
	t := cnab.Title{
		Portfolio: 1, DocumentNumber: lastRunes(v.NSU, documentNumberWidth),
		Due: v.Forecast, Face: gross, CompanyUse: companyUse(v), EventDate: v.SoldAt.Date(),
	}
	switch {
	case received < 0:
		t.Movement, t.Motive = cnab.FeesDebited, "06"
		t.OtherExpenses = -received
		t.EventDate = firstDate(v.Effective, v.TakenBackSince)
		return t
	case e.Class.IsReversal():
		t.Movement, t.Motive = cnab.WrittenOff, "11"
		if e.Class == ledger.Chargeback {
			t.Motive = "09"
		}
		t.Fee = fees
		t.EventDate = v.ClassSince
	case e.Class == ledger.Received:
		t.Movement, t.Motive = cnab.Paid, "06"
		cost := roundToCents(v.Anticipation.Or(0)) + splits
		net := gross - fees - cost
		t.Paid, t.Fee, t.Net = gross, fees, received
		t.OtherExpenses = cost + max(net-received, 0)
		t.OtherCredits = max(received-net, 0)
		t.EventDate, t.CreditDate = v.Effective, v.Effective
	default:
		t.Movement, t.Fee = cnab.Entered, fees
	}
	offsetNegatives(&t)
	return t
}

// offsetNegatives moves what would be negative in an unsigned column to the opposite one, so that the identities of the
// payment still hold: fee and other expenses against other credits, additions against discount.
func offsetNegatives(t *cnab.Title) {
	if t.Additions < 0 {
		t.Discount -= t.Additions
		t.Additions = 0
	}
	for _, m := range []*ledger.Amount{&t.Fee, &t.OtherExpenses} {
		if *m < 0 {
			t.OtherCredits -= *m
			*m = 0
		}
	}
	if t.Net < 0 {
		t.OtherCredits -= t.Net
		t.Net = 0
	}
}

// companyUse is PP/TT, the authorization and the merchant's own reference.
func companyUse(v *ledger.InstallmentVersion) string {
	return fmt.Sprintf("%02d/%02d %s %s", v.Key().Number, v.InstallmentCount(), v.Auth, v.Reference)
}

// roundToCents is the amount as two decimals show it.
func roundToCents(a ledger.Amount) ledger.Amount { return a.Rounded(ledger.HalfAwayFromZero) }

func firstDate(dates ...ledger.Date) ledger.Date {
	for _, d := range dates {
		if d != 0 {
			return d
		}
	}
	return 0
}
