package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Verb is what a person did. The log accepts any text; the verbs on cases are the constants here.
type Verb string

// The verbs on cases.
const (
	Ack     Verb = "ack"
	Assign  Verb = "assign"
	Dispute Verb = "dispute"
	Answer  Verb = "answer"
	Waive   Verb = "waive"
	Close   Verb = "close"
	Reopen  Verb = "reopen"
)

// The verbs on what came to bank accounts: a person holds lines to be what the service says it paid, or takes a match apart.
const (
	MatchDeposit   Verb = "match"
	UnmatchDeposit Verb = "unmatch"
)

// CaseVerbs returns the verbs on cases, in the order of their usual use.
func CaseVerbs() []Verb { return []Verb{Ack, Assign, Dispute, Answer, Waive, Close, Reopen} }

// AllowedStates returns the states of a case in which the verb is allowed; none for a verb that is not on cases.
func (v Verb) AllowedStates() []State {
	switch v {
	case Ack:
		return []State{Pending, Opened, Reopened}
	case Assign, Close:
		return []State{Pending, Opened, Reopened, Acknowledged, Disputed, Waived, Shadow}
	case Dispute:
		return []State{Pending, Opened, Reopened, Acknowledged}
	case Waive:
		return []State{Pending, Opened, Reopened, Acknowledged, Disputed}
	case Answer:
		return []State{Disputed}
	case Reopen:
		return []State{Closed, Waived, Acknowledged, Disputed}
	}
	return nil
}

// ResultState returns the state of a case after the verb, if it was in state from before.
func (v Verb) ResultState(from State) State {
	switch v {
	case Ack:
		return Acknowledged
	case Dispute:
		return Disputed
	case Waive:
		return Waived
	case Close:
		return Closed
	case Reopen:
		return Reopened
	}
	return from
}

// AppliesTo reports whether the verb is allowed for a case in a state.
func (v Verb) AppliesTo(from State) bool { return slices.Contains(v.AllowedStates(), from) }

// Reply is what the service answered to a claim.
type Reply string

// The replies. ReplyAsks: the service wants to know more before it decides.
const (
	ReplyAccepted Reply = "accepted"
	ReplyRefused  Reply = "refused"
	ReplyPartial  Reply = "partial"
	ReplyAsks     Reply = "asks"
)

// Replies returns the replies.
func Replies() []Reply { return []Reply{ReplyAccepted, ReplyRefused, ReplyPartial, ReplyAsks} }

// Stage is whether an act has taken effect.
type Stage string

// The stages of an act. A proposed act changes nothing but the log until a second person confirms it.
const (
	Proposed Stage = "proposed"
	Done     Stage = "done"
)

// Act is one entry of an account's log of acts. Entries are numbered from 1 without gaps, and each holds the hash of the
// one before, so that changing, dropping or moving an entry in the middle is detected.
type Act struct {
	Account    Account // 0: not about a single account
	Number     int64
	Verb       Verb
	Stage      Stage
	Subject    string // the case or other object of the act; never data of a payer
	Actor      string // the name that was given
	Person     string // who the operating system says it was
	Host       string // the machine where it was done
	Reason     string // may be empty if the verb does not require one
	Parameters string // a JSON object of texts with its keys sorted, {} for none
	At         time.Time
	Run        string // the last run that had reconciled the account; empty before the first
	Confirms   int64  // number of the proposal that this act carried out; 0 for none
	Previous   string // hash of the entry before; empty in the first
	Hash       string // 64 hex digits: see ComputeHash
}

// ComputeHash returns the right value of Hash: the SHA-256, in lower-case hex, of the line "concilia act 1" followed by every
// other member in the order of the type. Numbers are decimal and At is microseconds since 1970 UTC; each member is written as
// its length in bytes, a colon, the text and a line feed.
func (a *Act) ComputeHash() string {
	var b strings.Builder
	b.WriteString("concilia act 1\n")
	for _, part := range []string{
		a.Account.String(), strconv.FormatInt(a.Number, 10), string(a.Verb), string(a.Stage), a.Subject, a.Actor, a.Person, a.Host,
		a.Reason, a.Parameters, strconv.FormatInt(a.At.UnixMicro(), 10), a.Run, strconv.FormatInt(a.Confirms, 10),
		a.Previous,
	} {
		fmt.Fprintf(&b, "%d:%s\n", len(part), part)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// ActLogEnd is the last act of an account's log at some time. A log without that act was truncated or rewritten since.
type ActLogEnd struct {
	Account Account
	Number  int64  // of the last act; 0 before the first
	Hash    string // its hash; empty before the first
}

// The maximum length of the texts of an act, in bytes: they are printed on one line.
const (
	MaxActor  = 100
	MaxHost   = 255
	MaxReason = 1000
)

// Valid returns the reason why the act may not enter the log, or nil.
func (a *Act) Valid() error {
	switch {
	case a.Account < 0:
		return fmt.Errorf("act of account %s: not an account", a.Account)
	case a.Verb == "" || a.Subject == "" || strings.TrimSpace(a.Actor) == "":
		return fmt.Errorf("act %q on %q: verb, subject and actor are all needed", a.Verb, a.Subject)
	case a.Stage != Proposed && a.Stage != Done:
		return fmt.Errorf("act %q on %q: stage %q is neither proposed nor done", a.Verb, a.Subject, a.Stage)
	case a.At.IsZero():
		return fmt.Errorf("act %q on %q: no instant", a.Verb, a.Subject)
	}
	for _, text := range []struct {
		name, value string
		most        int
	}{{"actor", a.Actor, MaxActor}, {"person", a.Person, MaxActor}, {"host", a.Host, MaxHost}, {"reason", a.Reason, MaxReason}, {"subject", a.Subject, MaxReason}} {
		if err := CheckPlainText(text.value, text.most); err != nil {
			return fmt.Errorf("act %q: %s: %w", a.Verb, text.name, err)
		}
	}
	return nil
}

// CheckPlainText returns an error if s cannot be printed on one line or is longer than most bytes.
func CheckPlainText(s string, most int) error {
	if len(s) > most {
		return fmt.Errorf("%d bytes, at most %d", len(s), most)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return fmt.Errorf("plain text on one line is wanted")
	}
	return nil
}
