package agreements

import (
	"bytes"

	"concilia/store/ledger"
)

// Orders is the anticipation orders of the merchant. It is immutable.
type Orders struct {
	all      []Order                    // in order of account, order and installment
	standing map[ledger.Account][]Order // the standing ones
	bySale   map[orderedSale][]Order
	text     []byte
	hash     string
}

// Order is one line: an order for one installment, or a standing one for all of an account.
type Order struct {
	Account ledger.Account
	Order   string // its name; the lines of one order share it
	// OrderedOn is when it was given. PayOn is the day on which payment is asked for; for a standing order it is the
	// last day of its validity, zero if unlimited.
	OrderedOn, PayOn ledger.Date
	// NSU, Auth and Installment name the installment; all empty in a standing order.
	NSU, Auth   string
	Installment int
}

// Standing reports whether the order is for all installments of the account.
func (o *Order) Standing() bool { return o.NSU == "" }

type orderedSale struct {
	account   ledger.Account
	nsu, auth string
	number    int
}

// Covers reports whether an order covers an installment paid on a day: an order for it with that payment day or an
// earlier one, or a standing order valid on that day. A payment before the ordered day is not covered.
func (o *Orders) Covers(k ledger.InstallmentKey, paidOn ledger.Date) bool {
	for _, x := range o.bySale[orderedSale{k.Account, k.NSU, k.Auth, k.Number}] {
		if k.Day <= x.OrderedOn && x.PayOn <= paidOn {
			return true
		}
	}
	for _, x := range o.standing[k.Account] {
		if x.OrderedOn <= paidOn && (x.PayOn == 0 || paidOn <= x.PayOn) {
			return true
		}
	}
	return false
}

// All returns the orders by account, order and installment. The caller must not change them.
func (o *Orders) All() []Order { return o.all }

// Text is the canonical form of the file, which reads as the same orders.
func (o *Orders) Text() []byte { return bytes.Clone(o.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (o *Orders) Hash() string { return o.hash }
