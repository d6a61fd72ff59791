package jobs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"concilia/export"
	"concilia/export/report"
	"concilia/export/table"
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
	Identified []report.Kind
	EDIProfile export.EDIProfile
	// StrictBank refuses EDI files for banks whose readers deviate from the standard columns.
	StrictBank bool
	// NetStatement posts slips in a statement net of their tariff (reports.edi.statement: net).
	NetStatement bool
	Out          string // of the target, for displayed paths
	// Place identifies a target other than a folder, equally on every machine and without secrets. It is empty for a
	// folder, since two machines may have different folders of one name: only its content tells them apart.
	Place string
}

// text is what the settings say that decides what a set shows, and nothing that belongs to a machine.
func (r *ReportSettings) text() []byte {
	return fmt.Appendf(nil, "kinds: %q\nformats: %q\nbasis: %q\nlanguage: %q\nidentified: %q\nedi: %q strict %t net %t\n",
		r.Kinds, r.Formats, r.Bases, r.Language, r.Identified, r.EDIProfile, r.StrictBank, r.NetStatement)
}

// Target is where reports are published, with a staging directory for files that are not proven yet.
type Target interface {
	export.Publisher
	// Stage creates a directory for the unproven files of one run, in a folder directly below the target; release
	// removes it.
	Stage(ctx context.Context) (dir string, release func(), err error)
}

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
	// asked: somebody wants the files, and what stands is written again where it is not on the target.
	asked bool
	// extract: they are private. There is no revision of them.
	extract bool
}

// holds says whether what is of a day belongs to the set: of a state set everything does, whatever day it is of.
func (s *setRequest) holds(d ledger.Date) bool {
	return s.basis == report.ByAsOf || s.period.Contains(d)
}

// query chooses the account's rows of the set, as of the run.
func (s *setRequest) query(run *ledger.Run, a ledger.Account) reports.Query {
	return reports.Query{
		Account: a, Basis: string(s.basis), Period: s.period, Brands: s.filter.Brands, Classes: s.filter.Classes, AsOfRun: run.ID,
	}
}

// together says that the set is over all accounts of the run, even if only one of them is shown.
func (s *setRequest) together() bool { return s.name == export.AllAccounts }

// publishSet brings one set up to date and gives the revision that stands, nil for a set of nothing; fresh says that it was
// made now.
func (w *Worker) publishSet(
	ctx context.Context, p *publishing, judged *judged, set setRequest,
) (kept *reports.Set, fresh bool, err error) {
	run := p.run
	p.done = nil
	job, err := w.job(ctx, run, judged, set)
	if err != nil {
		return nil, false, err
	}
	kept, err = w.Ledger.StandingSet(ctx, set.name, string(set.basis), set.period, set.filter.Canonical())
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return nil, false, err
	}
	if kept != nil {
		job.Standing = &export.Standing{Revision: kept.Revision, Marks: kept.Tables}
	}
	target := export.Target{Staging: p.staging, Publisher: &p.delivery}
	if !set.together() {
		a := set.accounts[0]
		target.Numbers = &source.EDINumbers{Ledger: w.Ledger, Account: a.Number, Agreement: a.Block.Bank.Agreement}
	}
	answers, err := w.feed(ctx, run, set)
	if err != nil {
		return nil, false, err
	}
	result, err := export.Render(ctx, job, answers, target)
	if err != nil {
		return nil, false, fmt.Errorf("set %s %s %s: %w", set.name, set.basis, set.period, err)
	}
	p.rendered = result.Totals.Of(job.Kinds)
	if result.Unchanged {
		if set.asked && p.waits == nil && w.away(ctx, kept) {
			return kept, false, p.bringBack(ctx, kept)
		}
		return kept, false, nil
	}
	made := setOf(run, set, result)
	if made.Recipe, err = w.keepRecipe(ctx, job, result, set); err != nil {
		return nil, false, err
	}
	made.Waiting = p.waits != nil
	if err := p.still(ctx); err != nil {
		return nil, false, err
	}
	return made, true, w.Ledger.KeepSet(ctx, made)
}

// feed answers for a set as of the run that judged it: what was pulled or done since is of a later one.
func (w *Worker) feed(ctx context.Context, run *ledger.Run, set setRequest) (*source.ReportSource, error) {
	f := &source.ReportSource{
		Ledger: w.Ledger, Unit: w.Terms.Profile.Unit, AsOf: run.AsOf, Calendar: w.Terms.Calendar, Query: set.query(run, 0),
	}
	for _, a := range set.accounts {
		f.Accounts = append(f.Accounts, a.Number)
	}
	if set.basis != report.ByAsOf {
		return f, nil
	}
	since, err := w.Ledger.StateBefore(ctx, set.name, set.period.To, run.ID, string(report.ExceptionsKind))
	f.State = &source.StateSet{
		AsOf: set.period.To, Since: since, Language: w.Reports.Language, Mapping: w.Terms.Mapping,
		NetOfSplits: w.Terms.Profile.NetOfSplits,
	}
	return f, err
}

// standing lists the files of a revision that stands as it was.
func (w *Worker) standing(s *Summary, kept *reports.Set) { w.noted(s, kept, false) }

// noted lists the files of a revision that stands, or was made now and does not wait for the target.
func (w *Worker) noted(s *Summary, kept *reports.Set, fresh bool) {
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
		Path: under(w.Reports.Out, f.Path), SHA256: f.SHA256, Kind: f.Kind, Format: f.Format, Revision: &f.Revision,
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
func setOf(run *ledger.Run, set setRequest, r export.Result) *reports.Set {
	kept := &reports.Set{
		Account: set.name, Basis: string(set.basis), Period: set.period, Filter: set.filter.Canonical(),
		Revision: r.Revision, Run: run.ID, AsOf: run.AsOf, Digest: r.Digest, Tables: r.Marks,
	}
	for _, f := range r.Files {
		kept.Files = append(kept.Files, fileOf(r.Dir, r.Revision, f))
	}
	return kept
}

// fileOf is what the ledger remembers of a file that a manifest lists.
func fileOf(dir string, revision int, f export.File) reports.File {
	file := reports.File{
		Path: path.Join(dir, f.Path), Kind: string(f.Kind), Format: string(f.Format), SHA256: f.SHA256,
		Bytes: f.Bytes, Rows: f.Rows, Revision: revision, LayoutVersion: f.LayoutVersion,
	}
	if f.NSA != nil {
		file.NSA = *f.NSA
	}
	return file
}
