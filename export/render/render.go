package render

import (
	"context"
	"errors"
	"slices"
	"sync"

	"concilia/export"
	"concilia/export/causes"
	"concilia/export/manifest"
	"concilia/export/page"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/export/report/kindlist"
	"concilia/export/staging"
	"concilia/export/table"
	"concilia/export/workbook"
	"concilia/store/ledger"
)

// Set writes the requested files of a set, proves them against the ledger and publishes them. It writes nothing if the
// current revision has the same content. After an error the revision has no done marker. The error is a *control.MismatchError if a
// file and the ledger differ.
func Set(ctx context.Context, job export.Job, source export.ReportSource, target export.Target) (export.Result, error) {
	if job.Language == "" {
		job.Language = table.Portuguese
	}
	if err := job.Validate(target); err != nil {
		return export.Result{}, err
	}
	r, drop, err := newRendering(&job, source, target)
	if err != nil {
		return export.Result{}, err
	}
	err = r.renderSet(ctx)
	return r.Result, errors.Join(err, drop())
}

// Compare computes what Render would do, and publishes nothing: Result.Unchanged is true if the current revision has everything
// requested, else the result has the next revision and its reasons. It keeps temporary files below that folder until it returns.
func Compare(ctx context.Context, job export.Job, source export.ReportSource, below string) (export.Result, error) {
	if job.Language == "" {
		job.Language = table.Portuguese
	}
	if err := job.ValidateRequest(); err != nil {
		return export.Result{}, err
	}
	r, drop, err := newRendering(&job, source, export.Target{Staging: below})
	if err != nil {
		return export.Result{}, err
	}
	if err = r.readRows(ctx); err == nil {
		r.Result.Unchanged = r.decideRevision()
	}
	return r.Result, errors.Join(err, drop())
}

// newRendering returns a rendering with its own folder below the staging directory; drop closes open files and removes it.
func newRendering(job *export.Job, source export.ReportSource, target export.Target) (r *rendering, drop func() error, err error) {
	set, closeSet, err := staging.New(job, source, target.Staging)
	if err != nil {
		return nil, nil, err
	}
	stager := &ediStager{Set: set, numbers: target.Numbers}
	r = &rendering{
		ediStager: stager, files: &filePublisher{set, target}, journal: &journalWriter{Set: set},
		events: &eventWriter{ediStager: stager, publishes: target.Publisher != nil}, statement: &statementWriter{ediStager: stager},
	}
	return r, func() error { return errors.Join(r.closeTempFiles(), closeSet()) }, nil
}

// rendering is one set between the steps of renderSet: what is staged of it, what its EDI files still need, and the parts that write and
// publish files.
type rendering struct {
	*ediStager
	files     *filePublisher
	journal   *journalWriter
	events    *eventWriter
	statement *statementWriter

	causes           *causes.Totals                  // nil for a set without them
	pageSlips        *page.Slips                     // of a page that counts slips its set has no table of; else nil
	cardTitles       *cardTitles                     // nil without an EDI file of them
	deferredSlipRows *staging.DeferredRows           // of slips; nil when none are asked for
	deferredSlips    *staging.TempFile[deferredSlip] // nil when none are asked for
	slipSubjects     slipSubjects                    // of the titles an EDI file of the slips would have

	days *saleDays // nil: the rows of cards are read without regard to their days
}

// renderSet does all steps of a rendering.
func (r *rendering) renderSet(ctx context.Context) error {
	if err := r.readRows(ctx); err != nil {
		return err
	}
	if r.decideRevision() {
		return nil
	}
	return runSteps(
		ctx, r.writeCardsEDI, r.writeSlips, r.statement.stageFiles, r.events.stageFiles, r.journal.stageFiles, r.countLeftOut, r.StageTables, r.writeWorkbook, r.writePage, r.files.proveFiles,
		r.files.writeControl, r.files.publishFiles,
	)
}

// readRows reads every row of the set. Then its content can be compared with that of a revision.
func (r *rendering) readRows(ctx context.Context) error {
	takeFacts, stop := r.collectFacts(ctx)
	defer stop()
	return runSteps(
		ctx, r.fillTables, r.readCases, takeFacts, r.decideVerdict, r.statement.digestSet,
	)
}

