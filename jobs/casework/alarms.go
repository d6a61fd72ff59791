package casework

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/jobs/calendar"
	"concilia/jobs/rules/runs"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// The kinds of alarms, as the configuration spells them.
const (
	OnIncomplete = "incomplete"  // a run is incomplete or failed
	OnFirstBreak = "first_break" // a code breaks for the first time in 30 days
	OnBudget     = "budget"      // more was tolerated in a month than allowed
	OnSilence    = "silence"     // the service answers without rows where it had some before
	OnNoRun      = "no_run"      // no night has ended by a time of day
)

// Alarm is something that people should know now. It names no payer.
type Alarm struct {
	On      string         `json:"on"`
	Account ledger.Account `json:"account,omitzero"` // absent: none in particular
	Text    string         `json:"text"`             // one sentence
	Run     string         `json:"run,omitzero"`
	AsOf    ledger.Date    `json:"as_of,omitzero"`
	Cases   []AlarmCases   `json:"cases,omitzero"`
	// Cause distinguishes alarms of one kind, account and run. By is the time of day of OnNoRun, HH:MM.
	Cause string `json:"-"`
	By    string `json:"-"`
}

// AlarmCases are the cases of a code that an alarm is about.
type AlarmCases struct {
	Code   string `json:"code"`
	Cases  int64  `json:"cases"`
	Impact string `json:"impact"` // the sum, in reais, positive when the merchant lost
}

// firstBreakDays is for how many days a code must not have been broken for its next break to be a first one.
const firstBreakDays = 30

// Watcher finds the alarms of runs. Every field is required.
type Watcher struct {
	Ledger   *store.Ledger
	Accounts []ledger.Account
	Calendar func(ledger.Account) *calendar.Calendar // of an account, local days included
}

// RunOutcome is what a finished run came to, as far as it gives reason for alarms.
type RunOutcome struct {
	ID          string
	AsOf        ledger.Date
	Accounts    []ledger.Account // that it evaluated
	Incomplete  bool             // or failed
	Pulled      bool             // it asked the service
	Windows     int              // asked for
	Failed      int              // of these, those without a complete answer
	Unpublished int              // sets of files that could not be published
}

// FindAlarms returns the alarms for a finished run, of the kinds wanted. It only reads the ledger, so that calling it again
// gives the same result.
func (w *Watcher) FindAlarms(ctx context.Context, r *RunOutcome, wanted func(on string) bool) ([]Alarm, error) {
	var out []Alarm
	if wanted(OnIncomplete) && r.Incomplete {
		alarm, err := w.alarmIncomplete(ctx, r)
		if err != nil {
			return nil, err
		}
		out = append(out, alarm)
	}
	for _, a := range r.Accounts {
		if wanted(OnFirstBreak) || wanted(OnBudget) {
			broke, err := w.Ledger.OpenedCases(ctx, a, r.ID, r.AsOf-firstBreakDays)
			if err != nil {
				return nil, err
			}
			out = append(out, alarmBroken(r, a, broke, wanted)...)
		}
		if wanted(OnSilence) && r.Pulled {
			for _, source := range []ledger.Source{ledger.Cards, ledger.SlipsPayment} {
				alarm, err := w.alarmSilence(ctx, r, a, source)
				if err != nil {
					return nil, err
				}
				out = append(out, alarm...)
			}
		}
	}
	return out, nil
}

