package books

import (
	"context"
	"fmt"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/ledger/bookkeeping"
)

// listBookings returns what the journal of an account has entries of besides what became of titles, as of a run: claims that people gave
// up, and what came to the bank accounts whose home the account is.
func (s *JournalReader) listBookings(ctx context.Context, a ledger.Account, run string, netOfSplits bool) (out []bookkeeping.Booking, err error) {
	err = s.reports.GivenUp(ctx, a, run, netOfSplits, func(b *bookkeeping.Booking) error {
		out = append(out, *b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = s.banks.Matches(ctx, a, run, func(d *banking.Deposit) error {
		if b := newBankBooking(d); len(b.Lines) > 0 {
			out = append(out, b)
		}
		return nil
	})
	return out, err
}

// newBankBooking is what a match moves: what came to the bank, debits that were agreed, and splits that left before, off what the service
// says it paid. Known debits and the tariffs of slips are off it already, by the entries of their titles.
func newBankBooking(d *banking.Deposit) bookkeeping.Booking {
	b := bookkeeping.Booking{
		Type: bookkeeping.EntryBank, Subject: ledger.Subject("match", d.Account, d.Bank, d.Match), Title: ofNoTitle(d.Account), On: d.Day, Named: d.Bank + " " + d.Payer,
	}
	for _, l := range []bookkeeping.EntryLine{
		{Role: bookkeeping.RoleBank, Amount: d.Credited.V},
		{Role: bookkeeping.RoleBankTariffs, Amount: d.Declared},
		{Role: bookkeeping.RoleSplitPayable, Amount: d.Splits},
		{Role: bookkeeping.RoleService, Amount: -d.Credited.V - d.Declared - d.Splits},
	} {
		if l.Amount != 0 {
			b.Lines = append(b.Lines, l)
		}
	}
	slices.SortStableFunc(b.Lines, func(x, y bookkeeping.EntryLine) int { return sideOf(x) - sideOf(y) })
	return b
}

func sideOf(l bookkeeping.EntryLine) int {
	if l.Amount < 0 {
		return 1
	}
	return 0
}

// ofNoTitle is under what the journal has entries that are of no title.
func ofNoTitle(a ledger.Account) string { return "account:" + a.String() }

// bookApart makes and writes the entries that no title has. They are in the set's first cut.
func (w *cutter) bookApart(ctx context.Context) error {
	c := w.cut
	now, err := w.store.listBookings(ctx, c.Account, c.ToRun, c.NetOfSplits)
	if err != nil {
		return err
	}
	from := c.From
	if len(w.earlierCuts) > 0 {
		from = w.earlierCuts[0].From // a source that was added later begins later
	}
	if err := w.openApart(ctx, now, from); err != nil {
		return err
	}
	history, err := w.readApart(ctx)
	if err != nil {
		return err
	}
	wanted := map[string]*bookkeeping.Booking{}
	for i := range now {
		b := &now[i]
		if wanted[keyOfBooking(b)] = b; b.On >= from && history[keyOfBooking(b)] == nil {
			history[keyOfBooking(b)] = &apartEntries{kind: b.Type, subject: b.Subject}
		}
	}
	keys := make([]string, 0, len(history))
	for k := range history {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var made []bookkeeping.Entry
	position := int(c.Events)
	for _, k := range keys {
		h, b := history[k], wanted[k]
		if b != nil && b.On < from {
			b = nil // it is in the opening balance
		}
		cause := bookkeeping.Event{
			ID: bookkeeping.EventID(c.Account, h.subject, bookkeeping.BookingEvent(h.kind), len(h.events)+1), Cut: c.Number, Position: position + 1,
		}
		entries := w.keeper.PostBooking(b, &cause, h.posted)
		if len(entries) > 0 {
			position++
		}
		made = append(made, entries...)
	}
	return w.writeEntries(ctx, made)
}

func keyOfBooking(b *bookkeeping.Booking) string { return string(b.Type) + " " + b.Subject }

// openApart adds what changed before the first day to the opening balance. What was there at the last set was added by then.
func (w *cutter) openApart(ctx context.Context, now []bookkeeping.Booking, from ledger.Date) error {
	w.keeper.OpenBookings(olderThan(now, from), 1)
	if len(w.earlierCuts) == 0 || w.unopened {
		return nil
	}
	last := &w.earlierCuts[len(w.earlierCuts)-1]
	was, err := w.store.listBookings(ctx, last.Account, last.ToRun, last.NetOfSplits)
	if err == nil {
		w.keeper.OpenBookings(olderThan(was, from), -1)
	}
	return err
}

func olderThan(all []bookkeeping.Booking, day ledger.Date) []bookkeeping.Booking {
	return slices.DeleteFunc(slices.Clone(all), func(b bookkeeping.Booking) bool { return b.On >= day })
}

// apartEntries are the entries that were made of one thing that is no title.
type apartEntries struct {
	kind    bookkeeping.EntryType
	subject string
	events  map[string]bool     // that brought them
	posted  []bookkeeping.Entry // not reversed
}

// readApart reads the entries of no title that were ever made, by the key of what they are of.
func (w *cutter) readApart(ctx context.Context) (map[string]*apartEntries, error) {
	titles, err := w.store.reports.ClosedRows(ctx, w.cut.Account)
	if err != nil {
		return nil, err
	}
	out := map[string]*apartEntries{}
	for some := range slices.Chunk(append(titles, ofNoTitle(w.cut.Account)), cutBatch) {
		err := w.readPostedApart(ctx, some, func(e *bookkeeping.Entry) {
			k := fmt.Sprintf("%s %s", e.Type, e.Subject)
			h := out[k]
			if h == nil {
				h = &apartEntries{kind: e.Type, subject: e.Subject, events: map[string]bool{}}
				out[k] = h
			}
			h.events[e.Event] = true
			h.posted = addPosted(h.posted, e)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
