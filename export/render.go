package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// Render writes what is asked for of a set, proves it against the ledger and hands it to the publisher; or finds that all of
// it stands already and writes nothing. On an error nothing of this revision is visible as done. A *TieError says that
// a file and the ledger differ.
func Render(ctx context.Context, job Job, feed Feed, target Target) (Result, error) {
	if job.Language == "" {
		job.Language = table.Portuguese
	}
	if err := job.check(target); err != nil {
		return Result{}, err
	}
	r, drop, err := newRendering(&job, feed, target)
	if err != nil {
		return Result{}, err
	}
	err = r.all(ctx)
	return r.result, errors.Join(err, drop())
}

// Compare finds what Render would make of a set, and makes none of it: Result.Unchanged where what stands is all that is asked
// for, else the revision that would be next, and why. What it needs on the way lies below staging until it returns.
func Compare(ctx context.Context, job Job, feed Feed, staging string) (Result, error) {
	if job.Language == "" {
		job.Language = table.Portuguese
	}
	if err := job.checkAsked(); err != nil {
		return Result{}, err
	}
	r, drop, err := newRendering(&job, feed, Target{Staging: staging})
	if err != nil {
		return Result{}, err
	}
	if err = r.digests(ctx); err == nil {
		r.result.Unchanged = r.decide()
	}
	return r.result, errors.Join(err, drop())
}

// newRendering makes a rendering with a folder of its own below the staging directory; drop closes what is open and removes it.
func newRendering(job *Job, feed Feed, target Target) (r *rendering, drop func() error, err error) {
	dir, err := os.MkdirTemp(target.Staging, "set-")
	if err != nil {
		return nil, nil, fmt.Errorf("staging: %w", err)
	}
	r = &rendering{job: job, feed: feed, target: target, dir: dir, tables: make(map[string]*tableFile), ledger: make(map[string]report.Sums)}
	return r, func() error { return errors.Join(r.closeTables(), r.closeSpools(), os.RemoveAll(dir)) }, nil
}

// rendering is one set on its way through the steps of all.
type rendering struct {
	job    *Job
	feed   Feed
	target Target
	dir    string // staging
	result Result

	tables map[string]*tableFile
	set    *report.Set
	// The contents that workbook and page show by themselves; nil where the set has none.
	summary    *report.Summary
	slipsByDay *report.Slips
	cases      *report.Exceptions
	agenda     *report.Agenda
	restated   *report.Restatement

	beside   *beside             // of a page that counts slips its set has no table of; else nil
	causes   *causes             // of a page; nil when none is asked for
	titles   *cardTitles         // nil without an EDI file of them
	late     *lateRows           // of slips; nil when none are asked for
	slips    *spool[spooledSlip] // nil when none are asked for
	subjects subjects            // of the titles an EDI file of the slips would have

	staged []*stagedFile
	left   []left
	ledger map[string]report.Sums // its own figures, asked for once
	noDate map[string]int64
	idents []report.Identity

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
	what    string // table, kind or settlement
}

// all is a rendering, step by step.
func (r *rendering) all(ctx context.Context) error {
	if err := r.digests(ctx); err != nil {
		return err
	}
	if r.decide() {
		return nil
	}
	return inTurn(
		ctx, r.writeCardsEDI, r.writeSlips, r.writeStatement, r.countLeftOut, r.stageTables, r.stageWorkbook, r.stagePage, r.prove,
		r.writeControl, r.publish,
	)
}

// digests reads every row of the set, after which its content can be compared with that of a revision.
func (r *rendering) digests(ctx context.Context) error {
	return inTurn(
		ctx, r.beginCauses, r.fill, r.slipsBeside, r.readCases, r.decideVerdict, r.statementDigest,
	)
}

// inTurn does one step after the other, up to the first that fails.
func inTurn(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rests on any kind of cards: the pass over installments is needed. A state set makes no rows of them.
func (r *rendering) sideAsked(side string) bool {
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
	cards, slips, err := r.feed.LeftOut(ctx)
	if err != nil {
		return err
	}
	r.noDate = make(map[string]int64)
	if r.summary != nil || r.statement != nil {
		r.noDate["cards"] = cards
	}
	if r.slipsByDay != nil || r.statement != nil {
		r.noDate["slips"] = slips
	}
	return nil
}

func (r *rendering) closeSpools() error {
	err := errors.Join(r.slips.close(), r.late.close())
	if r.titles != nil {
		err = errors.Join(err, r.titles.close())
	}
	return err
}

func (r *rendering) path(name string) string { return filepath.Join(r.dir, name) }
