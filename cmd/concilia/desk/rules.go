package desk

import (
	"context"
	"strings"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/jobs/rules/catalogue"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// ruleAnswers answer about rules and the calendar.
type ruleAnswers struct{ *access }

// Calendar is the days of a year that are not business days.
func (s ruleAnswers) Calendar(_ context.Context, year int) (*view.CalendarYear, error) {
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
func (s ruleAnswers) Rule(ctx context.Context, code, lang string) (out *console.RulePage, err error) {
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
func (s ruleAnswers) StandingRules(ctx context.Context, accounts []ledger.Account) (map[string]console.RuleStanding, error) {
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
