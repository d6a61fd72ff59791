package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Render writes the requested files of a set, proves them against the ledger and publishes them. It writes nothing if the
// current revision has the same content. After an error the revision has no done marker. The error is a *MismatchError if a
// file and the ledger differ.
func Render(ctx context.Context, job Job, source ReportSource, target Target) (Result, error) {
	if job.Language == "" {
		job.Language = table.Portuguese
	}
	if err := job.validate(target); err != nil {
		return Result{}, err
	}
	r, drop, err := newRendering(&job, source, target)
	if err != nil {
		return Result{}, err
	}
	err = r.renderSet(ctx)
	return r.result, errors.Join(err, drop())
}

// Compare computes what Render would do, and publishes nothing: Result.Unchanged is true if the current revision has everything
// requested, else Result has the next revision and its reasons. It keeps temporary files below staging until it returns.
func Compare(ctx context.Context, job Job, source ReportSource, staging string) (Result, error) {
	if job.Language == "" {
		job.Language = table.Portuguese
	}
	if err := job.validateRequest(); err != nil {
		return Result{}, err
	}
	r, drop, err := newRendering(&job, source, Target{Staging: staging})
	if err != nil {
		return Result{}, err
	}
	if err = r.readRows(ctx); err == nil {
		r.result.Unchanged = r.decideRevision()
	}
	return r.result, errors.Join(err, drop())
}

// newRendering returns a rendering with its own folder below the staging directory; drop closes open files and removes it.
func newRendering(job *Job, source ReportSource, target Target) (r *rendering, drop func() error, err error) {
	dir, err := os.MkdirTemp(target.Staging, "set-")
	if err != nil {
		return nil, nil, fmt.Errorf("staging: %w", err)
	}
	r = &rendering{job: job, source: source, target: target, dir: dir, tables: make(map[string]*tableFile), written: make(map[string]fileHash), ledgerSums: make(map[string]report.Sums)}
	return r, func() error { return errors.Join(r.closeTables(), r.closeTempFiles(), os.RemoveAll(dir)) }, nil
}

// rendering is the state of one set between the steps of renderSet.
type rendering struct {
	job    *Job
	source ReportSource
	target Target
	dir    string // staging
	// written are the hashes of the files that were written there, by path.
	written map[string]fileHash
	result  Result

	tables map[string]*tableFile
	set    *report.Set
	// The contents that workbook and page show in their own parts; nil if the set has none.
	summary     *report.Summary
	slipsByDay  *report.Slips
	exceptions  *report.Exceptions
	agenda      *report.Agenda
	forecast    *report.Forecast
	restatement *report.Restatement

	pageSlips        *pageSlips              // of a page that counts slips its set has no table of; else nil
	causes           *causeTotals            // of a page; nil when none is asked for
	cardTitles       *cardTitles             // nil without an EDI file of them
	deferredSlipRows *deferredRows           // of slips; nil when none are asked for
	deferredSlips    *tempFile[deferredSlip] // nil when none are asked for
	slipSubjects     slipSubjects            // of the titles an EDI file of the slips would have

	staged       []*stagedFile
	ediOmissions []ediOmissions
	ledgerSums   map[string]report.Sums // its own figures, asked for once
	withoutDate  map[string]int64
	identities   []report.Identity

	verdict  ledger.Verdict // of the set
	accounts []AccountFacts // Job.Facts.Accounts with their verdicts of the set

	statement *statement // nil when none is asked for
	journals  []*journalFile
}

// stagedFile is a written file that is not published yet.
type stagedFile struct {
	local   string // path in staging
	figures []control.Figure
	read    func(path string) (func(control.Figure) ledger.Opt[int64], error)
	file    manifest.File
	ext     string
	stem    string // table, kind or settlement
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
		ctx, r.writeCardsEDI, r.writeSlips, r.writeStatement, r.writeEvents, r.stageJournals, r.countLeftOut, r.stageTables, r.stageWorkbook, r.stagePage, r.proveFiles,
		r.writeControl, r.publishFiles,
	)
}

// readRows reads every row of the set. Then its content can be compared with that of a revision.
func (r *rendering) readRows(ctx context.Context) error {
	takeFacts, stop := r.collectFacts(ctx)
	defer stop()
	return runSteps(
		ctx, r.beginCauses, r.fillTables, r.readPageSlips, r.readCases, takeFacts, r.decideVerdict, r.digestStatement,
	)
}

