package setpublish

import (
	"context"
	"errors"
	"path"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/words"
	"concilia/jobs/reportset"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/ledger"
)

// WriteExtracts renders and proves private extracts and writes them to the target. Neither the ledger nor the archive
// has them, so no other command can write them again.
func (p *Publisher) WriteExtracts(ctx context.Context, run *ledger.Run, out *Outcome, verdicts *reportset.Verdicts, sets []reportset.Request) error {
	if out.Files == nil {
		out.Files = []FileSummary{}
	}
	p.Progress.Step("extract", len(sets))
	to := p.Files.NewWriter()
	staging, release, err := to.Stage(ctx)
	if out.noteUnreachable(p.Files, err) {
		p.Progress.Done(words.NewMessage("steps.no_target"))
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	failed := 0
	for i := range sets {
		set := &sets[i]
		err := p.Ledger.RetryOnOutage(ctx, p.Wall, nil, func() error {
			return p.writeExtract(ctx, run, out, verdicts, set, export.Target{Staging: staging, Publisher: to})
		})
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, new(*store.OutageError)):
			return err
		case out.noteUnreachable(p.Files, err):
			p.Progress.Done(words.NewMessage("steps.no_target"))
			return nil
		default:
			out.Unpublished = append(out.Unpublished, withTieCode(err))
			failed++
		}
		p.Progress.Advance(1)
	}
	p.Progress.Done(words.NewMessage("steps.extracts", "extracts", words.NewMessage("steps.extract", "n", len(sets)-failed), "unpublished", unpublishedText(failed)))
	return nil
}

func (p *Publisher) writeExtract(
	ctx context.Context, run *ledger.Run, out *Outcome, verdicts *reportset.Verdicts, set *reportset.Request, target export.Target,
) error {
	builder := p.NewBuilder(run, verdicts, *set)
	job, err := builder.NewJob(ctx)
	if err != nil {
		return err
	}
	if !set.IsOfAllAccounts() {
		target.Numbers = &source.EDINumbers{Ledger: p.Ledger, Account: set.Accounts[0].Number}
	}
	answers, err := builder.NewReportSource(ctx)
	if err != nil {
		return err
	}
	answers.MonthSides = job.Months
	result, err := render.Set(ctx, job, answers, target)
	if err != nil {
		return words.NewFault("publish_fault.extract", "", "set", set.Name, "basis", set.Basis, "period", set.Period, "cause", err)
	}
	for _, f := range result.Files {
		out.Files = append(out.Files, FileSummary{
			Path: joinPlace(p.Reports.Out, path.Join(result.Dir, f.Path)), SHA256: f.SHA256, Kind: string(f.Kind),
			Format: string(f.Format), New: !result.Unchanged,
		})
	}
	if !set.IsOfAllAccounts() {
		out.WrittenTotals.Add(result.Totals.Of(job.Kinds))
	}
	return nil
}
