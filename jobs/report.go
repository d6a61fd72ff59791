package jobs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/jobs/casework"
	"concilia/jobs/publish"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// ReportSettings is the configuration of reports.
type ReportSettings struct {
	Kinds      []report.Kind
	Formats    []report.Format
	Bases      []report.Basis
	Language   table.Language
	ConsoleURL string // where the console is reached; empty: nowhere
	Service    string // what the reports call the payment service; empty: "a operadora"
	Identified []report.Kind
	EDIProfile export.EDIProfile
	// StrictBank refuses EDI files for banks whose readers deviate from the standard columns.
	StrictBank bool
	// NetStatement posts slips in a statement net of their tariff (reports.edi.statement: net).
	NetStatement bool
	// EDIAtClose leaves EDI files out of the month sets of nights: those get them when the month is closed, or a report asks for them.
	EDIAtClose   bool
	ForecastDays int    // calendar days that the cash forecast covers
	Out          string // place of the target, as it is configured
	// Names are those of all configured accounts by number, also of those that a run leaves out.
	Names map[string]string
}

// digestText identifies the settings that decide what a set shows, without those of a single machine.
func (r *ReportSettings) digestText() []byte {
	return fmt.Appendf(nil, "kinds: %q\nformats: %q\nbasis: %q\nlanguage: %q\nservice: %q\nidentified: %q\nedi: %q strict %t net %t at close %t\nforecast days: %d\n",
		r.Kinds, r.Formats, r.Bases, r.Language, r.Service, r.Identified, r.EDIProfile, r.StrictBank, r.NetStatement, r.EDIAtClose, r.ForecastDays)
}

// monthFormats are the formats of the month sets of a night.
func (r *ReportSettings) monthFormats() []report.Format {
	if r.EDIAtClose {
		return withoutEDI(r.Formats)
	}
	return r.Formats
}

// Target is where reports are published, with a staging directory for files that are not proven yet.
type Target = publish.Target

// setRequest is one set to publish.
type setRequest struct {
	name     string // the account's digits, or export.AllAccounts
	accounts []Account
	basis    report.Basis
	period   ledger.Period
	kinds    []report.Kind
	formats  []report.Format
	filter   report.Filter
	// hidden are the accounts of a set over all that have no rows in it, and why.
	hidden []export.AccountFacts
	// requested: a person requested the files, so a current revision is copied to the target again where it is missing.
	requested bool
	// extract: the files are private, without a revision.
	extract bool
	// madeEarlier are revisions of the account that this worker rendered before and that another process will record.
	madeEarlier []*reports.Set
	// inputs are those of the past run as of which the set is rendered; nil: the worker's.
	inputs *reconcile.Inputs
	// voice is how its texts are worded; nil: as configured.
	voice *catalogue.Voice
}

// containsDay reports whether the rows of a day belong to the set; every day belongs to a set of a state.
func (s *setRequest) containsDay(d ledger.Date) bool {
	return s.basis == report.ByAsOf || s.period.Contains(d)
}

// queryFor selects the account's rows of the set, as of the run.
func (s *setRequest) queryFor(run *ledger.Run, a ledger.Account) reports.Query {
	return reports.Query{
		Account: a, Basis: string(s.basis), Period: s.period, Brands: s.filter.Brands, Classes: s.filter.Classes, AsOfRun: run.ID,
	}
}

// isOfAllAccounts reports whether the set is over all accounts of the run, even if only one of them is shown.
func (s *setRequest) isOfAllAccounts() bool { return s.name == manifest.AllAccounts }

