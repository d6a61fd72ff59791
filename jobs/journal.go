package jobs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/jobs/reportset"
	"concilia/store"
	"concilia/store/books"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/sqldb"
)

// reportJournal renders and publishes the journal of a period, for each account as of its last set of the movement.
func (t *task) reportJournal(ctx context.Context, req *ReportRequest) (*Summary, error) {
	w := t.worker
	formats, err := t.newRequestParser().ParseJournal(req)
	if err != nil {
		return nil, err
	}
	last, err := findLastCuts(ctx, w.Ledger, t.accounts, req.AsOfRun)
	if err != nil {
		return nil, err
	}
	asOf := slices.MaxFunc(last, func(a, b books.Cut) int { return int(a.AsOf - b.AsOf) }).AsOf
	run, err := t.beginRun(ctx, ledger.ReportRun, asOf)
	if err != nil {
		return nil, err
	}
	defer run.release()
	s, publisher := run.newSummary(), run.newSetPublisher()
	for i, a := range t.accounts {
		base, err := w.Ledger.RunByID(ctx, last[i].ToRun)
		if err != nil {
			return nil, err
		}
		set := reportset.Request{
			Name: a.Number.String(), Accounts: []Account{a}, Basis: report.ByPosting, Period: req.Period,
			Kinds: []report.Kind{report.JournalKind, report.ControlKind}, Formats: formats, Requested: true,
		}
		if req.Out != "" {
			err = w.Ledger.RetryOnOutage(ctx, w.Wall, nil, func() error { return publisher.writeJournalExtract(ctx, base, s, set, last[i].Set) })
			if err != nil && !s.noteUnreachable(publisher.publisher, err) {
				return nil, err
			}
			continue
		}
		err = publisher.runPublication(ctx, base, s, func(p *publication) error {
			kept, fresh, err := p.publishJournal(ctx, set, last[i].Set)
			if err != nil {
				return err
			}
			s.noteFiles(w.Reports.Out, kept, fresh)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	s.showWritten()
	if len(s.Unpublished) > 0 {
		s.Verdict = ledger.Incomplete
	}
	return s, run.end(ctx, s, nil)
}

// findLastCuts finds the last cut of each account, or the last that there was when a run had ended.
func findLastCuts(ctx context.Context, l *store.Ledger, accounts []Account, run string) (last []books.Cut, err error) {
	for _, a := range accounts {
		cuts, err := l.Cuts(ctx, a.Number)
		if err != nil {
			return nil, err
		}
		cuts = slices.DeleteFunc(cuts, func(c books.Cut) bool { return run != "" && c.ToRun > run })
		if len(cuts) == 0 {
			return nil, casework.NewRequestError("error.no_movement", "hint.run_first", "account", a.Number)
		}
		last = append(last, cuts[len(cuts)-1])
	}
	return last, nil
}

// writeJournalExtract renders the journal of an account up to a set of the movement, and writes it to the place of the request as a private
// extract.
func (p *setPublisher) writeJournalExtract(ctx context.Context, run *ledger.Run, s *Summary, set reportset.Request, upTo int) error {
	to := p.publisher.NewWriter()
	staging, release, err := to.Stage(ctx)
	if err != nil {
		return err
	}
	defer release()
	job, err := p.newJournalJob(ctx, run, &set, upTo)
	if err != nil {
		return err
	}
	job.Extract = true
	result, err := render.Set(ctx, job, p.newBooks().EntriesOf(set.Accounts[0].Number, &job), export.Target{Staging: staging, Publisher: to})
	if err != nil {
		return fmt.Errorf("journal of account %s, %s: %w", set.Name, set.Period, err)
	}
	for _, f := range result.Files {
		s.Files = append(s.Files, FileSummary{
			Path: joinPlace(p.reports.Out, path.Join(result.Dir, f.Path)), SHA256: f.SHA256, Kind: string(f.Kind), Format: string(f.Format), New: !result.Unchanged,
		})
	}
	return nil
}

// newBooks returns what reads the movement and the journal.
func (p *setPublisher) newBooks() *reportset.BookReader {
	return &reportset.BookReader{Ledger: p.ledger, Unit: p.inputs.Profile.Unit, Calendar: p.inputs.Calendar, JournalFormats: p.movement.Journal}
}

// newJournalJob makes the job of the journal of a period, up to a set of the movement that a run cut.
func (p *setPublisher) newJournalJob(ctx context.Context, run *ledger.Run, set *reportset.Request, upTo int) (job export.Job, err error) {
	a := set.Accounts[0]
	job = export.Job{
		Kinds: set.Kinds, Account: set.Name, Basis: set.Basis, Period: set.Period, Formats: set.Formats, AsOf: run.AsOf,
		Language: p.reports.Language, Service: p.reports.Service, Unit: p.inputs.Profile.Unit, Block: a.Block,
		Facts: export.Facts{Run: run.ID, Engine: run.ProgramVersion},
	}
	job.Journal, err = p.newBooks().NewJournal(ctx, a.Number, p.journal.Chart, set.Period, upTo)
	return job, err
}

// publishJournal renders the journal of an account up to a set of the movement, unless its current revision has the same content.
func (p *publication) publishJournal(ctx context.Context, set reportset.Request, upTo int) (kept *published.Set, fresh bool, err error) {
	a := set.Accounts[0]
	job, err := p.newJournalJob(ctx, p.run, &set, upTo)
	if err != nil {
		return nil, false, err
	}
	kept, err = p.ledger.StandingSet(ctx, set.Name, string(set.Basis), set.Period, "")
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return nil, false, err
	}
	if kept != nil {
		job.Current = &export.CurrentRevision{Revision: kept.Revision, Fingerprints: kept.Tables, Digest: kept.Digest}
	}
	outgoing, err := p.NewOutgoing()
	if err != nil {
		return nil, false, err
	}
	defer outgoing.Remove()
	result, err := render.Set(ctx, job, p.newBooks().EntriesOf(a.Number, &job), export.Target{Staging: p.Staging, Publisher: outgoing})
	if err != nil {
		return nil, false, fmt.Errorf("journal of account %s, %s: %w", set.Name, set.Period, p.StagingFailed(err))
	}
	if result.Unchanged {
		if p.Gone() == nil && p.Lacks(ctx, kept) {
			return kept, false, p.copyLacking(ctx, kept)
		}
		return kept, false, nil
	}
	made := newStoredSet(p.run, set, result)
	if made.Inputs, err = export.InputsOf(&job); err != nil {
		return nil, false, err
	}
	if err := p.Keep(ctx, made, outgoing); err != nil {
		return nil, false, err
	}
	return made, true, p.recordAndDeliver(ctx, made, outgoing, "")
}
