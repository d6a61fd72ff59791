package ledger

import "time"

// Window is what one request to the service covers: a source of an account over a range of days.
type Window struct {
	Account Account
	Source  Source
	Period  Period
	Reason  string // why it is requested, for people
}

// Pull is one request to the service with its result. A pull is complete if the whole answer arrived and was kept.
type Pull struct {
	ID       string
	Run      string
	Window   Window
	Began    time.Time // wall clock, UTC: it orders pulls
	Ended    time.Time // wall clock, UTC
	AsOf     Date      // of the run, which dates the versions this pull brings
	On       Date      // date of Began in the configured zone
	Complete bool
	Failure  string // why it is not complete
	Bytes    int64
	SHA256   string // of the body as received, hex
	Body     *Body  // the body to be kept; nil if there is none, and always when read back
	Counts   Counts
	Note     PullNote
	// Units are the units of work that this pull completes: the transaction that keeps the pull marks each as done or
	// failed, with the number of rows of its day. Empty if the request was not planned, and always when read back.
	Units []WorkUnit
	// Recheck: rather than let rows vanish, the merge keeps nothing and returns a store.MissingError, so that the window
	// is requested once more. Not kept.
	Recheck bool
	// Missing, in the pull of such a second request, names the rows that the first answer lacked: only these may vanish. nil:
	// every row that the answer lacks vanishes. Not kept.
	Missing MissingRows
}

// MissingRows names rows of an earlier complete answer that an answer lacks: installments by subject, slips by id.
type MissingRows map[string]bool

// ProvesDay reports whether the pull shows every row of a day of its window: it is complete and began on a later
// business day. A pull that began before the day had ended shows rows but proves nothing.
func (p *Pull) ProvesDay(d Date) bool { return p.Complete && p.On > d }

// PullNote is what an answer showed in addition to its rows. The zero value is nothing.
type PullNote struct {
	// Skew is how many whole seconds the service's clock was ahead of ours; absent if the answer had no time.
	Skew Opt[int64] `json:"-"`
	// Unknown are undocumented members, sorted.
	Unknown []string `json:"unknown,omitempty"`
	// Outside counts the rows whose own date is outside the window; Day is the date of the first of them. SlipsOutside
	// are their ids if they are slips, at most MaxNamed.
	Outside      int64    `json:"outside,omitempty"`
	Day          Date     `json:"day,omitempty"`
	SlipsOutside []string `json:"slips_outside,omitempty"`
	// Twice are ids of slips that the answer showed more than once with different content.
	Twice []string `json:"twice,omitempty"`
	// Refused is the id of the slip whose detail the service answered without success.
	Refused string `json:"refused,omitempty"`
	// Halved: the answer seemed truncated, so the window was requested again in two halves, which replace it. Halves is their
	// number of rows together, Cut the days for which they showed other rows than the whole.
	Halved bool   `json:"halved,omitempty"`
	Halves int64  `json:"halves,omitempty"`
	Cut    []Date `json:"cut,omitempty"`
	// Missing is how many rows of an earlier complete answer this one lacked, because of which the window was requested once
	// more; that second answer is valid.
	Missing int64 `json:"missing,omitempty"`
	// Wider: the window was requested one day wider at each end on purpose, to measure whether the bounds are inclusive. First
	// and Last are the numbers of rows on those two days.
	Wider bool  `json:"wider,omitempty"`
	First int64 `json:"first,omitempty"`
	Last  int64 `json:"last,omitempty"`
	// Simulated is the answer of the settlement simulator.
	Simulated *Simulation `json:"simulated,omitempty"`
}

// Simulation is what the settlement simulator charges a card of a brand so that an account receives Net, above 0: one
// option for each number of installments, in their order.
type Simulation struct {
	Brand   string            `json:"brand"` // canonical
	Net     Amount            `json:"net"`
	Options []SimulatedOption `json:"options"`
}

// SimulatedOption is the total to charge for a sale in a number of installments, above 0.
type SimulatedOption struct {
	Installments int    `json:"installments"`
	Gross        Amount `json:"gross"`
}

// MaxNamed is the maximum number of ids that a PullNote names.
const MaxNamed = 100

// Counts counts the rows of one pull, or of many.
type Counts struct {
	Requests    int64
	Rows        int64
	New         int64
	Changed     int64
	Same        int64
	Vanished    int64
	Quarantined int64
}

// Add adds the counts of d.
func (c *Counts) Add(d Counts) {
	c.Requests += d.Requests
	c.Rows += d.Rows
	c.New += d.New
	c.Changed += d.Changed
	c.Same += d.Same
	c.Vanished += d.Vanished
	c.Quarantined += d.Quarantined
}

// Quarantined is a row that could not be parsed exactly. It is kept, with the reason and its bytes, card numbers masked.
type Quarantined struct {
	Account Account
	Source  Source
	Day     Date   // of the window that brought it
	Hash    string // SHA-256 of Body, hex
	Body    []byte // as kept
	Reason  string // which members, and why; never their values
	Gross   Opt[Amount]
	KeyRead bool // the members of its key could be parsed
	// Key and SlipID identify the row if KeyRead is set: Key a row of cards, without its occurrence; SlipID, in lower
	// case, a slip. A row that came back unparsable has not vanished.
	Key    InstallmentKey
	SlipID string
}

// Subject is row:ACCOUNT:SOURCE:HASH with the first 16 hex digits.
func (q *Quarantined) Subject() string {
	return Subject("row", q.Account, string(q.Source), q.Hash[:min(16, len(q.Hash))])
}
