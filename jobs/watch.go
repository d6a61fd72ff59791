package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/ledger"
)

// The kinds of alarms, as the configuration spells them.
const (
	OnIncomplete = "incomplete"  // a run is incomplete or failed
	OnFirstBreak = "first_break" // a code breaks for the first time in 30 days
	OnBudget     = "budget"      // more was tolerated in a month than allowed
	OnSilence    = "silence"     // the service answers without rows where it had some before
	OnNoRun      = "no_run"      // no night has ended by a time of day
)

// firstBreakDays is for how many days a code must not have been broken for its next break to be a first one.
const firstBreakDays = 30

const (
	// silentDays is how many business days in a row without a row are a silence. One may be a holiday of the town.
	silentDays = 2
	// usualDays is how many business days before them are looked at, and oftenEnough on how many of these there must have
	// been rows for their absence to mean something.
	usualDays   = 20
	oftenEnough = 18
)

// Alarm is something that people should know now. It names no payer.
type Alarm struct {
	On      string         `json:"on"`
	Account ledger.Account `json:"account,omitzero"` // absent: none in particular
	Text    string         `json:"text"`             // one sentence
	Run     string         `json:"run,omitzero"`
	AsOf    ledger.Date    `json:"as_of,omitzero"`
	Cases   []AlarmCases   `json:"cases,omitzero"`
	// Cause tells alarms of one kind, account and run apart. By is the time of day of OnNoRun, HH:MM.
	Cause string `json:"-"`
	By    string `json:"-"`
}

// AlarmCases are the cases of a code that an alarm is about.
type AlarmCases struct {
	Code   string `json:"code"`
	Cases  int64  `json:"cases"`
	Impact string `json:"impact"` // the sum, in reais, positive when the merchant lost
}

// Alarms returns the alarms for a finished run, of the kinds wanted. It only reads the ledger, so that calling it again
// gives the same result.
func (w *Worker) Alarms(ctx context.Context, s *Summary, wanted func(on string) bool) ([]Alarm, error) {
	var out []Alarm
	if wanted(OnIncomplete) && s.ExitCode() >= ExitIncomplete {
		alarm, err := w.incomplete(ctx, s)
		if err != nil {
			return nil, err
		}
		out = append(out, alarm)
	}
	for _, a := range s.Accounts {
		if wanted(OnFirstBreak) || wanted(OnBudget) {
			broke, err := w.Ledger.Broke(ctx, a.Account, s.Run, s.AsOf-firstBreakDays)
			if err != nil {
				return nil, err
			}
			out = append(out, broken(s, a.Account, broke, wanted)...)
		}
		if wanted(OnSilence) && s.Pulled != nil {
			for _, source := range []ledger.Source{ledger.Cards, ledger.SlipsPayment} {
				alarm, err := w.silence(ctx, s, a.Account, source)
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
func (w *Worker) incomplete(ctx context.Context, s *Summary) (Alarm, error) {
	var parts []string
	switch n := len(s.FailedWindows); {
	case n > 0 && n == s.Windows:
		parts = append(parts, "nothing could be pulled")
	case n > 0:
		parts = append(parts, fmt.Sprintf("%d of %s not pulled", n, things(s.Windows, "window was", "windows were")))
	}
	if n := len(s.Unpublished); n > 0 {
		parts = append(parts, things(n, "set of files was", "sets of files were")+" not published")
	}
	alarm := Alarm{On: OnIncomplete, Run: s.Run, AsOf: s.AsOf}
	counts := map[string]*AlarmCases{}
	sums := map[string]ledger.Amount{}
	filter := store.FindingFilter{
		Accounts: w.numbers(), Severities: []ledger.Severity{ledger.Critical},
		States: []ledger.State{ledger.Opened, ledger.Reopened}, Order: store.ByCode,
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
	alarm.Text = fmt.Sprintf("the run as of %s is incomplete", s.AsOf)
	if len(parts) > 0 {
		alarm.Text += ": " + strings.Join(parts, "; ")
	}
	return alarm, err
}

// broken are the alarms on what came to break on an account.
func broken(s *Summary, a ledger.Account, broke []store.Broke, wanted func(string) bool) []Alarm {
	first := Alarm{On: OnFirstBreak, Account: a, Run: s.Run, AsOf: s.AsOf}
	budget := Alarm{On: OnBudget, Account: a, Run: s.Run, AsOf: s.AsOf}
	var codes []string
	for _, b := range broke {
		cases := AlarmCases{Code: b.Code, Cases: b.Cases, Impact: b.Impact.String()}
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

// silence is the alarm on a source that has shown no rows lately, or none.
func (w *Worker) silence(ctx context.Context, s *Summary, a ledger.Account, source ledger.Source) ([]Alarm, error) {
	days := bankDays(w.Terms.Calendar(a), s.AsOf, silentDays+usualDays)
	if len(days) < silentDays+usualDays {
		return nil, nil
	}
	quiet, before := days[:silentDays], days[silentDays:]
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
	if had < oftenEnough {
		return nil, nil
	}
	return []Alarm{{
		On: OnSilence, Account: a, Run: s.Run, AsOf: s.AsOf, Cause: string(source),
		Text: fmt.Sprintf("account %s: the service answers for %s and has no rows from %s to %s, but had on %d of the %d business days before",
			a, source, quiet[len(quiet)-1], quiet[0], had, usualDays),
	}}, nil
}

// bankDays are the last n bank days before a day, the latest first; fewer where the calendar begins.
func bankDays(c *calendar.Calendar, day ledger.Date, n int) []ledger.Date {
	var out []ledger.Date
	for d := day - 1; len(out) < n && calendar.Check(d) == nil; d-- {
		if c.Is(calendar.Settles, d) {
			out = append(out, d)
		}
	}
	return out
}

// NightBy reports whether a night as of a day, or of a later one, has ended, whatever its verdict. It returns an error
// if the ledger is unreachable or was never created.
func NightBy(ctx context.Context, l *store.Ledger, day ledger.Date) (bool, error) {
	run, err := l.LastRun(ctx, ledger.Nightly)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && run.AsOf >= day, err
}
