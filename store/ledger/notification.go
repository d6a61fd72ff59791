package ledger

import (
	"strconv"
	"time"
)

// Notification is one conciliation notification as it arrived: a status change of one installment, which it names by
// NSU, authorization and installment number, not by account or sale date (interface document, Events). Account, movement
// and the hash of its body are its key: two bodies under one movement are both kept.
type Notification struct {
	Account     Account // of the path it was sent to
	MovementID  int64
	NSU         string
	Auth        string // codAuth
	Installment int
	Moment      LocalTime // when the change happened, as sent, on a clock in São Paulo
	Type        string    // as sent
	OldValue    string    // as sent; its class is the mapping's business
	NewValue    string
	Body        []byte    // as received
	BodyHash    string    // SHA-256 of Body, hex
	ReceivedAt  time.Time // wall clock, UTC
}

// Subject is webhook:ACCOUNT:ID.
func (n *Notification) Subject() string {
	return Subject("webhook", n.Account, strconv.FormatInt(n.MovementID, 10))
}

// Linked is a notification and the installment it was found to speak of.
type Linked struct {
	Notification
	Sequence   int64           // order of arrival in the ledger, from 1
	To         *InstallmentKey // nil: none yet
	Ambiguous  bool            // several installments fit and none wins
	PlannedFor int             // nights on which its days were asked for, while it was linked to none
	LinkedOn   Date            // as-of of the run that linked it
}
