package entries

import (
	"concilia/store/ledger"
)

// entry is one that a title should have.
type entry struct {
	kind    ledger.EntryType
	subject string // of a share its own
	on      ledger.Date
	lines   []ledger.EntryLine
}

// entriesOf are the entries that a title has by a method, in their order. A title that is not there has none.
func entriesOf(t *ledger.TitleState, subject string, m ledger.Method) []entry {
	if t == nil {
		return nil
	}
	x := &lister{subject: subject, method: m}
	if t.Card != nil {
		x.listCard(t)
	} else {
		x.listSlip(t)
	}
	return x.list
}

// lister collects the entries of a title.
type lister struct {
	subject string
	method  ledger.Method
	list    []entry
}

func newDebit(r ledger.Role, a ledger.Amount) ledger.EntryLine {
	return ledger.EntryLine{Role: r, Amount: a}
}

func newCredit(r ledger.Role, a ledger.Amount) ledger.EntryLine {
	return ledger.EntryLine{Role: r, Amount: -a}
}

// add adds an entry without the lines that are zero; one with none is none.
func (x *lister) add(kind ledger.EntryType, on ledger.Date, lines ...ledger.EntryLine) {
	e := entry{kind: kind, subject: x.subject, on: on}
	for _, debits := range []bool{true, false} {
		for _, l := range lines {
			if l.Amount != 0 && (l.Amount > 0) == debits {
				e.lines = append(e.lines, l)
			}
		}
	}
	if len(e.lines) > 0 {
		x.list = append(x.list, e)
	}
}

// bookedOf is what the entries of an installment go by: what it is, or what it last was while it was live.
func bookedOf(t *ledger.TitleState) *ledger.Booked {
	if t.Booked != nil {
		return t.Booked
	}
	c := t.Card
	return &ledger.Booked{
		Settled: c.Effective != 0 && c.Received > 0, Face: t.Face, MDR: c.MDR, Fee: c.Fee, Antifraud: c.Antifraud, Received: c.Received,
		Anticipation: c.Anticipation, SplitCost: c.SplitCost, Effective: c.Effective, TakenOn: c.Effective,
	}
}

func (x *lister) listCard(t *ledger.TitleState) {
	b, sold := bookedOf(t), t.Card.SoldAt.Date()
	net := b.Face - b.MDR - b.Fee - b.Antifraud
	claim := net - b.Anticipation - b.SplitCost - b.Received
	fees := []ledger.EntryLine{
		newDebit(ledger.RoleMDR, b.MDR), newDebit(ledger.RoleTransactionFee, b.Fee), newDebit(ledger.RoleAntifraudFee, b.Antifraud),
	}
	if x.method == ledger.Accrual {
		x.add(ledger.EntrySale, sold, newDebit(ledger.RoleReceivable, b.Face), newCredit(ledger.RoleSales, b.Face))
		x.add(ledger.EntryFees, sold, append(fees, newCredit(ledger.RoleReceivable, b.Face-net))...)
	}
	var settled ledger.Amount // what the entry of the receipt says of the service
	if b.Settled {
		settled = b.Received
		lines := []ledger.EntryLine{
			newDebit(ledger.RoleService, b.Received), newDebit(ledger.RoleClaims, max(claim, 0)), newDebit(ledger.RoleAnticipation, b.Anticipation),
			newDebit(ledger.RoleSplitCost, b.SplitCost),
		}
		if x.method == ledger.Accrual {
			lines = append(lines, newCredit(ledger.RoleReceivable, net))
		} else {
			lines = append(append(lines, fees...), newCredit(ledger.RoleSales, b.Face))
		}
		x.add(ledger.EntrySettled, b.Effective, append(lines, newCredit(ledger.RoleExcess, max(-claim, 0)))...)
	}
	if b.Settled && !t.Class.IsReversal() && t.Card.SplitCost == 0 {
		x.listShares(t)
	}
	if t.Class.IsReversal() {
		x.listReversal(t, b, net, claim)
	}
	x.listTakenBack(t, b, settled)
}

// listShares adds the shares of an installment that are paid out by the merchant.
func (x *lister) listShares(t *ledger.TitleState) {
	own := x.subject
	for _, s := range t.Card.Splits {
		x.subject = s.Subject
		x.add(ledger.EntrySplit, t.Card.Effective, newDebit(ledger.RoleSplitCost, s.Amount), newCredit(ledger.RoleSplitPayable, s.Amount))
	}
	x.subject = own
}

