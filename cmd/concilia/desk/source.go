package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/handbook"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/export/publish"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/jobs/casework"
	"concilia/jobs/plan"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// Source answers the console from a ledger of its own, which it opens with the first question and keeps.
type Source struct {
	proc   *wire.Process
	config *config.Config

	at *jobs.Worker // over a snapshot of the ledger; nil: answers are as of when they are asked for
	*opened
}

// opened is what stays open from page to page.
type opened struct {
	mu      sync.Mutex
	worker  *jobs.Worker
	archive *publish.Archive
	slips   map[ledger.Account]openSlips
	closed  func()

	slipReads singleflight.Group // of slips, by account and run
}

// maxReaders are the connections that pages read a ledger of SQLite through. A page has one, and so has an act beside the writer: none
// waits for another that it holds up itself.
const maxReaders = 4

// NewSource answers from the configured ledger.
func NewSource(proc *wire.Process, c *config.Config) *Source {
	inner := *proc
	inner.Quiet = true // the warnings of the configuration were printed
	inner.Readers = cmp.Or(inner.Readers, maxReaders)
	return &Source{proc: &inner, config: c, opened: &opened{}}
}

// NewSourceOf answers from the ledger of a worker that is wired already, and leaves it open.
func NewSourceOf(proc *wire.Process, c *config.Config, w *jobs.Worker) *Source {
	s := NewSource(proc, c)
	s.worker = w
	return s
}

// open opens the ledger where that was not done yet. One that is not there or cannot be used now is asked for again by the next page.
func (s *Source) open(ctx context.Context) (*jobs.Worker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.worker != nil {
		return s.worker, nil
	}
	w, done, err := s.proc.WireWorker(context.WithoutCancel(ctx), wire.WantKept)
	if err != nil {
		return nil, explainClosed(err)
	}
	s.worker, s.closed = w, done
	return w, nil
}

// explainClosed says why the ledger cannot be opened, and what helps.
func explainClosed(err error) error {
	switch {
	case errors.Is(err, wire.ErrNoLedger):
		return &console.UnavailableError{Text: "desk.no_ledger", Command: "concilia run"}
	case errors.Is(err, store.ErrNewer):
		return &console.UnavailableError{Text: "desk.newer_ledger", Command: "concilia version"}
	case errors.Is(err, store.ErrOtherSchema):
		return &console.UnavailableError{Text: "desk.other_ledger", Command: "concilia backfill"}
	case exit.IsUnavailable(err):
		return &console.UnavailableError{Text: "desk.ledger_away", Err: err}
	}
	return &console.UnavailableError{Text: "desk.ledger_closed", Err: err}
}

// Close closes the ledger.
func (s *Source) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		s.closed()
	}
	s.worker, s.closed, s.slips = nil, nil, nil
}

// ask calls fn with the worker, and gives its error a kind that the console knows.
func (s *Source) ask(ctx context.Context, fn func(*jobs.Worker) error) error {
	w, err := s.at, error(nil)
	if w == nil {
		w, err = s.open(ctx)
	}
	if err == nil {
		err = fn(w)
	}
	var use *exit.UsageError
	var request *casework.RequestError
	switch {
	case err == nil, errors.Is(err, console.ErrConflict):
		return err
	case errors.Is(err, sqldb.ErrNotFound), errors.As(err, &use), errors.As(err, &request):
		return fmt.Errorf("%w: %w", console.ErrNotFound, err)
	case exit.IsUnavailable(err), w != nil && w.Ledger.IsTransient(err):
		return &console.UnavailableError{Text: "desk.ledger_away", Err: err}
	}
	return err
}

// Snapshot calls show with a source whose answers are all of one instant of the ledger.
func (s *Source) Snapshot(ctx context.Context, show func(console.Source) error) error {
	var shown error // it has a kind already
	err := s.ask(ctx, func(w *jobs.Worker) error {
		return w.Ledger.Snapshot(ctx, func(l *store.Ledger) error {
			at := *w
			at.Ledger = l
			shown = show(&Source{proc: s.proc, config: s.config, at: &at, opened: s.opened})
			return nil
		})
	})
	return cmp.Or(err, shown)
}

