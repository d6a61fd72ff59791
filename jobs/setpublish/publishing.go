package setpublish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"concilia/export/control"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs/publish"
	"concilia/jobs/pull"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
)

// Publisher renders, proves, archives and publishes report sets. All fields are required.
type Publisher struct {
	Ledger   *store.Ledger
	Accounts []reportset.Account
	Files    *publish.Publisher // the archive and the target
	Reports  *reportset.Settings
	Inputs   *reconcile.Inputs
	Movement *MovementSettings
	Journal  *setplan.JournalSettings
	// NewBuilder returns what describes the rendering of a set.
	NewBuilder func(*ledger.Run, *reportset.Verdicts, reportset.Request) *reportset.Builder
	Queue      pull.Queue       // of the units that render an account's sets
	Wall       func() time.Time // wall clock
	Progress   pull.Progress
}

// PublishSets renders, proves, archives and publishes each set, after the deliveries that wait for the target.
func (p *Publisher) PublishSets(ctx context.Context, run *ledger.Run, out *Outcome, verdicts *reportset.Verdicts, sets []reportset.Request) error {
	return p.runPublication(ctx, run, out, func(p *publication) error {
		if len(sets) == 0 {
			return nil
		}
		p.Progress.Step("publish", len(sets))
		if err := p.publishEach(ctx, verdicts, sets); err != nil {
			return err
		}
		p.endStep(len(sets))
		return nil
	})
}

// PublishNight publishes the sets of a nightly run and the next set of the movement of each account, after the deliveries that wait for the
// target.
func (p *Publisher) PublishNight(ctx context.Context, run *ledger.Run, out *Outcome, verdicts *reportset.Verdicts, sets []reportset.Request) error {
	return p.runPublication(ctx, run, out, func(p *publication) error {
		if err := (&nightlyPublication{p, verdicts}).publishSets(ctx, sets); err != nil {
			return err
		}
		return p.publishMovement(ctx, verdicts)
	})
}

// DeliverWaiting copies what waits to the target if there is nothing else to publish.
func (p *Publisher) DeliverWaiting(ctx context.Context, run *ledger.Run, out *Outcome) error {
	waiting, err := p.Ledger.WaitingSets(ctx)
	if err != nil || len(waiting) == 0 {
		return err
	}
	return p.PublishSets(ctx, run, out, nil, nil)
}

// runPublication calls fn to publish sets, after what waited was copied to the target. A set that cannot be published
// is noted and does not stop the others; the end of ctx stops all. If the target becomes unreachable, what is archived
// waits for it; if the archive does, everything stops.
func (p *Publisher) runPublication(ctx context.Context, run *ledger.Run, out *Outcome, fn func(*publication) error) error {
	if out.Files == nil {
		out.Files = []FileSummary{}
	}
	session, err := p.Files.Open(ctx, true)
	if out.noteArchiveError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer session.Close()
	if len(session.Warning) > 0 {
		p.Progress.Step("archive", 0)
		p.Progress.Done(session.Warning...)
	}
	session.GiveUp(out.targetError)
	publishing := &publication{Session: session, Publisher: p, run: run, outcome: out, sums: out.Sums, rows: &reportset.CardRows{}, triedDeliveries: map[int64]bool{}}
	if err = session.Sweep(ctx); err == nil {
		err = publishing.copyWaiting(ctx)
	}
	if err == nil {
		err = fn(publishing)
	}
	if err == nil && session.Gone() == nil {
		err = p.UpdateIndexes(ctx, out.Away > 0)
	}
	out.noteTargetGone(session.Gone())
	if out.noteArchiveError(err) {
		return nil
	}
	return err
}

// UpdateIndexes replaces the pages that lead to the files of the target, of all accounts and of each, where they have changed. They
// are made from what the ledger knows was delivered there; if the target lacked something, each set is looked for. Reports are whole
// without them, so a failure is only reported.
func (p *Publisher) UpdateIndexes(ctx context.Context, lacked bool) error {
	if p.Files.Target == nil {
		return nil
	}
	err := (&publish.Indexer{Publisher: p.Files, Language: p.Reports.Language, Names: p.Reports.Names, Lacked: lacked}).WriteIndexes(ctx)
	if err == nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p.Progress.Step("index", 0)
	p.Progress.Done(words.NewMessage("steps.index", "cause", err))
	return nil
}

// publication publishes the sets of one run.
type publication struct {
	*publish.Session
	*Publisher
	run     *ledger.Run
	outcome *Outcome // nil: another process leads the run and records what is rendered

	sums            *source.RunSums     // of the run; nil: not remembered
	rows            *reportset.CardRows // of the run's sets; nil: not remembered
	states          reportset.States    // of the run's accounts
	copiesDays      bool                // of the set that was begun last: sale days are copied from its current revision
	finishing       *finishing          // the set that was rendered last; nil: none, or it was noted
	triedDeliveries map[int64]bool      // publications whose delivery was tried
	madeRevisions   []*published.Set    // by this worker of the unit, for another process to record
	newSets         int                 // sets
	failedSets      int                 // sets
	copiedRevisions int                 // revisions that the target lacked and that were copied to it again
}

