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
	"concilia/store/ledger"
)

// movementRemark is what the header of an EDI file of the movement says it is.
const movementRemark = "RETORNO DIARIO"

// openEvents begins the EDI files of the movement. Their numbers were given when it was cut, so they are written as the events are read. A
// set whose content alone is computed has none.
func (r *rendering) openEvents() error {
	if r.Job.Movement == nil || r.target.Publisher == nil {
		return nil
	}
	r.eventTitles = map[ledger.EventSource]*eventTitles{}
	for i := range r.Job.Movement.Cuts {
		c := &r.Job.Movement.Cuts[i]
		k := othersides.EventsKind(c.Source)
		if !r.Job.HasEDI(k) {
			continue
		}
		w := r.newEventTitles(k, c)
		r.eventTitles[c.Source] = w
		if err := w.file.openNextFile(); err != nil {
			return err
		}
	}
	return nil
}

// eventIntake writes events to the EDI files; nil: there are none.
func (r *rendering) eventIntake() func(*ledger.Event) error {
	if len(r.eventTitles) == 0 {
		return nil
	}
	return func(e *ledger.Event) error {
		if w := r.eventTitles[e.Source]; w != nil && e.Movement != "" {
			return w.add(e)
		}
		return nil
	}
}

// closeEvents closes files that were not staged.
func (r *rendering) closeEvents() (err error) {
	for _, w := range r.eventTitles {
		if w.file.file != nil {
			err = errors.Join(err, w.file.file.Close())
		}
	}
	return err
}

// stageEvents ends the EDI files of the movement, and compares the sums of its events with those of the rows.
func (r *rendering) stageEvents(ctx context.Context) error {
	m := r.Job.Movement
	if m == nil {
		return nil
	}
	for i := range m.Cuts {
		c := &m.Cuts[i]
		for j, id := range ledger.MeasureIDs() {
			sent, states := c.Told, c.States
			rest := *sent.All()[j] - *states.All()[j]
			r.Identities = append(r.Identities, report.Identity{
				Name: string(c.Source) + " " + id, Formula: fmt.Sprintf("%s.events.%s = %s.titles.%s", c.Source, id, c.Source, id), Printed: rest, Exact: rest,
			})
		}
		w := r.eventTitles[c.Source]
		if w == nil {
			continue
		}
		if err := w.flush(); err != nil {
			return err
		}
		if err := r.stageEDI(ctx, othersides.EventsKind(c.Source), w.file); err != nil {
			return err
		}
	}
	return nil
}

// newEventTitles begins the EDI files of one source, under the numbers of its cut.
func (r *rendering) newEventTitles(k report.Kind, c *export.MovementCut) *eventTitles {
	e := &ediFile{job: r.Job, create: r.CreateFile, remark: movementRemark}
	e.next = func() (*ediPart, error) {
		n := len(e.parts)
		if n == len(c.NSA) {
			return nil, fmt.Errorf("%s: its events fill more than the %d files they were numbered for", k, n)
		}
		p := &ediPart{name: manifest.PartName(k, n+1), nsa: c.NSA[n]}
		p.path = r.Path(p.name + "." + report.EDI.Extension())
		return p, nil
	}
	return &eventTitles{file: e}
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
