package books

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/sqldb"
)

// Bookkeeper makes the entries of the journal, of one cut.
type Bookkeeper interface {
	// Remember completes a change with what the journal remembers of its title; last is what it did when the title last had an event.
	Remember(c *bookkeeping.TitleChange, last *bookkeeping.Booked)
	// Post makes the entries of a change that has events. posted are those that were made and not reversed.
	Post(c *bookkeeping.TitleChange, events []bookkeeping.Event, posted []bookkeeping.Entry) []bookkeeping.Entry
	// PostBooking makes the entries of what is no title, by an event; nil: it is no more.
	PostBooking(b *bookkeeping.Booking, cause *bookkeeping.Event, posted []bookkeeping.Entry) []bookkeeping.Entry
	// OpenBookings adds what dates from before the first day to the opening balance, times a sign.
	OpenBookings(all []bookkeeping.Booking, sign ledger.Amount)
	// OpeningEntries are those of what dates from before the first day.
	OpeningEntries() []bookkeeping.Entry
}

// sumKey is what the entries of a cut are added up by.
type sumKey struct {
	cut      int
	method   bookkeeping.Method
	posted   ledger.Date
	kind     bookkeeping.EntryType
	reversal bool
	brand    string
	product  ledger.Product
	role     bookkeeping.Role
}

type entrySum struct {
	entries, lines int64
	debit, credit  ledger.Amount
}

// journalWriter reads what the journal has of titles, and writes the entries of one cut.
type journalWriter struct {
	tx     *sqldb.Tx
	cut    *Cut
	method bookkeeping.Method // of the entries; empty: there is no journal
	sums   map[sumKey]*entrySum
	// earlier is where what earlier cuts wrote is read while this one writes.
	earlier sqldb.Querier
}

// rememberBooked completes the changes of the batch of titles that were taken back with what the journal has of those that an
// earlier set has an event of.
func (w *cutter) rememberBooked(ctx context.Context, withEvents []string) error {
	last, err := w.readBooked(ctx, withEvents)
	if err != nil {
		return err
	}
	for i := range w.batch {
		c := &w.batch[i]
		if r, lost := w.replayed[c.Subject]; lost {
			w.rememberReplayed(c, r, last[c.Subject])
			continue
		}
		w.keeper.Remember(c, last[c.Subject])
	}
	return nil
}

// readBooked reads what the last events of titles remember.
func (w *journalWriter) readBooked(ctx context.Context, titles []string) (map[string]*bookkeeping.Booked, error) {
	out := map[string]*bookkeeping.Booked{}
	if len(titles) == 0 {
		return out, nil
	}
	list, err := sqldb.EncodeList(titles)
	if err != nil {
		return nil, err
	}
	err = sqldb.EachRow(ctx, w.earlier, func(rows *sql.Rows) error {
		var title, before, after string
		if err := rows.Scan(&title, &before, &after); err != nil {
			return err
		}
		var was, is *bookkeeping.TitleState
		if err := errors.Join(decodeState(before, &was), decodeState(after, &is)); err != nil {
			return err
		}
		switch {
		case is != nil && is.Booked != nil:
			out[title] = is.Booked
		case is == nil && was != nil && was.Booked != nil:
			out[title] = was.Booked
		}
		return nil
	}, `
		SELECT
			x.title,
			x.before_state,
			x.after_state
		FROM `+w.fromTitles("event", "event_title")+`
		WHERE x.cut < $3
		ORDER BY x.cut, x.position`, int64(w.cut.Account), list, int64(w.cut.Number))
	return out, err
}

// bookEvents makes the entries of the changes of the batch, each with its events. Only titles that an earlier set has an
// event of, withEvents, have entries. Without a journal there are none.
func (w *cutter) bookEvents(ctx context.Context, withEvents []string, events [][]bookkeeping.Event) (made []bookkeeping.Entry, err error) {
	if w.method == "" {
		return nil, nil
	}
	posted, err := w.readPosted(ctx, withEvents)
	if err != nil {
		return nil, err
	}
	for i := range w.batch {
		c := &w.batch[i]
		change, by := w.bookedChange(c, events[i])
		made = append(made, w.keeper.Post(change, by, posted[c.Subject])...)
	}
	return made, nil
}

// readPosted reads the entries of titles that were made and not reversed: those of their events.
func (w *journalWriter) readPosted(ctx context.Context, titles []string) (map[string][]bookkeeping.Entry, error) {
	out := map[string][]bookkeeping.Entry{}
	return out, w.eachEntryOf(ctx, titles, func(e *bookkeeping.Entry) { out[e.Title] = addPosted(out[e.Title], e) }, fromPosted(w.tx.DB.Dialect))
}

// fromPosted is a FROM item of the entries x that the events of titles of a list, $2, of the account, $1, made by a method, $3.
func fromPosted(d sqldb.Dialect) string {
	return `(
			SELECT
				x.source,
				x.cut,
				x.position
			FROM ` + sqldb.FromListed(d, "event", "event_title", "title", d.TextMember) + `) AS v
		` + d.JoinOneByOne("journal_entry", "x", "journal_entry_made", `x.account = $1 AND x.method = $3 AND x.source = v.source
			AND x.cut = v.cut AND x.position = v.position`)
}

// readPostedApart calls fn for the entries under titles that no event of theirs made.
func (w *journalWriter) readPostedApart(ctx context.Context, titles []string, fn func(*bookkeeping.Entry)) error {
	return w.eachEntryOf(ctx, titles, fn, w.fromTitles("journal_entry", "journal_entry_apart")+`
		WHERE x.method = $3 AND (x.type = 'bank' OR x.type = 'claim_written_off')`)
}