// publishSet renders a set, unless its current revision has the same content; then it archives the files and, if this
// process leads the run, records and delivers the revision. A worker keeps the revision in p.madeRevisions instead.
func (p *publication) publishSet(ctx context.Context, verdicts *accountVerdicts, set setRequest) (kept *reports.Set, fresh bool, err error) {
	w := p.w
	set.madeEarlier = p.madeRevisions
	builder := w.newJobBuilder(p.run, verdicts, set)
	builder.sums = p.sums
	job, err := builder.describeJob(ctx)
	if err != nil {
		return nil, false, err
	}
	kept, err = w.Ledger.StandingSet(ctx, set.name, string(set.basis), set.period, set.filter.Canonical())
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return nil, false, err
	}
	if kept != nil {
		job.Current = &export.CurrentRevision{Revision: kept.Revision, Fingerprints: kept.Tables, Digest: kept.Digest}
	}
	state, err := p.nameState(ctx, builder, &job)
	if err != nil {
		return nil, false, err
	}
	if kept != nil && state != "" && kept.State == state {
		return kept, false, p.deliverUnchanged(ctx, &set, kept)
	}
	answers, err := p.newAnswers(ctx, builder, &job)
	if err != nil {
		return nil, false, err
	}
	defer sumAhead(ctx, answers, &job, p.run.AsOf)()
	described := job
	job.CollectFacts = builder.collectFactsInto(&described)
	outgoing, err := p.NewOutgoing()
	if err != nil {
		return nil, false, err
	}
	defer outgoing.Remove()
	target := export.Target{Staging: p.Staging, Publisher: outgoing}
	if !set.isOfAllAccounts() {
		a := set.accounts[0]
		target.Numbers = &source.EDINumbers{Ledger: w.Ledger, Account: a.Number, Agreement: a.Block.Bank.Agreement}
	}
	result, err := render.Set(ctx, job, answers, target)
	if err != nil {
		return nil, false, fmt.Errorf("set %s %s %s: %w", set.name, set.basis, set.period, p.StagingFailed(err))
	}
	p.renderedTotals = result.Totals.Of(job.Kinds)
	p.rows.keepAccountRows(&set, result.CardRows)
	if result.Unchanged {
		return kept, false, errors.Join(p.keepState(ctx, kept, state), p.deliverUnchanged(ctx, &set, kept))
	}
	made := newStoredSet(p.run, set, result)
	made.State = state
	if made.Inputs, err = export.InputsOf(&described); err != nil {
		return nil, false, fmt.Errorf("set %s: %w", revisionName(made), err)
	}
	if err := p.Keep(ctx, made, outgoing); err != nil {
		return nil, false, err
	}
	if p.summary == nil {
		p.madeRevisions = append(p.madeRevisions, made)
		return made, true, nil
	}
	return made, true, p.recordAndDeliver(ctx, made, outgoing, "")
}

// newAnswers returns the source of a set's rows, and has the job take over what is known of them.
func (p *publication) newAnswers(ctx context.Context, b *jobBuilder, job *export.Job) (*source.ReportSource, error) {
	answers, err := b.newReportSource(ctx)
	if err != nil {
		return nil, err
	}
	answers.Known, answers.MonthSides = p.sums, job.Months
	if job.CardRows = p.rows.findRowsForAll(&b.set); job.CardRows != nil {
		answers.Taken = make(map[ledger.Account]bool)
		for a := range job.CardRows {
			answers.Taken[a] = true
		}
	}
	return answers, nil
}

// deliverUnchanged copies what the target lacks of a revision that stands: a delivery that this run left, or what a person asks for.
func (p *publication) deliverUnchanged(ctx context.Context, set *setRequest, kept *reports.Set) error {
	if kept.Waiting && kept.Run == p.run.ID && p.summary != nil && !p.triedDeliveries[kept.Number] {
		return p.Deliver(ctx, kept, nil) // the ledger was unavailable after it was recorded
	}
	if set.requested && p.Gone() == nil && p.Lacks(ctx, kept) {
		return p.copyLacking(ctx, kept)
	}
	return nil
}

