package entries

import (
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// entry is one that a title should have.
type entry struct {
	kind    bookkeeping.EntryType
	subject string // of a share its own
	on      ledger.Date
	lines   []bookkeeping.EntryLine
}

// entriesOf are the entries that a title has by a method, in their order. A title that is not there has none.
func entriesOf(t *bookkeeping.TitleState, subject string, m bookkeeping.Method) []entry {
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
	method  bookkeeping.Method
	list    []entry
}

func newDebit(r bookkeeping.Role, a ledger.Amount) bookkeeping.EntryLine {
	return bookkeeping.EntryLine{Role: r, Amount: a}
}

func newCredit(r bookkeeping.Role, a ledger.Amount) bookkeeping.EntryLine {
	return bookkeeping.EntryLine{Role: r, Amount: -a}
}

// add adds an entry without the lines that are zero; one with none is none.
func (x *lister) add(kind bookkeeping.EntryType, on ledger.Date, lines ...bookkeeping.EntryLine) {
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
func bookedOf(t *bookkeeping.TitleState) *bookkeeping.Booked {
	if t.Booked != nil {
		return t.Booked
	}
	c := t.Card
	return &bookkeeping.Booked{
		Settled: c.Effective != 0 && c.Received > 0, Face: t.Face, MDR: c.MDR, Fee: c.Fee, Antifraud: c.Antifraud, Received: c.Received,
		Anticipation: c.Anticipation, SplitCost: c.SplitCost, Effective: c.Effective, TakenOn: c.Effective,
	}
}

func (x *lister) listCard(t *bookkeeping.TitleState) {
	b, sold := bookedOf(t), t.Card.SoldAt.Date()
	net := b.Face - b.MDR - b.Fee - b.Antifraud
	claim := net - b.Anticipation - b.SplitCost - b.Received
	fees := []bookkeeping.EntryLine{
		newDebit(bookkeeping.RoleMDR, b.MDR), newDebit(bookkeeping.RoleTransactionFee, b.Fee), newDebit(bookkeeping.RoleAntifraudFee, b.Antifraud),
	}
	if x.method == bookkeeping.Accrual {
		x.add(bookkeeping.EntrySale, sold, newDebit(bookkeeping.RoleReceivable, b.Face), newCredit(bookkeeping.RoleSales, b.Face))
		x.add(bookkeeping.EntryFees, sold, append(fees, newCredit(bookkeeping.RoleReceivable, b.Face-net))...)
	}
	var settled ledger.Amount // what the entry of the receipt says of the service
	if b.Settled {
		settled = b.Received
		lines := []bookkeeping.EntryLine{
			newDebit(bookkeeping.RoleService, b.Received), newDebit(bookkeeping.RoleClaims, max(claim, 0)), newDebit(bookkeeping.RoleAnticipation, b.Anticipation),
			newDebit(bookkeeping.RoleSplitCost, b.SplitCost),
		}
		if x.method == bookkeeping.Accrual {
			lines = append(lines, newCredit(bookkeeping.RoleReceivable, net))
		} else {
			lines = append(append(lines, fees...), newCredit(bookkeeping.RoleSales, b.Face))
		}
		x.add(bookkeeping.EntrySettled, b.Effective, append(lines, newCredit(bookkeeping.RoleExcess, max(-claim, 0)))...)
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
func (x *lister) listShares(t *bookkeeping.TitleState) {
	own := x.subject
	for _, s := range t.Card.Splits {
		x.subject = s.Subject
		x.add(bookkeeping.EntrySplit, t.Card.Effective, newDebit(bookkeeping.RoleSplitCost, s.Amount), newCredit(bookkeeping.RoleSplitPayable, s.Amount))
	}
	x.subject = own
}

// listReversal adds that a sale was taken back. What was received before is owed to the service from then on.
func (x *lister) listReversal(t *bookkeeping.TitleState, b *bookkeeping.Booked, net, claim ledger.Amount) {
	kind, role := bookkeeping.EntryCancelled, bookkeeping.RoleReturns
	if t.Class == ledger.Chargeback {
		kind, role = bookkeeping.EntryChargedBack, bookkeeping.RoleChargebacks
	}
	fees := []bookkeeping.EntryLine{
		newCredit(bookkeeping.RoleMDR, b.MDR), newCredit(bookkeeping.RoleTransactionFee, b.Fee), newCredit(bookkeeping.RoleAntifraudFee, b.Antifraud),
	}
	switch {
	case b.Settled:
		lines := append([]bookkeeping.EntryLine{newDebit(role, b.Face), newDebit(bookkeeping.RoleExcess, max(-claim, 0))}, fees...)
		x.add(kind, b.ReversedOn, append(lines, newCredit(bookkeeping.RoleClaims, max(claim, 0)), newCredit(bookkeeping.RoleAnticipation, b.Anticipation),
			newCredit(bookkeeping.RoleSplitCost, b.SplitCost), newCredit(bookkeeping.RoleExcess, b.Received))...)
	case x.method == bookkeeping.Accrual:
		x.add(kind, b.ReversedOn, append([]bookkeeping.EntryLine{newDebit(role, b.Face), newCredit(bookkeeping.RoleReceivable, net)}, fees...)...)
	}
}

// listTakenBack adds what of the money is not there any more, or came although the sale was taken back: the service has then paid
// what the row says and nothing else.
func (x *lister) listTakenBack(t *bookkeeping.TitleState, b *bookkeeping.Booked, settled ledger.Amount) {
	var received ledger.Amount
	if t.Card.Effective != 0 {
		received = t.Card.Received
	}
	taken := settled - received
	owed := min(taken, settled)
	x.add(bookkeeping.EntryTakenBack, b.TakenOn, newDebit(bookkeeping.RoleExcess, owed), newDebit(bookkeeping.RoleClaims, taken-owed), newCredit(bookkeeping.RoleService, taken))
}

func (x *lister) listSlip(t *bookkeeping.TitleState) {
	s, accrual := t.Slip, x.method == bookkeeping.Accrual
	issued := isEntered(t) || t.Booked != nil && t.Booked.Issued
	if issued && accrual {
		x.add(bookkeeping.EntrySlipIssued, s.Issued, newDebit(bookkeeping.RoleSlipReceivable, t.Face), newCredit(bookkeeping.RoleSlipSales, t.Face))
	}
	paid := s.PaidOn != 0 && s.Paid.OK
	owing := paid && t.Class == ledger.Cancelled // money for a slip that is none any more
	paid = paid && !owing && t.Class != ledger.Failed
	discount, charges := max(t.Face-s.Paid.V, 0), max(s.Paid.V-t.Face, 0)
	switch {
	case owing:
		x.add(bookkeeping.EntrySlipPaid, s.PaidOn, newDebit(bookkeeping.RoleSlipTransit, s.Paid.V), newCredit(bookkeeping.RoleExcess, s.Paid.V))
	case paid && accrual:
		x.add(bookkeeping.EntrySlipPaid, s.PaidOn, newDebit(bookkeeping.RoleSlipTransit, s.Paid.V), newDebit(bookkeeping.RoleSlipDiscount, discount),
			newCredit(bookkeeping.RoleSlipReceivable, t.Face), newCredit(bookkeeping.RoleSlipCharges, charges))
	}
	received := []bookkeeping.EntryLine{newDebit(bookkeeping.RoleService, s.Paid.V-t.Fees), newDebit(bookkeeping.RoleSlipTariff, t.Fees)}
	switch {
	case s.CreditedOn == 0:
	case owing, paid && accrual:
		x.add(bookkeeping.EntrySlipCredited, s.CreditedOn, append(received, newCredit(bookkeeping.RoleSlipTransit, s.Paid.V))...)
	case paid:
		x.add(bookkeeping.EntrySlipCredited, s.CreditedOn, append(received, newDebit(bookkeeping.RoleSlipDiscount, discount),
			newCredit(bookkeeping.RoleSlipSales, t.Face), newCredit(bookkeeping.RoleSlipCharges, charges))...)
	}
	if issued && accrual && (t.Class == ledger.Cancelled || t.Class == ledger.Failed || !isEntered(t)) {
		on := s.CancelledOn
		if on == 0 && t.Booked != nil {
			on = t.Booked.ReversedOn
		}
		x.add(bookkeeping.EntrySlipCancelled, on, newDebit(bookkeeping.RoleReturns, t.Face), newCredit(bookkeeping.RoleSlipReceivable, t.Face))
	}
}

// isEntered reports whether a slip is a title.
func isEntered(t *bookkeeping.TitleState) bool {
	const rejected = 3
	return t.Slip.Movement != 0 && t.Slip.Movement != rejected
}
