package setpublish

import (
	"context"
	"errors"
	"path"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/words"
	"concilia/jobs/publish"
	"concilia/jobs/reportset"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/sqldb"
)

// renderedSet is a set that was rendered, or need not be.
type renderedSet struct {
	current  *published.Set    // its revision, where that stays; nil: the set has no content
	made     *published.Set    // the next revision, which is not archived yet; nil: the current one stays
	outgoing *publish.Outgoing // the files of made
	totals   report.Totals     // by the rows of its files
}

// renderSet renders a set that changed. If the ledger interrupts it, it is repeated; if it fails with days that were copied, every row is
// read.
func (p *publication) renderSet(ctx context.Context, verdicts *reportset.Verdicts, set reportset.Request) (r *renderedSet, err error) {
	err = p.Ledger.RetryOnOutage(ctx, p.Wall, nil, func() (err error) {
		r, err = p.tryRender(ctx, verdicts, set)
		if err != nil && p.copiesDays && ctx.Err() == nil && !publish.IsArchiveError(err) {
			set.EveryRow = true
			r, err = p.tryRender(ctx, verdicts, set)
		}
		return err
	})
	if errors.As(err, new(*control.MismatchError)) {
		if lost := p.Allowed(ctx); lost != nil {
			return nil, lost // another process changed what was read
		}
	}
	return r, err
}

// tryRender renders a set, unless its current revision has the same content.
func (p *publication) tryRender(ctx context.Context, verdicts *reportset.Verdicts, set reportset.Request) (*renderedSet, error) {
	set.MadeEarlier = p.listMadeEarlier()
	builder := p.NewBuilder(p.run, verdicts, set)
	builder.Sums = p.sums
	job, err := builder.DescribeJob(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := p.Ledger.StandingSet(ctx, set.Name, string(set.Basis), set.Period, set.Filter.Canonical())
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return nil, err
	}
	if kept != nil {
		job.Current = &export.CurrentRevision{Revision: kept.Revision, Fingerprints: kept.Tables, Digest: kept.Digest}
	}
	state, err := builder.NameState(ctx, &p.states, &job)
	if err != nil {
		return nil, err
	}
	if kept != nil && state != "" && kept.State == state {
		return &renderedSet{current: kept}, p.deliverUnchanged(ctx, &set, kept)
	}
	answers, drop, err := p.newAnswers(ctx, builder, &job, kept)
	if err != nil {
		return nil, err
	}
	defer drop()
	job.ExpectsRevision = expectsRevision(&job, state, p.run.AsOf)
	if job.ExpectsRevision {
		defer sumAhead(ctx, answers, &job)()
	}
	described := job
	job.CollectFacts = builder.CollectFactsInto(&described)
	r, result, err := p.renderFiles(ctx, &set, job, answers)
	if err != nil {
		return nil, err
	}
	if r.made == nil {
		r.current = kept
		return r, errors.Join(p.keepState(ctx, kept, state), p.deliverUnchanged(ctx, &set, kept))
	}
	r.made.State = state
	if r.made.Inputs, err = export.InputsOf(&described); err == nil {
		r.made.Days, err = builder.EncodeDays(result.Days)
	}
	if err != nil {
		r.outgoing.Remove()
		return nil, words.NewFault("publish_fault.set", "", "set", reportset.RevisionName(r.made), "cause", err)
	}
	return r, nil
}

// renderFiles renders and proves the files of a set into a folder for them, which is removed if its current revision has the same content.
func (p *publication) renderFiles(
	ctx context.Context, set *reportset.Request, job export.Job, answers *source.ReportSource,
) (*renderedSet, export.Result, error) {
	outgoing, err := p.NewOutgoing()
	if err != nil {
		return nil, export.Result{}, err
	}
	target := export.Target{Staging: p.Staging, Publisher: outgoing}
	if !set.IsOfAllAccounts() {
		a := set.Accounts[0]
		target.Numbers = &source.EDINumbers{Ledger: p.Ledger, Account: a.Number, Agreement: a.Block.Bank.Agreement}
	}
	result, err := render.Set(ctx, job, answers, target)
	if err != nil {
		outgoing.Remove()
		return nil, result, words.NewFault("publish_fault.set_of", "", "set", set.Name, "basis", set.Basis, "period", set.Period, "cause", p.StagingFailed(err))
	}
	p.rows.KeepAccountRows(set, result.CardRows)
	r := &renderedSet{totals: result.Totals.Of(job.Kinds)}
	if result.Unchanged {
		outgoing.Remove()
		return r, result, nil
	}
	r.made, r.outgoing = NewStoredSet(p.run, *set, result), outgoing
	return r, result, nil
}

