package entries

import (
	"cmp"
	"fmt"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Terms are the same for all titles of a cut.
type Terms struct {
	Account ledger.Account
	Method  bookkeeping.Method // by which entries are made; empty: what is remembered is the same by both
	Source  bookkeeping.EventSource
	Set     int
	Cut     int // number
	AsOf    ledger.Date
	From    ledger.Date // what dates from before it is in the opening balance
	// OpenDay is the first day from the given one on whose month is not closed, for entries of the operation or of the credit.
	OpenDay func(ofOperation bool, day ledger.Date) ledger.Date
}

// Post makes the entries of a title from its events: those that it lacks, and reversals of those that hold no longer. posted are the entries of the title that were made before and not reversed. What dates from before the first day is
// added to opening.
func (t *Terms) Post(c *bookkeeping.TitleChange, events []bookkeeping.Event, posted []bookkeeping.Entry, opening *Opening) []bookkeeping.Entry {
	p := &poster{terms: t, change: c, events: events, opening: opening}
	want := entriesOf(c.After, c.Subject, t.Method)
	for _, e := range entriesOf(c.Before, c.Subject, t.Method) {
		if e.on < t.From {
			opening.add(t.brandOf(c.Before), e.lines, -1)
			p.old = append(p.old, e)
		}
	}
	matched := make([]bool, len(posted))
	for i := range want {
		w := &want[i]
		if w.on < t.From {
			opening.add(t.brandOf(c.After), w.lines, 1)
			continue
		}
		at := slices.IndexFunc(posted, func(s bookkeeping.Entry) bool { return s.Type == w.kind && s.Subject == w.subject })
		if at >= 0 {
			matched[at] = true
		}
		if at >= 0 && posted[at].Occurred == w.on && slices.Equal(posted[at].Lines, w.lines) {
			continue
		}
		p.replaceEntry(posted, at, w)
	}
	for i := range posted {
		if !matched[i] {
			p.reverseEntry(&posted[i])
		}
	}
	slices.SortStableFunc(p.list, func(a, b bookkeeping.Entry) int { return cmp.Compare(a.Position, b.Position) })
	return p.list
}

func (t *Terms) brandOf(s *bookkeeping.TitleState) string {
	if s != nil && s.Card != nil {
		return s.Card.Brand
	}
	return ""
}

// poster makes the entries of one title.
type poster struct {
	terms   *Terms
	change  *bookkeeping.TitleChange
	events  []bookkeeping.Event
	old     []entry // those before that are in the opening balance
	opening *Opening
	list    []bookkeeping.Entry
}

// replaceEntry reverses the entry at an index, if there is one, and makes the one that should be in force.
func (p *poster) replaceEntry(posted []bookkeeping.Entry, at int, w *entry) {
	anew := slices.ContainsFunc(p.old, func(o entry) bool { return o.kind == w.kind && o.subject == w.subject })
	if at >= 0 {
		p.reverseEntry(&posted[at])
		anew = true
	}
	cause := p.causeOf(w.kind, w.subject)
	e := bookkeeping.Entry{
		Type: w.kind, Occurred: w.on, Subject: w.subject, Title: p.change.Subject, Version: p.change.After.Version, Lines: w.lines,
		Text: textOf(w.kind, p.change.After), Brand: p.terms.brandOf(p.change.After),
	}
	if p.change.After.Card != nil {
		e.Product = p.change.After.Card.Product
	}
	p.appendEntry(&e, cause, anew)
}

// reverseEntry takes an entry back.
func (p *poster) reverseEntry(s *bookkeeping.Entry) {
	cause := p.causeOf(s.Type, s.Subject)
	e := *s
	e.Reverses = s.ID()
	e.Lines = make([]bookkeeping.EntryLine, len(s.Lines))
	for i, l := range s.Lines {
		e.Lines[i] = bookkeeping.EntryLine{Role: l.Role, Amount: -l.Amount}
	}
	slices.SortStableFunc(e.Lines, func(a, b bookkeeping.EntryLine) int { return cmp.Compare(sideOf(a), sideOf(b)) })
	e.Text = reversalText + withoutReference(s.Text)
	p.appendEntry(&e, cause, true)
}

func sideOf(l bookkeeping.EntryLine) int {
	if l.Amount < 0 {
		return 1
	}
	return 0
}

// appendEntry posts an entry by its event: on its own day if that is open and nothing stood there before, else the day before the as-of.
func (p *poster) appendEntry(e *bookkeeping.Entry, cause *bookkeeping.Event, anew bool) {
	t := p.terms
	ofOperation := e.Type.IsOfOperation()
	e.Account, e.Method, e.Source, e.Set, e.Cut = t.Account, t.Method, t.Source, t.Set, cause.Cut
	e.Event, e.Position, e.Number = cause.ID, cause.Position, 1
	for i := range p.list {
		if p.list[i].Event == e.Event {
			e.Number++
		}
	}
	if e.Position == 0 {
		e.Number = p.opening.nextNumber()
	}
	if e.Posted = e.Occurred; anew || t.OpenDay(ofOperation, e.Occurred) != e.Occurred {
		e.Posted = t.OpenDay(ofOperation, max(t.AsOf-1, t.From))
		e.Text += referenceText(e.Occurred)
	}
	p.list = append(p.list, *e)
}

// causeOf is the event that brings the change of an entry: the one that says the same, else the last event of the title. What
// occurred before the first day has no event: what follows from it belongs to the opening of the cut.
func (p *poster) causeOf(kind bookkeeping.EntryType, subject string) *bookkeeping.Event {
	for _, want := range listCauses(kind) {
		for i := range p.events {
			if e := &p.events[i]; e.Type == want && (want != bookkeeping.EventSplitPayable || e.Subject == subject) {
				return e
			}
		}
	}
	if len(p.events) == 0 {
		return &bookkeeping.Event{ID: p.terms.openingID(), Cut: p.terms.Cut}
	}
	return &p.events[len(p.events)-1]
}

// listCauses are the types of events that bring an entry, the first one first.
func listCauses(kind bookkeeping.EntryType) []bookkeeping.EventType {
	switch kind {
	case bookkeeping.EntrySale, bookkeeping.EntryFees, bookkeeping.EntrySlipIssued:
		return []bookkeeping.EventType{bookkeeping.EventRegistered, bookkeeping.EventChanged}
	case bookkeeping.EntrySettled:
		return []bookkeeping.EventType{bookkeeping.EventSettled, bookkeeping.EventReopened}
	case bookkeeping.EntrySplit:
		return []bookkeeping.EventType{bookkeeping.EventSplitPayable, bookkeeping.EventCancelled, bookkeeping.EventChargedBack, bookkeeping.EventReopened}
	case bookkeeping.EntryCancelled:
		return []bookkeeping.EventType{bookkeeping.EventCancelled, bookkeeping.EventChargedBack, bookkeeping.EventReopened}
	case bookkeeping.EntryChargedBack:
		return []bookkeeping.EventType{bookkeeping.EventChargedBack, bookkeeping.EventCancelled, bookkeeping.EventReopened}
	case bookkeeping.EntryTakenBack:
		return []bookkeeping.EventType{bookkeeping.EventTakenBack}
	case bookkeeping.EntrySlipPaid:
		return []bookkeeping.EventType{bookkeeping.EventPaid, bookkeeping.EventReopened}
	case bookkeeping.EntrySlipCredited:
		return []bookkeeping.EventType{bookkeeping.EventCredited, bookkeeping.EventReopened}
	}
	return []bookkeeping.EventType{bookkeeping.EventCancelled, bookkeeping.EventRejected, bookkeeping.EventReopened}
}

// Opening adds up what dates from before the first day, by brand and role.
type Opening struct {
	sums map[openingKey]ledger.Amount
	last int // number of the entries that are no event's
}

// nextNumber numbers an entry that is no event's.
func (o *Opening) nextNumber() int {
	o.last++
	return o.last
}

// openingID is the id in place of an event's in entries that are no event's.
func (t *Terms) openingID() string {
	return bookkeeping.EventID(t.Account, fmt.Sprintf("cut:%s:%s:%d", t.Account, t.Source, t.Cut), "opening", 1)
}

type openingKey struct {
	brand string
	role  bookkeeping.Role
}

// add adds lines times a sign: those of assets and liabilities as they are, the others to the opening itself.
func (o *Opening) add(brand string, lines []bookkeeping.EntryLine, sign ledger.Amount) {
	if o.sums == nil {
		o.sums = make(map[openingKey]ledger.Amount)
	}
	for _, l := range lines {
		role := l.Role
		if !role.HasBalance() {
			role = bookkeeping.RoleOpening
		}
		o.sums[openingKey{brand, role}] += sign * l.Amount
	}
}

// Entries are the entries that the cut's opening makes, by brand. The first set's are of the day before the first.
func (o *Opening) Entries(t *Terms) []bookkeeping.Entry {
	posted := t.From - 1
	if t.Set > 1 {
		posted = t.OpenDay(false, max(t.AsOf-1, t.From))
	}
	var brands []string
	for k := range o.sums {
		if !slices.Contains(brands, k.brand) {
			brands = append(brands, k.brand)
		}
	}
	slices.Sort(brands)
	var out []bookkeeping.Entry
	for _, brand := range brands {
		e := bookkeeping.Entry{
			Account: t.Account, Method: t.Method, Source: t.Source, Set: t.Set, Cut: t.Cut, Event: t.openingID(), Type: bookkeeping.EntryOpening,
			Posted: posted, Occurred: t.From - 1, Subject: "account:" + t.Account.String(), Title: "account:" + t.Account.String(), Brand: brand, Text: "SALDO ANTERIOR",
		}
		for _, side := range []ledger.Amount{1, -1} {
			for _, r := range bookkeeping.Roles() {
				if v := o.sums[openingKey{brand, r}]; v*side > 0 {
					e.Lines = append(e.Lines, bookkeeping.EntryLine{Role: r, Amount: v})
				}
			}
		}
		if len(e.Lines) > 0 {
			e.Number = o.nextNumber()
			out = append(out, e)
		}
	}
	return out
}
