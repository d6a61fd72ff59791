package explain

import (
	"time"

	"concilia/store/ledger"
)

// ItemPage is everything known about one sale or one slip, with a case or without, to be laid out for people or written as JSON.
// Amounts are exact, in reais, rates in percent. Of a payer it has the document, masked, unless
// Explainer.ShowsPayers; cards are masked, as in the ledger.
type ItemPage struct {
	Subject       string             `json:"subject"`
	Account       ledger.Account     `json:"account"`
	AccountName   string             `json:"account_name"`
	Language      string             `json:"language"`
	Header        []RecordMember     `json:"header"`
	Steps         []CostStep         `json:"steps"`
	Dates         []ItemDate         `json:"dates"`
	Versions      []RecordVersion    `json:"versions"`
	Evidence      []PullEvidence     `json:"evidence"`
	Notifications []ItemNotification `json:"notifications"`
	Cases         []ItemCase         `json:"cases"`
	Files         []ItemFile         `json:"files"`
	// Deposits hold what of it was credited, where the bank's statements are read.
	Deposits []ItemDeposit `json:"deposits,omitempty"`
	// Stores hold what stores say of it, as the last run took it.
	Stores []ItemStore `json:"stores,omitempty"`
}

// ItemStore is a payment of a store that is taken for the sale or slip; of the page of a payment, how it was matched.
type ItemStore struct {
	Store      string `json:"store"`
	Subject    string `json:"subject"` // of the payment, empty: the store has none
	Service    string `json:"service_sale"`
	Bucket     string `json:"bucket"`
	Level      int    `json:"level"` // 0: no pair
	Amount     string `json:"amount"`
	Difference string `json:"difference"` // what the store counts less what the service counts
}

// CostStep is a step from gross to received: what was charged, what was due, and by which line of the contract. A step of a slip and
// the totals of a sale are of installment 0. Absent parts are empty.
type CostStep struct {
	Installment  int    `json:"installment"`
	Step         string `json:"step"`
	Formula      string `json:"formula"` // of what is due, with its numbers
	Charged      string `json:"charged"`
	ChargedPct   string `json:"charged_pct"` // of gross
	ContractLine string `json:"contract_line"`
	ContractPct  string `json:"contract_pct"`
	Due          string `json:"due"`
	Difference   string `json:"difference"` // charged less due
}

// The steps of a sale, then those of a slip.
const (
	StepGross        = "gross"
	StepMDR          = "mdr"
	StepTransaction  = "transaction"
	StepAntifraud    = "antifraud"
	StepAnticipation = "anticipation"
	StepNet          = "net"
	StepSplit        = "split"
	StepReceived     = "received"

	StepValue    = "value"
	StepPenalty  = "penalty"
	StepInterest = "interest"
	StepDiscount = "discount"
	StepPaid     = "paid"
	StepTariff   = "tariff"
	StepCredited = "credited"
)

// ItemDate is a date of an installment, or of a slip, and why it is that day.
type ItemDate struct {
	Installment int         `json:"installment"`
	Name        string      `json:"name"`
	Date        ledger.Date `json:"date"`
	Reason      string      `json:"reason"` // id of why; Term is of the contract
	Term        string      `json:"term"`
}

// ItemNotification is a notification about an installment of the sale.
type ItemNotification struct {
	Installment int       `json:"installment"`
	Moment      string    `json:"moment"` // as sent, local time
	ReceivedAt  time.Time `json:"received_at"`
	Type        string    `json:"type"`
	OldValue    string    `json:"old_value"`
	NewValue    string    `json:"new_value"`
}

// ItemCase is a case of the sale or slip, over or not.
type ItemCase struct {
	Case     string `json:"case"`
	Code     string `json:"code"`
	State    string `json:"state"`
	Impact   string `json:"impact"`
	Sentence string `json:"sentence"`
}

// ItemDeposit is what became at the bank of the group of an installment, 0 of a slip.
type ItemDeposit struct {
	Installment int         `json:"installment"`
	Bank        string      `json:"bank"`
	Deposit     string      `json:"deposit"` // its name: a match, or the group that is left
	Group       string      `json:"group"`   // or the line that a case is about
	Day         ledger.Date `json:"bank_date"`
	Status      string      `json:"status"`
	Expected    string      `json:"expected"`
	Credited    string      `json:"credited"`
	Lines       []ItemLine  `json:"lines"`

	// Accounts are those that settle into the bank account: who may not see all of them may not see it.
	Accounts []ledger.Account `json:"-"`
}

// ItemLine is a line of a deposit, and the statement that it came from.
type ItemLine struct {
	Line    string      `json:"line"` // its subject
	Day     ledger.Date `json:"date"`
	Amount  string      `json:"amount"`
	File    string      `json:"file"`
	TakenAt time.Time   `json:"taken_at"`
	SHA256  string      `json:"sha256"` // of the bytes of the file
}

// ItemFile is a published file that has the item.
type ItemFile struct {
	Path     string `json:"path"`
	Kind     string `json:"kind"`
	Basis    string `json:"basis"`
	From     string `json:"from"`
	To       string `json:"to"`
	Revision int    `json:"revision"`
	SHA256   string `json:"sha256"`
}
