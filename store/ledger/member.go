package ledger

import (
	"crypto/sha256"
	"encoding/binary"
)

// Member is one member of a record that the service sends. A list of members is the one place that names them: tables are
// written and read by it, and the hash of a record is made from it.
type Member[T any] struct {
	// Column is the name of the member in the ledger's tables.
	Column string
	// At returns a pointer to the member in a record: *string, *int, *bool, *Amount, *Date, *LocalTime, *Account,
	// *Opt[Amount], *Opt[Rate], *Opt[int64], *Opt[bool] or *[]Split.
	At func(*T) any
}

// contentHash hashes the members of a record in the order of the list, which therefore never changes.
func contentHash[T any](members []Member[T], record *T) Hash {
	b := make([]byte, 0, 512)
	for i := range members {
		b = appendMember(b, members[i].At(record))
	}
	sum := sha256.Sum256(b)
	return Hash(sum[:16])
}

// appendMember appends the canonical form of a member. A bool is appended only if it is set: it is an observation about the
// record, not a member that every record has.
func appendMember(b []byte, member any) []byte {
	switch v := member.(type) {
	case *string:
		return appendText(b, *v)
	case *int:
		return appendInt(b, int64(*v))
	case *Account:
		return appendInt(b, int64(*v))
	case *LocalTime:
		return appendInt(b, int64(*v))
	case *Date:
		return appendInt(b, int64(*v))
	case *Amount:
		return appendInt(b, int64(*v))
	case *Opt[Amount]:
		return appendOpt(b, *v)
	case *Opt[Rate]:
		return appendOpt(b, *v)
	case *Opt[int64]:
		return appendOpt(b, *v)
	case *Opt[bool]:
		n := Opt[int64]{OK: v.OK}
		if v.V {
			n.V = 1
		}
		return appendOpt(b, n)
	case *[]Split:
		return appendSplits(b, *v)
	case *bool:
		if *v {
			b = append(b, 1)
		}
		return b
	}
	panic("ledger: a member of a kind that has no canonical form")
}

func appendSplits(b []byte, splits []Split) []byte {
	b = appendInt(b, int64(len(splits)))
	for i := range splits {
		s := &splits[i]
		b = appendText(appendText(b, s.Beneficiary), s.Type)
		b = appendOpt(appendOpt(appendOpt(b, s.Pct), s.Base), s.Value)
	}
	return b
}

func appendInt(b []byte, v int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(v)) }

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendOpt[T ~int64](b []byte, o Opt[T]) []byte {
	if !o.OK {
		return append(b, 0)
	}
	return appendInt(append(b, 1), int64(o.V))
}

// InstallmentMembers are the members of an installment in the order in which its content is hashed. The occurrences are
// not among them: the ledger assigns them.
func InstallmentMembers() []Member[Installment] { return installmentMembers }

var installmentMembers = []Member[Installment]{
	{"account", func(i *Installment) any { return &i.Account }},
	{"sold_at", func(i *Installment) any { return &i.SoldAt }},
	{"terminal", func(i *Installment) any { return &i.Terminal }},
	{"card", func(i *Installment) any { return &i.Card }},
	{"card_type", func(i *Installment) any { return &i.CardType }},
	{"card_name", func(i *Installment) any { return &i.CardName }},
	{"auth", func(i *Installment) any { return &i.Auth }},
	{"nsu", func(i *Installment) any { return &i.NSU }},
	{"status", func(i *Installment) any { return &i.Status }},
	{"received_type", func(i *Installment) any { return &i.ReceivedType }},
	{"received_status", func(i *Installment) any { return &i.ReceivedStatus }},
	{"reference", func(i *Installment) any { return &i.Reference }},
	{"web_payment_id", func(i *Installment) any { return &i.WebPaymentID }},
	{"number_sent", func(i *Installment) any { return &i.Number }},
	{"count_sent", func(i *Installment) any { return &i.Count }},
	{"gross", func(i *Installment) any { return &i.Gross }},
	{"sale_total", func(i *Installment) any { return &i.SaleTotal }},
	{"mdr", func(i *Installment) any { return &i.MDR }},
	{"fee", func(i *Installment) any { return &i.Fee }},
	{"sale_fee", func(i *Installment) any { return &i.SaleFee }},
	{"antifraud", func(i *Installment) any { return &i.Antifraud }},
	{"sale_antifraud", func(i *Installment) any { return &i.SaleAntifraud }},
	{"anticipation", func(i *Installment) any { return &i.Anticipation }},
	{"received", func(i *Installment) any { return &i.Received }},
	{"mdr_rate", func(i *Installment) any { return &i.MDRRate }},
	{"anticipation_rate", func(i *Installment) any { return &i.AnticipationRate }},
	{"forecast", func(i *Installment) any { return &i.Forecast }},
	{"effective", func(i *Installment) any { return &i.Effective }},
	{"splits", func(i *Installment) any { return &i.Splits }},
	{"card_clear", func(i *Installment) any { return &i.CardClear }},
}

// SlipMembers are the members of a slip's view in the order in which its content is hashed.
func SlipMembers() []Member[SlipView] { return slipMembers }

var slipMembers = []Member[SlipView]{
	{"id", func(v *SlipView) any { return &v.ID }},
	{"list", func(v *SlipView) any { return (*string)(&v.List) }},
	{"payer_document", func(v *SlipView) any { return &v.PayerDocument }},
	{"payer_name", func(v *SlipView) any { return &v.PayerName }},
	{"payer_street", func(v *SlipView) any { return &v.PayerStreet }},
	{"payer_zip", func(v *SlipView) any { return &v.PayerZip }},
	{"payer_city", func(v *SlipView) any { return &v.PayerCity }},
	{"payer_state", func(v *SlipView) any { return &v.PayerState }},
	{"payer_district", func(v *SlipView) any { return &v.PayerDistrict }},
	{"payer_phone", func(v *SlipView) any { return &v.PayerPhone }},
	{"bar_code", func(v *SlipView) any { return &v.BarCode }},
	{"digitable_line", func(v *SlipView) any { return &v.DigitableLine }},
	{"pix_code", func(v *SlipView) any { return &v.PixCode }},
	{"our_number", func(v *SlipView) any { return &v.OurNumber }},
	{"reference_code", func(v *SlipView) any { return &v.ReferenceCode }},
	{"cancel_reason", func(v *SlipView) any { return &v.CancelReason }},
	{"account", func(v *SlipView) any { return &v.Account }},
	{"value", func(v *SlipView) any { return &v.Value }},
	{"issued", func(v *SlipView) any { return &v.Issued }},
	{"due", func(v *SlipView) any { return &v.Due }},
	{"paid_on", func(v *SlipView) any { return &v.PaidOn }},
	{"credited_on", func(v *SlipView) any { return &v.CreditedOn }},
	{"late_limit", func(v *SlipView) any { return &v.LateLimit }},
	{"cancelled_on", func(v *SlipView) any { return &v.CancelledOn }},
	{"paid_value", func(v *SlipView) any { return &v.PaidValue }},
	{"penalty", func(v *SlipView) any { return &v.Penalty }},
	{"penalty_received", func(v *SlipView) any { return &v.PenaltyReceived }},
	{"interest", func(v *SlipView) any { return &v.Interest }},
	{"interest_received", func(v *SlipView) any { return &v.InterestReceived }},
	{"status", func(v *SlipView) any { return &v.Status }},
	{"integration", func(v *SlipView) any { return &v.Integration }},
	{"late_allowed", func(v *SlipView) any { return &v.LateAllowed }},
}
