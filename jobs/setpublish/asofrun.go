package setpublish

import (
	"context"
	"slices"

	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs/publish"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
	"concilia/store/ledger"
)

// CopyAsOf copies what was published. private copies go to another place than reports.out.
func (p *Publisher) CopyAsOf(ctx context.Context, out *Outcome, then *ledger.Run, sets []setplan.AsOfSet, private bool) error {
	if !slices.ContainsFunc(sets, func(set setplan.AsOfSet) bool { return len(set.Revisions) > 0 || set.Fault != nil }) {
		return nil
	}
	p.Progress.Step("copy", len(sets))
	session, err := p.Files.Open(ctx, true)
	if out.noteArchiveError(err) {
		p.Progress.Done(words.NewMessage("steps.no_archive"))
		return nil
	}
	if err != nil {
		return err
	}
	defer session.Close()
	copied := 0
	for i := range sets {
		set := &sets[i]
		if set.Request.Extract {
			continue
		}
		err := set.Fault
		if err == nil {
			err = p.copySet(ctx, out, session, set, private)
		}
		switch {
		case err == nil:
			copied++
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case private && publish.IsLostInArchive(err) && len(reportset.WithoutEDI(set.Request.Formats)) > 0:
			// Copies of its other files stay with what is rendered of it.
			set.Request.Extract, set.Request.Formats = true, reportset.WithoutEDI(set.Request.Formats)
		case out.noteArchiveError(err):
			p.Progress.Done(words.NewMessage("steps.no_archive"))
			return nil
		case out.noteUnreachable(p.Files, err):
			p.Progress.Done(words.NewMessage("steps.no_target"))
			return nil
		default:
			out.Unpublished = append(out.Unpublished, words.NewFault("publish_fault.as_of_run", "", "run", then.ID, "set", set.Request.Name, "basis", set.Request.Basis, "period", set.Request.Period, "cause", err))
		}
		p.Progress.Advance(1)
	}
	p.Progress.Done(words.NewMessage("steps.copied", "sets", words.NewMessage("counts.set", "n", copied), "run", then.ID, "unpublished", unpublishedText(len(out.Unpublished))))
	if private {
		return nil
	}
	return p.UpdateIndexes(ctx, false) // what was brought back is there again
}

// copySet copies the revisions of a set, the oldest first.
func (p *Publisher) copySet(ctx context.Context, out *Outcome, session *publish.Session, set *setplan.AsOfSet, private bool) error {
	for _, kept := range set.Revisions {
		fresh := !session.Has(ctx, kept)
		if err := session.Copy(ctx, kept); err != nil {
			return err
		}
		if !private {
			if err := publish.UndoRetirement(ctx, p.Ledger, p.Files.Target, kept); err != nil {
				return err
			}
			if err := session.NoteDelivered(ctx, kept); err != nil {
				return err
			}
		}
		out.noteSet(kept, false)
		for _, f := range kept.Files {
			out.Files = append(out.Files, newFileSummary(p.Reports.Out, f, fresh))
		}
	}
	if set.Request.IsOfAllAccounts() || set.Request.Basis == report.ByAsOf {
		return nil // all accounts have the same rows again; a state has no totals
	}
	newest := slices.Clone(set.Revisions)
	slices.Reverse(newest)
	return p.addClosedTotals(ctx, out, &set.Request, newest)
}

// RenderAsOf renders extracts of what was not published as of the run.
func (p *Publisher) RenderAsOf(ctx context.Context, out *Outcome, then *ledger.Run, verdicts *reportset.Verdicts, sets []setplan.AsOfSet) error {
	var requests []reportset.Request
	for i := range sets {
		if sets[i].Request.Extract {
			requests = append(requests, sets[i].Request)
		}
	}
	if len(requests) == 0 || out.Gone {
		return nil
	}
	return p.WriteExtracts(ctx, then, out, verdicts, requests)
}