// copyWaiting copies what waits to the target, in the order of publication. A set of the movement waits for that before it.
func (p *publication) copyWaiting(ctx context.Context) error {
	waiting, err := p.Ledger.WaitingSets(ctx)
	if err != nil || len(waiting) == 0 {
		return err
	}
	p.Progress.Step("deliver", len(waiting))
	delivered := 0
	held := map[string]bool{} // accounts of which a set of the movement could not be delivered
	for _, kept := range waiting {
		p.triedDeliveries[kept.Number] = true
		moves := kept.Basis == string(report.ByMovement)
		if moves && held[kept.Account] {
			continue
		}
		err := p.Deliver(ctx, kept, nil)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case publish.IsArchiveError(err):
			return err
		case err != nil:
			held[kept.Account] = held[kept.Account] || moves
			p.outcome.Unpublished = append(p.outcome.Unpublished, words.NewFault("publish_fault.set_waiting", "", "set", reportset.RevisionName(kept), "cause", err))
			continue
		case p.Gone() != nil:
		default:
			p.outcome.noteSet(kept, false)
			for _, f := range kept.Files {
				p.outcome.Files = append(p.outcome.Files, newFileSummary(p.Reports.Out, f, true))
			}
			delivered++
			p.Progress.Advance(1)
			continue
		}
		break
	}
	p.Progress.Done(words.NewMessage("steps.delivered", "published", words.NewMessage("steps.set_that_waited", "n", delivered), "waiting", words.NewMessage("steps.still_waiting", "n", len(waiting)-delivered)))
	return nil
}

// publishEach publishes one set after another and notes the results.
func (p *publication) publishEach(ctx context.Context, verdicts *reportset.Verdicts, sets []reportset.Request) error {
	return p.updateSets(ctx, verdicts, sets, func(u *updatedSet) error {
		switch {
		case u.err == nil:
			if err := p.noteSetFiles(ctx, u.request, u.kept, u.isFresh, u.copied > 0); err != nil {
				return err
			}
			p.noteLacking(ctx, u.kept, u.isFresh)
			if !u.request.IsOfAllAccounts() {
				p.outcome.WrittenTotals.Add(u.totals)
			}
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(u.err, new(*store.OutageError)), publish.IsArchiveError(u.err):
			return u.err // every other set would fail too
		default:
			p.outcome.Unpublished = append(p.outcome.Unpublished, withTieCode(u.err))
			p.failedSets++
		}
		if u.isFresh {
			p.newSets++
		}
		p.Progress.Advance(1)
		return nil
	})
}

// noteSetFiles lists the files of a set in the summary. The files of a requested set that did not change may be from
// several revisions: those that answer the request are listed. copied reports that they were written to the target
// again.
func (p *publication) noteSetFiles(ctx context.Context, set *reportset.Request, kept *published.Set, fresh, copied bool) error {
	if !set.Requested || fresh {
		p.outcome.noteFiles(p.Reports.Out, kept, fresh)
		return nil
	}
	all, err := p.Ledger.Revisions(ctx, kept.Account, kept.Basis, kept.Period, kept.Filter, "")
	if err != nil {
		return err
	}
	p.outcome.noteSet(kept, false)
	for _, f := range publish.CurrentFiles(all) {
		if set.IncludesFile(f) {
			p.outcome.Files = append(p.outcome.Files, newFileSummary(p.Reports.Out, f, copied))
		}
	}
	return nil
}

// withTieCode adds the code to the error of a set that was refused because its files and the ledger differ.
func withTieCode(err error) error {
	var tie *control.MismatchError
	if errors.As(err, &tie) {
		return fmt.Errorf("REPORT_TIE_FAILED %w", err)
	}
	return err
}

// endStep ends the step of publishing.
func (p *publication) endStep(sets int, also ...words.Message) {
	results := []words.Message{words.NewMessage("steps.published", "sets", words.NewMessage("counts.set", "n", sets), "new", p.newSets,
		"standing", words.NewMessage("steps.standing_set", "n", sets-p.newSets-p.failedSets), "unpublished", unpublishedText(p.failedSets))}
	if p.copiedRevisions > 0 {
		results = append(results, words.NewMessage("steps.copied_again", "n", p.copiedRevisions))
	}
	if p.outcome.Away > 0 {
		results = append(results, words.NewMessage("steps.lacking", "sets", words.NewMessage("steps.set_lacking", "n", p.outcome.Away), "run", p.run.ID))
	}
	if p.Gone() != nil {
		results = append(results, words.NewMessage("steps.target_gone"))
	}
	p.Progress.Done(append(results, also...)...)
}

// noteLacking counts a current revision that the target lacks. A run does not write it again, because people who move
// files away as they come would get them twice.
func (p *publication) noteLacking(ctx context.Context, kept *published.Set, fresh bool) {
	if !fresh && p.outcome.targetError == nil && p.Lacks(ctx, kept) {
		p.outcome.Away++
	}
}

// copyLacking copies the revisions with the current files of a requested set to the target again, where it lacks them.
func (p *publication) copyLacking(ctx context.Context, kept *published.Set) error {
	all, err := p.Ledger.Revisions(ctx, kept.Account, kept.Basis, kept.Period, kept.Filter, "")
	if err != nil {
		return err
	}
	for _, one := range slices.Backward(publish.CurrentRevisions(all)) {
		if !p.Lacks(ctx, one) {
			continue
		}
		if err := p.Deliver(ctx, one, nil); err != nil {
			return err
		}
		p.copiedRevisions++
	}
	return nil
}

func unpublishedText(n int) words.Message {
	if n == 0 {
		return words.Message{}
	}
	return words.NewMessage("steps.not_published", "unpublished", n)
}
