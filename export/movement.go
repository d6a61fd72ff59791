package export

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"concilia/export/cnab"
	"concilia/export/control"
	"concilia/export/edi"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/store/ledger"
)

// Movement is a set of the movement: what became known up to the as-of, source by source. A source that was not cut is not in it.
type Movement struct {
	Set      int // of the account's, from 1
	Revision int // among those of the as-of
	From     ledger.Date
	Cuts     []MovementCut
	Previous *manifest.PreviousSet // nil: it is the first
}

// MovementCut is what became known of one source.
type MovementCut struct {
	Source     ledger.EventSource
	NSA        []int // of its EDI files
	Events     map[ledger.EventType]int
	Sums       ledger.Measures
	LeftOut    []LeftOut       // of the EDI file, by reason
	BeforeFrom ledger.Measures // of what occurred before the first day
	// Told are the sums of all sets up to this one with what occurred before the first day, and States those of the rows as of its
	// run, by a query over rows.
	Told, States ledger.Measures
}

// LeftOut is what one reason keeps out of the EDI file.
type LeftOut struct {
	Reason string
	Count  int64
	Sums   ledger.Measures
}

func (m *Movement) newChain() *manifest.Chain {
	c := &manifest.Chain{Set: m.Set, Previous: m.Previous, NSA: []int{}, Events: map[string]int{}, Sums: map[string]string{}}
	var sums ledger.Measures
	for i := range m.Cuts {
		cut := &m.Cuts[i]
		c.NSA = append(c.NSA, cut.NSA...)
		for t, n := range cut.Events {
			c.Events[string(t)] += n
		}
		sums.Add(cut.Sums)
	}
	for i, id := range ledger.MeasureIDs() {
		if v := *sums.All()[i]; v != 0 {
			c.Sums[id] = v.Fixed(2)
		}
	}
	return c
}

// movementRemark is what the header of an EDI file of the movement says it is.
const movementRemark = "RETORNO DIARIO"

// writeEvents writes the EDI files of the movement, and compares what was told with what stands.
func (r *rendering) writeEvents(ctx context.Context) error {
	m := r.job.Movement
	if m == nil {
		return nil
	}
	for i := range m.Cuts {
		c := &m.Cuts[i]
		for j, id := range ledger.MeasureIDs() {
			told, states := c.Told, c.States
			rest := *told.All()[j] - *states.All()[j]
			r.identities = append(r.identities, report.Identity{
				Name: string(c.Source) + " " + id, Formula: fmt.Sprintf("%s.events.%s = %s.titles.%s", c.Source, id, c.Source, id), Printed: rest, Exact: rest,
			})
		}
		if k := report.EventsKind(c.Source); r.job.hasEDI(k) {
			if err := r.writeEventsOf(ctx, k, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeEventsOf writes the EDI files of one source.
func (r *rendering) writeEventsOf(ctx context.Context, k report.Kind, c *MovementCut) error {
	e := &ediFile{job: r.job, create: r.createFile, remark: movementRemark}
	e.next = func() (*ediPart, error) {
		n := len(e.parts)
		if n == len(c.NSA) {
			return nil, fmt.Errorf("%s: its events fill more than the %d files they were numbered for", k, n)
		}
		p := &ediPart{name: manifest.PartName(k, n+1), nsa: c.NSA[n]}
		p.path = r.stagingPath(p.name + "." + report.EDI.Extension())
		return p, nil
	}
	if err := e.openNextFile(); err != nil {
		return err
	}
	w := &eventTitles{file: e}
	err := r.source.Events(ctx, func(event *ledger.Event) error {
		if event.Source != c.Source || event.Movement == "" {
			return nil
		}
		return w.add(event)
	})
	return errors.Join(err, w.flush(), r.stageEDI(ctx, k, e))
}

// nameEvent says what the title of an event is called in files.
func nameEvent(e *ledger.Event) report.EventTitle {
	t := report.EventTitle{DocumentNumber: edi.EventDocument(e), CompanyUse: edi.EventCompanyUse(e), CreditDate: edi.EventCreditDate(e)}
	if s, ok := edi.EventShare(e); ok {
		t.Beneficiary = s.Beneficiary
	}
	return t
}

// eventTitles writes titles with the shares that follow them.
type eventTitles struct {
	file    *ediFile
	title   *cnab.Title // not written yet
	subject string
}

func (w *eventTitles) add(e *ledger.Event) error {
	if e.Movement == report.ShareMovement {
		line, err := edi.EventShareLine(e)
		if err == nil && w.subject != e.Title {
			err = fmt.Errorf("event %s: a share without its title before it", e.ID)
		}
		if err == nil {
			w.title.Splits = append(w.title.Splits, line)
		}
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	t, err := edi.EventTitle(e)
	w.title, w.subject = &t, e.Title
	return err
}

func (w *eventTitles) flush() error {
	if w.title == nil {
		return nil
	}
	t := w.title
	w.title = nil
	return w.file.writeTitle(w.subject, t)
}

// listMovement lists what of each source is told, what is left out of its EDI file and why, and what occurred before the first day.
func (p *setProof) listMovement(c *control.Writer) {
	m := p.job.Movement
	if m == nil {
		return
	}
	c.AddCount("set", "number", int64(m.Set))
	c.AddDate("set", "first_day", m.From)
	for i := range m.Cuts {
		cut := &m.Cuts[i]
		item := string(cut.Source)
		for _, t := range slices.Sorted(maps.Keys(cut.Events)) {
			c.AddCount(item, string(t), int64(cut.Events[t]))
		}
		for _, l := range cut.LeftOut {
			c.AddCount(item, "left_out "+l.Reason, l.Count)
			addMeasures(c, item, "left_out "+l.Reason, l.Sums)
		}
		addMeasures(c, item, "before_from", cut.BeforeFrom)
		addMeasures(c, item, "told", cut.Told)
		addMeasures(c, item, "states", cut.States)
	}
}

// addMeasures adds the measures that are not zero.
func addMeasures(c *control.Writer, item, of string, m ledger.Measures) {
	for i, id := range ledger.MeasureIDs() {
		if v := *m.All()[i]; v != 0 {
			c.AddMoney(item, of+" "+id, v, control.Note{})
		}
	}
}
