package ownsales

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"concilia/store/ledger"
)

// Method is how a payment of a shop's own sale was made, as the shop's system says. Empty: it says it in a word that is not
// declared.
type Method string

// The methods. Those by card and by slip are held against the service.
const (
	MethodCredit  Method = "credit"
	MethodDebit   Method = "debit"
	MethodVoucher Method = "voucher"
	MethodPix     Method = "pix"
	MethodSlip    Method = "slip"
	MethodOther   Method = "other"
)

// Methods are all methods.
func Methods() []Method {
	return []Method{MethodCredit, MethodDebit, MethodVoucher, MethodPix, MethodSlip, MethodOther}
}

// IsCard reports whether a payment was made by card.
func (m Method) IsCard() bool { return m == MethodCredit || m == MethodDebit || m == MethodVoucher }

// Status is what became of a payment at the shop. Empty: it says it in a word that is not declared.
type Status string

// The states of a payment.
const (
	StatusPaid      Status = "paid"
	StatusCancelled Status = "cancelled"
	StatusRefunded  Status = "refunded"
)

// Statuses are all states.
func Statuses() []Status { return []Status{StatusPaid, StatusCancelled, StatusRefunded} }

// Payment is one payment of a sale as a shop's own system records it. It names no customer.
type Payment struct {
	Sale   string // the sale's id in the shop's system
	Number int    // of the payment in the sale, from 1
	SoldAt ledger.LocalTime
	Timed  bool // SoldAt has a time of day
	Amount ledger.Amount
	Method Method
	// What follows may be absent.
	Installments                                    int
	Brand, NSU, Auth, TID, Reference, PaymentID     string
	Last4, Terminal, Institution, SlipID, OurNumber string
	Document                                        string // key of a note
	Account                                         ledger.Account
	Status                                          Status
	CancelledAt                                     ledger.LocalTime
	Interest                                        ledger.Opt[ledger.Amount]
}

// Day is the day of the sale.
func (p *Payment) Day() ledger.Date { return p.SoldAt.Date() }

// Subject names the payment as cases are about it. home is the account under which its store is kept.
func (p *Payment) Subject(home ledger.Account, store string) string {
	return ledger.Subject("own", home, store, p.Sale, strconv.Itoa(p.Number))
}

// Hash is the hash of everything the shop says of the payment.
func (p *Payment) Hash() ledger.Hash {
	b := make([]byte, 0, 256)
	for _, n := range []int64{
		int64(p.Number), int64(p.SoldAt), boolToInt(p.Timed), int64(p.Amount), int64(p.Installments), int64(p.Account), int64(p.CancelledAt),
		int64(p.Interest.V), boolToInt(p.Interest.OK),
	} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	for _, s := range []string{
		p.Sale, string(p.Method), p.Brand, p.NSU, p.Auth, p.TID, p.Reference, p.PaymentID, p.Last4, p.Terminal, p.Institution,
		p.SlipID, p.OurNumber, p.Document, string(p.Status),
	} {
		b = append(append(b, s...), 0)
	}
	sum := sha256.Sum256(b)
	return ledger.Hash(sum[:16])
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Void says that the payments of a sale were taken back, in a record of its own that may come before or after theirs.
type Void struct {
	Sale   string
	Status Status
	At     ledger.LocalTime
	Amount ledger.Amount // of the payments it means; 0: of any
}

// Applies reports whether the record means a payment, which it changes then.
func (v *Void) Applies(p *Payment) bool {
	return v.Sale == p.Sale && (v.Amount == 0 || v.Amount == p.Amount)
}

// Numbers are consecutive numbers of notes of a series that were used, or declared unused.
type Numbers struct {
	Emitter, Model, Series string
	From, To               int64
	Day                    ledger.Date // of the note that has the number; 0: it has none
}

// Fault is a row that is not taken in.
type Fault struct {
	Where  string // such as line 12, or the name of an entry: a packed message of export/words, as Reason is
	Reason string
}

// Unmapped is a value that is not declared. The row is taken in without it.
type Unmapped struct {
	Member, Value string
}

// FileFault is what of a file of own sales is not known: a row that was not taken in, or a word that is not declared.
type FileFault struct {
	File   string // name, without folder
	Member string // whose word it is; empty: a row
	Where  string // of the row, packed as in Fault
	Said   string // why the row was not taken in, packed too, or the word
}

// Record is one record of a file of own sales: one of its members is set.
type Record struct {
	Payment  *Payment
	Void     *Void
	Numbers  *Numbers
	Fault    *Fault
	Unmapped *Unmapped
}

// DayState is what is known of a day of a shop.
type DayState string

// The states of a day.
const (
	DayComplete DayState = "complete" // a file has all of it
	DayPartial  DayState = "partial"  // sales are known, and no file has all of it
	DayMissing  DayState = "missing"  // no file has any of it
)

// Day is a day of a shop.
type Day struct {
	Day      ledger.Date
	State    DayState
	Payments int64
	Versions int64  // how often payments of the day came or changed
	Why      string // it is not complete
}

// Import is what taking in one file did.
type Import struct {
	// Known means that the same bytes were taken in before: nothing is new.
	Known       bool
	Shown       ledger.Period // days that the file states or shows
	Rows        int64         // payments and rows that were not taken in
	Quarantined int64
	Left        int64 // read, and no word of the file counts: a newer one speaks of the row
	New         int64
	Changed     int64
	Same        int64
	Vanished    int64
	Voided      int64
	Faults      []Fault // the first ones
	Unmapped    []Unmapped
}