// eachEntryOf calls fn for entries of titles as they were made. from says which, as rows x of the journal.
func (w *journalWriter) eachEntryOf(ctx context.Context, titles []string, fn func(*bookkeeping.Entry), from string) error {
	if len(titles) == 0 {
		return nil
	}
	list, err := sqldb.EncodeList(titles)
	if err != nil {
		return err
	}
	return sqldb.ReadRows(ctx, w.earlier, func(f *sqldb.RowReader) error {
		e, err := new(entryReader).read(f, false) // a reader of its own: the entry is kept
		if err == nil {
			fn(e)
		}
		return err
	}, `
		SELECT`+entryColumns+`
		FROM `+from+`
		ORDER BY x.cut, x.position, x.number`, int64(w.cut.Account), list, string(w.method))
}

// fromTitles is a FROM item of the rows x of a table that are of the account, $1, and of titles of a list, $2, found by an index.
func (w *journalWriter) fromTitles(table, index string) string {
	d := w.tx.DB.Dialect
	return sqldb.FromListed(d, table, index, "title", d.TextMember)
}

// addPosted adds an entry, or removes the one that it reverses.
func addPosted(list []bookkeeping.Entry, e *bookkeeping.Entry) []bookkeeping.Entry {
	if e.Reverses == "" {
		return append(list, *e)
	}
	for i := range list {
		if list[i].ID() == e.Reverses {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// writeEntries writes entries, each of its cut, and adds them up.
func (w *journalWriter) writeEntries(ctx context.Context, made []bookkeeping.Entry) error {
	w.addSums(made)
	if err := w.tx.WaitBackground(); err != nil {
		return err
	}
	return loadEntries(ctx, w.tx, made)
}

// loadEntries writes entries. Nothing else is being done in the transaction.
func loadEntries(ctx context.Context, t *sqldb.Tx, made []bookkeeping.Entry) error {
	if len(made) == 0 {
		return nil
	}
	columns := []string{
		"account", "method", "source", "cut", "position", "number", "event", "posted", "occurred", "type", "reverses", "subject", "title",
		"version", "brand", "product", "text", "lines",
	}
	return t.DB.Dialect.LoadRows(ctx, t.Conn, "journal_entry", columns, len(made), func(i int, r sqldb.Row) error {
		e := &made[i]
		r.Int(int64(e.Account))
		r.Text(string(e.Method))
		r.Text(string(e.Source))
		r.Int(int64(e.Cut))
		r.Int(int64(e.Position))
		r.Int(int64(e.Number))
		r.Text(e.Event)
		r.Int(int64(e.Posted))
		r.Int(int64(e.Occurred))
		r.Text(string(e.Type))
		r.Text(e.Reverses)
		r.Text(e.Subject)
		r.Text(e.Title)
		r.Int(int64(e.Version))
		r.Text(e.Brand)
		r.Text(string(e.Product))
		r.Text(e.Text)
		r.Text(encodeLines(e.Lines))
		return nil
	})
}

func (w *journalWriter) addSums(made []bookkeeping.Entry) {
	for i := range made {
		e := &made[i]
		for j, l := range e.Lines {
			k := sumKey{e.Cut, e.Method, e.Posted, e.Type, e.Reverses != "", e.Brand, e.Product, l.Role}
			s := w.sums[k]
			if s == nil {
				s = &entrySum{}
				w.sums[k] = s
			}
			if !slices.ContainsFunc(e.Lines[:j], func(before bookkeeping.EntryLine) bool { return before.Role == l.Role }) {
				s.entries++
			}
			s.lines++
			if l.Amount > 0 {
				s.debit += l.Amount
			} else {
				s.credit -= l.Amount
			}
		}
	}
}

// writeSums writes what the entries of the cut add up to.
func (w *journalWriter) writeSums(ctx context.Context) error {
	keys := make([]sumKey, 0, len(w.sums))
	for k := range w.sums {
		keys = append(keys, k)
	}
	columns := []string{
		"account", "method", "source", "cut", "posted", "type", "reversal", "brand", "product", "role", "entries", "lines", "debit", "credit",
	}
	return w.tx.LoadRows(ctx, "journal_sum", columns, len(keys), func(i int, r sqldb.Row) error {
		k := &keys[i]
		s := w.sums[*k]
		r.Int(int64(w.cut.Account))
		r.Text(string(k.method))
		r.Text(string(w.cut.Source))
		r.Int(int64(k.cut))
		r.Int(int64(k.posted))
		r.Text(string(k.kind))
		r.Int(sqldb.BoolArg(k.reversal))
		r.Text(k.brand)
		r.Text(string(k.product))
		r.Text(string(k.role))
		r.Int(s.entries)
		r.Int(s.lines)
		r.Int(int64(s.debit))
		r.Int(int64(s.credit))
		return nil
	})
}

// encodeLines writes lines as roles and amounts.
func encodeLines(lines []bookkeeping.EntryLine) string {
	var b []byte
	for i, l := range lines {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, l.Role...), ' ')
		b = strconv.AppendInt(b, int64(l.Amount), 10)
	}
	return string(b)
}

// appendDecoded appends the lines that encodeLines wrote.
func appendDecoded(lines []bookkeeping.EntryLine, text string) ([]bookkeeping.EntryLine, error) {
	for text != "" {
		var role, amount string
		role, text, _ = strings.Cut(text, " ")
		amount, text, _ = strings.Cut(text, " ")
		n, err := strconv.ParseInt(amount, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("a line of an entry has amount %q", amount)
		}
		lines = append(lines, bookkeeping.EntryLine{Role: bookkeeping.Role(role), Amount: ledger.Amount(n)})
	}
	return lines, nil
}