// alarmIncomplete names what a run misses: counts and codes. Causes are in its own messages, which may name machines.
func (w *Watcher) alarmIncomplete(ctx context.Context, r *RunOutcome) (Alarm, error) {
	var parts []string
	switch n := r.Failed; {
	case n > 0 && n == r.Windows:
		parts = append(parts, "nothing could be pulled")
	case n > 0:
		parts = append(parts, fmt.Sprintf("%d of %s not pulled", n, ledger.CountText(r.Windows, "window was", "windows were")))
	}
	if n := r.Unpublished; n > 0 {
		parts = append(parts, ledger.CountText(n, "set of files was", "sets of files were")+" not published")
	}
	alarm := Alarm{On: OnIncomplete, Run: r.ID, AsOf: r.AsOf}
	counts := map[string]*AlarmCases{}
	sums := map[string]ledger.Amount{}
	filter := caselog.FindingFilter{
		Accounts: w.Accounts, Severities: []ledger.Severity{ledger.Critical},
		States: []ledger.State{ledger.Opened, ledger.Reopened}, Order: caselog.ByCode,
	}
	var order []string
	err := w.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if counts[f.Code] == nil {
			counts[f.Code] = &AlarmCases{Code: f.Code}
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

// alarmBroken are the alarms on what came to break on an account.
func alarmBroken(r *RunOutcome, a ledger.Account, broke []facts.OpenedCases, wanted func(string) bool) []Alarm {
	first := Alarm{On: OnFirstBreak, Account: a, Run: r.ID, AsOf: r.AsOf}
	budget := Alarm{On: OnBudget, Account: a, Run: r.ID, AsOf: r.AsOf}
	var codes []string
	for _, b := range broke {
		cases := AlarmCases{Code: b.Code, Cases: b.Cases, Impact: b.Impact.String()}
		if b.FirstInPeriod {
			first.Cases, codes = append(first.Cases, cases), append(codes, b.Code)
		}
		if b.Code == runs.BudgetExceeded {
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

// NightlyRunEnded reports whether a night as of a day, or of a later one, has ended, whatever its verdict. It returns an error
// if the ledger is unreachable or was never created.
func NightlyRunEnded(ctx context.Context, l *store.Ledger, day ledger.Date) (bool, error) {
	run, err := l.LastRun(ctx, ledger.Nightly)
	if errors.Is(err, sqldb.ErrNotFound) {
		return false, nil
	}
	return err == nil && run.AsOf >= day, err
}

const (
	// silentBusinessDays is how many business days in a row without a row are a silence. One may be a holiday of the town.
	silentBusinessDays = 2
	// usualBusinessDays is how many business days before them are looked at, and usualDaysWithRows on how many of these there must have
	// been rows for their absence to mean something.
	usualBusinessDays = 20
	usualDaysWithRows = 18
)

// alarmSilence is the alarm on a source that has shown no rows lately, or none.
func (w *Watcher) alarmSilence(ctx context.Context, r *RunOutcome, a ledger.Account, source ledger.Source) ([]Alarm, error) {
	days := lastBankDays(w.Calendar(a), r.AsOf, silentBusinessDays+usualBusinessDays)
	if len(days) < silentBusinessDays+usualBusinessDays {
		return nil, nil
	}
	quiet, before := days[:silentBusinessDays], days[silentBusinessDays:]
	period := ledger.Period{From: before[len(before)-1], To: quiet[0]}
	covers, err := w.Ledger.Coverage(ctx, a, source, period)
	if err != nil {
		return nil, err
	}
	rows, err := w.Ledger.DaysWithRows(ctx, a, source, period)
	if err != nil {
		return nil, err
	}
	for _, d := range quiet {
		if !covers[d].Complete || rows[d] {
			return nil, nil
		}
	}
	had := 0
	for _, d := range before {
		if rows[d] {
			had++
		}
	}
	if had < usualDaysWithRows {
		return nil, nil
	}
	return []Alarm{{
		On: OnSilence, Account: a, Run: r.ID, AsOf: r.AsOf, Cause: string(source),
		Text: fmt.Sprintf("account %s: the service answers for %s and has no rows from %s to %s, but had on %d of the %d business days before",
			a, source, quiet[len(quiet)-1], quiet[0], had, usualBusinessDays),
	}}, nil
}

// lastBankDays are the last n bank days before a day, the latest first; fewer where the calendar begins.
func lastBankDays(c *calendar.Calendar, day ledger.Date, n int) []ledger.Date {
	var out []ledger.Date
	for d := day - 1; len(out) < n && calendar.CheckDate(d) == nil; d-- {
		if c.IsBusinessDay(calendar.Settles, d) {
			out = append(out, d)
		}
	}
	return out
}
