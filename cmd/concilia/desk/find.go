package desk

import (
	"context"
	"errors"
	"slices"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/find"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// itemAnswers answer about what was searched for, and everything about a sale or slip.
type itemAnswers struct{ *access }

// showsPayers reports whether somebody sees payers of slips in the clear: who may see payers at all, where slips are configured to show
// them.
func (s itemAnswers) showsPayers(seesPayers bool) bool {
	return seesPayers && slices.Contains(s.config.Reports.Identified, string(report.SlipsKind))
}

// Find finds what was typed, among the accounts; none means all.
func (s itemAnswers) Find(ctx context.Context, accounts []ledger.Account, seesPayers bool, text, lang string) (found *view.Found, wrong string, err error) {
	err = s.ask(ctx, func(w *jobs.Worker) error {
		query, err := find.ParseQuery(text, w.Today())
		var bad *find.QueryError
		if errors.As(err, &bad) {
			wrong = bad.Explain(lang)
			return nil
		}
		if err != nil {
			return err
		}
		finder := &find.Finder{Ledger: w.Ledger, Voice: wire.VoiceOf(w, lang), FindsPayers: s.showsPayers(seesPayers)}
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
func (s itemAnswers) Item(ctx context.Context, subject string, seesPayers bool, lang string) (out *caseview.Item, err error) {
	err = s.ask(ctx, func(w *jobs.Worker) error {
		x := wire.NewExplainer(w)
		x.ShowsPayers = s.showsPayers(seesPayers)
		page, err := x.ExplainItem(ctx, subject, lang)
		if err != nil {
			return err
		}
		out = &caseview.Item{ItemPage: page, Zone: w.Zone}
		return nil
	})
	return out, err
}
