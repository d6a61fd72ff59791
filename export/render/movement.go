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

// writeEvents writes the EDI files of the movement, and compares the sums of its events with those of the rows.
func (r *rendering) writeEvents(ctx context.Context) error {
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
	}
	return r.writeEventFiles(ctx, m)
}

// writeEventFiles writes the EDI files of the sources in one pass over all events.
func (r *rendering) writeEventFiles(ctx context.Context, m *export.Movement) (err error) {
	writers := map[ledger.EventSource]*eventTitles{}
	for i := range m.Cuts {
		c := &m.Cuts[i]
		if k := othersides.EventsKind(c.Source); err == nil && r.Job.HasEDI(k) {
			w := r.newEventTitles(k, c)
			if err = w.file.openNextFile(); err == nil {
				writers[c.Source] = w
			}
		}
	}
	if len(writers) == 0 {
		return err
	}
	if err == nil {
		err = r.Source.Events(ctx, func(event *ledger.Event) error {
			if w := writers[event.Source]; w != nil && event.Movement != "" {
				return w.add(event)
			}
			return nil
		})
	}
	for i := range m.Cuts {
		if w := writers[m.Cuts[i].Source]; w != nil {
			err = errors.Join(err, w.flush(), r.stageEDI(ctx, othersides.EventsKind(m.Cuts[i].Source), w.file))
		}
	}
	return err
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
