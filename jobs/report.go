package jobs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"concilia/export"
	"concilia/store"
	"concilia/store/ledger"
)

// ReportSettings is what the configuration says of reports.
type ReportSettings struct {
	Kinds      []export.Kind
	Formats    []export.Format
	Bases      []export.Basis
	Language   export.Language
	Identified []export.Kind
	EDIProfile export.EDIProfile
	// StrictBank refuses EDI files for banks whose readers cut standard columns in their own way.
	StrictBank bool
	// NetStatement posts slips in a statement less their tariff (reports.edi.statement: net).
	NetStatement bool
	Out          string // of the target, for the paths that people are shown
}

// Target is where reports go: a publisher, and a place beside it to write what is not proven yet.
type Target interface {
	export.Publisher
	// Stage makes a directory for one run's unproven files; release removes it.
	Stage(ctx context.Context) (dir string, release func(), err error)
}

// setRequest is one set to publish.
type setRequest struct {
	name     string // the account's digits, or export.AllAccounts
	accounts []Account
	basis    export.Basis
	period   ledger.Period
	kinds    []export.Kind
	formats  []export.Format
	filter   export.Filter
	// hidden are the accounts of a set over all that have no rows in it, and why.
	hidden []export.AccountFacts
}

// holds says whether what is of a day belongs to the set: of a state set everything does, whatever day it is of.
func (s *setRequest) holds(d ledger.Date) bool {
	return s.basis == export.ByAsOf || s.period.Contains(d)
}

// together says that the set is over all accounts of the run, even if only one of them is shown.
func (s *setRequest) together() bool { return s.name == export.AllAccounts }

// publishSets renders, proves and publishes each set, after what still waits for the target. A set that cannot be is told
// and does not stop the others; an end of ctx stops all. Once the target is gone what is proven goes to the outbox; with
// none, all stops.
func (w *Worker) publishSets(ctx context.Context, run *ledger.Run, s *Summary, judged *judged, sets []setRequest) error {
	if s.Files == nil {
		s.Files = []FileSummary{}
	}
	p := &publishing{delivery: delivery{w: w, waits: s.gone}, run: run, s: s, judged: judged}
	err := p.restage(ctx)
	defer func() { p.release() }()
	if err == nil && !p.boxed {
		w.sweepOutbox(ctx)
	}
	if err == nil {
		err = w.deliver(ctx, s, &p.delivery, p.staging)
	}
	if w.targetGone(s, err) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.each(ctx, sets)
}

// publishing is the sets of a run on their way.
type publishing struct {
	delivery
	run     *ledger.Run
	s       *Summary
	judged  *judged
	staging string
	boxed   bool // staging is in the outbox
	free    func()
}

func (p *publishing) release() {
	if p.free != nil {
		p.free()
	}
	p.free = nil
}

// restage takes a place for what is not proven yet, another one when the target was given up since.
func (p *publishing) restage(ctx context.Context) (err error) {
	p.release()
	p.staging, p.free, err = p.stage(ctx)
	p.boxed = p.waits != nil
	return err
}

func (p *publishing) each(ctx context.Context, sets []setRequest) error {
	w, s := p.w, p.s
	if len(sets) == 0 {
		s.noteGone(p.waits)
		return nil
	}
	w.Progress.Step("publish", len(sets))
	fresh, failed := 0, 0
	for _, set := range sets {
		changed, err := p.set(ctx, set)
		var tie *export.TieError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case w.targetGone(s, err):
			w.Progress.Done("the target is gone")
			return nil
		case errors.As(err, &tie):
			s.Unpublished = append(s.Unpublished, fmt.Errorf("REPORT_TIE_FAILED %w", err))
			failed++
		default:
			s.Unpublished = append(s.Unpublished, err)
			failed++
		}
		if changed {
			fresh++
		}
		w.Progress.Advance(1)
	}
	told := fmt.Sprintf("%d sets: %d new, %d stand as they were%s", len(sets), fresh, len(sets)-fresh-failed, unpublishedText(failed))
	if s.noteGone(p.waits); p.waits != nil {
		told += "; the target is gone, and what is new waits in the outbox"
	}
	w.Progress.Done(told)
	return nil
}

// set publishes one set. Where it could not be written because the target is full, it is written in the outbox.
func (p *publishing) set(ctx context.Context, set setRequest) (changed bool, err error) {
	if p.waits != nil && !p.boxed {
		if err := p.restage(ctx); err != nil {
			return false, err
		}
	}
	changed, err = p.w.publishSet(ctx, p, set)
	if err != nil && !p.boxed && p.giveUp(err) {
		if err := p.restage(ctx); err != nil {
			return false, err
		}
		return p.w.publishSet(ctx, p, set)
	}
	return changed, err
}

