package export

import (
	"fmt"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// cardTitle is the title movement of an installment, in cents, before it has its number. sigma says that splits are taken
// out of what is received. A row whose gross is negative is no title.
func cardTitle(v *ledger.InstallmentVersion, e *ledger.Expectation, sigma bool) cnab.Title {
	gross := ledger.FromCents(e.GrossCents)
	fees := cents(v.MDR.Or(0)) + cents(v.Fee.Or(0)) + cents(v.Antifraud.Or(0))
	received := cents(v.Received.Or(0))
	t := cnab.Title{
		Portfolio: 1, DocumentNumber: lastRunes(v.NSU, documentNumberWidth),
		Due: v.Forecast, Face: gross, CompanyUse: companyUse(v), EventDate: v.SoldAt.Date(),
	}
	switch {
	case received < 0:
		t.Movement, t.Motive = cnab.FeesDebited, "06"
		t.OtherExpenses = -received
		t.EventDate = firstOf(v.Effective, v.TakenBackSince)
		return t
	case e.Class.Reversal():
		t.Movement, t.Motive = cnab.WrittenOff, "11"
		if e.Class == ledger.Chargeback {
			t.Motive = "09"
		}
		t.Fee = fees
		t.EventDate = v.ClassSince
	case e.Class == ledger.Received:
		t.Movement, t.Motive = cnab.Paid, "06"
		cost := cents(v.Anticipation.Or(0))
		if sigma {
			cost += splitCents(v)
		}
		net := gross - fees - cost
		t.Paid, t.Fee, t.Net = gross, fees, received
		t.OtherExpenses = cost + max(net-received, 0)
		t.OtherCredits = max(received-net, 0)
		t.EventDate, t.CreditDate = v.Effective, v.Effective
	default:
		t.Movement, t.Fee = cnab.Entered, fees
	}
	balance(&t)
	return t
}

// shares are the Y-50 records of a title in 02 or 06. A negative share has no column: it is left out and counted.
func (l *leftOut) shares(t *cnab.Title, v *ledger.InstallmentVersion) {
	if t.Movement != cnab.Entered && t.Movement != cnab.Paid {
		return
	}
	for i := range v.Splits {
		value := cents(v.Splits[i].Value.Or(0))
		if value < 0 {
			l.sharesLeft++
			l.sharesLeftMoney += value
			continue
		}
		t.Splits = append(t.Splits, cnab.SplitLine{
			Amount: value, Beneficiary: v.Splits[i].Beneficiary, Ordinal: i + 1, CreditDate: t.CreditDate,
		})
	}
}

// cardTitles are the titles that an EDI file of the installments will have.
type cardTitles struct {
	*spool[spooledTitle]
	sigma bool
	left  leftOut
}

// card keeps the title of an installment, or counts why not. nil keeps none.
func (c *cardTitles) card(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
	if c == nil {
		return nil
	}
	if e.GrossCents < 0 {
		c.left.rows++
		c.left.gross += ledger.FromCents(e.GrossCents)
		return nil
	}
	t := cardTitle(v, e, c.sigma)
	c.left.shares(&t, v)
	switch t.Movement {
	case cnab.FeesDebited:
		c.left.takenBack++
		c.left.takenBackMoney += t.OtherExpenses
	case cnab.WrittenOff:
		if r := cents(v.Received.Or(0)); r != 0 {
			c.left.onCancelled++
			c.left.onCancelledSum += r
		}
	}
	return c.add(&spooledTitle{v.Key().Subject(), t})
}

// documentNumberWidth is the width of numero_documento; of a longer nsu its end tells titles apart.
const documentNumberWidth = 15

// companyUse is PP/TT, the authorization and the merchant's own reference.
func companyUse(v *ledger.InstallmentVersion) string {
	return fmt.Sprintf("%02d/%02d %s %s", v.Key().Number, v.Of(), v.Auth, v.Reference)
}

func lastRunes(s string, n int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-n):])
}

func firstOf(dates ...ledger.Date) ledger.Date {
	for _, d := range dates {
		if d != 0 {
			return d
		}
	}
	return 0
}
