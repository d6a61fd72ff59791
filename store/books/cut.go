package books

import (
	"context"
	"fmt"
	"strings"

	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/published"
	"concilia/store/sqldb"
)

// Order is what a cut of an account is to be made of.
type Order struct {
	Account         ledger.Account
	Run             string // whose results are after
	AsOf            ledger.Date
	Sources         []bookkeeping.EventSource // those that may be cut, in order
	From            ledger.Date               // of the first cut; later ones keep that of the first
	SettleOnPayment bool
	NetOfSplits     bool
	Agreement       string
	EDI             bool // the set has EDI files, which get numbers
	MaxRecords      int  // of each of them; 0: what their counters hold
	// Again says that a set of the same run was published nowhere: it is cut once more, since the run may know more by now.
	Again bool
	// Compare makes the events of a title, and the sums of what occurred before the first day.
	Compare func(source bookkeeping.EventSource, from ledger.Date, c *bookkeeping.TitleChange) ([]bookkeeping.Event, bookkeeping.Measures)
	// CardState and SlipState are what a row is as of a run.
	CardState func(v *ledger.InstallmentVersion, e *ledger.Expectation, netOfSplits bool) *bookkeeping.TitleState
	SlipState func(*ledger.Slip, *ledger.SlipExpectation) *bookkeeping.TitleState
	// Journal is the method by which the cut makes entries; empty: there is no journal, and a later one is made of the cuts.
	Journal bookkeeping.Method
	// OpenBook begins the entries of the journal that a cut makes.
	OpenBook func(ctx context.Context, c *Cut) (Bookkeeper, error)
	// Replay is what a title was after events that only files have: before is what it was before them, and after what it is now.
	Replay func(before, after *bookkeeping.TitleState, lost []bookkeeping.Event) *bookkeeping.TitleState
	// FileName names the EDI file of a source in a set of the as-of, its part counted from 1.
	FileName func(source bookkeeping.EventSource, revision, part int) string
}

// CutMovement makes the next set of an account: a cut of each source with the events since its last one, in one transaction. If the
// account has a set of that as-of and nothing became known since, it makes none and returns nil.
func (s *Store) CutMovement(ctx context.Context, o *Order) (cuts []Cut, err error) {
	err = s.db.TransactRepeatable(ctx, "cut the movement of account "+o.Account.String(), func(t *sqldb.Tx) error {
		cuts = nil
		if err := t.DB.Dialect.Lock(ctx, t.Tx, "titles/"+o.Account.String()); err != nil {
			return err
		}
		if o.Again {
			if err := dropCuts(ctx, t, o); err != nil {
				return err
			}
		}
		earlier, err := readCuts(ctx, t, o.Account)
		if err != nil {
			return err
		}
		next := Cut{
			Account: o.Account, Set: 1, ToRun: o.Run, AsOf: o.AsOf, From: o.From, SettleOnPayment: o.SettleOnPayment,
			NetOfSplits: o.NetOfSplits, Agreement: o.Agreement,
		}
		for i := range earlier {
			e := &earlier[i]
			if e.ToRun == o.Run {
				cuts = append(cuts, *e) // a commit whose outcome was unknown, or the same run again
			}
			if next.Set = e.Set + 1; e.AsOf == o.AsOf {
				next.Revision = e.Revision + 1
			}
		}
		if len(cuts) > 0 {
			return nil
		}
		var total int64
		for i, source := range o.Sources {
			c := next
			c.Source = source
			c.continueFrom(earlier)
			c.setBooked(o.Journal)
			w, err := s.newCutter(ctx, t, o, &c, earlier)
			if err != nil {
				return err
			}
			w.first = i == 0
			if err := w.cutSource(ctx); err != nil {
				return err
			}
			cuts, total = append(cuts, c), total+c.Events
		}
		if total == 0 && next.Revision > 0 {
			cuts = nil
			return errNothingNew
		}
		return nil
	})
	if isNothingNew(err) {
		return nil, nil
	}
	return cuts, err
}

