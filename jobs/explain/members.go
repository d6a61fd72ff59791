package explain

import (
	"strconv"

	"concilia/store/ledger"
)

// members gathers what is there, in order.
type members []Member

func (m *members) text(name, v string) {
	if v != "" {
		*m = append(*m, Member{name, v})
	}
}

func (m *members) amount(name string, v ledger.Opt[ledger.Amount]) { m.text(name, amountText(v)) }

func (m *members) rate(name string, v ledger.Opt[ledger.Rate]) {
	if v.OK {
		m.text(name, v.V.String())
	}
}

// cardMembers are the members of an installment that are there. A beneficiary, who may be a person, is a number.
func cardMembers(i *ledger.Installment) []Member {
	var m members
	m.text("transactionDate", i.SoldAt.String())
	m.text("terminal", i.Terminal)
	m.text("cardNumber", i.Card)
	m.text("cardType", i.CardType)
	m.text("cardName", i.CardName)
	m.text("codAuth", i.Auth)
	m.text("nsu", i.NSU)
	m.text("installmentNumber", strconv.Itoa(i.Number))
	m.text("installmentsCount", strconv.Itoa(i.Count))
	m.text("installmentValue", i.Gross.String())
	m.amount("transactionTotalValue", i.SaleTotal)
	m.text("installmentStatus", i.Status)
	m.amount("discountMdrValue", i.MDR)
	m.rate("discountMdrTax", i.MDRRate)
	m.amount("discountTrnRateInstalmentValue", i.Fee)
	m.amount("discountTrnRateTransactionValue", i.SaleFee)
	m.amount("discountAntifraudRateInstalmentValue", i.Antifraud)
	m.amount("discountAntifraudRateTransactionValue", i.SaleAntifrd)
	m.amount("discountAntecipationValue", i.Anticipation)
	m.rate("discountAntecipationTax", i.AnticipRate)
	m.amount("receivedValue", i.Received)
	m.text("receivedDateForeast", i.Forecast.String())
	m.text("receivedDateEffective", i.Effective.String())
	m.text("receivedType", i.ReceivedType)
	m.text("receivedStatus", i.ReceivedStat)
	for n, s := range i.Splits {
		at := "splits[" + strconv.Itoa(n+1) + "]."
		m.text(at+"tipoSplit", s.Type)
		m.rate(at+"pctSplit", s.Pct)
		m.amount(at+"valorBaseSplit", s.Base)
		m.amount(at+"valorSplit", s.Value)
	}
	return m
}

// slipMembers are the members of a slip's view that are there and can be shown.
func slipMembers(v *ledger.SlipView) []Member {
	var m members
	number := func(name string, o ledger.Opt[int64]) {
		if o.OK {
			m.text(name, strconv.FormatInt(o.V, 10))
		}
	}
	m.text("id", v.ID)
	m.text("value", v.Value.String())
	m.text("issueDate", v.Issued.String())
	m.text("dueDate", v.Due.String())
	number("statusBill", v.Status)
	number("statusIntegration", v.Integration)
	m.text("effectivePaymentDate", v.PaidOn.String())
	m.amount("effectivePaymentValue", v.PaidValue)
	m.text("effectiveCreditDate", v.CreditedOn.String())
	if v.LateAllowed.OK {
		m.text("overduePaymentAllow", strconv.FormatBool(v.LateAllowed.V))
	}
	m.text("overduePaymentDateLimit", v.LateLimit.String())
	m.amount("overduePaymentPenalty", v.Penalty)
	m.amount("overduePenaltyReceived", v.PenaltyReceived)
	m.amount("overduePaymentInterest", v.Interest)
	m.amount("overdueInterestReceived", v.InterestReceived)
	m.text("cancelDate", v.CancelledOn.String())
	return m
}

// hiddenMembers are those that are compared and never shown: the payer's, and codes that can be paid.
func hiddenMembers(v *ledger.SlipView) []Member {
	return []Member{
		{"payer", v.PayerDocument + "\n" + v.PayerName + "\n" + v.PayerStreet + "\n" + v.PayerZip + "\n" + v.PayerCity + "\n" + v.PayerState +
			"\n" + v.PayerDistrict + "\n" + v.PayerPhone},
		{"barCode", v.BarCode},
		{"digitableLine", v.DigitableLine},
		{"pixEmv", v.PixCode},
		{"ourNumber", v.OurNumber},
		{"referenceCode", v.ReferenceCode},
		{"cancellationReason", v.CancelReason},
	}
}

// hiddenChanges names the hidden members that differ.
func hiddenChanges(before, now []Member) []Change {
	var out []Change
	for i := range now {
		if before[i].Value != now[i].Value {
			out = append(out, Change{Name: now[i].Name, Hidden: true})
		}
	}
	return out
}

func amountText(o ledger.Opt[ledger.Amount]) string {
	if !o.OK {
		return ""
	}
	return o.V.String()
}
