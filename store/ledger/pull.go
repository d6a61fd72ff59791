package ledger

import "time"

// Window is what one question to the service asks for: a source of an account over a range of days.
type Window struct {
	Account Account
	Source  Source
	Period  Period
	Reason  string // why tonight asks for it, for people
}

// Pull is one answered or failed question. A complete pull arrived whole and was kept whole.
type Pull struct {
	ID       string
	Run      string
	Window   Window
	Began    time.Time // wall clock, UTC: it orders pulls
	Ended    time.Time // wall clock, UTC
	AsOf     Date      // of the run: it dates the versions this pull brings
	On       Date      // date of Began in the configured zone
	Complete bool
	Failure  string // why not complete
	Bytes    int64
	SHA256   string // of the body as received, hex
	Counts   Counts
}

// Counts is what a pull, or many, brought.
type Counts struct {
	Requests    int64
	Rows        int64
	New         int64
	Changed     int64
	Same        int64
	Vanished    int64
	Quarantined int64
}

// Add adds d's figures.
func (c *Counts) Add(d Counts) {
	c.Requests += d.Requests
	c.Rows += d.Rows
	c.New += d.New
	c.Changed += d.Changed
	c.Same += d.Same
	c.Vanished += d.Vanished
	c.Quarantined += d.Quarantined
}

// Quarantined is a row that could not be parsed exactly. It is kept, never dropped, with its reason and its bytes,
// card numbers masked.
type Quarantined struct {
	Account Account
	Source  Source
	Day     Date   // of the window that brought it
	Hash    string // SHA-256 of Body, hex
	Body    []byte // as kept
	Reason  string // which members, and why; never their values
	Gross   Opt[Amount]
	KeyRead bool // the members of its key could be read
	// Key and SlipID name the row when KeyRead is set: Key of a row of cards, without its occurrence, SlipID in lower
	// case of a slip. The ledger does not take a row for vanished that came back unreadable.
	Key    InstallmentKey
	SlipID string
}

// Subject is row:ACCOUNT:SOURCE:HASH with the first 16 hex digits.
func (q *Quarantined) Subject() string {
	return Subject("row", q.Account, string(q.Source), q.Hash[:min(16, len(q.Hash))])
}
