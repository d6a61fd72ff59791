package runs

import (
	"slices"
	"strconv"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

const restatedCode = "SRC_RESTATED"

// restatedRules evaluate facts that the service stated once and states otherwise now.
func restatedRules() []rules.Rule {
	return []rules.Rule{{
		Code: restatedCode, Version: 1, Family: rules.FamilyRun, Subject: rules.OnInstallment, Also: []rules.Subject{rules.OnSlip}, Severity: ledger.Error,
		Grades: []ledger.Severity{ledger.Warning}, Needs: []rules.Need{rules.History}, Tier: rules.Always,
		EvaluateRow:  evaluateRestated,
		EvaluateSlip: evaluateSlipRestated,
	}}
}

// memberValue is a member of a version as a value that can be compared: spelling does not enter it.
type memberValue struct {
	member string
	value  ledger.Value
}

// restatement is a member that does not say what it said, and whether money had been received when it changed.
type restatement struct {
	member  string
	was, is ledger.Value
	since   ledger.Date
	paid    bool
}

// evaluateRestated goes through the members in a fixed order; the first that changed is named, the others are counted.
func evaluateRestated(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
	if s := e.CheckComparable(ledger.Cards, r.Key.Day); s != rules.Passed {
		return s.Outcome()
	}
	if len(r.History) == 1 {
		return rules.Passed.Outcome()
	}
	h := r.History
	all := compareFacts(h, soldFacts, e.WasReceived)
	if i := slices.IndexFunc(h, func(v ledger.InstallmentVersion) bool { return v.Effective != 0 && v.Received.Or(0) != 0 }); i >= 0 {
		for _, x := range compareFacts(h[i:], receivedFacts, e.WasReceived) {
			if !isOtherReceiptChange(r, x.member) {
				all = append(all, x)
			}
		}
	}
	if i := slices.IndexFunc(h, func(v ledger.InstallmentVersion) bool { return v.Effective != 0 }); i >= 0 {
		all = append(all, compareFacts(h[i:], anticipationFacts, e.WasReceived)...)
	}
	return restatementOf(all)
}

// isOtherReceiptChange says whether a change of the receipt is another rule's, or life: taken back on a live row, or fallen on a
// reversed one.
func isOtherReceiptChange(r *rules.Row, member string) bool {
	if !r.Class.IsReversal() {
		return r.Reversed
	}
	if member == memberEffective {
		return r.Now.Effective == 0
	}
	return r.Now.Received.Or(0) <= r.MostReceived
}

const memberEffective = "receivedDateEffective"

// soldFacts were settled with the sale: no life of an installment changes them.
func soldFacts(v *ledger.InstallmentVersion) []memberValue {
	return []memberValue{
		{"installmentValue", ledger.Money(v.Gross)},
		{"transactionTotalValue", ledger.Money(v.SaleTotal.Or(0))},
		{"installmentsCount", ledger.Text(strconv.Itoa(v.InstallmentCount()))},
		{"discountMdrValue", ledger.Money(v.MDR.Or(0))},
		{"discountMdrTax", ledger.Text(v.MDRRate.Or(0).String())},
		{"discountTrnRateInstalmentValue", ledger.Money(v.Fee.Or(0))},
		{"discountAntifraudRateInstalmentValue", ledger.Money(v.Antifraud.Or(0))},
		{"transactionDate", ledger.Text(v.SoldAt.String())},
	}
}

func receivedFacts(v *ledger.InstallmentVersion) []memberValue {
	return []memberValue{{"receivedValue", ledger.Money(v.Received.Or(0))}, {memberEffective, ledger.Day(v.Effective)}}
}

// anticipationFacts leave out what is not stated yet: to be filled in is life.
func anticipationFacts(v *ledger.InstallmentVersion) []memberValue {
	facts := []memberValue{{member: "discountAntecipationValue"}, {member: "discountAntecipationTax"}}
	if c := v.Anticipation.Or(0); c != 0 {
		facts[0].value = ledger.Money(c)
	}
	if c := v.AnticipationRate.Or(0); c != 0 {
		facts[1].value = ledger.Text(c.String())
	}
	return facts
}

// compareFacts finds the members whose last value is not the first one stated. A value that is none at first is filled
// in later; one that came back has not changed.
func compareFacts(h []ledger.InstallmentVersion, of func(*ledger.InstallmentVersion) []memberValue, paid func(*ledger.InstallmentVersion) bool) []restatement {
	first := of(&h[0])
	last := slices.Clone(first)
	found := make([]restatement, len(first))
	for i := 1; i < len(h); i++ {
		for n, f := range of(&h[i]) {
			switch {
			case f.value == last[n].value:
				continue
			case first[n].value == (ledger.Value{}):
				first[n].value = f.value
			default:
				found[n].since = h[i].LastChanged
				found[n].paid = found[n].paid || paid(&h[i-1])
			}
			last[n].value = f.value
		}
	}
	var all []restatement
	for n := range first {
		if first[n].value == last[n].value {
			continue
		}
		x := found[n]
		x.member, x.was, x.is = first[n].member, first[n].value, last[n].value
		all = append(all, x)
	}
	return all
}

// restatementOf is the outcome of everything that changed on one subject.
func restatementOf(all []restatement) rules.Outcome {
	if len(all) == 0 {
		return rules.Passed.Outcome()
	}
	x := all[0]
	o := rules.Outcome{
		Status: rules.Fires, Severity: ledger.Warning, Expected: valueOrNothing(x.was), Actual: valueOrNothing(x.is),
		Numbers: []ledger.Number{rules.NamedText("member", x.member), rules.NamedDate("since", x.since)},
	}
	if slices.ContainsFunc(all, func(x restatement) bool { return x.paid }) {
		o.Severity = ledger.Error
	}
	if len(all) > 1 {
		o.Numbers = append(o.Numbers, rules.NamedCount("others", len(all)-1))
	}
	return o
}

// NotStated is written in a sentence where there is no value.
const NotStated = "nothing"

func valueOrNothing(v ledger.Value) ledger.Value {
	if v == (ledger.Value{}) {
		return ledger.Text(NotStated)
	}
	return v
}
