package ledger

import (
	"strconv"
	"time"
)

// Notification is one conciliation notification as it arrived: a status change of one installment, which it names by
// NSU, authorization and installment number, not by account or sale date (interface document, Events). Account, movement
// and the hash of its body are its key: two bodies with one movement are both kept.
type Notification struct {
	Account     Account // from the path it was sent to
	MovementID  int64
	NSU         string
	Auth        string // codAuth
	Installment int
	Moment      LocalTime // when the change happened, as sent, local time in São Paulo
	Type        string    // as sent
	OldValue    string    // as sent; the mapping decides its class
	NewValue    string
	Body        []byte    // as received
	BodyHash    string    // SHA-256 of Body, hex
	ReceivedAt  time.Time // wall clock, UTC
}

// Subject is webhook:ACCOUNT:ID.
func (n *Notification) Subject() string {
	return Subject("webhook", n.Account, strconv.FormatInt(n.MovementID, 10))
}

// LinkedNotification is a notification with the installment it is about and its position among the other notifications.
type LinkedNotification struct {
	Notification
	Sequence       int64           // order of arrival in the ledger, from 1
	Target         *InstallmentKey // nil: not found yet
	Ambiguous      bool            // several installments fit equally well
	PlannedFor     int             // nightly runs that pulled its days while it was not linked
	LastPlannedOn  Date            // as-of of the last of these runs
	LinkedOn       Date            // as-of of the run that linked it
	Repeats        int             // further arrivals of the same body under the same movement
	Bodies         int             // bodies kept for the movement, including this one
	PreviousMoment LocalTime       // moment of the preceding notification by movement; zero for the first
	PreviousID     int64           // its movement
}

// Subscription is the service's last answer about where it sends the notifications of an account.
type Subscription struct {
	Since     Date   // first day on which it had our address; none: it never had
	URL       string // as the service returned it; empty: there is none
	Matches   bool   // it is our address
	CheckedOn Date   // none: never checked
}

// NotificationStart is what the start of an account's notifications is derived from. Without a notification and a
// subscription it receives none.
type NotificationStart struct {
	First        LocalTime // moment of the notification that arrived first
	Subscription Subscription
}

// FirstDay is the first day from which notifications can be expected, or zero if the account does not receive any.
func (n NotificationStart) FirstDay() Date {
	first, since := n.First.Date(), n.Subscription.Since
	if first == 0 || since != 0 && since < first {
		return since
	}
	return first
}
