package cards

import (
	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// OrderUnfilled is the code of the rule on anticipation orders, for which the run collects the installments listed.
const OrderUnfilled = "ANTICIPATION_ORDER_UNFILLED"

// ListedOrder is an anticipation order that lists installments, with what the ledger holds of them.
type ListedOrder struct {
	Order string
	Lines []OrderLine // one at least, in the order of the file
}

// OrderLine is one installment that an order lists.
type OrderLine struct {
	agreements.Order
	// Now is the current version of the installment; nil when the ledger holds none that was sold by the day of the order.
	Now *ledger.InstallmentVersion
}

// Subject names the order in an account.
func (o *ListedOrder) Subject(a ledger.Account) string { return ledger.Subject("order", a, o.Order) }

// lineState is what is known of the payment of a listed installment.
type lineState int

const (
	lineFilled   lineState = iota // paid in time
	lineWaiting                   // its day has not passed
	lineVoid                      // taken back: nothing is paid early on it
	lineUnfilled                  // not paid in time, and not since
	lineLate                      // paid later
	lineUnseen                    // not paid by the last answer, which came before the day had passed
	lineUnmapped                  // its status is in a spelling that is not in the mapping
	lineUnknown                   // the ledger does not hold it
)

// EvaluateOrder evaluates an order by the installments it lists.
func EvaluateOrder(e *rules.Env, o *ListedOrder) rules.Outcome {
	var states [lineUnknown + 1]int
	var first *OrderLine
	var gross ledger.Amount
	for i := range o.Lines {
		l := &o.Lines[i]
		s := stateOfLine(e, l)
		states[s]++
		if s != lineUnfilled && s != lineLate {
			continue
		}
		gross += l.Now.Gross
		if first == nil || l.PayOn < first.PayOn {
			first = l
		}
	}
	switch {
	case first != nil:
		return fireUnfilled(o, first, limitOfLine(e, first), states[lineUnfilled]+states[lineLate], states[lineLate], gross)
	case states[lineUnmapped] > 0:
		return rules.Unmapped.Outcome()
	case states[lineUnseen] > 0:
		return rules.NotPulled.Outcome()
	case states[lineUnknown] > 0:
		return rules.NotEvaluable.Outcome()
	case states[lineVoid] == len(o.Lines):
		return rules.NotEligible.Outcome()
	}
	return rules.Passed.Outcome()
}

func fireUnfilled(o *ListedOrder, first *OrderLine, limit ledger.Date, missed, late int, gross ledger.Amount) rules.Outcome {
	out := rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{
		rules.NamedText("order", o.Order), rules.NamedCount("listed", len(o.Lines)), rules.NamedCount("unfilled", missed), rules.NamedDate("limit", limit), rules.NamedAmount("gross", gross),
		rules.NamedCount("number", first.Installment), rules.NamedText("nsu", first.NSU), rules.NamedText("auth", first.Auth), rules.NamedDate("pay_on", first.PayOn),
	}}
	if late > 0 {
		out.Numbers = append(out.Numbers, rules.NamedCount("late", late))
	}
	return out
}

// limitOfLine is the last day on which payment fills the order: the business day asked for, and the grace.
func limitOfLine(e *rules.Env, l *OrderLine) ledger.Date {
	return e.AddBusinessDays(e.NextBusinessDay(l.PayOn), e.Grace(OrderUnfilled))
}

func stateOfLine(e *rules.Env, l *OrderLine) lineState {
	if l.Now == nil {
		return lineUnknown
	}
	status, received := rules.MapStatus(e.Mapping, l.Now.Status), rules.MapStatus(e.Mapping, l.Now.ReceivedStatus)
	if !status.Known || !received.Known {
		return lineUnmapped
	}
	class, limit := rules.ClassOfMapped(status, received, l.Now), limitOfLine(e, l)
	switch {
	case class.IsReversal():
		return lineVoid
	case l.Now.Effective != 0 && l.Now.Effective <= limit:
		return lineFilled
	case l.Now.Effective != 0:
		return lineLate
	case class == ledger.Received:
		return lineFilled // paid, on a day the service does not show: another rule says so
	case e.AsOf <= limit:
		return lineWaiting
	case e.SeenOn(ledger.Cards, l.Now.SoldAt.Date()) <= limit:
		return lineUnseen
	}
	return lineUnfilled
}
