package entries

import (
	"slices"

	"concilia/store/ledger"
)

// Book makes the entries of one cut, by every method.
type Book struct {
	Terms
	opening Opening
}

// Post makes the entries of a change, of which these events were written. posted are those of the title that were made and not reversed.
func (b *Book) Post(c *ledger.TitleChange, events []ledger.Event, posted []ledger.Entry) (made []ledger.Entry) {
	for _, m := range ledger.Methods() {
		var own []ledger.Entry
		for i := range posted {
			if posted[i].Method == m {
				own = append(own, posted[i])
			}
		}
		made = append(made, b.Terms.Post(m, c, events, own, &b.opening)...)
	}
	return made
}

// OpeningEntries are those of what dates from before the first day.
func (b *Book) OpeningEntries() []ledger.Entry { return b.opening.Entries(&b.Terms) }

// PostBooking makes the entries of what is no title, by an event, and reverses those that stood of it and are other; nil: it is no more.
func (b *Book) PostBooking(now *ledger.Booking, cause *ledger.Event, posted []ledger.Entry) (made []ledger.Entry) {
	for _, m := range ledger.Methods() {
		p := &poster{terms: &b.Terms, method: m, change: &ledger.TitleChange{}, events: []ledger.Event{*cause}, opening: &b.opening, numbers: map[string]int{}}
		stood, same := false, false
		for i := range posted {
			s := &posted[i]
			if s.Method != m {
				continue
			}
			stood = true
			if same = now != nil && s.Occurred == now.On && slices.Equal(s.Lines, now.Lines); !same {
				p.reverseEntry(s)
			}
		}
		if now != nil && !same {
			p.appendEntry(&ledger.Entry{
				Type: now.Type, Occurred: now.On, Subject: now.Subject, Title: now.Title, Version: now.Version, Lines: now.Lines,
				Text: cleanText(wordOf(now.Type) + " " + now.Named), Brand: now.Brand, Product: now.Product,
			}, &p.events[0], stood)
		}
		made = append(made, p.list...)
	}
	return made
}

// OpenBookings adds what dates from before the first day to the opening balance, times a sign.
func (b *Book) OpenBookings(all []ledger.Booking, sign ledger.Amount) {
	for _, m := range ledger.Methods() {
		for i := range all {
			b.opening.add(all[i].Brand, m, all[i].Lines, sign)
		}
	}
}