// collectFacts has the facts of the job collected in the background, unless it has them. take waits for them; stop ends that and
// returns when it has ended.
func (r *rendering) collectFacts(ctx context.Context) (take func(context.Context) error, stop func()) {
	if r.Job.CollectFacts == nil {
		return func(context.Context) error { return nil }, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var facts export.Facts
	var err error
	var collecting sync.WaitGroup
	collecting.Go(func() { facts, err = r.Job.CollectFacts(ctx) })
	take = func(context.Context) error {
		collecting.Wait()
		r.Job.Facts = facts
		return err
	}
	return take, func() {
		cancel()
		collecting.Wait()
	}
}

// runSteps runs the steps up to the first that fails.
func runSteps(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readCases reads what the causes and the verdict depend on besides the rows of the tables.
func (r *rendering) readCases(ctx context.Context) (err error) {
	if r.pageSlips, err = page.ReadSlips(ctx, r.Set, r.causes); err != nil {
		return err
	}
	return r.causes.ReadCases(ctx, r.Job, r.Source)
}

func (r *rendering) decideVerdict(context.Context) error {
	r.Verdict, r.Accounts = r.causes.DecideVerdict(r.Job)
	return nil
}

func (r *rendering) writeWorkbook(ctx context.Context) error { return workbook.Write(ctx, r.Set) }

func (r *rendering) writePage(ctx context.Context) error {
	return page.Write(ctx, r.Set, r.causes, r.pageSlips)
}

func (r *rendering) countLeftOut(ctx context.Context) error {
	if r.Job.Movement != nil || r.Job.Journal != nil {
		return nil // they have what is left out of their own
	}
	cards, slips, err := r.Source.LeftOut(ctx)
	if err != nil {
		return err
	}
	r.WithoutDate = make(map[string]int64)
	if r.Summary != nil || r.statement.isAsked() {
		r.WithoutDate["cards"] = cards
	}
	if r.SlipsByDay != nil || r.statement.isAsked() {
		r.WithoutDate["slips"] = slips
	}
	return nil
}

func (r *rendering) closeTempFiles() error {
	err := errors.Join(r.deferredSlips.Close(), r.deferredSlipRows.Close(), r.journal.closeFiles(), r.events.closeFiles())
	if r.cardTitles != nil {
		err = errors.Join(err, r.cardTitles.Close())
	}
	if r.days != nil {
		err = errors.Join(err, r.days.files.Close())
	}
	return err
}

// fillTables reads the rows of the set's kinds and writes their tables to staging.
func (r *rendering) fillTables(ctx context.Context) error {
	j := r.Job
	r.causes = causes.Begin(j)
	set := &report.Set{
		Definitions: kindlist.Definitions(),
		Basis:       j.Basis, Period: j.Period, AsOf: j.AsOf, Months: j.Months, Filter: j.Filter, Language: j.Language, Unit: j.Unit, NetOfSplits: j.NetOfSplits, Agreed: j.Agreed,
		Identified: j.Identified, Source: r.Source, Open: r.openRows, EventTitle: nameEvent, BookAccount: j.BookAccount,
		SummaryAlone: j.Account == manifest.AllAccounts, BankColumns: j.BankColumns,
	}
	if err := set.Begin(ctx, j.Kinds); err != nil {
		return err
	}
	r.Report = set
	r.Summary, _ = set.Content(report.SummaryKind).(*report.Summary)
	r.SlipsByDay, _ = set.Content(report.SlipsKind).(*report.Slips)
	r.Exceptions, _ = set.Content(report.ExceptionsKind).(*asof.Exceptions)
	r.Agenda, _ = set.Content(report.AgendaKind).(*asof.Agenda)
	r.Forecast, _ = set.Content(report.ForecastKind).(*asof.Forecast)
	r.Restatement, _ = set.Content(report.RestatementKind).(*report.Restatement)
	if err := errors.Join(r.openTitles(), r.journal.openFiles(), r.events.openFiles(), r.useSaleDays(set)); err != nil {
		return err
	}
	if r.Summary != nil {
		set.AfterCards = r.keepCardRows
		r.addCardRows()
	}
	identities, err := set.Fill(ctx, report.Intake{
		Card: func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
			r.causes.AddCard(v, e)
			return r.cardTitles.addCard(v, e)
		},
		Slip: func(s *ledger.Slip, e *ledger.SlipExpectation) error {
			r.causes.AddSlip(s, e)
			return r.keepSlip(s, e)
		},
		Entry: r.journal.makeEntryWriter(), Event: r.events.makeEventWriter(),
	})
	if err != nil {
		return err
	}
	r.Identities = identities
	if m, ok := set.Content(report.MonthKind).(*report.Month); ok && r.causes != nil {
		for account, v := range m.Verdicts() {
			r.causes.WorsenVerdict(account, v)
		}
	}
	for _, c := range set.Contents() {
		c.AddTotals(&r.Result.Totals)
	}
	return r.CloseTables()
}

// openTitles creates the temporary files that keep titles of EDI files until numbers are reserved for them.
func (r *rendering) openTitles() (err error) {
	if r.Summary != nil {
		err = r.openCardTitles()
	}
	if err == nil && r.SlipsByDay != nil {
		r.deferredSlips, err = staging.NewTempFile[deferredSlip](r.Path("slips.titles"))
	}
	return err
}

// openRows opens a table. If a column is known only when files are written, such as the title number, the rows are kept in a
// temporary file.
func (r *rendering) openRows(t *table.Table) (report.Rows, error) {
	if !slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Undigested }) {
		if err := r.OpenTable(t); err != nil {
			return nil, err
		}
		return r.Tables[t.ID], nil
	}
	rows, err := r.DeferTable(t)
	if err != nil {
		return nil, err
	}
	r.deferredSlipRows = rows
	return rows, nil
}