// targetGone notes that the target itself failed: the run is kept, and the next one publishes what does not stand.
func (w *Worker) targetGone(s *Summary, err error) bool {
	if err == nil || w.TargetGone == nil || !w.TargetGone(err) {
		return false
	}
	s.Unpublished, s.Gone = append(s.Unpublished, err), true
	return true
}

func unpublishedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d could not be published", n)
}

// publishSet brings one set up to date and says whether it wrote a revision.
func (w *Worker) publishSet(ctx context.Context, p *publishing, set setRequest) (changed bool, err error) {
	run, judged, s := p.run, p.judged, p.s
	p.done = nil
	job, err := w.job(ctx, run, judged, set)
	if err != nil {
		return false, err
	}
	kept, err := w.Ledger.StandingSet(ctx, set.name, string(set.basis), set.period, set.filter.Canonical())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	if kept != nil {
		job.Standing = &export.Standing{Revision: kept.Revision, Marks: kept.Tables}
	}
	target := export.Target{Staging: p.staging, Publisher: &p.delivery}
	if !set.together() {
		a := set.accounts[0]
		target.Numbers = &numbers{ledger: w.Ledger, account: a.Number, agreement: a.Block.Bank.Agreement}
	}
	answers, err := w.feed(ctx, run, set)
	if err != nil {
		return false, err
	}
	result, err := export.Render(ctx, job, answers, target)
	if err != nil {
		return false, fmt.Errorf("set %s %s %s: %w", set.name, set.basis, set.period, err)
	}
	if result.Unchanged {
		w.standing(s, kept)
		return false, nil
	}
	fresh := setOf(run, set, result)
	if fresh.Recipe, err = w.keepRecipe(ctx, job, result, set); err != nil {
		return false, err
	}
	fresh.Waiting = p.waits != nil
	if err := w.Ledger.KeepSet(ctx, fresh); err != nil {
		return true, err
	}
	if s.noteSet(fresh, true); fresh.Waiting {
		return true, nil
	}
	for _, f := range fresh.Files {
		s.Files = append(s.Files, w.fileSummary(f, true))
	}
	return true, nil
}

// feed answers for a set as of the run that judged it: what was pulled or done since is of a later one.
func (w *Worker) feed(ctx context.Context, run *ledger.Run, set setRequest) (*feed, error) {
	state, err := w.stated(ctx, run, set)
	f := &feed{
		state:  state,
		roots:  rooted{run: run.ID, asOf: run.AsOf, calendars: w.Terms.Calendar},
		ledger: w.Ledger, unit: w.Terms.Profile.Unit,
		query: store.Query{
			Basis: string(set.basis), Period: set.period, Brands: set.filter.Brands, Classes: set.filter.Classes,
			AsOfRun: run.ID,
		},
	}
	for _, a := range set.accounts {
		f.accounts = append(f.accounts, a.Number)
	}
	return f, err
}

// standing lists the files of a revision that stands as it was.
func (w *Worker) standing(s *Summary, kept *store.Set) {
	if kept == nil {
		return
	}
	s.noteSet(kept, false)
	for _, f := range kept.Files {
		s.Files = append(s.Files, w.fileSummary(f, false))
	}
}

func (w *Worker) fileSummary(f store.File, fresh bool) FileSummary {
	return FileSummary{
		Path: under(w.Reports.Out, f.Path), SHA256: f.SHA256, Kind: f.Kind, Format: f.Format, Revision: f.Revision,
		New: fresh,
	}
}

// under is a published name below the target as people see it: the folder's path, or a URL without its query.
func under(out, name string) string {
	if !strings.Contains(out, "://") {
		return path.Join(out, name)
	}
	out, _, _ = strings.Cut(out, "?")
	return strings.TrimRight(out, "/") + "/" + name
}

// setOf is the row that remembers a published revision.
func setOf(run *ledger.Run, set setRequest, r export.Result) *store.Set {
	kept := &store.Set{
		Account: set.name, Basis: string(set.basis), Period: set.period, Filter: set.filter.Canonical(),
		Revision: r.Revision, Run: run.ID, AsOf: run.AsOf, Digest: r.Digest, Tables: r.Marks,
	}
	for _, f := range r.Files {
		file := store.File{
			Path: path.Join(r.Dir, f.Path), Kind: string(f.Kind), Format: string(f.Format), SHA256: f.SHA256,
			Bytes: f.Bytes, Rows: f.Rows, Revision: r.Revision, LayoutVersion: f.LayoutVersion,
		}
		if f.NSA != nil {
			file.NSA = *f.NSA
		}
		kept.Files = append(kept.Files, file)
	}
	return kept
}
