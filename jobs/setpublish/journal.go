package setpublish

import (
	"context"
	"errors"
	"path"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/words"
	"concilia/jobs/reportset"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/sqldb"
)

// WriteJournalExtract renders the journal of an account up to a set of the movement, and writes it to the place of the request as a private
// extract.
func (p *Publisher) WriteJournalExtract(ctx context.Context, run *ledger.Run, out *Outcome, set reportset.Request, upTo int) error {
	err := p.Ledger.RetryOnOutage(ctx, p.Wall, nil, func() error { return p.writeJournalExtract(ctx, run, out, set, upTo) })
	if err != nil && !out.noteUnreachable(p.Files, err) {
		return err
	}
	return nil
}

func (p *Publisher) writeJournalExtract(ctx context.Context, run *ledger.Run, out *Outcome, set reportset.Request, upTo int) error {
	to := p.Files.NewWriter()
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
	result, err := render.Set(ctx, job, p.NewBooks().EntriesOf(set.Accounts[0].Number, &job), export.Target{Staging: staging, Publisher: to})
	if err != nil {
		return words.NewFault("publish_fault.journal", "", "account", set.Name, "period", set.Period, "cause", err)
	}
	for _, f := range result.Files {
		out.Files = append(out.Files, FileSummary{
			Path: joinPlace(p.Reports.Out, path.Join(result.Dir, f.Path)), SHA256: f.SHA256, Kind: string(f.Kind), Format: string(f.Format), New: !result.Unchanged,
		})
	}
	return nil
}

// NewBooks returns what reads the movement and the journal.
func (p *Publisher) NewBooks() *reportset.BookReader {
	return &reportset.BookReader{Ledger: p.Ledger, Unit: p.Inputs.Profile.Unit, Calendar: p.Inputs.Calendar, JournalFormats: p.Movement.Journal}
}

// newJournalJob makes the job of the journal of a period, up to a set of the movement that a run cut.
func (p *Publisher) newJournalJob(ctx context.Context, run *ledger.Run, set *reportset.Request, upTo int) (job export.Job, err error) {
	a := set.Accounts[0]
	job = export.Job{
		Kinds: set.Kinds, Account: set.Name, Basis: set.Basis, Period: set.Period, Formats: set.Formats, AsOf: run.AsOf,
		Language: p.Reports.Language, Service: p.Reports.Service, Unit: p.Inputs.Profile.Unit, Block: a.Block,
		Facts: export.Facts{Run: run.ID, Engine: run.ProgramVersion},
	}
	job.Journal, err = p.NewBooks().NewJournal(ctx, a.Number, p.Journal.Chart, set.Period, upTo)
	return job, err
}

// PublishJournal publishes the journal of an account up to a set of the movement, unless its current revision has the same content.
func (p *Publisher) PublishJournal(ctx context.Context, run *ledger.Run, out *Outcome, set reportset.Request, upTo int) error {
	return p.runPublication(ctx, run, out, func(p *publication) error {
		kept, fresh, err := p.publishJournal(ctx, set, upTo)
		if err != nil {
			return err
		}
		out.noteFiles(p.Reports.Out, kept, fresh)
		return nil
	})
}

// publishJournal renders the journal of an account up to a set of the movement, unless its current revision has the same content.
func (p *publication) publishJournal(ctx context.Context, set reportset.Request, upTo int) (kept *published.Set, fresh bool, err error) {
	a := set.Accounts[0]
	job, err := p.newJournalJob(ctx, p.run, &set, upTo)
	if err != nil {
		return nil, false, err
	}
	kept, err = p.Ledger.StandingSet(ctx, set.Name, string(set.Basis), set.Period, "")
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
	result, err := render.Set(ctx, job, p.NewBooks().EntriesOf(a.Number, &job), export.Target{Staging: p.Staging, Publisher: outgoing})
	if err != nil {
		return nil, false, words.NewFault("publish_fault.journal", "", "account", set.Name, "period", set.Period, "cause", p.StagingFailed(err))
	}
	if result.Unchanged {
		if p.Gone() == nil && p.Lacks(ctx, kept) {
			return kept, false, p.copyLacking(ctx, kept)
		}
		return kept, false, nil
	}
	made := NewStoredSet(p.run, set, result)
	if made.Inputs, err = export.InputsOf(&job); err != nil {
		return nil, false, err
	}
	if err := p.Keep(ctx, made, outgoing); err != nil {
		return nil, false, err
	}
	return made, true, p.recordAndDeliver(ctx, made, outgoing, "")
}