// dropCuts removes the cuts of the order's run, with their events and the numbers of their files.
func dropCuts(ctx context.Context, t *sqldb.Tx, o *Order) error {
	const ofRun = `
			SELECT 1
			FROM event_cut AS c
			WHERE c.account = $1 AND c.to_run = $2`
	for _, query := range [...]string{`
		DELETE FROM journal_entry
		WHERE account = $1 AND EXISTS (` + ofRun + ` AND c.source = journal_entry.source AND c.number = journal_entry.cut)`, `
		DELETE FROM journal_sum
		WHERE account = $1 AND EXISTS (` + ofRun + ` AND c.source = journal_sum.source AND c.number = journal_sum.cut)`, `
		DELETE FROM event
		WHERE account = $1 AND EXISTS (` + ofRun + ` AND c.source = event.source AND c.number = event.cut)`, `
		DELETE FROM nsa
		WHERE account = $1 AND EXISTS (` + ofRun + ` AND c.agreement = nsa.agreement AND nsa.number BETWEEN c.nsa AND c.last_nsa)`, `
		DELETE FROM event_cut
		WHERE account = $1 AND to_run = $2`} {
		if _, err := t.ExecContext(ctx, query, int64(o.Account), o.Run); err != nil {
			return err
		}
	}
	return nil
}

// continueFrom makes the cut the next of its source.
func (c *Cut) continueFrom(earlier []Cut) {
	c.Number = 1
	for i := range earlier {
		if e := &earlier[i]; e.Source == c.Source {
			c.Number, c.FromRun, c.From = e.Number+1, e.ToRun, e.From
		}
	}
}

// cutBatch is how many titles are compared at a time.
const cutBatch = 400

// cutter makes one cut.
type cutter struct {
	journalWriter
	store  *Store
	order  *Order
	places placer
	part   int
	batch  []bookkeeping.TitleChange
	keeper Bookkeeper
	// earlierCuts are the cuts before this one, and first says that it is the first of its set.
	earlierCuts []Cut
	first       bool
	// booksOnly says that the cut was made before, without the journal: its events are there, and their entries are made of them.
	booksOnly bool
	// lost are the events of each title that were taken back from the archive since its rows were last compared, if takenBack.
	lost      map[string][]bookkeeping.Event
	replayed  map[string]replayed // what became of them, by title
	takenBack bool
	unopened  bool            // the first cut was taken back, without the opening balance of the journal
	compared  map[string]bool // titles, if unopened
}

// newCutter returns what makes a cut that follows earlier ones.
func (s *Store) newCutter(ctx context.Context, t *sqldb.Tx, o *Order, c *Cut, earlier []Cut) (*cutter, error) {
	keeper, err := o.OpenBook(ctx, c)
	if err != nil {
		return nil, err
	}
	w := &cutter{
		journalWriter: journalWriter{tx: t, cut: c, method: o.Journal, sums: map[sumKey]*entrySum{}, earlier: s.db.Read},
		store:         s, order: o, keeper: keeper, earlierCuts: earlier, replayed: map[string]replayed{}, compared: map[string]bool{},
	}
	if o.Again {
		w.earlier = t // those that the transaction removed are gone for itself alone
	}
	return w, w.readLostEvents(ctx)
}

// cutSource writes the events of the titles of the cut's source, and the cut.
func (w *cutter) cutSource(ctx context.Context) error {
	if w.order.EDI {
		if err := w.nextFile(ctx); err != nil {
			return err
		}
	}
	err := w.compareTitles(ctx)
	if err == nil {
		err = w.bookRest(ctx)
	}
	if err == nil && w.takenBack {
		err = w.balanceRestored(ctx)
	}
	if err != nil {
		return err
	}
	return insertCut(ctx, w.tx, w.cut)
}

// compareTitles compares the titles of the cut's source that changed, and writes what comes of it.
func (w *cutter) compareTitles(ctx context.Context) error {
	c := w.cut
	each := w.store.changedCards
	if c.Source == bookkeeping.SlipEvents {
		each = w.store.changedSlips
	}
	err := each(ctx, w.order, c.FromRun, func(change *bookkeeping.TitleChange) error {
		w.replayLost(change)
		if w.batch = append(w.batch, *change); len(w.batch) < cutBatch {
			return nil
		}
		return w.writeBatch(ctx)
	})
	if err == nil {
		err = w.compareUnmoved(ctx)
	}
	if err == nil {
		err = w.writeBatch(ctx)
	}
	return err
}

