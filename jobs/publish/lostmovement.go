package publish

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/export/words"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/published"
)

// readMovement reads the cuts of a set of the movement from its archived tables.
func (l *lostFinder) readMovement(ctx context.Context, set *published.Set, m *manifest.Manifest) (cuts []books.LostCut, err error) {
	if m.Chain == nil {
		return nil, l.newArchiveError(words.NewFault("publish_fault.no_chain", "", "file", path.Base(set.Manifest.Path)))
	}
	number, err := strconv.ParseInt(set.Account, 10, 64)
	if err != nil {
		return nil, err
	}
	from, err := l.readFirstDay(ctx, set)
	if err != nil {
		return nil, err
	}
	for _, source := range []bookkeeping.EventSource{bookkeeping.CardEvents, bookkeeping.SlipEvents} {
		kind := othersides.EventsKind(source)
		cut := books.LostCut{Cut: books.Cut{
			Account: ledger.Account(number), Source: source, Set: m.Chain.Set, Revision: set.Revision, ToRun: set.Run, AsOf: set.AsOf, From: from,
			Agreement: l.Agreements[ledger.Account(number)],
		}}
		found := false
		for _, f := range set.Files {
			switch {
			case f.Kind != string(kind):
			case f.Format == string(report.EDI):
				if cut.LastNSA = max(cut.LastNSA, f.NSA); cut.NSA == 0 || f.NSA < cut.NSA {
					cut.NSA = f.NSA
				}
			case f.Format == string(report.CSV):
				found = true
				err = l.readTable(ctx, f, func(in *lostTable) error {
					e, err := in.readEvent(&cut.Cut)
					if err == nil {
						cut.List = append(cut.List, *e)
					}
					return err
				})
			}
			if err != nil {
				return nil, err
			}
		}
		if found {
			cuts = append(cuts, cut)
		}
	}
	return cuts, nil
}

// titlesOf are the numbers of the titles of a cut.
func titlesOf(c *books.LostCut) (titles []published.TitleNumber) {
	for i := range c.List {
		if e := &c.List[i]; e.TitleNumber != "" && e.Type != bookkeeping.EventSplitPayable {
			titles = append(titles, published.TitleNumber{Account: e.Account, Subject: e.Title, Number: e.TitleNumber})
		}
	}
	return titles
}

// readFirstDay reads the first event day, which the control of every set of the movement names.
func (l *lostFinder) readFirstDay(ctx context.Context, set *published.Set) (from ledger.Date, err error) {
	i := slices.IndexFunc(set.Files, func(f published.File) bool {
		return f.Kind == string(report.ControlKind) && f.Format == string(report.CSV)
	})
	if i < 0 {
		return 0, l.newArchiveError(words.NewFault("publish_fault.no_control", "", "file", path.Base(set.Manifest.Path)))
	}
	err = l.readTable(ctx, set.Files[i], func(in *lostTable) (err error) {
		if in.textOf("section") == "movement" && in.textOf("item") == "set" && in.textOf("measure") == "first_day" {
			from, err = ledger.ParseDate(in.textOf("value"))
		}
		return err
	})
	return from, err
}

// lostTable is a table in CSV at one of its rows.
type lostTable struct {
	at    map[string]int
	row   []string
	title string // of the row before
}

// readTable calls fn at each row of an archived table.
func (l *lostFinder) readTable(ctx context.Context, f published.File, fn func(*lostTable) error) error {
	local := filepath.Join(l.Staging, "lost-"+path.Base(f.Path))
	if err := l.Archive.Fetch(ctx, f.SHA256, local); err != nil {
		return l.newArchiveError(fmt.Errorf("%s: %w", path.Base(f.Path), err))
	}
	defer func() { _ = os.Remove(local) }() // what stays goes with the staging folder
	file, err := os.Open(local)
	if err != nil {
		return l.StagingFailed(err)
	}
	defer file.Close()
	rows := csv.NewReader(file)
	head, err := rows.Read()
	if err != nil {
		return l.newArchiveError(fmt.Errorf("%s: %w", path.Base(f.Path), err))
	}
	in := &lostTable{at: map[string]int{}}
	for i, id := range head {
		in.at[strings.TrimPrefix(id, "\ufeff")] = i
	}
	for {
		in.row, err = rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = fn(in)
		}
		if err != nil {
			return l.newArchiveError(fmt.Errorf("%s: %w", path.Base(f.Path), err))
		}
	}
}

