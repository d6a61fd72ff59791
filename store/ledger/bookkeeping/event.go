package bookkeeping

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// EventType names what became known of a title.
type EventType string

// The types of events, in the order of those of one title in a cut.
const (
	EventRegistered   EventType = "registered"
	EventRejected     EventType = "rejected"
	EventChanged      EventType = "changed"
	EventSettled      EventType = "settled"
	EventSplitPayable EventType = "split_payable"
	EventPaid         EventType = "paid"
	EventCredited     EventType = "credited"
	EventCancelled    EventType = "cancelled"
	EventChargedBack  EventType = "charged_back"
	EventTakenBack    EventType = "taken_back"
	EventReopened     EventType = "reopened"
	EventAdjusted     EventType = "adjusted"
	EventVanished     EventType = "vanished"
	EventReappeared   EventType = "reappeared"
)

// The reasons for which an event is in no EDI file.
const (
	LeftAfterSettlement = "after_settlement" // cancelled after its payment was said
	LeftRaised          = "raised"           // money that comes on top, or again
	LeftCorrected       = "corrected"        // no money moved
	LeftTerms           = "terms"            // changed, and not its date
	LeftOtherDate       = "other_date"       // of a slip: paid or credited, whichever is not the payment in the file
	LeftReopened        = "reopened"
	LeftVanished        = "vanished"
	LeftNegative        = "negative" // the columns have no sign
)

// Measures are what a title adds to each sum of the movement, in printed cents; of an event, after less before.
type Measures struct {
	Face, Closed, Received, Fees, Anticipation, Splits ledger.Amount
}

// MeasureIDs are the names of the measures, in the order of All.
func MeasureIDs() []string {
	return []string{"face", "closed", "received", "fees", "anticipation", "splits"}
}

// All are the measures in their order.
func (m *Measures) All() []*ledger.Amount {
	return []*ledger.Amount{&m.Face, &m.Closed, &m.Received, &m.Fees, &m.Anticipation, &m.Splits}
}

// Add adds the measures of o.
func (m *Measures) Add(o Measures) {
	for i, v := range o.All() {
		*m.All()[i] += *v
	}
}

// Less is m without o.
func (m Measures) Less(o Measures) Measures {
	for i, v := range o.All() {
		*m.All()[i] -= *v
	}
	return m
}

// TitleState is a title as of a run, as far as an event of it can say: amounts are in cents.
type TitleState struct {
	Version int
	Class   ledger.Class
	Card    *CardState
	Slip    *SlipState
	Face    ledger.Amount
	Fees    ledger.Amount // of a slip: the tariff
	Sums    Measures
	Due     ledger.Date
	Booked  *Booked // of a title that was taken back
}

// CardState is what a title has that is an installment.
type CardState struct {
	SoldAt       ledger.LocalTime
	Brand        string
	Product      ledger.Product
	NSU          string
	Auth         string
	Number       int
	Count        int
	Reference    string
	Effective    ledger.Date
	MDR          ledger.Amount
	Fee          ledger.Amount
	Antifraud    ledger.Amount
	Received     ledger.Amount
	Anticipation ledger.Amount
	SplitCost    ledger.Amount // what splits take out of what is received
	Splits       []ShareState
}

// ShareState is a split of an installment.
type ShareState struct {
	Subject     string
	Beneficiary string
	Amount      ledger.Amount
	Ordinal     int
}

// SlipState is what a title has that is a bank slip. It has nothing of its payer.
type SlipState struct {
	ID          string
	OurNumber   string
	Reference   string
	Issued      ledger.Date
	PaidOn      ledger.Date
	CreditedOn  ledger.Date
	CancelledOn ledger.Date
	Paid        ledger.Opt[ledger.Amount]
	Charges     ledger.Amount // penalty and interest received
	Movement    int           // of its state in EDI files, 0: it is no title yet
}

// Event is a difference between two states of a title. It is published once and never again.
type Event struct {
	Account     ledger.Account
	Source      EventSource
	Set, Cut    int // numbers of the account's set, and of the source's cut
	Position    int // in the cut, from 1
	ID          string
	Type        EventType
	Ordinal     int    // among the events of the type and subject that were sent
	Subject     string // of a share its own
	Title       string // the subject of the title
	Occurred    ledger.Date
	Sent        ledger.Date // the as-of of the cut
	Version     int
	Sums        Measures
	Value       ledger.Opt[ledger.Amount] // what was taken back; a share
	Movement    string                    // in the EDI file, empty: in none
	Reason      string                    // why in none
	TitleNumber string
	NSA         int
	Lote        int
	Record      int
	Before      *TitleState // nil: not known
	After       *TitleState // nil: gone
}

// State is what the title was after the event, or before it if it is gone.
func (e *Event) State() *TitleState {
	if e.After == nil {
		return e.Before
	}
	return e.After
}

// EventSource is a side of the movement, which is cut by itself.
type EventSource string

// The sources of the movement.
const (
	CardEvents EventSource = "cards"
	SlipEvents EventSource = "slips"
)

// EventID is the id of an event: the first 16 hex digits of the SHA-256 of account, subject, type and ordinal, joined by line
// feeds.
func EventID(a ledger.Account, subject string, t EventType, ordinal int) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{a.String(), subject, string(t), strconv.Itoa(ordinal)}, "\n")))
	return hex.EncodeToString(sum[:8])
}

// TitleHistory is what earlier cuts have of a title.
type TitleHistory struct {
	// Sent counts the events that were sent, by subject and type.
	Sent map[SentEvents]int
	// Said are the movements of EDI files. A payment (06) is in it too when money was taken back, or a cancellation was left out
	// for its sake.
	Said map[string]bool
}

// SentEvents names the events of a subject that have one type.
type SentEvents struct {
	Subject string
	Type    EventType
}

// SaidPaid reports whether an event of the payment of the title was published.
func (h *TitleHistory) SaidPaid() bool { return h.Said["06"] || h.Said["17"] }

// TitleChange is a title between two cuts.
type TitleChange struct {
	Subject       string
	Before, After *TitleState // nil: not there; of an event that is read back Before is there only without After
	// Known says that the title was there at the cut before, or had been by then.
	Known   bool
	History TitleHistory
}