func insertCut(ctx context.Context, t *sqldb.Tx, c *Cut) error {
	values := c.columnValues()
	_, err := t.ExecContext(ctx, `
		INSERT INTO event_cut (`+cutColumns+`)
		VALUES (`+sqldb.ListPlaceholders(1, len(values))+`)`, values...)
	return err
}

// nextFile reserves the number of the cut's next EDI file.
func (w *cutter) nextFile(ctx context.Context) error {
	w.part++
	c := w.cut
	n, err := published.ReserveMovementNumber(ctx, w.tx, c.Account, c.Agreement, w.order.FileName(c.Source, c.Revision, w.part))
	if err != nil {
		return err
	}
	if c.LastNSA = n; c.NSA == 0 {
		c.NSA = n
	}
	w.places = placer{limit: w.order.MaxRecords}
	return nil
}

// writeBatch compares the titles of the batch, and writes their events.
func (w *cutter) writeBatch(ctx context.Context) error {
	if len(w.batch) == 0 {
		return nil
	}
	if err := w.readHistories(ctx); err != nil {
		return err
	}
	withEvents := w.listWithEvents()
	if err := w.rememberBooked(ctx, withEvents); err != nil {
		return err
	}
	if w.booksOnly {
		return w.bookBatch(ctx, withEvents)
	}
	var events []bookkeeping.Event
	ends := make([]int, len(w.batch)) // of the events of each title
	own := map[string]string{}
	for i := range w.batch {
		change := &w.batch[i]
		found, before := w.order.Compare(w.cut.Source, w.cut.From, change)
		w.cut.BeforeFrom.Add(before)
		if n := ownNumber(change.After); n != "" && len(found) > 0 {
			own[change.Subject] = n
		}
		events = append(events, found...)
		ends[i] = len(events)
	}
	for i := range events {
		e := &events[i]
		w.cut.Events++
		w.cut.Sums.Add(e.Sums)
		e.Cut, e.Position = w.cut.Number, int(w.cut.Events)
		if err := w.placeEvent(ctx, e, events[i+1:]); err != nil {
			return err
		}
	}
	byTitle := make([][]bookkeeping.Event, len(w.batch))
	begin := 0
	for i, end := range ends {
		byTitle[i], begin = events[begin:end], end
	}
	made, err := w.bookEvents(ctx, withEvents, byTitle)
	if err != nil {
		return err
	}
	w.addSums(made)
	w.batch = w.batch[:0]
	// The next titles are read and compared meanwhile, on other connections.
	return w.tx.RunInBackground(func() error {
		if err := w.numberTitles(ctx, events, own); err != nil {
			return err
		}
		if err := loadEvents(ctx, w.tx, events); err != nil {
			return err
		}
		return loadEntries(ctx, w.tx, made)
	})
}

// numberTitles gives events the numbers of their titles, in the background of the transaction. own are those by which banks know slips.
func (w *cutter) numberTitles(ctx context.Context, events []bookkeeping.Event, own map[string]string) error {
	titles := make([]string, len(events))
	for i := range events {
		titles[i] = events[i].Title
	}
	numbers, err := published.NumberTitles(ctx, w.tx.OfBackground(), w.cut.Account, titles, own)
	for i := range events {
		events[i].TitleNumber = numbers[events[i].Title]
	}
	return err
}

// listWithEvents lists the titles of the batch of which an earlier set has an event.
func (w *cutter) listWithEvents() (subjects []string) {
	for i := range w.batch {
		if c := &w.batch[i]; len(c.History.Sent) > 0 {
			subjects = append(subjects, c.Subject)
		}
	}
	return subjects
}

// ownNumber is the number that a slip has at its bank, if it can be that of a title.
func ownNumber(t *bookkeeping.TitleState) string {
	if t == nil || t.Slip == nil {
		return ""
	}
	if n := t.Slip.OurNumber; len(n) <= 20 && strings.Trim(n, "0123456789") == "" {
		return n
	}
	return ""
}

