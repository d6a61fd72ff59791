package desk

import (
	"context"
	"errors"
	"slices"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/find"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// Find finds what was typed, among the accounts; none means all.
func (s *Source) Find(ctx context.Context, accounts []ledger.Account, text, lang string) (found *view.Found, wrong string, err error) {
	err = s.ask(ctx, func(w *jobs.Worker) error {
		query, err := find.ParseQuery(text, w.Today())
		var bad *find.QueryError
		if errors.As(err, &bad) {
			wrong = bad.Error()
			return nil
		}
		if err != nil {
			return err
		}
		finder := &find.Finder{Ledger: w.Ledger, Voice: wire.VoiceOf(w, lang)}
		for _, a := range s.overview(w, accounts).Accounts {
			finder.Accounts = append(finder.Accounts, a.Number)
		}
		shops, err := s.findShops(ctx, w, accounts, "")
		if err != nil {
			return err
		}
		finder.HidesStore = func(id string) bool {
			return !slices.ContainsFunc(shops, func(shop sales.Shop) bool { return shop.ID == id })
		}
		answer, err := finder.Find(ctx, find.Request{Query: query})
		if err != nil {
			return err
		}
		since, err := FirstDays(ctx, w.Ledger, finder.Accounts)
		if err != nil {
			return err
		}
		var subjects []string
		for i := range answer.Hits {
			subjects = append(subjects, answer.Hits[i].Subject)
		}
		names, err := namesOfSlips(ctx, w, subjects)
		found = &view.Found{Answer: answer, Query: query, Since: since, Language: lang, SlipNames: names}
		return err
	})
	return found, wrong, err
}

// Item is everything about a sale or slip.
func (s *Source) Item(ctx context.Context, subject, lang string) (out *caseview.Item, err error) {
	err = s.ask(ctx, func(w *jobs.Worker) error {
		page, err := wire.NewExplainer(w).ExplainItem(ctx, subject, lang)
		if err != nil {
			return err
		}
		out = &caseview.Item{ItemPage: page, Zone: w.Zone}
		return nil
	})
	return out, err
}
