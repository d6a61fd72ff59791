package api

import (
	"encoding/json"
	"fmt"
	"time"

	"concilia/store/ledger"
)

// installmentShape is the transaction installment record (interface document, Resources and their fields). What is
// required is what no rule can do without: when, which installment of how many, and how much.
//
// Spec gap: required members of an installment are not shown; transactionDate, installmentNumber, installmentsCount
// and installmentValue are, all others may be absent, splits included.
var installmentShape = newShape(
	localTime("transactionDate", func(i *ledger.Installment) *ledger.LocalTime { return &i.SoldAt }).must(),
	text("terminal", func(i *ledger.Installment) *string { return &i.Terminal }),
	text("cardNumber", func(i *ledger.Installment) *string { return &i.Card }),
	text("cardType", func(i *ledger.Installment) *string { return &i.CardType }),
	text("cardName", func(i *ledger.Installment) *string { return &i.CardName }),
	text("codAuth", func(i *ledger.Installment) *string { return &i.Auth }),
	text("nsu", func(i *ledger.Installment) *string { return &i.NSU }),
	whole("installmentNumber", func(i *ledger.Installment) *int { return &i.Number }).must(),
	whole("installmentsCount", func(i *ledger.Installment) *int { return &i.Count }).must(),
	amount("installmentValue", func(i *ledger.Installment) *ledger.Amount { return &i.Gross }).must(),
	optAmount("transactionTotalValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.SaleTotal }),
	text("installmentStatus", func(i *ledger.Installment) *string { return &i.Status }),
	optAmount("discountMdrValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.MDR }),
	optRate("discountMdrTax", func(i *ledger.Installment) *ledger.Opt[ledger.Rate] { return &i.MDRRate }),
	optAmount("discountTrnRateInstalmentValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Fee }),
	optAmount("discountTrnRateTransactionValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.SaleFee }),
	optAmount("discountAntifraudRateInstalmentValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Antifraud }),
	optAmount("discountAntifraudRateTransactionValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.SaleAntifrd }),
	optAmount("discountAntecipationValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Anticipation }),
	optRate("discountAntecipationTax", func(i *ledger.Installment) *ledger.Opt[ledger.Rate] { return &i.AnticipRate }),
	optAmount("receivedValue", func(i *ledger.Installment) *ledger.Opt[ledger.Amount] { return &i.Received }),
	day("receivedDateForeast", func(i *ledger.Installment) *ledger.Date { return &i.Forecast }), // spelled exactly so
	day("receivedDateEffective", func(i *ledger.Installment) *ledger.Date { return &i.Effective }),
	text("receivedType", func(i *ledger.Installment) *string { return &i.ReceivedType }),
	text("receivedStatus", func(i *ledger.Installment) *string { return &i.ReceivedStat }),
	text("transactionReference", func(i *ledger.Installment) *string { return &i.Reference }),
	text("transactionPaymentIdWeb", func(i *ledger.Installment) *string { return &i.WebPaymentID }),
	field[ledger.Installment]{name: "splits", set: readSplits, fast: scanSplits},
)

// splitShape is the split object; its members keep the document's Portuguese names on the wire.
var splitShape = newShape(
	text("beneficiario", func(s *ledger.Split) *string { return &s.Beneficiary }),
	text("tipoSplit", func(s *ledger.Split) *string { return &s.Type }),
	optRate("pctSplit", func(s *ledger.Split) *ledger.Opt[ledger.Rate] { return &s.Pct }),
	optAmount("valorBaseSplit", func(s *ledger.Split) *ledger.Opt[ledger.Amount] { return &s.Base }),
	optAmount("valorSplit", func(s *ledger.Split) *ledger.Opt[ledger.Amount] { return &s.Value }),
)

// readInstallment reads one record through encoding/json, splits and the masking of the card included.
func readInstallment(raw []byte, zone *time.Location) object[ledger.Installment] {
	o := installmentShape.read(raw, zone)
	hideCard(&o.value)
	return o
}

// hideCard masks the card of a record, and notes that it came in the clear.
func hideCard(i *ledger.Installment) {
	masked := maskCard(i.Card)
	i.CardClear = masked != i.Card
	i.Card = masked
}

// maxSplits bounds the splits of one installment: more than a marketplace's basket ever had.
const maxSplits = 1000

// readSplits reads the array of splits. What is wrong within is said of splits[PLACE].MEMBER.
func readSplits(raw []byte, in *reading, to *ledger.Installment) string {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return notList
	}
	if len(list) > maxSplits {
		return tooMany
	}
	for i, raw := range list {
		o := splitShape.read(raw, in.zone)
		for _, p := range o.bad {
			in.bad = append(in.bad, problem{fmt.Sprintf("splits[%d].%s", i, p.member), p.why})
		}
		for _, name := range o.unknown {
			in.unknown = append(in.unknown, "splits."+name)
		}
		to.Splits = append(to.Splits, o.value)
	}
	return ""
}
