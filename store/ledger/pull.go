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
	Body     *Body  // the body as it is to be kept, on its way in; nil: none, and none read back
	Counts   Counts
	Note     PullNote
	// Units are those that the pull does: they are done, or failed, in the commit that keeps it. With each are the rows of
	// its day. None: it is asked for beside the plan. None read back.
	Units []WorkUnit
}

// Proves says whether the pull shows all there is on a day of its window: it arrived whole, and began on a later business
// day. One begun before the day had ended shows rows and proves nothing.
func (p *Pull) Proves(d Date) bool { return p.Complete && p.On > d }

// PullNote is what an answer told beside its rows. The zero value is nothing.
type PullNote struct {
	// Skew is by how many whole seconds the service's clock was ahead of ours; absent where the answer bore no time.
	Skew Opt[int64] `json:"-"`
	// Unknown are the members nobody described, sorted.
	Unknown []string `json:"unknown,omitempty"`
	// Outside counts the rows whose own date lies outside the window, and Day is that of the first of them. SlipsOutside
	// are their ids, where they are slips; at most MaxNamed.
	Outside      int64    `json:"outside,omitempty"`
	Day          Date     `json:"day,omitempty"`
	SlipsOutside []string `json:"slips_outside,omitempty"`
	// Twice are ids of slips that the answer showed more than once and not alike.
	Twice []string `json:"twice,omitempty"`
	// Refused is the id of the slip whose detail the service answered without success.
	Refused string `json:"refused,omitempty"`
	// Halved: the answer looked cut, so that the window was asked again in halves and they hold in its place. Halves are
	// the rows they showed together, Cut the days of which they showed other rows than the whole.
	Halved bool   `json:"halved,omitempty"`
	Halves int64  `json:"halves,omitempty"`
	Cut    []Date `json:"cut,omitempty"`
	// Wider: the window was deliberately asked a day wider at each end, to see whether its bounds count. First and
	// Last are the rows of those two days.
	Wider bool  `json:"wider,omitempty"`
	First int64 `json:"first,omitempty"`
	Last  int64 `json:"last,omitempty"`
}

// MaxNamed bounds the ids a PullNote names.
const MaxNamed = 100

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