// textOf is a cell without the apostrophe that keeps spreadsheets from taking it for a formula; empty of a column that is not there.
func (t *lostTable) textOf(id string) string {
	i, ok := t.at[id]
	if !ok || i >= len(t.row) {
		return ""
	}
	return strings.TrimPrefix(t.row[i], "'")
}

func (t *lostTable) parseNumber(id string) (int, error) {
	if t.textOf(id) == "" {
		return 0, nil
	}
	return strconv.Atoi(t.textOf(id))
}

func (t *lostTable) parseDay(id string) (ledger.Date, error) {
	if t.textOf(id) == "" {
		return 0, nil
	}
	return ledger.ParseDate(t.textOf(id))
}

// readEvent reads the row as an event of a cut. The row of a share follows that of its title.
func (t *lostTable) readEvent(c *books.Cut) (*bookkeeping.Event, error) {
	e := &bookkeeping.Event{
		Account: c.Account, Source: c.Source, Set: c.Set, ID: t.textOf("event"), Type: bookkeeping.EventType(t.textOf("type")), Subject: t.textOf("subject"),
		Sent: c.AsOf, Movement: t.textOf("movement"), Reason: t.textOf("reason"), TitleNumber: t.textOf("title_number"),
	}
	if e.Type != bookkeeping.EventSplitPayable {
		t.title = e.Subject
	}
	e.Title = t.title
	const mostTold = 10_000 // events of one type and subject
	for e.Ordinal = 1; bookkeeping.EventID(e.Account, e.Subject, e.Type, e.Ordinal) != e.ID; e.Ordinal++ {
		if e.Ordinal == mostTold {
			return nil, words.NewFault("publish_fault.foreign_event", "", "event", e.ID, "subject", e.Subject)
		}
	}
	var wrong []error
	note := func(err error) { wrong = append(wrong, err) }
	for i, id := range bookkeeping.MeasureIDs() {
		v, err := ledger.ParseAmount(t.textOf(id))
		*e.Sums.All()[i] = v
		note(err)
	}
	if text := t.textOf("value"); text != "" {
		v, err := ledger.ParseAmount(text)
		e.Value = ledger.Some(v)
		note(err)
	}
	var err error
	e.Occurred, err = t.parseDay("occurred_on")
	note(err)
	for id, into := range map[string]*int{"nsa": &e.NSA, "lote": &e.Lote, "record": &e.Record, "version": &e.Version} {
		*into, err = t.parseNumber(id)
		note(err)
	}
	state, err := t.readState(e)
	note(err)
	if e.After = state; e.Type == bookkeeping.EventVanished {
		e.Before, e.After = state, nil
	}
	return e, errors.Join(wrong...)
}

// readState reads what the row says of the title.
func (t *lostTable) readState(e *bookkeeping.Event) (*bookkeeping.TitleState, error) {
	state := &bookkeeping.TitleState{Version: e.Version, Class: ledger.Open}
	var err error
	if state.Due, err = t.parseDay("due"); err != nil {
		return nil, err
	}
	if e.Source == bookkeeping.SlipEvents {
		state.Slip = &bookkeeping.SlipState{ID: t.textOf("slip_id"), OurNumber: t.textOf("our_number"), Reference: t.textOf("reference_code")}
		return state, nil
	}
	c := &bookkeeping.CardState{
		Brand: t.textOf("brand"), Product: ledger.Product(t.textOf("product")), NSU: t.textOf("nsu"), Auth: t.textOf("auth"), Reference: t.textOf("order_ref"),
	}
	if e.Type == bookkeeping.EventSplitPayable {
		c.Splits = []bookkeeping.ShareState{{Subject: e.Subject, Beneficiary: t.textOf("beneficiary"), Amount: e.Value.V, Ordinal: 1}}
	}
	state.Card = c
	if c.SoldAt, err = ledger.ParseLocalTime(t.textOf("sale_at"), nil); err != nil {
		return nil, err
	}
	for id, into := range map[string]*int{"installment": &c.Number, "installments": &c.Count} {
		if *into, err = t.parseNumber(id); err != nil {
			return nil, err
		}
	}
	return state, nil
}
