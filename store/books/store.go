package books

import (
	"context"
	"database/sql"
	"errors"

	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/reports"
	"concilia/store/reportsums"
	"concilia/store/sqldb"
)

// Store keeps the movement in a ledger's database: it makes cuts, takes them back and checks them. It is safe for use by many goroutines.
type Store struct {
	EventReader
	JournalReader
	changeReader
	db      *sqldb.DB
	reports *reports.Store
	sums    *reportsums.Reader
}

// EventReader reads cuts and their events.
type EventReader struct{ db *sqldb.DB }

// JournalReader reads the entries of the journal, what they add up to, and what ties them to reports.
type JournalReader struct {
	db      *sqldb.DB
	events  EventReader
	reports *reports.Store
	sums    *reportsums.Reader
	banks   *bank.Store
}

// changeReader reads what changed of titles between two runs.
type changeReader struct {
	db      *sqldb.DB
	reports *reports.Store
}

// New is the store of the movement in db, over its reports, their sums and its bank accounts.
func New(db *sqldb.DB, r *reports.Store, sums *reportsums.Reader, b *bank.Store) *Store {
	events := EventReader{db}
	return &Store{EventReader: events, JournalReader: JournalReader{db, events, r, sums, b}, changeReader: changeReader{db, r}, db: db, reports: r, sums: sums}
}

// Cut is what became known of a source between two runs.
type Cut struct {
	Account         ledger.Account
	Source          bookkeeping.EventSource
	Number          int // of the source's cuts, from 1
	Set             int // of the account's sets, from 1
	Revision        int // of the set among those of its as-of
	FromRun, ToRun  string
	AsOf            ledger.Date
	From            ledger.Date // what occurred before it is no event
	SettleOnPayment bool
	NetOfSplits     bool
	Agreement       string
	TakenBack       bool // from the archive: its run is not known, and its events have no states
	Accrual, Cash   bool // the journal has its entries by the method
	NSA, LastNSA    int  // of its EDI files; 0: it has none
	Events          int64
	Sums            bookkeeping.Measures // of its events
	BeforeFrom      bookkeeping.Measures // of what occurred before From
}

// cutColumns are the columns of a cut, and scanInto what they are read into.
const cutColumns = `
			account,
			source,
			number,
			set_number,
			revision,
			from_run,
			to_run,
			as_of,
			first_day,
			on_payment,
			net_of_splits,
			agreement,
			taken_back,
			accrual,
			cash,
			nsa,
			last_nsa,
			events,
			face,
			closed,
			received,
			fees,
			anticipation,
			splits,
			before_face,
			before_closed,
			before_received,
			before_fees,
			before_anticipation,
			before_splits`

func (c *Cut) scanInto() []any {
	into := []any{
		&c.Account, &c.Source, &c.Number, &c.Set, &c.Revision, &c.FromRun, &c.ToRun, sqldb.IntoDate(&c.AsOf), sqldb.IntoDate(&c.From),
		sqldb.IntoBool(&c.SettleOnPayment), sqldb.IntoBool(&c.NetOfSplits), &c.Agreement, sqldb.IntoBool(&c.TakenBack),
		sqldb.IntoBool(&c.Accrual), sqldb.IntoBool(&c.Cash), &c.NSA, &c.LastNSA, &c.Events,
	}
	for _, m := range append(c.Sums.All(), c.BeforeFrom.All()...) {
		into = append(into, m)
	}
	return into
}

func (c *Cut) columnValues() []any {
	out := []any{
		int64(c.Account), string(c.Source), int64(c.Number), int64(c.Set), int64(c.Revision), c.FromRun, c.ToRun, int64(c.AsOf),
		int64(c.From), sqldb.BoolArg(c.SettleOnPayment), sqldb.BoolArg(c.NetOfSplits), c.Agreement, sqldb.BoolArg(c.TakenBack),
		sqldb.BoolArg(c.Accrual), sqldb.BoolArg(c.Cash), int64(c.NSA), int64(c.LastNSA), c.Events,
	}
	for _, m := range append(c.Sums.All(), c.BeforeFrom.All()...) {
		out = append(out, int64(*m))
	}
	return out
}

// Cuts returns the cuts of an account in order of set and source.
func (s *EventReader) Cuts(ctx context.Context, a ledger.Account) ([]Cut, error) {
	out, err := readCuts(ctx, s.db.Read, a)
	return out, s.db.WrapError("read the cuts of account "+a.String(), err)
}