// Heading is what every page says of the ledger.
func (s *Source) Heading(ctx context.Context) (h console.Heading, err error) {
	return h, s.ask(ctx, func(w *jobs.Worker) error {
		for i := range w.Accounts {
			h.Accounts = append(h.Accounts, console.AccountName{Number: w.Accounts[i].Number, Name: w.Accounts[i].Name})
		}
		last, err := w.Ledger.LastRun(ctx, ledger.Nightly)
		switch {
		case err == nil:
			h.AsOf, h.Ended = last.AsOf, view.Instant{Time: last.Ended}
		case !errors.Is(err, sqldb.ErrNotFound):
			return err
		}
		leases, err := w.Ledger.AccountLeases(ctx)
		if len(leases) > 0 {
			h.Running = leases[0].Run
		}
		return err
	})
}

// overview looks things up for some accounts; none means all.
func (s *Source) overview(w *jobs.Worker, accounts []ledger.Account) *casework.Overview {
	v := wire.NewOverview(w)
	if len(accounts) > 0 {
		v.Accounts = slices.DeleteFunc(v.Accounts, func(a plan.Account) bool { return !slices.Contains(accounts, a.Number) })
	}
	return v
}

// Runs are the last runs, latest first.
func (s *Source) Runs(ctx context.Context, limit int) (page *runview.Runs, err error) {
	return page, s.ask(ctx, func(w *jobs.Worker) error {
		page, err = ReadRuns(ctx, w, runs.RunFilter{Limit: limit})
		return err
	})
}

// Run is the record of a run.
func (s *Source) Run(ctx context.Context, id string) (page *runview.RunPage, err error) {
	return page, s.ask(ctx, func(w *jobs.Worker) error {
		page, err = ReadRun(ctx, w, id)
		return err
	})
}

// RunDiff is what changed from one run to a later one.
func (s *Source) RunDiff(ctx context.Context, accounts []ledger.Account, from, to string) (page *runview.RunDiff, err error) {
	return page, s.ask(ctx, func(w *jobs.Worker) error {
		page, err = CompareRuns(ctx, w, accounts, from, to)
		return err
	})
}

// Progress is how far a run is, by its units of some accounts; none means all. A run over other accounts alone has none.
func (s *Source) Progress(ctx context.Context, accounts []ledger.Account, id string) (p *console.Progress, err error) {
	return p, s.ask(ctx, func(w *jobs.Worker) error {
		run, err := FindRun(ctx, w.Ledger, id)
		if err != nil {
			return err
		}
		if len(accounts) > 0 {
			run = ofAccounts(run, accounts)
			if len(run.Accounts) == 0 {
				return console.ErrNotFound
			}
			run.Verdict = ""
			for _, a := range run.Accounts {
				run.Verdict = run.Verdict.Worse(run.Verdicts[a])
			}
		}
		units, err := w.Ledger.Units(ctx, run.ID, runs.UnitFilter{Accounts: run.Accounts})
		if err != nil {
			return err
		}
		p = progressOf(run, units, s.proc.Wall())
		leases, err := w.Ledger.AccountLeases(ctx)
		for i := range leases {
			if leases[i].Run == run.ID {
				p.Leader = leases[i].Host
			}
		}
		return err
	})
}

// progressOf counts the units of a run that are done. The time left is that of the units so far.
func progressOf(run *ledger.Run, units []ledger.WorkUnit, now time.Time) *console.Progress {
	p := &console.Progress{Run: run.ID, Planned: len(units), Ended: run.Finished(), Verdict: run.Verdict}
	for i := range units {
		u := &units[i]
		switch u.State {
		case ledger.UnitDone, ledger.UnitFailed:
			p.Done++
			p.Rows += u.Rows
		default:
			if p.Step == "" {
				p.Step = string(u.Kind)
			}
		}
	}
	if p.Done > 0 && !p.Ended {
		p.SecondsLeft = int(now.Sub(run.Began).Seconds()) * (p.Planned - p.Done) / p.Done
	}
	return p
}