// useSaleDays has the sale days of a set that did not move since its current revision copied from the files of that in the archive. drop
// removes what was fetched. What the archive lost is read from the ledger.
func (p *publication) useSaleDays(
	ctx context.Context, b *reportset.Builder, job *export.Job, answers *source.ReportSource, current *published.Set,
) (drop func(), err error) {
	drop, p.copiesDays = func() {}, false
	days, err := b.FindSaleDays(ctx, &p.states, job, current)
	if err != nil || days == nil {
		return drop, err
	}
	paths := make(map[string]string)
	if files, ok := days.ListFiles(current); ok {
		if paths, drop, err = p.FetchAll(ctx, files); err != nil && !publish.IsLostInArchive(err) {
			return drop, err
		}
	}
	days.Use(job, answers, paths)
	p.copiesDays = job.CopiesDays()
	return drop, nil
}

// newAnswers returns the source of a set's rows, and has the job take over what is known of them: from sets of the run, and from the
// current revision. drop removes what was fetched of that.
func (p *publication) newAnswers(
	ctx context.Context, b *reportset.Builder, job *export.Job, current *published.Set,
) (answers *source.ReportSource, drop func(), err error) {
	answers, err = b.NewReportSource(ctx)
	if err != nil {
		return nil, nil, err
	}
	answers.Known, answers.MonthSides = p.sums, job.Months
	if job.CardRows = p.rows.FindRowsForAll(&b.Set); job.CardRows != nil {
		answers.Taken = make(map[ledger.Account]bool)
		for a := range job.CardRows {
			answers.Taken[a] = true
		}
	}
	drop, err = p.useSaleDays(ctx, b, job, answers, current)
	return answers, drop, err
}

// deliverUnchanged copies what the target lacks of a current revision: a delivery that this run left, or what a person asks for.
func (p *publication) deliverUnchanged(ctx context.Context, set *reportset.Request, kept *published.Set) error {
	p.finishing.waitForEnd()
	if kept.Waiting && kept.Run == p.run.ID && p.outcome != nil && !p.triedDeliveries[kept.Number] {
		return p.Deliver(ctx, kept, nil) // the ledger was unavailable after it was recorded
	}
	if set.Requested && p.Gone() == nil && p.Lacks(ctx, kept) {
		return p.copyLacking(ctx, kept)
	}
	return nil
}

// keepState records what an unchanged revision was compared with, unless it is recorded.
func (p *publication) keepState(ctx context.Context, kept *published.Set, state string) error {
	if state == "" || kept.State == state {
		return nil
	}
	if err := p.Allowed(ctx); err != nil {
		return err
	}
	return p.Ledger.NoteState(ctx, kept, state)
}

// expectsRevision reports whether a set will most likely be written: it never was, what it follows from is another than then, or it is
// a period that still grows.
func expectsRevision(job *export.Job, state string, asOf ledger.Date) bool {
	grows := job.Basis != report.ByAsOf && job.Period.To >= asOf-1
	return job.Current == nil || state != "" || grows
}

// sumAhead has the ledger sum the tables of a set that will most likely be written.
func sumAhead(ctx context.Context, answers *source.ReportSource, job *export.Job) (stop func()) {
	var tables []string
	for _, k := range job.Kinds {
		if k == report.ControlKind {
			continue
		}
		for _, t := range kindlist.TablesOf(k) {
			tables = append(tables, t.ID)
		}
	}
	return answers.SumAhead(ctx, tables)
}

// NewStoredSet returns the ledger's row of a published revision.
func NewStoredSet(run *ledger.Run, set reportset.Request, r export.Result) *published.Set {
	kept := &published.Set{
		Account: set.Name, Basis: string(set.Basis), Period: set.Period, Filter: set.Filter.Canonical(),
		Revision: r.Revision, Run: run.ID, AsOf: run.AsOf, Digest: r.Digest, Tables: r.Fingerprints,
	}
	for _, f := range r.Files {
		kept.Files = append(kept.Files, publish.NewStoredFile(r.Dir, r.Revision, &f))
	}
	kept.Manifest = published.File{Path: path.Join(r.Dir, r.Manifest), Kind: "manifest", Format: "json", Revision: r.Revision}
	return kept
}
