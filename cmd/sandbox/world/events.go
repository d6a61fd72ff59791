package world

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// Event is one status change of one installment.
type Event struct {
	// ID grows with the moment within an account and is unique over all accounts of a world; equal options
	// give equal ids. It fits 32 bits, as an int of the document's does, but for worlds too busy or too far
	// from today for that (see eventIDs): there it stays below 2^53.
	ID           int64
	Account      int64
	NSU, CodAuth string
	Number       int // as the record numbers the installment
	// Moment is the first at which records show the new status: that of the sale, else a midnight.
	Moment   time.Time
	Old, New string // the first change of an installment comes from no status: Old is empty
}

// eventIDs gives out the ids of a world. An id names the day, so that the worlds of two days, drawn one after the
// other, do not share any: a receiver would take a movement it knows for a repeat.
type eventIDs struct {
	accounts int64
	wide     bool
}

// Parts of an id of 32 bits: day since idEpoch, order within the day, account.
const (
	idsPerDay = 200_000 // for all accounts together
	// idsDays are the days that fit: up to May 2049.
	idsDays = (1<<31 - 1) / idsPerDay
	// idsAhead is how far past its last sale a world may still change: twelve months, and late ones.
	idsAhead = 800
	// idsBusy is how many times the records of its busiest day an account may see change on one: the twelfths
	// of a year's sales, five days of them when a bank holiday and a weekend meet, and more than once each.
	idsBusy = 20
)

// Parts of a wide one: day, account, order within the day.
const (
	wideIDsPerDay   = 100_000_000 // more than the events of one account's day
	wideIDsAccounts = 1000
)

func idEpoch() Date { return NewDate(2020, 1, 1) }

// newEventIDs picks the width for a world from its days and its busiest one.
func newEventIDs(w *World) eventIDs {
	busiest := 0
	for _, sales := range w.sales {
		today, day := 0, Date(0)
		for _, s := range sales {
			if s.day != day {
				today, day = 0, s.day
			}
			today += s.listed
			busiest = max(busiest, today)
		}
	}
	accounts := len(w.accounts)
	return eventIDs{int64(accounts), w.from < idEpoch() || w.to+idsAhead > idEpoch()+idsDays || busiest*idsBusy*accounts > idsPerDay}
}

// eventID is that of the event of some order, from 1, in the day of an account, which is named by its place.
func (n eventIDs) eventID(day Date, account, order int64) int64 {
	if n.wide {
		return (int64(day)*wideIDsAccounts+account%wideIDsAccounts)*wideIDsPerDay + order
	}
	return int64(day-idEpoch())*idsPerDay + (order-1)*n.accounts + account + 1
}

// Events are an account's status changes later than after and not later than upTo, by moment. They follow
// from the histories alone: the business clock does not matter, and asking for a range in pieces gives the
// same events.
//
// At any instant the status a record shows is the New of its last event.
func (w *World) Events(account int64, after, upTo time.Time) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		if !upTo.After(after) {
			return
		}
		order, day := int64(0), Date(0)
		for _, e := range w.eventsOf(account, DateOf(after), DateOf(upTo)) {
			// Numbers are given out over whole days, so that the range asked for does not change them.
			if d := DateOf(e.Moment); d != day {
				order, day = 0, d
			}
			order++
			e.ID = w.ids.eventID(day, w.accountIndex(account), order)
			if e.Moment.After(after) && !e.Moment.After(upTo) && !yield(e) {
				return
			}
		}
	}
}

// accountIndex is the account's place in the options.
func (o *outline) accountIndex(account int64) int64 {
	return int64(slices.IndexFunc(o.accounts, func(a Account) bool { return a.Number == account }))
}

// eventsOf are the events of the days [from, to] by moment; at one moment in the order of sales and numbers.
func (w *World) eventsOf(account int64, from, to Date) []Event {
	var all []Event
	for _, s := range w.sales[account] {
		if s.day > to {
			break
		}
		for k := 1; k <= s.listed; k++ {
			all = s.appendEvents(all, k, from, to)
		}
	}
	slices.SortStableFunc(all, func(x, y Event) int { return x.Moment.Compare(y.Moment) })
	return all
}

// appendEvents adds the events of installment k in [from, to].
func (s *sale) appendEvents(all []Event, k int, from, to Date) []Event {
	if s.lastChange(k) < from {
		return all
	}
	number, _ := s.installmentNumber(k)
	old := ""
	add := func(moment time.Time, status string) {
		if day := DateOf(moment); status != old && day >= from && day <= to {
			all = append(all, Event{
				Account: s.account.Number, NSU: s.nsu, CodAuth: s.auth, Number: number, Moment: moment, Old: old, New: status,
			})
		}
		old = status
	}
	add(s.soldAt(), s.statusOn(k, s.day))
	for _, day := range s.statusChangeDays(k) {
		if day > s.day {
			add(day.At(0), s.statusOn(k, day))
		}
	}
	return all
}

// statusChangeDays are the mornings on which the status of installment k may become another, in order; zero ones
// are none.
func (s *sale) statusChangeDays(k int) [4]Date {
	var c [4]Date
	for i, d := range [...]Date{s.paidOn(k), s.cancelledOn, s.blockedOn, s.blockedOn} {
		if d != 0 {
			c[i] = d + 1
		}
	}
	if c[3] != 0 {
		c[3] += blockedDays // and back
	}
	slices.SortFunc(c[:], cmp.Compare)
	return c
}

func (s *sale) lastChange(k int) Date { return max(s.day, s.statusChangeDays(k)[3]) }