// collectFacts has the facts of the job collected in the background, unless it has them. take waits for them; stop ends that and
// returns when it has ended.
func (r *rendering) collectFacts(ctx context.Context) (take func(context.Context) error, stop func()) {
	if r.job.CollectFacts == nil {
		return func(context.Context) error { return nil }, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var facts Facts
	var err error
	var collecting sync.WaitGroup
	collecting.Go(func() { facts, err = r.job.CollectFacts(ctx) })
	take = func(context.Context) error {
		collecting.Wait()
		r.job.Facts = facts
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

// readsSide reports whether the rows of a side are read: a kind of the set is computed from them. A state set reads neither
// side.
func (r *rendering) readsSide(side string) bool {
	if r.job.Basis == report.ByAsOf || r.job.Basis == report.ByMovement || r.job.Basis == report.ByPosting {
		return false
	}
	for _, k := range r.job.Kinds {
		if k != report.ControlKind && k.Side() == side {
			return true
		}
	}
	return false
}

func (r *rendering) countLeftOut(ctx context.Context) error {
	if r.job.Movement != nil || r.job.Journal != nil {
		return nil // they have what is left out of their own
	}
	cards, slips, err := r.source.LeftOut(ctx)
	if err != nil {
		return err
	}
	r.withoutDate = make(map[string]int64)
	if r.summary != nil || r.statement != nil {
		r.withoutDate["cards"] = cards
	}
	if r.slipsByDay != nil || r.statement != nil {
		r.withoutDate["slips"] = slips
	}
	return nil
}

func (r *rendering) closeTempFiles() error {
	err := errors.Join(r.deferredSlips.close(), r.deferredSlipRows.close(), r.closeJournals())
	if r.cardTitles != nil {
		err = errors.Join(err, r.cardTitles.close())
	}
	return err
}

func (r *rendering) stagingPath(name string) string { return filepath.Join(r.dir, name) }

// fillTables reads the rows of the set's kinds and writes their tables to staging.
func (r *rendering) fillTables(ctx context.Context) error {
	j := r.job
	set := &report.Set{
		Basis: j.Basis, Period: j.Period, AsOf: j.AsOf, Months: j.Months, Filter: j.Filter, Language: j.Language, Unit: j.Unit, NetOfSplits: j.NetOfSplits, Agreed: j.Agreed,
		Identified: j.Identified, Source: r.source, Open: r.openRows, EventTitle: nameEvent, BookAccount: j.bookAccount,
		SummaryAlone: j.Account == manifest.AllAccounts,
	}
	if err := set.Begin(ctx, j.Kinds); err != nil {
		return err
	}
	r.set = set
	r.summary, _ = set.Content(report.SummaryKind).(*report.Summary)
	r.slipsByDay, _ = set.Content(report.SlipsKind).(*report.Slips)
	r.exceptions, _ = set.Content(report.ExceptionsKind).(*report.Exceptions)
	r.agenda, _ = set.Content(report.AgendaKind).(*report.Agenda)
	r.forecast, _ = set.Content(report.ForecastKind).(*report.Forecast)
	r.restatement, _ = set.Content(report.RestatementKind).(*report.Restatement)
	if err := errors.Join(r.openTitles(), r.openJournals()); err != nil {
		return err
	}
	if r.summary != nil {
		set.AfterCards = r.keepCardRows
		r.addCardRows()
	}
	identities, err := set.Fill(ctx, report.Intake{
		Card: func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
			r.causes.addCardVerdict(v, e)
			return r.cardTitles.addCard(v, e)
		},
		Slip: func(s *ledger.Slip, e *ledger.SlipExpectation) error {
			r.causes.addSlipVerdict(s, e)
			return r.keepSlip(s, e)
		},
		Entry: r.journalIntake(),
	})
	if err != nil {
		return err
	}
	r.identities = identities
	if m, ok := set.Content(report.MonthKind).(*report.Month); ok && r.causes != nil {
		for account, v := range m.Verdicts() {
			r.causes.worsenVerdict(account, v)
		}
	}
	for _, c := range set.Contents() {
		c.AddTotals(&r.result.Totals)
	}
	return r.closeTables()
}

// openTitles creates the temporary files that keep titles of EDI files until numbers are reserved for them.
func (r *rendering) openTitles() (err error) {
	if r.summary != nil {
		err = r.openCardTitles()
	}
	if err == nil && r.slipsByDay != nil {
		r.deferredSlips, err = newTempFile[deferredSlip](r.stagingPath("slips.titles"))
	}
	return err
}

// openRows opens a table. If a column is known only when files are written, such as the title number, the rows are kept in a
// temporary file.
func (r *rendering) openRows(t *table.Table) (report.Rows, error) {
	if !slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Undigested }) {
		if err := r.openTable(t); err != nil {
			return nil, err
		}
		return r.tables[t.ID], nil
	}
	rows, err := newTempFile[table.Row](r.stagingPath(t.ID + ".rows"))
	if err != nil {
		return nil, err
	}
	r.deferredSlipRows = &deferredRows{digest: table.NewDigester(t), rows: rows}
	r.tables[t.ID] = &tableFile{table: t, digest: r.deferredSlipRows.digest}
	return r.deferredSlipRows, nil
}

// deferredRows keeps the rows of a table, and their digest, until the table can be written.
type deferredRows struct {
	digest *table.Digester
	rows   *tempFile[table.Row]
}

// Write keeps a row.
func (w *deferredRows) Write(row table.Row) error {
	return errors.Join(w.digest.Add(row), w.rows.add(&row))
}

// Counter counts and sums the rows kept so far.
func (w *deferredRows) Counter() *table.Counter { return &w.digest.Counter }

func (w *deferredRows) close() error {
	if w == nil {
		return nil
	}
	return w.rows.close()
}

// contentOf returns the content that a table belongs to; nil for control.
func (r *rendering) contentOf(t *table.Table) report.Content {
	if d := report.DefinitionOfTable(t); d != nil {
		return r.set.Content(d.Kind)
	}
	return nil
}
