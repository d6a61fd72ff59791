package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// publishSets renders, proves and publishes each set, after what still waits for the target.
func (w *Worker) publishSets(ctx context.Context, run *ledger.Run, s *Summary, judged *judged, sets []setRequest) error {
	return w.publish(ctx, run, s, func(p *publishing) error {
		if len(sets) == 0 {
			return nil
		}
		w.Progress.Step("publish", len(sets))
		if err := p.each(ctx, judged, sets); err != nil {
			return err
		}
		p.told(len(sets))
		return nil
	})
}

// publish lets fn publish sets, once what waited for the target was brought to it. A set that cannot be is told and does
// not stop the others; an end of ctx stops all. Once the target is gone what is proven goes to the outbox; with none, all
// stops.
func (w *Worker) publish(ctx context.Context, run *ledger.Run, s *Summary, fn func(*publishing) error) error {
	if s.Files == nil {
		s.Files = []FileSummary{}
	}
	p := &publishing{delivery: delivery{w: w, waits: s.gone}, run: run, s: s}
	err := p.restage(ctx)
	defer func() { p.release() }()
	if err == nil && !p.boxed {
		w.sweepOutbox(ctx)
	}
	if err == nil {
		err = w.deliver(ctx, s, &p.delivery, p.staging)
	}
	if w.targetGone(s, err) {
		return nil
	}
	if err == nil {
		err = fn(p)
	}
	if errors.Is(err, errGone) {
		return nil // it is told
	}
	s.noteGone(p.waits)
	return err
}

// errGone ends a publication whose target takes nothing more, without an outbox for the rest.
var errGone = errors.New("the target is gone")

// publishing is the sets of a run on their way.
type publishing struct {
	delivery
	run     *ledger.Run
	s       *Summary // nil: another process leads the run, and gathers what comes of the sets
	staging string
	boxed   bool // staging is in the outbox
	free    func()

	rendered report.Totals // of the set that was rendered last, by the rows of its files

	fresh, failed int // sets
	back          int // revisions that stood, were away and were written again
}

func (p *publishing) release() {
	if p.free != nil {
		p.free()
	}
	p.free = nil
}

// restage takes a place for what is not proven yet, another one when the target was given up since.
func (p *publishing) restage(ctx context.Context) (err error) {
	p.release()
	p.staging, p.free, err = p.stage(ctx)
	p.boxed = p.waits != nil
	return err
}

// each publishes one set after another and notes what comes of it.
func (p *publishing) each(ctx context.Context, judged *judged, sets []setRequest) error {
	for _, set := range sets {
		back := p.back
		kept, fresh, err := p.set(ctx, judged, set)
		switch {
		case err == nil:
			if err := p.noteSet(ctx, &set, kept, fresh, p.back > back); err != nil {
				return err
			}
			p.w.missed(ctx, p.s, kept, fresh)
			if !set.together() {
				p.s.written.Add(p.rendered)
			}
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, new(*goneError)):
			return err // the ledger was waited for: no other set fares better
		case p.w.targetGone(p.s, err):
			p.w.Progress.Done(errGone.Error())
			return errGone
		default:
			p.s.Unpublished = append(p.s.Unpublished, named(err))
			p.failed++
		}
		if fresh {
			p.fresh++
		}
		p.w.Progress.Advance(1)
	}
	return nil
}

// noteSet lists the files of a set. One that was asked for and stays as it was may have them in several revisions: the
// files that answer the request are named. back says that they were written to the target again.
func (p *publishing) noteSet(ctx context.Context, set *setRequest, kept *reports.Set, fresh, back bool) error {
	if !set.asked || fresh {
		p.w.noted(p.s, kept, fresh)
		return nil
	}
	all, err := p.w.Ledger.Revisions(ctx, kept.Account, kept.Basis, kept.Period, kept.Filter, "")
	if err != nil {
		return err
	}
	p.s.noteSet(kept, false)
	for _, f := range currentFiles(all) {
		if set.asks(f) {
			p.s.Files = append(p.s.Files, p.w.fileSummary(f, back))
		}
	}
	return nil
}

// asks says whether a file is of a kind and a format of the request. Its proof always is; workbook and page are one per set.
func (s *setRequest) asks(f reports.File) bool {
	kind, format := report.Kind(f.Kind), report.Format(f.Format)
	proof := kind == report.ControlKind && format == report.CSV
	one := kind == report.Settlement || kind == report.ControlKind
	return proof || slices.Contains(s.formats, format) && (one || slices.Contains(s.kinds, kind))
}

// named puts the code before a set that was refused because its files and the ledger differ.
func named(err error) error {
	var tie *export.TieError
	if errors.As(err, &tie) {
		return fmt.Errorf("REPORT_TIE_FAILED %w", err)
	}
	return err
}

// told ends the step of publishing.
func (p *publishing) told(sets int, also ...string) {
	text := fmt.Sprintf("%s: %d new, %s%s", things(sets, "set", "sets"), p.fresh, things(sets-p.fresh-p.failed, "stands as it was", "stand as they were"), unpublishedText(p.failed))
	if p.back > 0 {
		text += "; " + things(p.back, "was not at reports.out any more and is written again", "were not at reports.out any more and are written again")
	}
	if p.s.Away > 0 {
		text += fmt.Sprintf("; %s: report --as-of-run %s writes them again", things(p.s.Away, "is no longer at reports.out", "are no longer at reports.out"), p.run.ID)
	}
	if p.waits != nil {
		text += "; the target is gone, and what is new waits in the outbox"
	}
	p.w.Progress.Done(strings.Join(append([]string{text}, also...), "; "))
}

// set publishes one set and gives the revision that stands then; fresh says that it was made now. Where it could not be
// written because the target is full, it is written in the outbox. What the ledger broke off is begun again.
func (p *publishing) set(ctx context.Context, judged *judged, set setRequest) (kept *reports.Set, fresh bool, err error) {
	err = p.w.steady(ctx, nil, func() (err error) {
		kept, fresh, err = p.once(ctx, judged, set)
		if errors.Is(err, reports.ErrKept) {
			// A process that is given up, and not dead, was a moment quicker with the same set: it stands now.
			kept, fresh, err = p.once(ctx, judged, set)
		}
		return err
	})
	if errors.As(err, new(*export.TieError)) {
		if lost := p.still(ctx); lost != nil {
			return nil, false, lost // it read what another was changing
		}
	}
	return kept, fresh, p.w.tied(ctx, p.run, set, err)
}

func (p *publishing) once(ctx context.Context, judged *judged, set setRequest) (kept *reports.Set, fresh bool, err error) {
	if p.waits != nil && !p.boxed {
		if err := p.restage(ctx); err != nil {
			return nil, false, err
		}
	}
	kept, fresh, err = p.w.publishSet(ctx, p, judged, set)
	if err != nil && !p.boxed && p.giveUp(err) {
		if err := p.restage(ctx); err != nil {
			return nil, false, err
		}
		return p.w.publishSet(ctx, p, judged, set)
	}
	return kept, fresh, err
}

// targetGone notes that the target itself failed: the run is kept, and the next one publishes what does not stand.
func (w *Worker) targetGone(s *Summary, err error) bool {
	if err == nil || w.TargetGone == nil || !w.TargetGone(err) {
		return false
	}
	s.Unpublished, s.Gone = append(s.Unpublished, err), true
	return true
}

func unpublishedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d could not be published", n)
}
