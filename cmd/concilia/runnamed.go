package main

import (
	"context"
	"errors"
	"strings"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/runs"
	"concilia/store/sqldb"
)

// runNamed is the run a person means: an id, the beginning of one, or last.
func runNamed(ctx context.Context, l *store.Ledger, name string) (*ledger.Run, error) {
	const hint = "concilia runs list names them"
	if strings.EqualFold(name, "last") {
		runs, err := l.Runs(ctx, runs.RunFilter{Limit: 1})
		if err == nil && len(runs) == 0 {
			return nil, usage("the first concilia run leaves one", "there is no run in this ledger")
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
		return nil, usage(hint, "there is no run %q", name)
	case errors.As(err, &many):
		return nil, usage("give more of its id", "%s", many)
	}
	return run, err
}

// running are the ids of the runs whose processes hold an account.
func running(ctx context.Context, l *store.Ledger) (map[string]bool, error) {
	held, err := l.AccountLeases(ctx)
	live := map[string]bool{}
	for _, h := range held {
		live[h.Run] = true
	}
	return live, err
}
