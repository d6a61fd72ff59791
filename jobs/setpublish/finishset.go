package setpublish

import (
	"cmp"
	"context"
	"errors"

	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs/publish"
	"concilia/jobs/reportset"
	"concilia/store/published"
)

// updatedSet is what came of publishing a set if it changed.
type updatedSet struct {
	request *reportset.Request
	kept    *published.Set // its current revision; nil: the set has no content
	isFresh bool           // the revision was made now
	totals  report.Totals  // by the rows of its files
	copied  int            // revisions that the target lacked and that were copied to it again
	err     error
}

// updateSets publishes the sets that changed. Each is archived, recorded and delivered while the next one is rendered: the order in which the
// sets are recorded and appear at the target is theirs all the same. note is called with what came of each set, in order, once that has
// ended; an error of note ends it.
func (p *publication) updateSets(ctx context.Context, verdicts *reportset.Verdicts, sets []reportset.Request, note func(*updatedSet) error) error {
	for i := range sets {
		copied := p.copiedRevisions
		rendered, err := p.renderSet(ctx, verdicts, sets[i])
		if err := p.noteFinished(ctx, verdicts, note); err != nil {
			return err
		}
		if err == nil && rendered.made != nil {
			p.beginFinishing(ctx, &sets[i], rendered)
			continue
		}
		u := &updatedSet{request: &sets[i], copied: p.copiedRevisions - copied}
		if err == nil {
			u.kept, u.totals = rendered.current, rendered.totals
		}
		u.err = RecordProof(ctx, p.Ledger, p.run, sets[i], err)
		if err := note(u); err != nil {
			return err
		}
	}
	return p.noteFinished(ctx, verdicts, note)
}

// updateSet publishes one set if it changed.
func (p *publication) updateSet(ctx context.Context, verdicts *reportset.Verdicts, set reportset.Request) (u *updatedSet, err error) {
	err = p.updateSets(ctx, verdicts, []reportset.Request{set}, func(came *updatedSet) error {
		u = came
		return came.err
	})
	return u, err
}

// finishing archives a rendered set and, if this process leads the run, records and delivers it.
type finishing struct {
	*renderedSet
	request *reportset.Request
	earlier published.Set // made as it was before, for sets that are rendered meanwhile
	ended   chan struct{} // closed at the end
	err     error         // known then
}

// waitForEnd waits until the set is finished. It does nothing on nil.
func (f *finishing) waitForEnd() {
	if f != nil {
		<-f.ended
	}
}

// beginFinishing begins to finish a set. There is no other that was not noted.
func (p *publication) beginFinishing(ctx context.Context, request *reportset.Request, rendered *renderedSet) {
	f := &finishing{renderedSet: rendered, request: request, earlier: *rendered.made, ended: make(chan struct{})}
	p.finishing = f
	go func() {
		defer close(f.ended)
		f.err = p.finishSet(ctx, rendered)
	}()
}

// finishSet makes a rendered set a published one, and removes its files from the folder of the session.
func (p *publication) finishSet(ctx context.Context, r *renderedSet) error {
	defer r.outgoing.Remove()
	return p.Ledger.RetryOnOutage(ctx, p.Wall, nil, func() error {
		if r.made.Number == 0 {
			if err := p.Keep(ctx, r.made, r.outgoing); err != nil || p.outcome == nil {
				return err
			}
		}
		return p.recordAndDeliver(ctx, r.made, r.outgoing, "")
	})
}

// noteFinished waits for the set that is being finished, if there is one, and notes what came of it.
func (p *publication) noteFinished(ctx context.Context, verdicts *reportset.Verdicts, note func(*updatedSet) error) error {
	f := p.finishing
	if f == nil {
		return nil
	}
	f.waitForEnd()
	p.finishing = nil
	rendered, err := f.renderedSet, f.err
	if errors.Is(err, published.ErrKept) {
		// A process whose lease was taken over, and which is still running, published the same set first, or the ledger recorded it and was
		// interrupted before it said so.
		if rendered, err = p.renderSet(ctx, verdicts, *f.request); err == nil && rendered.made != nil {
			err = p.finishSet(ctx, rendered)
		}
	}
	u := &updatedSet{request: f.request}
	if err == nil {
		u.kept, u.isFresh, u.totals = cmp.Or(rendered.made, rendered.current), rendered.made != nil, rendered.totals
	}
	if u.isFresh && p.outcome == nil {
		p.madeRevisions = append(p.madeRevisions, u.kept)
	}
	u.err = RecordProof(ctx, p.Ledger, p.run, *f.request, err)
	return note(u)
}

// listMadeEarlier returns revisions that this process rendered and that may not be in the ledger yet.
func (p *publication) listMadeEarlier() []*published.Set {
	made := p.madeRevisions
	if p.finishing != nil {
		made = append(made[:len(made):len(made)], &p.finishing.earlier)
	}
	return made
}

// recordAndDeliver records a revision whose files are archived and copies it to the target. keptBy names the worker
// that archived it; empty: this process.
func (p *publication) recordAndDeliver(ctx context.Context, made *published.Set, outgoing *publish.Outgoing, keptBy string) error {
	if made.Number == 0 { // else the ledger was interrupted later
		if err := p.Record(ctx, made, keptBy); err != nil {
			return err
		}
	}
	err := p.Deliver(ctx, made, outgoing)
	if err == nil || ctx.Err() != nil || publish.IsArchiveError(err) || p.Ledger.IsTransient(err) {
		return err
	}
	return words.NewFault("publish_fault.archived", "", "set", reportset.RevisionName(made), "cause", err)
}
