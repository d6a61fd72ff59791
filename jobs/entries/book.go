package entries

import (
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Book makes the entries of one cut.
type Book struct {
	Terms
	opening Opening
}

// Post makes the entries of a change, of which these events were written. posted are those of the title that were made and not reversed.
func (b *Book) Post(c *bookkeeping.TitleChange, events []bookkeeping.Event, posted []bookkeeping.Entry) []bookkeeping.Entry {
	return b.Terms.Post(c, events, posted, &b.opening)
}

// OpeningEntries are those of what dates from before the first day.
func (b *Book) OpeningEntries() []bookkeeping.Entry { return b.opening.Entries(&b.Terms) }

// PostBooking makes the entries of what is no title, by an event, and reverses those that stood of it and are other; nil: it is no more.
func (b *Book) PostBooking(now *bookkeeping.Booking, cause *bookkeeping.Event, posted []bookkeeping.Entry) []bookkeeping.Entry {
	p := &poster{terms: &b.Terms, change: &bookkeeping.TitleChange{}, events: []bookkeeping.Event{*cause}, opening: &b.opening}
	same := false
	for i := range posted {
		s := &posted[i]
		if same = now != nil && s.Occurred == now.On && slices.Equal(s.Lines, now.Lines); !same {
			p.reverseEntry(s)
		}
	}
	if now != nil && !same {
		p.appendEntry(&bookkeeping.Entry{
			Type: now.Type, Occurred: now.On, Subject: now.Subject, Title: now.Title, Version: now.Version, Lines: now.Lines,
			Text: cleanText(wordOf(now.Type) + " " + now.Named), Brand: now.Brand, Product: now.Product,
		}, &p.events[0], len(posted) > 0)
	}
	return p.list
}

// OpenBookings adds what dates from before the first day to the opening balance, times a sign.
func (b *Book) OpenBookings(all []bookkeeping.Booking, sign ledger.Amount) {
	for i := range all {
		b.opening.add(all[i].Brand, all[i].Lines, sign)
	}
}
