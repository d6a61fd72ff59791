package render

import (
	"context"
	"errors"
	"fmt"

	"concilia/export"
	"concilia/export/cnab"
	"concilia/export/edi"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/store/ledger/bookkeeping"
)

// movementRemark is what the header of an EDI file of the movement says it is.
const movementRemark = "RETORNO DIARIO"

// eventWriter writes the EDI files of the movement of a set.
type eventWriter struct {
	*ediStager
	publishes bool                                     // else the content of the set alone is computed
	titles    map[bookkeeping.EventSource]*eventTitles // empty: the set has no EDI file of events
}

// openFiles begins the EDI files of the movement. Their numbers were given when it was cut, so they are written as the events are read. A
// set whose content alone is computed has none.
func (w *eventWriter) openFiles() error {
	if w.Job.Movement == nil || !w.publishes {
		return nil
	}
	w.titles = map[bookkeeping.EventSource]*eventTitles{}
	for i := range w.Job.Movement.Cuts {
		c := &w.Job.Movement.Cuts[i]
		k := othersides.EventsKind(c.Source)
		if !w.Job.HasEDI(k) {
			continue
		}
		t := w.newEventTitles(k, c)
		w.titles[c.Source] = t
		if err := t.file.openNextFile(); err != nil {
			return err
		}
	}
	return nil
}

// makeEventWriter returns what writes events to the EDI files; nil: there are none.
func (w *eventWriter) makeEventWriter() func(*bookkeeping.Event) error {
	if len(w.titles) == 0 {
		return nil
	}
	return func(e *bookkeeping.Event) error {
		if t := w.titles[e.Source]; t != nil && e.Movement != "" {
			return t.add(e)
		}
		return nil
	}
}

// closeFiles closes files that were not staged.
func (w *eventWriter) closeFiles() (err error) {
	for _, t := range w.titles {
		if t.file.file != nil {
			err = errors.Join(err, t.file.file.Close())
		}
	}
	return err
}

// stageFiles ends the EDI files of the movement, and compares the sums of its events with those of the rows.
func (w *eventWriter) stageFiles(ctx context.Context) error {
	m := w.Job.Movement
	if m == nil {
		return nil
	}
	for i := range m.Cuts {
		c := &m.Cuts[i]
		for j, id := range bookkeeping.MeasureIDs() {
			sent, states := c.Told, c.States
			rest := *sent.All()[j] - *states.All()[j]
			w.Identities = append(w.Identities, report.Identity{
				Name: string(c.Source) + " " + id, Formula: fmt.Sprintf("%s.events.%s = %s.titles.%s", c.Source, id, c.Source, id), Printed: rest, Exact: rest,
			})
		}
		t := w.titles[c.Source]
		if t == nil {
			continue
		}
		if err := t.flush(); err != nil {
			return err
		}
		if err := w.stageEDI(ctx, othersides.EventsKind(c.Source), t.file); err != nil {
			return err
		}
	}
	return nil
}

// newEventTitles begins the EDI files of one source, under the numbers of its cut.
func (w *eventWriter) newEventTitles(k report.Kind, c *export.MovementCut) *eventTitles {
	e := &ediFile{job: w.Job, create: w.CreateFile, remark: movementRemark}
	e.next = func() (*ediPart, error) {
		n := len(e.parts)
		if n == len(c.NSA) {
			return nil, fmt.Errorf("%s: its events fill more than the %d files they were numbered for", k, n)
		}
		p := &ediPart{name: manifest.PartName(k, n+1), nsa: c.NSA[n]}
		p.path = w.Path(p.name + "." + report.EDI.Extension())
		return p, nil
	}
	return &eventTitles{file: e}
}

// nameEvent says what the title of an event is called in files.
func nameEvent(e *bookkeeping.Event) report.EventTitle {
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

func (w *eventTitles) add(e *bookkeeping.Event) error {
	if e.Movement == othersides.ShareMovement {
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