// listReversal adds that a sale was taken back. What was received before is owed to the service from then on.
func (x *lister) listReversal(t *ledger.TitleState, b *ledger.Booked, net, claim ledger.Amount) {
	kind, role := ledger.EntryCancelled, ledger.RoleReturns
	if t.Class == ledger.Chargeback {
		kind, role = ledger.EntryChargedBack, ledger.RoleChargebacks
	}
	fees := []ledger.EntryLine{
		newCredit(ledger.RoleMDR, b.MDR), newCredit(ledger.RoleTransactionFee, b.Fee), newCredit(ledger.RoleAntifraudFee, b.Antifraud),
	}
	switch {
	case b.Settled:
		lines := append([]ledger.EntryLine{newDebit(role, b.Face), newDebit(ledger.RoleExcess, max(-claim, 0))}, fees...)
		x.add(kind, b.ReversedOn, append(lines, newCredit(ledger.RoleClaims, max(claim, 0)), newCredit(ledger.RoleAnticipation, b.Anticipation),
			newCredit(ledger.RoleSplitCost, b.SplitCost), newCredit(ledger.RoleExcess, b.Received))...)
	case x.method == ledger.Accrual:
		x.add(kind, b.ReversedOn, append([]ledger.EntryLine{newDebit(role, b.Face), newCredit(ledger.RoleReceivable, net)}, fees...)...)
	}
}

// listTakenBack adds what of the money is not there any more, or came although the sale was taken back: the service has then paid
// what the row says and nothing else.
func (x *lister) listTakenBack(t *ledger.TitleState, b *ledger.Booked, settled ledger.Amount) {
	var received ledger.Amount
	if t.Card.Effective != 0 {
		received = t.Card.Received
	}
	taken := settled - received
	owed := min(taken, settled)
	x.add(ledger.EntryTakenBack, b.TakenOn, newDebit(ledger.RoleExcess, owed), newDebit(ledger.RoleClaims, taken-owed), newCredit(ledger.RoleService, taken))
}

func (x *lister) listSlip(t *ledger.TitleState) {
	s, accrual := t.Slip, x.method == ledger.Accrual
	issued := isEntered(t) || t.Booked != nil && t.Booked.Issued
	if issued && accrual {
		x.add(ledger.EntrySlipIssued, s.Issued, newDebit(ledger.RoleSlipReceivable, t.Face), newCredit(ledger.RoleSlipSales, t.Face))
	}
	paid := s.PaidOn != 0 && s.Paid.OK
	owing := paid && t.Class == ledger.Cancelled // money for a slip that is none any more
	paid = paid && !owing && t.Class != ledger.Failed
	discount, charges := max(t.Face-s.Paid.V, 0), max(s.Paid.V-t.Face, 0)
	switch {
	case owing:
		x.add(ledger.EntrySlipPaid, s.PaidOn, newDebit(ledger.RoleSlipTransit, s.Paid.V), newCredit(ledger.RoleExcess, s.Paid.V))
	case paid && accrual:
		x.add(ledger.EntrySlipPaid, s.PaidOn, newDebit(ledger.RoleSlipTransit, s.Paid.V), newDebit(ledger.RoleSlipDiscount, discount),
			newCredit(ledger.RoleSlipReceivable, t.Face), newCredit(ledger.RoleSlipCharges, charges))
	}
	received := []ledger.EntryLine{newDebit(ledger.RoleService, s.Paid.V-t.Fees), newDebit(ledger.RoleSlipTariff, t.Fees)}
	switch {
	case s.CreditedOn == 0:
	case owing, paid && accrual:
		x.add(ledger.EntrySlipCredited, s.CreditedOn, append(received, newCredit(ledger.RoleSlipTransit, s.Paid.V))...)
	case paid:
		x.add(ledger.EntrySlipCredited, s.CreditedOn, append(received, newDebit(ledger.RoleSlipDiscount, discount),
			newCredit(ledger.RoleSlipSales, t.Face), newCredit(ledger.RoleSlipCharges, charges))...)
	}
	if issued && accrual && (t.Class == ledger.Cancelled || t.Class == ledger.Failed || !isEntered(t)) {
		on := s.CancelledOn
		if on == 0 && t.Booked != nil {
			on = t.Booked.ReversedOn
		}
		x.add(ledger.EntrySlipCancelled, on, newDebit(ledger.RoleReturns, t.Face), newCredit(ledger.RoleSlipReceivable, t.Face))
	}
}

// isEntered reports whether a slip is a title.
func isEntered(t *ledger.TitleState) bool {
	const rejected = 3
	return t.Slip.Movement != 0 && t.Slip.Movement != rejected
}
