package desk

import (
	"context"
	"errors"
	"slices"
	"strings"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

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
			page.Files = append(page.Files, jobs.FileSummary{
				Path: f.Path, SHA256: f.SHA256, Kind: f.Kind, Format: f.Format, Revision: &f.Revision, New: run.Sets[i].New,
			})
		}
	}
	page.Left, err = jobs.ListLeftUnits(ctx, w.Ledger, run)
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
	const hint = "concilia runs list names them"
	if strings.EqualFold(name, "last") {
		runs, err := l.Runs(ctx, runs.RunFilter{Limit: 1})
		if err == nil && len(runs) == 0 {
			return nil, exit.Usagef("the first concilia run leaves one", "there is no run in this ledger")
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
		return nil, exit.Usagef(hint, "there is no run %q", name)
	case errors.As(err, &many):
		return nil, exit.Usagef("give more of its id", "%s", many)
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
