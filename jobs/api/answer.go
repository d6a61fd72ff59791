package api

import (
	"net/http"
	"slices"
	"time"

	"concilia/store/ledger"
)

// Receipt describes one complete answer.
type Receipt struct {
	Bad        []ledger.Quarantined // rows that could not be read exactly, in the order they came
	Unknown    []string             // members the interface document does not name, sorted; those of splits as splits.NAME
	Bytes      int64                // of the body, content encoding undone
	SHA256     string               // of those bytes, hex
	Body       *ledger.Body         // those bytes, as they are to be kept
	Began      time.Time            // of the request that was answered
	Ended      time.Time
	ServerDate time.Time // of the answer's Date header, UTC; zero when there was none
	Requests   int       // made for this answer, including retries, without logins
}

// Answer is the answer of the card search for a window.
type Answer struct {
	Rows []ledger.Installment // in the order they came; empty if they went to a sink
	Receipt
}

// SlipAnswer is the answer of a list of slips for a window, or the detail of one slip.
type SlipAnswer struct {
	Rows []ledger.SlipView // in the order they came
	// Twice are the ids of slips that the answer shows more than once with different content, in order of their second
	// showing; at most maxTwice. Rows holds every showing.
	Twice []string
	Receipt
}

// maxTwice caps SlipAnswer.Twice: a list that repeats more slips than that is wrong as a whole.
const maxTwice = 50

// twice finds the slips that rows show more than once and not alike.
func twice(rows []ledger.SlipView) []string {
	var out []string
	first := make(map[string]int, len(rows))
	for i := range rows {
		id := rows[i].ID
		at, again := first[id]
		switch {
		case !again:
			first[id] = i
		case rows[at].ContentHash() == rows[i].ContentHash(), slices.Contains(out, id):
		case len(out) == maxTwice:
			return out
		default:
			out = append(out, id)
		}
	}
	return out
}

// sign fills what is known when the body has been read to its end.
func (r *Receipt) sign(a *reply, now time.Time, unknown names) (err error) {
	r.Bytes, r.SHA256, r.Began, r.Ended = a.body.count, a.body.sum(), a.began, now
	r.Unknown = unknown.sorted()
	if t, err := http.ParseTime(a.header.Get("Date")); err == nil {
		r.ServerDate = t.UTC()
	}
	r.Body, err = a.body.kept()
	return err
}

// place says which account, source and window the quarantined rows are of.
func (r *Receipt) place(account ledger.Account, source ledger.Source, day ledger.Date) {
	for i := range r.Bad {
		r.Bad[i].Account, r.Bad[i].Source, r.Bad[i].Day = account, source, day
	}
}
