package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Render writes what is asked for of a set, proves it against the ledger and hands it to the publisher; or finds that all of
// it stands already and writes nothing. On an error nothing of this revision is visible as done. A *MismatchError says that
// a file and the ledger differ.
func Render(ctx context.Context, job Job, feed ReportSource, target Target) (Result, error) {
	if job.Language == "" {
		job.Language = table.Portuguese
	}
	if err := job.validate(target); err != nil {
		return Result{}, err
	}
	r, drop, err := newRendering(&job, feed, target)
	if err != nil {
		return Result{}, err
	}
	err = r.renderSet(ctx)
	return r.result, errors.Join(err, drop())
}

// Compare finds what Render would make of a set, and makes none of it: Result.Unchanged where what stands is all that is asked
// for, else the revision that would be next, and why. What it needs on the way lies below staging until it returns.
func Compare(ctx context.Context, job Job, feed ReportSource, staging string) (Result, error) {
	if job.Language == "" {
		job.Language = table.Portuguese
	}
	if err := job.validateRequest(); err != nil {
		return Result{}, err
	}
	r, drop, err := newRendering(&job, feed, Target{Staging: staging})
	if err != nil {
		return Result{}, err
	}
	if err = r.readRows(ctx); err == nil {
		r.result.Unchanged = r.decideRevision()
	}
	return r.result, errors.Join(err, drop())
}

// newRendering makes a rendering with a folder of its own below the staging directory; drop closes what is open and removes it.
func newRendering(job *Job, feed ReportSource, target Target) (r *rendering, drop func() error, err error) {
	dir, err := os.MkdirTemp(target.Staging, "set-")
	if err != nil {
		return nil, nil, fmt.Errorf("staging: %w", err)
	}
	r = &rendering{job: job, source: feed, target: target, dir: dir, tables: make(map[string]*tableFile), ledgerSums: make(map[string]report.Sums)}
	return r, func() error { return errors.Join(r.closeTables(), r.closeTempFiles(), os.RemoveAll(dir)) }, nil
}

// rendering is one set on its way through the steps of all.
type rendering struct {
	job    *Job
	source ReportSource
	target Target
	dir    string // staging
	result Result

	tables map[string]*tableFile
	set    *report.Set
	// The contents that workbook and page show by themselves; nil where the set has none.
	summary     *report.Summary
	slipsByDay  *report.Slips
	exceptions  *report.Exceptions
	agenda      *report.Agenda
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
}

// stagedFile is a written file that is not published yet.
type stagedFile struct {
	local   string // path in staging
	figures []Figure
	read    func(path string) (func(Figure) ledger.Opt[int64], error)
	file    File
	ext     string
	stem    string // table, kind or settlement
}

// renderSet is a rendering, step by step.
func (r *rendering) renderSet(ctx context.Context) error {
	if err := r.readRows(ctx); err != nil {
		return err
	}
	if r.decideRevision() {
		return nil
	}
	return runSteps(
		ctx, r.writeCardsEDI, r.writeSlips, r.writeStatement, r.countLeftOut, r.stageTables, r.stageWorkbook, r.stagePage, r.proveFiles,
		r.writeControl, r.publishFiles,
	)
}

// readRows reads every row of the set, after which its content can be compared with that of a revision.
func (r *rendering) readRows(ctx context.Context) error {
	return runSteps(
		ctx, r.beginCauses, r.fillTables, r.readPageSlips, r.readCases, r.decideVerdict, r.digestStatement,
	)
}

// runSteps does one step after the other, up to the first that fails.
func runSteps(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rests on any kind of cards: the pass over installments is needed. A state set makes no rows of them.
func (r *rendering) readsSide(side string) bool {
	if r.job.Basis == report.ByAsOf {
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
	err := errors.Join(r.deferredSlips.close(), r.deferredSlipRows.close())
	if r.cardTitles != nil {
		err = errors.Join(err, r.cardTitles.close())
	}
	return err
}

func (r *rendering) stagingPath(name string) string { return filepath.Join(r.dir, name) }

// fillTables passes over the rows that the kinds of the set take and writes their tables to staging.
func (r *rendering) fillTables(ctx context.Context) error {
	j := r.job
	set := &report.Set{
		Basis: j.Basis, AsOf: j.AsOf, Filter: j.Filter, Unit: j.Unit, NetOfSplits: j.NetOfSplits, Agreed: j.Agreed,
		Identified: j.Identified, Source: r.source, Open: r.openRows,
		SummaryAlone: j.Account == AllAccounts,
	}
	if err := set.Begin(ctx, j.Kinds); err != nil {
		return err
	}
	r.set = set
	r.summary, _ = set.Content(report.SummaryKind).(*report.Summary)
	r.slipsByDay, _ = set.Content(report.SlipsKind).(*report.Slips)
	r.exceptions, _ = set.Content(report.ExceptionsKind).(*report.Exceptions)
	r.agenda, _ = set.Content(report.AgendaKind).(*report.Agenda)
	r.restatement, _ = set.Content(report.RestatementKind).(*report.Restatement)
	if err := r.openTitles(); err != nil {
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
	})
	if err != nil {
		return err
	}
	r.identities = identities
	for _, c := range set.Contents() {
		c.AddTotals(&r.result.Totals)
	}
	return r.closeTables()
}

// openTitles opens what keeps the titles of EDI files until they have their numbers.
func (r *rendering) openTitles() (err error) {
	if r.summary != nil {
		err = r.openCardTitles()
	}
	if err == nil && r.slipsByDay != nil {
		r.deferredSlips, err = newTempFile[deferredSlip](r.stagingPath("slips.titles"))
	}
	return err
}

// openRows begins a table. Rows of a table with a column that is known only when something is written wait in staging.
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

// Counter is what was kept.
func (w *deferredRows) Counter() *table.Counter { return &w.digest.Counter }

func (w *deferredRows) close() error {
	if w == nil {
		return nil
	}
	return w.rows.close()
}

// contentOf is the content that a table is of, nil for control's.
func (r *rendering) contentOf(t *table.Table) report.Content {
	if d := report.DefinitionOfTable(t); d != nil {
		return r.set.Content(d.Kind)
	}
	return nil
}
