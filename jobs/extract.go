package jobs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/jobs/source"
	"concilia/store/ledger"
)

// isExtract says whether a request is for private files, and refuses what cannot be one. A report to another place than
// reports.out is; and claims are, which no run publishes unless they are configured: what is sent to the operator takes the
// place of nothing that was published. An EDI file has a number that only a revision is given.
func (w *Worker) isExtract(req *ReportRequest, kinds []report.Kind, formats []report.Format) (bool, error) {
	named := len(req.Kinds) > 0
	claims := named && slices.Contains(kinds, report.ClaimsKind) && !slices.Contains(w.Reports.Kinds, report.ClaimsKind)
	if req.AsOfRun != "" || req.Out == "" && !claims {
		return false, nil
	}
	refused := &casework.RequestError{
		Text: "format edi: an extract has no EDI file, since nothing numbers it",
		Hint: "without --out, and without --kind claims, EDI files are published in reports.out",
	}
	switch {
	case len(req.Formats) > 0 && slices.Contains(formats, report.EDI), len(withoutEDI(formats)) == 0:
		return false, refused
	case named && slices.Contains(kinds, report.StatementKind):
		refused.Text = "kind statement: it is an EDI file, and an extract has none, since nothing numbers it"
		return false, refused
	}
	return true, nil
}

// withoutEDI are the formats but for that one.
func withoutEDI(formats []report.Format) []report.Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f report.Format) bool { return f == report.EDI })
}

// writeExtracts renders and proves private extracts and writes them to the target. Neither the ledger nor the archive keeps
// them: no other command writes them anywhere.
func (w *Worker) writeExtracts(ctx context.Context, run *ledger.Run, s *Summary, verdicts *accountVerdicts, sets []setRequest) error {
	if s.Files == nil {
		s.Files = []FileSummary{}
	}
	w.Progress.Step("extract", len(sets))
	to := w.newPublisher().NewWriter()
	staging, release, err := to.Stage(ctx)
	if w.noteTargetGone(s, err) {
		w.Progress.Done("the target is gone")
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	failed := 0
	for i := range sets {
		set := &sets[i]
		err := w.retryOnOutage(ctx, nil, func() error {
			return w.writeExtract(ctx, run, s, verdicts, set, export.Target{Staging: staging, Publisher: to})
		})
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, new(*outageError)):
			return err
		case w.noteTargetGone(s, err):
			w.Progress.Done("the target is gone")
			return nil
		default:
			s.Unpublished = append(s.Unpublished, withTieCode(err))
			failed++
		}
		w.Progress.Advance(1)
	}
	w.Progress.Done(ledger.CountText(len(sets)-failed, "extract", "extracts") + unpublishedText(failed))
	return nil
}

func (w *Worker) writeExtract(
	ctx context.Context, run *ledger.Run, s *Summary, verdicts *accountVerdicts, set *setRequest, target export.Target,
) error {
	job, err := w.newJob(ctx, run, verdicts, *set)
	if err != nil {
		return err
	}
	if !set.isOfAllAccounts() {
		target.Numbers = &source.EDINumbers{Ledger: w.Ledger, Account: set.accounts[0].Number}
	}
	answers, err := w.newReportSource(ctx, run, *set)
	if err != nil {
		return err
	}
	result, err := export.Render(ctx, job, answers, target)
	if err != nil {
		return fmt.Errorf("extract %s %s %s: %w", set.name, set.basis, set.period, err)
	}
	for _, f := range result.Files {
		s.Files = append(s.Files, FileSummary{
			Path: joinPlace(w.Reports.Out, path.Join(result.Dir, f.Path)), SHA256: f.SHA256, Kind: string(f.Kind),
			Format: string(f.Format), New: !result.Unchanged,
		})
	}
	if !set.isOfAllAccounts() {
		s.writtenTotals.Add(result.Totals.Of(job.Kinds))
	}
	return nil
}
