package desk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/jobs/setpublish"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// runAnswers answer about runs and what they cover.
type runAnswers struct{ *access }

// Runs are the last runs, latest first.
func (s runAnswers) Runs(ctx context.Context, limit int) (page *runview.Runs, err error) {
	return page, s.ask(ctx, func(w *jobs.Worker) error {
		page, err = ReadRuns(ctx, w, runs.RunFilter{Limit: limit})
		return err
	})
}

// Run is the record of a run.
func (s runAnswers) Run(ctx context.Context, id string) (page *runview.RunPage, err error) {
	return page, s.ask(ctx, func(w *jobs.Worker) error {
		page, err = ReadRun(ctx, w, id)
		return err
	})
}

// RunDiff is what changed from one run to a later one.
func (s runAnswers) RunDiff(ctx context.Context, accounts []ledger.Account, from, to string) (page *runview.RunDiff, err error) {
	return page, s.ask(ctx, func(w *jobs.Worker) error {
		page, err = CompareRuns(ctx, w, accounts, from, to)
		return err
	})
}

// Progress is how far a run is, by its units of some accounts; none means all. A run over other accounts alone has none.
func (s runAnswers) Progress(ctx context.Context, accounts []ledger.Account, id string) (p *console.Progress, err error) {
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
func (s runAnswers) Coverage(ctx context.Context, accounts []ledger.Account, source string, month ledger.Period) (out runview.Coverage, err error) {
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

// ReadRuns are the records of the runs that a filter chooses.
func ReadRuns(ctx context.Context, w *jobs.Worker, f runs.RunFilter) (*runview.Runs, error) {
	found, err := w.Ledger.Runs(ctx, f)
	if err != nil {
		return nil, err
	}
	running, err := readRunning(ctx, w.Ledger)
	if err != nil {
		return nil, err
	}
	page := &runview.Runs{Zone: w.Zone}
	for _, r := range found {
		page.All = append(page.All, runview.RunOf(r, running))
	}
	return page, nil
}

// ReadRun is the complete record of a run.
func ReadRun(ctx context.Context, w *jobs.Worker, name string) (*runview.RunPage, error) {
	run, err := FindRun(ctx, w.Ledger, name)
	if err != nil {
		return nil, err
	}
	running, err := readRunning(ctx, w.Ledger)
	if err != nil {
		return nil, err
	}
	page := &runview.RunPage{Run: runview.RunOf(run, running), Zone: w.Zone}
	for _, a := range run.Accounts {
		tallies, err := w.Ledger.RuleCountsOfRun(ctx, a, run.ID)
		if err != nil {
			return nil, err
		}
		for i := range tallies {
			page.AddRule(a, &tallies[i])
		}
	}
	for i := range run.Sets {
		kept, err := w.Ledger.SetRevision(ctx, &run.Sets[i])
		if errors.Is(err, sqldb.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, f := range kept.Files {
			page.Files = append(page.Files, setpublish.FileSummary{
				Path: f.Path, SHA256: f.SHA256, Kind: f.Kind, Format: f.Format, Revision: &f.Revision, New: run.Sets[i].New,
			})
		}
	}
	page.Left, err = setpublish.ListLeftUnits(ctx, w.Ledger, run)
	return page, err
}

// CompareRuns is what changed from a run to a later one, of some of their accounts; none means all.
func CompareRuns(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, a, b string) (*runview.RunDiff, error) {
	from, err := FindRun(ctx, w.Ledger, a)
	if err != nil {
		return nil, err
	}
	to, err := FindRun(ctx, w.Ledger, b)
	if err != nil {
		return nil, err
	}
	if len(accounts) > 0 {
		from, to = ofAccounts(from, accounts), ofAccounts(to, accounts)
	}
	d, err := wire.NewOverview(w).CompareRuns(ctx, from, to)
	if err != nil {
		return nil, err
	}
	if len(accounts) > 0 {
		d.Sets = slices.DeleteFunc(d.Sets, func(s *published.Set) bool {
			return !slices.ContainsFunc(accounts, func(a ledger.Account) bool { return a.String() == s.Account })
		})
	}
	return runview.RunDiffOf(d), nil
}

// ofAccounts is a record as if the run had been of these accounts alone.
func ofAccounts(r *ledger.Run, accounts []ledger.Account) *ledger.Run {
	scoped := *r
	scoped.Accounts = slices.DeleteFunc(slices.Clone(r.Accounts), func(a ledger.Account) bool { return !slices.Contains(accounts, a) })
	return &scoped
}

// FindRun finds the run a person means: an id, the beginning of one, or last.
func FindRun(ctx context.Context, l *store.Ledger, name string) (*ledger.Run, error) {
	if strings.EqualFold(name, "last") {
		runs, err := l.Runs(ctx, runs.RunFilter{Limit: 1})
		if err == nil && len(runs) == 0 {
			return nil, exit.NewUsageError("error.no_runs", "hint.no_runs")
		}
		if err != nil {
			return nil, err
		}
		return runs[0], nil
	}
	run, err := l.FindRun(ctx, name)
	var many *runs.AmbiguousError
	switch {
	case errors.Is(err, sqldb.ErrNotFound):
		return nil, exit.NewUsageError("error.no_run", "hint.runs_listed", "name", name)
	case errors.As(err, &many):
		return nil, exit.NewUsageError("error.cause", "hint.more_of_id", "cause", many)
	}
	return run, err
}

// readRunning reads the ids of the runs whose processes hold an account.
func readRunning(ctx context.Context, l *store.Ledger) (map[string]bool, error) {
	held, err := l.AccountLeases(ctx)
	live := map[string]bool{}
	for _, h := range held {
		live[h.Run] = true
	}
	return live, err
}
