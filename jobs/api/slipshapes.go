package api

import (
	"slices"

	"concilia/store/ledger"
)

// slipFields are the members that all four shapes of a slip share (interface document, Resources and their fields).
//
// Spec gap: the lists by due and payment date print camelCase members and the list by credit date PascalCase ones; each
// is read in either case.
// Spec gap: which members of a slip are always there is shown for the list by credit date alone; in every shape id,
// value and dueDate are required and nothing else.
var slipFields = []field[ledger.SlipView]{
	text("id", func(v *ledger.SlipView) *string { return &v.ID }).must(),
	amount("value", func(v *ledger.SlipView) *ledger.Amount { return &v.Value }).must(),
	day("issueDate", func(v *ledger.SlipView) *ledger.Date { return &v.Issued }),
	day("dueDate", func(v *ledger.SlipView) *ledger.Date { return &v.Due }).must(),
	text("payerDocument", func(v *ledger.SlipView) *string { return &v.PayerDocument }),
	text("payerName", func(v *ledger.SlipView) *string { return &v.PayerName }),
	text("payerStreetAndNumber", func(v *ledger.SlipView) *string { return &v.PayerStreet }),
	text("payerZipCode", func(v *ledger.SlipView) *string { return &v.PayerZip }),
	text("payerCity", func(v *ledger.SlipView) *string { return &v.PayerCity }),
	text("payerCityState", func(v *ledger.SlipView) *string { return &v.PayerState }),
	text("payerNeighborhood", func(v *ledger.SlipView) *string { return &v.PayerDistrict }),
	text("payerPhoneNumber", func(v *ledger.SlipView) *string { return &v.PayerPhone }),
	day("effectivePaymentDate", func(v *ledger.SlipView) *ledger.Date { return &v.PaidOn }),
	day("effectiveCreditDate", func(v *ledger.SlipView) *ledger.Date { return &v.CreditedOn }),
	optAmount("effectivePaymentValue", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.PaidValue }),
	text("barCode", func(v *ledger.SlipView) *string { return &v.BarCode }),
	text("digitableLine", func(v *ledger.SlipView) *string { return &v.DigitableLine }),
	text("pixEmv", func(v *ledger.SlipView) *string { return &v.PixCode }),
}

// statusBill is the status of the three lists; the detail calls it status.
var statusBill = optWhole("statusBill", func(v *ledger.SlipView) *ledger.Opt[int64] { return &v.Status })

// listFields are those of the lists by due and by payment date alone.
var listFields = []field[ledger.SlipView]{
	statusBill,
	optWhole("statusIntegration", func(v *ledger.SlipView) *ledger.Opt[int64] { return &v.Integration }),
}

// creditFields are those of the list by credit date alone. It has no statusIntegration, only a filter of that name.
var creditFields = []field[ledger.SlipView]{
	statusBill,
	text("ourNumber", func(v *ledger.SlipView) *string { return &v.OurNumber }),
	optBool("overduePaymentAllow", func(v *ledger.SlipView) *ledger.Opt[bool] { return &v.LateAllowed }),
	day("overduePaymentDateLimit", func(v *ledger.SlipView) *ledger.Date { return &v.LateLimit }),
	optAmount("overduePaymentPenalty", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.Penalty }),
	optAmount("overduePenaltyReceived", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.PenaltyReceived }),
	optAmount("overduePaymentInterest", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.Interest }),
	optAmount("overdueInterestReceived", func(v *ledger.SlipView) *ledger.Opt[ledger.Amount] { return &v.InterestReceived }),
	day("cancelDate", func(v *ledger.SlipView) *ledger.Date { return &v.CancelledOn }),
	text("cancellationReason", func(v *ledger.SlipView) *string { return &v.CancelReason }),
	text("referenceCode", func(v *ledger.SlipView) *string { return &v.ReferenceCode }),
}

// detailFields are those of the detail alone. success and message are read before the slip is.
var detailFields = []field[ledger.SlipView]{
	optWhole("status", func(v *ledger.SlipView) *ledger.Opt[int64] { return &v.Status }),
	ignored("success"),
	ignored("message"),
}

// slipShapes are the four shapes by where they come from.
var slipShapes = map[ledger.Source]*shape[ledger.SlipView]{
	ledger.SlipsDue:     newShape(slices.Concat(slipFields, listFields)...),
	ledger.SlipsPayment: newShape(slices.Concat(slipFields, listFields)...),
	ledger.SlipsCredit:  newShape(slices.Concat(slipFields, creditFields)...),
	ledger.SlipDetail:   newShape(slices.Concat(slipFields, detailFields)...),
}

func ignored(name string) field[ledger.SlipView] {
	return field[ledger.SlipView]{name: name, set: func([]byte, *reading, *ledger.SlipView) string { return "" }}
}