func readCuts(ctx context.Context, q sqldb.Querier, a ledger.Account) (out []Cut, err error) {
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var c Cut
		err := rows.Scan(c.scanInto()...)
		out = append(out, c)
		return err
	}, `
		SELECT`+cutColumns+`
		FROM event_cut
		WHERE account = $1
		ORDER BY set_number, source`, int64(a))
	return out, err
}

// eventColumns are the columns of an event x with those of its cut c.
const eventColumns = `
			x.account,
			x.source,
			c.set_number,
			x.cut,
			x.position,
			x.event,
			x.type,
			x.ordinal,
			x.subject,
			x.title,
			x.occurred,
			c.as_of,
			x.version,
			x.face,
			x.closed,
			x.received,
			x.fees,
			x.anticipation,
			x.splits,
			x.value,
			x.movement,
			x.reason,
			x.title_number,
			x.nsa,
			x.lote,
			x.record,
			x.before_state,
			x.after_state`

const fromEvents = `
		FROM event AS x
		JOIN event_cut AS c ON c.account = x.account AND c.source = x.source AND c.number = x.cut`

// readEvent reads a row of eventColumns. What the title was before is read of one alone that is gone.
func readEvent(f *sqldb.RowReader) (*bookkeeping.Event, error) {
	e := &bookkeeping.Event{
		Account: ledger.Account(f.NextInt()), Source: bookkeeping.EventSource(f.NextText()), Set: int(f.NextInt()), Cut: int(f.NextInt()),
		Position: int(f.NextInt()), ID: f.NextText(), Type: bookkeeping.EventType(f.NextText()), Ordinal: int(f.NextInt()), Subject: f.NextText(),
		Title: f.NextText(), Occurred: f.NextDate(), Sent: f.NextDate(), Version: int(f.NextInt()),
	}
	for _, m := range e.Sums.All() {
		*m = ledger.Amount(f.NextInt())
	}
	e.Value = sqldb.NextOpt[ledger.Amount](f)
	e.Movement, e.Reason, e.TitleNumber = f.NextText(), f.NextText(), f.NextText()
	e.NSA, e.Lote, e.Record = int(f.NextInt()), int(f.NextInt()), int(f.NextInt())
	before, after := f.NextText(), f.NextText()
	if err := f.Err(); err != nil {
		return nil, err
	}
	if after != "" {
		return e, decodeState(after, &e.After)
	}
	return e, decodeState(before, &e.Before)
}

// Events calls fn for the events of a cut in their order.
func (s *EventReader) Events(ctx context.Context, c *Cut, fn func(*bookkeeping.Event) error) error {
	return s.queryEvents(ctx, fn, `
		WHERE x.account = $1 AND x.source = $2 AND x.cut = $3
		ORDER BY x.position`, int64(c.Account), string(c.Source), int64(c.Number))
}

// EventsOf calls fn for the events of titles, of whatever cut, in order of account, set and position. An event of a share is one of
// its title.
func (s *EventReader) EventsOf(ctx context.Context, a ledger.Account, title string, fn func(*bookkeeping.Event) error) error {
	return s.queryEvents(ctx, fn, `
		WHERE x.account = $1 AND x.title = $2
		ORDER BY c.set_number, x.position`, int64(a), title)
}

// TitleOfEvent returns the title of an event of an account, empty if there is no such event.
func (s *EventReader) TitleOfEvent(ctx context.Context, a ledger.Account, event string) (title string, err error) {
	err = s.db.Read.QueryRowContext(ctx, `
		SELECT title
		FROM event
		WHERE account = $1 AND event = $2`, int64(a), event).Scan(&title)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return title, s.db.WrapError("look for event "+event, err)
}

// TitlesOfNSU are the titles with events that are installments with an NSU.
func (s *EventReader) TitlesOfNSU(ctx context.Context, a ledger.Account, nsu string) (titles []string, err error) {
	if nsu == "" {
		return nil, nil
	}
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var title string
		err := rows.Scan(&title)
		if p, ok := ledger.ParseSubject(title); ok && len(p.Parts) > 1 && p.Kind == "card" && p.Parts[1] == nsu {
			titles = append(titles, title)
		}
		return err
	}, `
		SELECT DISTINCT title
		FROM event
		WHERE account = $1 AND source = 'cards'
		ORDER BY title`, int64(a))
	return titles, s.db.WrapError("look for titles of an NSU", err)
}

func (s *EventReader) queryEvents(ctx context.Context, fn func(*bookkeeping.Event) error, where string, args ...any) error {
	err := sqldb.StreamAhead(ctx, s.db, readEvent, fn, `
		SELECT`+eventColumns+fromEvents+where, args...)
	return s.db.WrapError("read events", err)
}