// placeEvent says in which file and where in it an event is.
func (w *cutter) placeEvent(ctx context.Context, e *bookkeeping.Event, following []bookkeeping.Event) error {
	if e.Movement == "" || !w.order.EDI {
		return nil
	}
	if e.Movement == ShareMovement {
		w.places.placeShare()
		e.NSA, e.Lote, e.Record = w.cut.LastNSA, w.places.lote, w.places.last
		return nil
	}
	shares := 0
	for shares < len(following) && following[shares].Type == bookkeeping.EventSplitPayable && following[shares].Title == e.Title {
		shares++
	}
	shares -= countFunc(following[:shares], func(e *bookkeeping.Event) bool { return e.Movement == "" })
	if !w.places.placeTitle(2 + shares) {
		if err := w.nextFile(ctx); err != nil {
			return err
		}
		if !w.places.placeTitle(2 + shares) {
			return fmt.Errorf("%s: %d shares do not fit into a file", e.Title, shares)
		}
	}
	e.NSA, e.Lote, e.Record = w.cut.LastNSA, w.places.lote, w.places.last
	return nil
}

func countFunc(events []bookkeeping.Event, is func(*bookkeeping.Event) bool) (n int) {
	for i := range events {
		if is(&events[i]) {
			n++
		}
	}
	return n
}

// readHistories reads the earlier events of the titles of the batch. The first cut of a source has none before it.
func (w *cutter) readHistories(ctx context.Context) error {
	if w.cut.Number == 1 {
		return nil
	}
	byTitle := make(map[string]*bookkeeping.TitleHistory, len(w.batch))
	subjects := make([]string, len(w.batch))
	for i := range w.batch {
		h := &w.batch[i].History
		h.Sent, h.Said = map[bookkeeping.SentEvents]int{}, map[string]bool{}
		subjects[i], byTitle[w.batch[i].Subject] = w.batch[i].Subject, h
	}
	list, err := sqldb.EncodeList(subjects)
	if err != nil {
		return err
	}
	rows, err := w.earlier.QueryContext(ctx, EarlierEventsSQL(w.tx.DB.Dialect), int64(w.cut.Account), list, int64(w.cut.Number))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var title, movement, reason string
		var k bookkeeping.SentEvents
		if err := rows.Scan(&title, &k.Subject, &k.Type, &movement, &reason); err != nil {
			return err
		}
		h := byTitle[title]
		h.Sent[k]++
		if h.Said[movement] = true; reason == bookkeeping.LeftAfterSettlement || k.Type == bookkeeping.EventTakenBack {
			h.Said["06"] = true
		}
	}
	return rows.Err()
}

// EarlierEventsSQL is the statement of readHistories: $1 is the account, $2 the list of titles, $3 the number of the cut.
func EarlierEventsSQL(d sqldb.Dialect) string {
	return `
		SELECT
			x.title,
			x.subject,
			x.type,
			x.movement,
			x.reason
		FROM ` + sqldb.FromListed(d, "event", "event_title", "title", d.TextMember) + `
		WHERE x.cut < $3`
}

// loadEvents writes events of a cut. Nothing else is being done in the transaction.
func loadEvents(ctx context.Context, t *sqldb.Tx, events []bookkeeping.Event) error {
	if len(events) == 0 {
		return nil
	}
	columns := []string{
		"account", "event", "source", "cut", "position", "type", "ordinal", "subject", "title", "occurred", "version", "face", "closed",
		"received", "fees", "anticipation", "splits", "value", "movement", "reason", "title_number", "nsa", "lote", "record", "before_state",
		"after_state",
	}
	before, after := &encodedState{}, &encodedState{} // all events of a title have the same
	return t.DB.Dialect.LoadRows(ctx, t.Conn, "event", columns, len(events), func(i int, r sqldb.Row) error {
		e := &events[i]
		r.Int(int64(e.Account))
		r.Text(e.ID)
		r.Text(string(e.Source))
		r.Int(int64(e.Cut))
		r.Int(int64(e.Position))
		r.Text(string(e.Type))
		r.Int(int64(e.Ordinal))
		r.Text(e.Subject)
		r.Text(e.Title)
		r.Int(int64(e.Occurred))
		r.Int(int64(e.Version))
		for _, m := range e.Sums.All() {
			r.Int(int64(*m))
		}
		sqldb.PutOpt(r, e.Value)
		r.Text(e.Movement)
		r.Text(e.Reason)
		r.Text(e.TitleNumber)
		r.Int(int64(e.NSA))
		r.Int(int64(e.Lote))
		r.Int(int64(e.Record))
		r.Text(before.encodeState(e.Before))
		r.Text(after.encodeState(e.After))
		return nil
	})
}