// sumAhead has the ledger sum the tables of a set of a period that will most likely be written: it never was, or it still grows.
func sumAhead(ctx context.Context, answers *source.ReportSource, job *export.Job, asOf ledger.Date) (stop func()) {
	if job.Basis == report.ByAsOf || job.Current != nil && job.Period.To < asOf-1 {
		return func() {}
	}
	var tables []string
	for _, k := range job.Kinds {
		if k == report.ControlKind {
			continue
		}
		for _, t := range k.Tables() {
			tables = append(tables, t.ID)
		}
	}
	return answers.SumAhead(ctx, tables)
}

// recordAndDeliver records a revision whose files are archived and copies it to the target. keptBy names the worker
// that archived it; empty: this process.
func (p *publication) recordAndDeliver(ctx context.Context, made *reports.Set, outgoing *publish.Outgoing, keptBy string) error {
	if err := p.Record(ctx, made, keptBy); err != nil {
		return err
	}
	err := p.Deliver(ctx, made, outgoing)
	if err == nil || ctx.Err() != nil || publish.IsArchiveError(err) || p.w.Ledger.IsTransient(err) {
		return err
	}
	return fmt.Errorf("set %s is archived, and waits: %w", revisionName(made), err)
}

// noteFiles lists the files of a revision that is current, or was made now and does not wait for the target.
func (w *Worker) noteFiles(s *Summary, kept *reports.Set, fresh bool) {
	if kept == nil {
		return
	}
	if s.noteSet(kept, fresh); fresh && kept.Waiting {
		return
	}
	for _, f := range kept.Files {
		s.Files = append(s.Files, w.fileSummary(f, fresh))
	}
}

func (w *Worker) fileSummary(f reports.File, fresh bool) FileSummary {
	return FileSummary{
		Path: joinPlace(w.Reports.Out, f.Path), SHA256: f.SHA256, Kind: f.Kind, Format: f.Format, Revision: &f.Revision,
		New: fresh,
	}
}

// joinPlace returns a published name below the target as people see it: a path, or a URL without its query.
func joinPlace(out, name string) string {
	if !strings.Contains(out, "://") {
		return path.Join(out, name)
	}
	out, _, _ = strings.Cut(out, "?")
	return strings.TrimRight(out, "/") + "/" + name
}

// newStoredSet returns the ledger's row of a published revision.
func newStoredSet(run *ledger.Run, set setRequest, r export.Result) *reports.Set {
	kept := &reports.Set{
		Account: set.name, Basis: string(set.basis), Period: set.period, Filter: set.filter.Canonical(),
		Revision: r.Revision, Run: run.ID, AsOf: run.AsOf, Digest: r.Digest, Tables: r.Fingerprints,
	}
	for _, f := range r.Files {
		kept.Files = append(kept.Files, publish.NewStoredFile(r.Dir, r.Revision, &f))
	}
	kept.Manifest = reports.File{Path: path.Join(r.Dir, r.Manifest), Kind: "manifest", Format: "json", Revision: r.Revision}
	return kept
}

// isExtract reports whether a request is for private files, and refuses what cannot be private. A report to another
// place than reports.out is private. So are claims unless they are configured: what is sent to the operator replaces
// nothing that was published. An EDI file has a number that only a revision gets, so it cannot be private.
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

// withoutEDI returns the formats except EDI.
func withoutEDI(formats []report.Format) []report.Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f report.Format) bool { return f == report.EDI })
}

// writeExtracts renders and proves private extracts and writes them to the target. Neither the ledger nor the archive
// has them, so no other command can write them again.
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
	builder := w.newJobBuilder(run, verdicts, *set)
	job, err := builder.newJob(ctx)
	if err != nil {
		return err
	}
	if !set.isOfAllAccounts() {
		target.Numbers = &source.EDINumbers{Ledger: w.Ledger, Account: set.accounts[0].Number}
	}
	answers, err := builder.newReportSource(ctx)
	if err != nil {
		return err
	}
	answers.MonthSides = job.Months
	result, err := render.Set(ctx, job, answers, target)
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