// Coverage is the days of the lists in a month.
func (s *Source) Coverage(ctx context.Context, accounts []ledger.Account, source string, month ledger.Period) (out runview.Coverage, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		sources := append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...)
		if source != "" {
			sources = []ledger.Source{ledger.Source(source)}
		}
		today := ledger.DateOf(w.Now(), w.Zone)
		for _, a := range s.overview(w, accounts).Accounts {
			one := s.overview(w, []ledger.Account{a.Number})
			all, err := one.ReadCoverage(ctx, today, month, sources)
			var none *casework.RequestError
			if errors.As(err, &none) {
				continue // no day of the month is answered for
			}
			if err != nil {
				return err
			}
			out = append(out, all...)
		}
		return nil
	})
}

// Calendar is the days of a year that are not business days.
func (s *Source) Calendar(_ context.Context, year int) (*view.CalendarYear, error) {
	if year < calendar.FirstYear || year > calendar.LastYear {
		return nil, console.ErrNotFound
	}
	c, err := wire.CalendarOf(s.config, nil)
	if err != nil {
		return nil, err
	}
	return view.CalendarYearOf(c, 0, year), nil
}

// Rule is the page of a rule of the catalogue.
func (s *Source) Rule(ctx context.Context, code, lang string) (out *console.RulePage, err error) {
	r, ok := catalogue.Find(strings.ToUpper(code))
	if !ok {
		return nil, console.ErrNotFound
	}
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		out = &console.RulePage{Code: r.Code, Lines: view.DescribeRule(view.Language(lang), &r, wire.VoiceOf(w, lang))}
		return nil
	})
}

// StandingRules counts the unresolved cases of every rule.
func (s *Source) StandingRules(ctx context.Context, accounts []ledger.Account) (map[string]console.RuleStanding, error) {
	out := map[string]console.RuleStanding{}
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		return w.Ledger.Findings(ctx, caselog.UnresolvedCases("", accounts...), func(f *ledger.Finding) error {
			of := out[f.Code]
			of.Cases++
			if f.ExplainedBy == "" {
				of.Amount += max(f.Impact.V, 0).Rounded(ledger.HalfAwayFromZero)
			}
			out[f.Code] = of
			return nil
		})
	})
}

// Sets are the published sets of an account, latest first.
func (s *Source) Sets(ctx context.Context, account string, old bool) (out []caseview.PublishedSet, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		sets, err := w.Ledger.SetsOf(ctx, account)
		if err != nil {
			return err
		}
		delivered, err := w.Ledger.DeliveredAt(ctx, account)
		for _, set := range sets {
			set.Delivered = delivered[set.Number]
		}
		out = listSets(sets, old)
		return err
	})
}

// listSets is the sets for people: without old only the standing revision of each, which comes first. A set of the movement follows
// no other: it is shown with those of its day.
func listSets(sets []*published.Set, old bool) (out []caseview.PublishedSet) {
	follows := func(at int) bool { // the set at a place is an earlier revision of the one before it
		if at < 1 || at >= len(sets) || sets[at].Basis == string(report.ByMovement) {
			return false
		}
		a, b := sets[at-1], sets[at]
		return a.Basis == b.Basis && a.Filter == b.Filter && a.Period == b.Period
	}
	for i, set := range sets {
		if !old && follows(i) {
			continue
		}
		var before *published.Set
		if follows(i + 1) {
			before = sets[i+1]
		}
		out = append(out, caseview.PublishedSetOf(set, before))
	}
	return out
}

// CopyFile writes the proven bytes of a published file to a new local file.
func (s *Source) CopyFile(ctx context.Context, sum, local string) error {
	s.mu.Lock()
	if s.archive == nil {
		a, err := wire.OpenArchive(s.config, s.proc.Wall)
		if err != nil {
			s.mu.Unlock()
			return err
		}
		s.archive = a
	}
	archive := s.archive
	s.mu.Unlock()
	err := archive.Fetch(ctx, sum, local)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, publish.ErrDamaged):
		return fmt.Errorf("%w: SHA-256 %s", console.ErrGone, sum)
	case errors.Is(err, publish.ErrArchive):
		return &console.UnavailableError{Text: "desk.archive_away", Err: err}
	}
	return err
}

// Handbook is a page of the handbook.
func (s *Source) Handbook(topic, lang string) (string, error) { return handbook.Page(lang, topic) }

// HandbookTopics are the topics of the handbook in their order.
func (s *Source) HandbookTopics() []string { return handbook.Topics }
