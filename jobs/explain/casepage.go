package explain

import (
	"time"

	"concilia/store/ledger"
)

// CasePage is everything known about one case, to be laid out for people or written as JSON. Amounts are exact, in reais. It contains
// nothing about a payer; cards are masked, as in the ledger.
type CasePage struct {
	Case        string         `json:"case"`
	Code        string         `json:"code"`
	Severity    string         `json:"severity"`
	State       string         `json:"state"`
	Account     ledger.Account `json:"account"`
	AccountName string         `json:"account_name"`
	Subject     string         `json:"subject"`
	Language    string         `json:"language"`
	Title       string         `json:"title"` // the code in plain words
	Sentence    string         `json:"sentence"`
	Formula     string         `json:"formula"`
	Expected    string         `json:"expected"`
	Actual      string         `json:"actual"`
	Difference  string         `json:"difference"` // actual less expected, where both are amounts
	Impact      string         `json:"impact"`     // positive: the merchant lost; empty: the rule has none
	Exposure    bool           `json:"exposure"`   // the impact is late or uncertain rather than lost
	ExplainedBy string         `json:"explained_by"`
	FirstSeen   ledger.Date    `json:"first_seen"`
	Opened      string         `json:"opened"`
	BreakOn     string         `json:"break_on"`
	LastRun     string         `json:"last_run"`
	Settles     string         `json:"settles"` // what would close it; empty: it is over
	Owner       string         `json:"owner"`   // who takes the next step, of a case about money that is not over; else empty, as Next
	Next        string         `json:"next"`
	Reference   string         `json:"reference"` // of the dispute; empty without one

	Record   []RecordMember  `json:"record"` // its current version, or its last one
	Versions []RecordVersion `json:"versions"`
	Contract *ContractTerms  `json:"contract"`
	Calendar string          `json:"calendar"` // hash of the one the dates rest on
	Days     []CalendarDay   `json:"days"`
	// OtherCalendar: the calendar has changed since, so Days is empty.
	OtherCalendar bool `json:"other_calendar"`

	Evidence []PullEvidence `json:"evidence"`
	// Deposits hold the one that a case about a bank account is about.
	Deposits []ItemDeposit `json:"deposits,omitempty"`
	Related  []RelatedCase `json:"related"`
	History  []CaseEvent   `json:"history"`
	Acts     []LoggedAct   `json:"acts"`
}

// RecordMember is a member of a record, by its name in the interface document.
type RecordMember struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// RecordVersion is what one pull changed in a record.
type RecordVersion struct {
	Of       string         `json:"of"` // installment number, or list of slips
	Version  int            `json:"version"`
	Pull     string         `json:"pull"`
	Began    time.Time      `json:"began"`
	Vanished bool           `json:"vanished"` // the service showed it no longer after this
	Changes  []MemberChange `json:"changes"`  // against the version before; none of the first
}

// MemberChange is a member before and after a change. Hidden: only the fact of the change is shown, for payer data and
// payable codes.
type MemberChange struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
	Hidden bool   `json:"hidden,omitempty"`
}

// ContractTerms is the contract line in force, from the document that the run kept.
type ContractTerms struct {
	Line      string         `json:"line"`
	ValidFrom ledger.Date    `json:"valid_from"`
	ValidTo   string         `json:"valid_to"` // empty: without end
	SHA256    string         `json:"sha256"`   // of the document
	Terms     []RecordMember `json:"terms"`
}

// CalendarDay is a calendar day that the finding depends on.
type CalendarDay struct {
	Day     ledger.Date `json:"day"`
	Settles bool        `json:"settles"` // payments settle
	Counter bool        `json:"counter"` // branches are open
	Name    string      `json:"name"`    // of the holiday, in Portuguese
	Source  string      `json:"source"`  // the law, or the configuration
}

// PullEvidence is an answer that the case rests on.
type PullEvidence struct {
	Pull     string    `json:"pull"`
	Source   string    `json:"source"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Began    time.Time `json:"began"`
	Complete bool      `json:"complete"`
	Rows     int64     `json:"rows"`
	SHA256   string    `json:"sha256"` // of the body as received
	Kept     bool      `json:"kept"`   // its bytes are kept: evidence show gives them
}

// RelatedCase is another case of the same subject.
type RelatedCase struct {
	Case     string `json:"case"`
	Code     string `json:"code"`
	State    string `json:"state"`
	Sentence string `json:"sentence"`
}

// CaseEvent is a change of the case.
type CaseEvent struct {
	AsOf     ledger.Date `json:"as_of"`
	Run      string      `json:"run"`
	State    string      `json:"state"`
	Expected string      `json:"expected"`
	Actual   string      `json:"actual"`
	Impact   string      `json:"impact"`
}

// LoggedAct is what a person did about the case.
type LoggedAct struct {
	At     time.Time `json:"at"`
	Verb   string    `json:"verb"`
	Stage  string    `json:"stage"`
	Actor  string    `json:"actor"`
	Reason string    `json:"reason"`
	// Parameters are what the verb was given, by name: to, reference, until, cap.
	Parameters map[string]string `json:"parameters,omitempty"`
}
