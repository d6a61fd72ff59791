package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
)

// OwnMethod is how a payment of a shop's own sale was made, as the shop's system says. Empty: it says it in a word that is not
// declared.
type OwnMethod string

// The methods. Those by card and by slip are held against the service.
const (
	OwnCredit  OwnMethod = "credit"
	OwnDebit   OwnMethod = "debit"
	OwnVoucher OwnMethod = "voucher"
	OwnPix     OwnMethod = "pix"
	OwnSlip    OwnMethod = "slip"
	OwnOther   OwnMethod = "other"
)

// OwnMethods are all methods.
func OwnMethods() []OwnMethod {
	return []OwnMethod{OwnCredit, OwnDebit, OwnVoucher, OwnPix, OwnSlip, OwnOther}
}

// IsCard reports whether a payment was made by card.
func (m OwnMethod) IsCard() bool { return m == OwnCredit || m == OwnDebit || m == OwnVoucher }

// OwnStatus is what became of a payment at the shop. Empty: it says it in a word that is not declared.
type OwnStatus string

// The states of a payment.
const (
	OwnPaid      OwnStatus = "paid"
	OwnCancelled OwnStatus = "cancelled"
	OwnRefunded  OwnStatus = "refunded"
)

// OwnStatuses are all states.
func OwnStatuses() []OwnStatus { return []OwnStatus{OwnPaid, OwnCancelled, OwnRefunded} }

// OwnPayment is one payment of a sale as a shop's own system records it. It names no customer.
type OwnPayment struct {
	Sale   string // the sale's id in the shop's system
	Number int    // of the payment in the sale, from 1
	SoldAt LocalTime
	Timed  bool // SoldAt has a time of day
	Amount Amount
	Method OwnMethod
	// What follows may be absent.
	Installments                                    int
	Brand, NSU, Auth, TID, Reference, PaymentID     string
	Last4, Terminal, Institution, SlipID, OurNumber string
	Document                                        string // key of a note
	Account                                         Account
	Status                                          OwnStatus
	CancelledAt                                     LocalTime
	Interest                                        Opt[Amount]
}

// Day is the day of the sale.
func (p *OwnPayment) Day() Date { return p.SoldAt.Date() }

// Subject names the payment as cases are about it. home is the account under which its store is kept.
func (p *OwnPayment) Subject(home Account, store string) string {
	return Subject("own", home, store, p.Sale, strconv.Itoa(p.Number))
}

// Hash is the hash of everything the shop says of the payment.
func (p *OwnPayment) Hash() Hash {
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
	return Hash(sum[:16])
}

func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// OwnVoid says that the payments of a sale were taken back, in a record of its own that may come before or after theirs.
type OwnVoid struct {
	Sale   string
	Status OwnStatus
	At     LocalTime
	Amount Amount // of the payments it means; 0: of any
}

// Applies reports whether the record means a payment, which it changes then.
func (v *OwnVoid) Applies(p *OwnPayment) bool {
	return v.Sale == p.Sale && (v.Amount == 0 || v.Amount == p.Amount)
}

// OwnNumbers are consecutive numbers of notes of a series that were used, or declared unused.
type OwnNumbers struct {
	Emitter, Model, Series string
	From, To               int64
	Day                    Date // of the note that has the number; 0: it has none
}

// OwnFault is a row that is not taken in.
type OwnFault struct {
	Where  string // such as line 12, or the name of an entry: a packed message of export/words, as Reason is
	Reason string
}

// OwnUnmapped is a value that is not declared. The row is taken in without it.
type OwnUnmapped struct {
	Member, Value string
}

// OwnFileFault is what of a file of own sales is not known: a row that was not taken in, or a word that is not declared.
type OwnFileFault struct {
	File   string // name, without folder
	Member string // whose word it is; empty: a row
	Where  string // of the row, packed as in OwnFault
	Said   string // why the row was not taken in, packed too, or the word
}

// OwnRecord is one record of a file of own sales: one of its members is set.
type OwnRecord struct {
	Payment  *OwnPayment
	Void     *OwnVoid
	Numbers  *OwnNumbers
	Fault    *OwnFault
	Unmapped *OwnUnmapped
}

// OwnDayState is what is known of a day of a shop.
type OwnDayState string

// The states of a day.
const (
	OwnComplete OwnDayState = "complete" // a file has all of it
	OwnPartial  OwnDayState = "partial"  // sales are known, and no file has all of it
	OwnMissing  OwnDayState = "missing"  // no file has any of it
)

// OwnDay is a day of a shop.
type OwnDay struct {
	Day      Date
	State    OwnDayState
	Payments int64
	Versions int64  // how often payments of the day came or changed
	Why      string // it is not complete
}

// OwnImport is what taking in one file did.
type OwnImport struct {
	// Known means that the same bytes were taken in before: nothing is new.
	Known       bool
	Shown       Period // days that the file states or shows
	Rows        int64  // payments and rows that were not taken in
	Quarantined int64
	Left        int64 // read, and no word of the file counts: a newer one speaks of the row
	New         int64
	Changed     int64
	Same        int64
	Vanished    int64
	Voided      int64
	Faults      []OwnFault // the first ones
	Unmapped    []OwnUnmapped
}
