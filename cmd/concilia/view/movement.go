package view

import (
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/export/words"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/published"
)

// MovementSet is a set of the movement: what became known up to a day.
type MovementSet struct {
	Account   ledger.Account                    `json:"account"`
	Set       int                               `json:"set"`
	AsOf      ledger.Date                       `json:"as_of"`
	Revision  int                               `json:"revision"`
	Run       string                            `json:"run"`
	NSA       []int                             `json:"nsa"`
	Events    map[bookkeeping.EventSource]int64 `json:"events"` // by source; one that was not cut is absent
	Sums      map[string]string                 `json:"sums"`   // those that are not zero
	Published string                            `json:"published"`
	Manifest  string                            `json:"manifest"`
}

// The states of a set of the movement.
const (
	movementCut      = "no"      // cut, and not rendered yet
	movementWaiting  = "waiting" // for the target
	movementReleased = "yes"
)

// MovementSets are sets in order of account and number.
type MovementSets []MovementSet

// MovementSetsOf puts the cuts of an account together into sets. published are its sets, of whatever basis.
func MovementSetsOf(cuts []books.Cut, published []*published.Set) MovementSets {
	var out MovementSets
	var sums bookkeeping.Measures
	for i := range cuts {
		c := &cuts[i]
		if i == 0 || c.Set != cuts[i-1].Set {
			sums = bookkeeping.Measures{}
			out = append(out, MovementSet{
				Account: c.Account, Set: c.Set, AsOf: c.AsOf, Revision: c.Revision, Run: c.ToRun, NSA: []int{},
				Events: map[bookkeeping.EventSource]int64{}, Published: movementCut,
			})
		}
		s := &out[len(out)-1]
		s.Events[c.Source] = c.Events
		for n := c.NSA; n != 0 && n <= c.LastNSA; n++ {
			s.NSA = append(s.NSA, n)
		}
		sums.Add(c.Sums)
		s.Sums = map[string]string{}
		for m, id := range bookkeeping.MeasureIDs() {
			if v := *sums.All()[m]; v != 0 {
				s.Sums[id] = v.Fixed(2)
			}
		}
	}
	for i := range out {
		s := &out[i]
		for _, p := range published {
			if p.Basis == "movement" && p.Period.To == s.AsOf && p.Revision == s.Revision {
				if s.Published, s.Manifest = movementReleased, p.Manifest.Path; p.Waiting {
					s.Published = movementWaiting
				}
			}
		}
	}
	return out
}

// WriteText writes a line for each set.
func (v MovementSets) WriteText(w io.Writer, l Language) error {
	if len(v) == 0 {
		_, err := fmt.Fprintln(w, l.text("movement_text.none"))
		return err
	}
	t := NewTable(w, 1, 3, 4, 5, 6)
	t.AppendHeader(l.HeadRow("movement_text.account", "movement_text.set", "movement_text.as_of", "movement_text.nsa", "movement_text.cards", "movement_text.slips", "movement_text.received", "movement_text.published"))
	for i := range v {
		s := &v[i]
		count := func(source bookkeeping.EventSource) string {
			if n, ok := s.Events[source]; ok {
				return fmt.Sprint(n)
			}
			return "-"
		}
		received := s.Sums["received"]
		if received == "" {
			received = "0.00"
		}
		t.AppendRow(table.Row{
			s.Account.String(), fmt.Sprint(s.Set), fmt.Sprintf("%s r%d", l.FormatDay(s.AsOf), s.Revision), numbersText(s.NSA), count(bookkeeping.CardEvents),
			count(bookkeeping.SlipEvents), l.SpellAmount(received), l.label("movement_published", s.Published),
		})
	}
	t.Render()
	return nil
}

// numbersText lists numbers, a range as its ends.
func numbersText(numbers []int) string {
	switch n := len(numbers); n {
	case 0:
		return ""
	case 1:
		return fmt.Sprint(numbers[0])
	default:
		return fmt.Sprintf("%d-%d", numbers[0], numbers[n-1])
	}
}

// MovementEvent is an event of a title with the file it is in, or why it is in none.
type MovementEvent struct {
	Account     ledger.Account `json:"account"`
	Set         int            `json:"set"`
	Event       string         `json:"event"`
	Type        string         `json:"type"`
	Subject     string         `json:"subject"`
	OccurredOn  ledger.Date    `json:"occurred_on"`
	SentOn      ledger.Date    `json:"sent_on"`
	TitleNumber string         `json:"title_number"`
	Closed      string         `json:"closed"`
	Received    string         `json:"received"`
	Value       string         `json:"value,omitempty"`
	Movement    string         `json:"movement,omitempty"`
	Reason      string         `json:"reason,omitempty"`
	File        string         `json:"file,omitempty"`
	NSA         int            `json:"nsa,omitempty"`
	Lote        int            `json:"lote,omitempty"`
	Record      int            `json:"record,omitempty"`
	Version     int            `json:"version"`
}

// MovementEvents are the events of titles, in the order in which they were published.
type MovementEvents []MovementEvent

// MovementEventOf is an event; files are those of its set, which may not be published yet.
func MovementEventOf(e *bookkeeping.Event, files []published.File) MovementEvent {
	out := MovementEvent{
		Account: e.Account, Set: e.Set, Event: e.ID, Type: string(e.Type), Subject: e.Subject, OccurredOn: e.Occurred, SentOn: e.Sent,
		TitleNumber: e.TitleNumber, Closed: e.Sums.Closed.Fixed(2), Received: e.Sums.Received.Fixed(2), Movement: e.Movement, Reason: e.Reason,
		NSA: e.NSA, Lote: e.Lote, Record: e.Record, Version: e.Version,
	}
	if e.Value.OK {
		out.Value = e.Value.V.Fixed(2)
	}
	if i := slices.IndexFunc(files, func(f published.File) bool { return f.NSA != 0 && f.NSA == e.NSA }); i >= 0 {
		out.File = files[i].Path
	}
	return out
}

// WriteText writes a line for each event.
func (v MovementEvents) WriteText(w io.Writer, l Language) error {
	t := NewTable(w, 1, 6, 7)
	t.AppendHeader(l.HeadRow("movement_text.event", "movement_text.set", "movement_text.sent_on", "movement_text.type", "movement_text.occurred_on", "movement_text.closed", "movement_text.received", "movement_text.where"))
	for i := range v {
		e := &v[i]
		where := l.text("movement_text.in_no_file", "reason", words.Name(l, "event_reason", e.Reason))
		switch {
		case e.Movement != "" && e.NSA != 0:
			where = l.text("movement_text.in_record", "movement", e.Movement, "nsa", e.NSA, "lote", e.Lote, "record", e.Record)
		case e.Movement != "":
			where = l.text("movement_text.without_file", "movement", e.Movement)
		}
		t.AppendRow(table.Row{
			e.Event, fmt.Sprint(e.Set), l.FormatDay(e.SentOn), words.Name(l, "event_type", e.Type), l.FormatDay(e.OccurredOn), l.SpellAmount(e.Closed),
			l.SpellAmount(e.Received), where,
		})
	}
	t.Render()
	return nil
}
