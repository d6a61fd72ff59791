package entries

import "concilia/store/ledger"

// Book makes the entries of one cut, by every method.
type Book struct {
	Terms
	opening Opening
}

// Post makes the entries of a change, of which events were told. standing are those of the title that were made and not reversed.
func (b *Book) Post(c *ledger.TitleChange, told []ledger.Event, standing []ledger.Entry) (made []ledger.Entry) {
	for _, m := range ledger.Methods() {
		var own []ledger.Entry
		for i := range standing {
			if standing[i].Method == m {
				own = append(own, standing[i])
			}
		}
		made = append(made, b.Terms.Post(m, c, told, own, &b.opening)...)
	}
	return made
}

// OpeningEntries are those of what dates from before the first day.
func (b *Book) OpeningEntries() []ledger.Entry { return b.opening.Entries(&b.Terms) }
