package desk

import (
	"context"
	"fmt"
	"slices"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/explain"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// letterAnswers answer about letters to the service.
type letterAnswers struct{ *access }

// Letters are the letters about the cases that are named, or else about those of a filter that can be claimed.
func (s letterAnswers) Letters(ctx context.Context, cases []string, f *console.CaseFilter, lang string) (out []caseview.Letter, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		filter := caselog.FindingFilter{Cases: cases}
		if len(cases) == 0 {
			if filter.Cases, err = claimableCases(ctx, w, f); err != nil {
				return err
			}
		}
		switch n := len(filter.Cases); {
		case n == 0:
			return nil
		case n > explain.MaxLetterCases:
			return fmt.Errorf("%w: %w", console.ErrConflict, explain.RefuseLetter(n))
		}
		seen, missing := 0, false
		err := w.Ledger.Findings(ctx, filter, func(c *ledger.Finding) error {
			if len(f.Accounts) > 0 && !slices.Contains(f.Accounts, c.Account) {
				return console.ErrNotFound
			}
			seen, missing = seen+1, missing || c.Impact.V > 0
			return nil
		})
		switch {
		case err != nil:
			return err
		case seen < len(cases):
			return console.ErrNotFound
		case !missing:
			return nil
		}
		all, err := wire.NewExplainer(w).WriteLetters(ctx, filter, wire.HoldersOf(s.config), lang)
		out = caseview.LettersOf(all)
		return err
	})
}

// claimableCases are the cases of a filter that a letter can be about.
func claimableCases(ctx context.Context, w *jobs.Worker, f *console.CaseFilter) (cases []string, err error) {
	claims, err := ClaimsByCase(ctx, w.Ledger, f.Accounts, wire.VoiceOf(w, "en"))
	if err != nil {
		return nil, err
	}
	filter := findingFilter(f, ledger.DateOf(w.Now(), w.Zone))
	if len(f.States) == 0 {
		filter.States = explain.LetterStates()
	}
	return cases, w.Ledger.Findings(ctx, filter, func(c *ledger.Finding) error {
		if MatchesFilter(f, c, claims[c.Case]) && explain.IsClaimable(c) {
			cases = append(cases, c.Case)
		}
		return nil
	})
}
