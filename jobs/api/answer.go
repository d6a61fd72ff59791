package api

import (
	"net/http"
	"time"

	"concilia/store/ledger"
)

// Receipt tells of one answer that arrived whole.
type Receipt struct {
	Bad        []ledger.Quarantined // rows that could not be read exactly, in the order they came
	Unknown    []string             // members the interface document does not name, sorted; those of splits as splits.NAME
	Bytes      int64                // of the body, content encoding undone
	SHA256     string               // of those bytes, hex
	Began      time.Time            // of the request that was answered
	Ended      time.Time
	ServerDate time.Time // of the answer's Date header, UTC; zero when there was none
	Requests   int       // made for this answer, repeats included, logins aside
}

// Answer is what the card search says of a window.
type Answer struct {
	Rows []ledger.Installment // in the order they came; empty when a sink took them
	Receipt
}

// SlipAnswer is what a list of slips says of a window, or the detail of one slip.
type SlipAnswer struct {
	Rows []ledger.SlipView // in the order they came
	Receipt
}

// sign fills what is known when the body has been read to its end.
func (r *Receipt) sign(a *reply, now time.Time, unknown names) {
	r.Bytes, r.SHA256, r.Began, r.Ended = a.body.count, a.body.sum(), a.began, now
	r.Unknown = unknown.sorted()
	if t, err := http.ParseTime(a.header.Get("Date")); err == nil {
		r.ServerDate = t.UTC()
	}
}

// place says which account, source and window the quarantined rows are of.
func (r *Receipt) place(account ledger.Account, source ledger.Source, day ledger.Date) {
	for i := range r.Bad {
		r.Bad[i].Account, r.Bad[i].Source, r.Bad[i].Day = account, source, day
	}
}
