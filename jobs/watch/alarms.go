package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// firstBreakDays is for how many days a code must not have been broken for its next break to be a first one.
const firstBreakDays = 30

// Watcher finds the alarms of runs. Every field is required.
type Watcher struct {
	Ledger   *store.Ledger
	Accounts []ledger.Account
	Calendar func(ledger.Account) *calendar.Calendar // of an account, local days included
}

// Run is what a finished run came to, as far as it gives reason for alarms.
type Run struct {
	ID          string
	AsOf        ledger.Date
	Accounts    []ledger.Account // that it judged
	Incomplete  bool             // or failed
	Pulled      bool             // it asked the service
	Windows     int              // asked for
	Failed      int              // of these, those without a complete answer
	Unpublished int              // sets of files that could not be published
}

// Alarms returns the alarms for a finished run, of the kinds wanted. It only reads the ledger, so that calling it again
// gives the same result.
func (w *Watcher) Alarms(ctx context.Context, r *Run, wanted func(on string) bool) ([]Alarm, error) {
	var out []Alarm
	if wanted(OnIncomplete) && r.Incomplete {
		alarm, err := w.incomplete(ctx, r)
		if err != nil {
			return nil, err
		}
		out = append(out, alarm)
	}
	for _, a := range r.Accounts {
		if wanted(OnFirstBreak) || wanted(OnBudget) {
			broke, err := w.Ledger.Broke(ctx, a, r.ID, r.AsOf-firstBreakDays)
			if err != nil {
				return nil, err
			}
			out = append(out, broken(r, a, broke, wanted)...)
		}
		if wanted(OnSilence) && r.Pulled {
			for _, source := range []ledger.Source{ledger.Cards, ledger.SlipsPayment} {
				alarm, err := w.silence(ctx, r, a, source)
				if err != nil {
					return nil, err
				}
				out = append(out, alarm...)
			}
		}
	}
	return out, nil
}

// incomplete names what a run misses: counts and codes. Causes stand in its own messages, which may tell of machines.
func (w *Watcher) incomplete(ctx context.Context, r *Run) (Alarm, error) {
	var parts []string
	switch n := r.Failed; {
	case n > 0 && n == r.Windows:
		parts = append(parts, "nothing could be pulled")
	case n > 0:
		parts = append(parts, fmt.Sprintf("%d of %s not pulled", n, things(r.Windows, "window was", "windows were")))
	}
	if n := r.Unpublished; n > 0 {
		parts = append(parts, things(n, "set of files was", "sets of files were")+" not published")
	}
	alarm := Alarm{On: OnIncomplete, Run: r.ID, AsOf: r.AsOf}
	counts := map[string]*Cases{}
	sums := map[string]ledger.Amount{}
	filter := results.FindingFilter{
		Accounts: w.Accounts, Severities: []ledger.Severity{ledger.Critical},
		States: []ledger.State{ledger.Opened, ledger.Reopened}, Order: results.ByCode,
	}
	var order []string
	err := w.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if counts[f.Code] == nil {
			counts[f.Code] = &Cases{Code: f.Code}
			order = append(order, f.Code)
		}
		counts[f.Code].Cases++
		sums[f.Code] += f.Impact.V
		return nil
	})
	for _, code := range order {
		counts[code].Impact = sums[code].String()
		alarm.Cases = append(alarm.Cases, *counts[code])
	}
	if len(order) > 0 {
		parts = append(parts, "critical: "+strings.Join(order, ", "))
	}
	alarm.Text = fmt.Sprintf("the run as of %s is incomplete", r.AsOf)
	if len(parts) > 0 {
		alarm.Text += ": " + strings.Join(parts, "; ")
	}
	return alarm, err
}

// things is a number of them with their name.
func things(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// broken are the alarms on what came to break on an account.
func broken(r *Run, a ledger.Account, broke []facts.Broke, wanted func(string) bool) []Alarm {
	first := Alarm{On: OnFirstBreak, Account: a, Run: r.ID, AsOf: r.AsOf}
	budget := Alarm{On: OnBudget, Account: a, Run: r.ID, AsOf: r.AsOf}
	var codes []string
	for _, b := range broke {
		cases := Cases{Code: b.Code, Cases: b.Cases, Impact: b.Impact.String()}
		if b.First {
			first.Cases, codes = append(first.Cases, cases), append(codes, b.Code)
		}
		if b.Code == rules.BudgetExceeded {
			budget.Cases = append(budget.Cases, cases)
		}
	}
	var out []Alarm
	if len(first.Cases) > 0 && wanted(OnFirstBreak) {
		first.Text = fmt.Sprintf("account %s breaks, for the first time in %d days: %s", a, firstBreakDays, strings.Join(codes, ", "))
		out = append(out, first)
	}
	if len(budget.Cases) > 0 && wanted(OnBudget) {
		budget.Text = fmt.Sprintf("account %s: more was tolerated in a month than its budget allows", a)
		out = append(out, budget)
	}
	return out
}

// NightBy reports whether a night as of a day, or of a later one, has ended, whatever its verdict. It returns an error
// if the ledger is unreachable or was never created.
func NightBy(ctx context.Context, l *store.Ledger, day ledger.Date) (bool, error) {
	run, err := l.LastRun(ctx, ledger.Nightly)
	if errors.Is(err, sqldb.ErrNotFound) {
		return false, nil
	}
	return err == nil && run.AsOf >= day, err
}
