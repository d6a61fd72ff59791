package jobs

import (
	"context"
	"slices"

	"concilia/export"
	"concilia/jobs/totals"
	"concilia/store/ledger"
)

// publishNight renders and publishes what a night of asOf owes: per account and basis the month of the day before and
// the month before that, and the state of the day; then the same over all accounts. What is past its days goes then.
func (w *Worker) publishNight(ctx context.Context, run *ledger.Run, s *Summary, judged *judged) error {
	sets, err := w.nightSets(ctx, run.AsOf, judged)
	if err != nil {
		return err
	}
	err = w.publish(ctx, run, s, func(p *publishing) error { return p.night(ctx, judged, sets) })
	if err != nil {
		return err
	}
	return w.retire(ctx, run, s)
}

// nightSets are the sets that a night of asOf owes of the worker's accounts.
func (w *Worker) nightSets(ctx context.Context, asOf ledger.Date, judged *judged) ([]setRequest, error) {
	var sets []setRequest
	months, err := w.closedMonths(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range w.Accounts {
		since, err := w.since(ctx, a, asOf)
		if err != nil {
			return nil, err
		}
		for _, basis := range w.Reports.Bases {
			for _, period := range totals.Months(asOf, since) {
				if months.closed(string(basis), period, a) {
					continue
				}
				sets = append(sets, setRequest{
					name: a.Number.String(), accounts: []Account{a}, basis: basis, period: period,
					kinds: w.Reports.Kinds, formats: w.Reports.Formats,
				})
			}
		}
		sets = append(sets, w.stateSet(a.Number.String(), []Account{a}, asOf, w.Reports.Kinds, w.Reports.Formats)...)
	}
	all, err := w.allAccounts(ctx, asOf, judged, months)
	return append(sets, all...), err
}

// stateSet is the set of the state on the morning of asOf; none when no kind of kinds is of a state.
func (w *Worker) stateSet(name string, accounts []Account, asOf ledger.Date, kinds []export.Kind, formats []export.Format) []setRequest {
	if !slices.ContainsFunc(kinds, func(k export.Kind) bool { return k != export.ControlKind && k.Takes(export.ByAsOf) }) {
		return nil
	}
	return []setRequest{{
		name: name, accounts: accounts, basis: export.ByAsOf, period: ledger.Period{From: asOf, To: asOf}, kinds: kinds,
		formats: formats,
	}}
}

// stateOfAll is the state set over every account of which nothing is withheld: their exceptions.
func (w *Worker) stateOfAll(asOf ledger.Date, judged *judged, formats []export.Format) []setRequest {
	if !slices.Contains(w.Reports.Kinds, export.ExceptionsKind) {
		return nil
	}
	var shown []Account
	var hidden []export.AccountFacts
	for _, a := range w.Accounts {
		if codes := judged.withholds(a.Number, export.ExceptionsKind); len(codes) > 0 {
			hidden = append(hidden, export.AccountFacts{
				Account: a.Number, Name: a.Name, Verdict: judged.results[a.Number].Verdict,
				Withheld: []export.Withheld{{Kind: export.ExceptionsKind, Code: codes[0]}},
			})
			continue
		}
		shown = append(shown, a)
	}
	if len(shown) == 0 {
		return nil
	}
	sets := w.stateSet(export.AllAccounts, shown, asOf, []export.Kind{export.ExceptionsKind, export.ControlKind}, formats)
	sets[0].hidden = hidden
	return sets
}

// withholds are the codes of the critical findings that hold a kind of the account back: those of the source it rests on,
// of both sources when it rests on both. Control is never held back.
func (j *judged) withholds(a ledger.Account, k export.Kind) []string {
	switch {
	case k == export.ControlKind:
		return nil
	case k.Side() == "":
		return slices.Concat(j.critical(a, "cards"), j.critical(a, "slips"))
	}
	return j.critical(a, k.Side())
}

// allAccounts are the sets over every account whose cards are not withheld: the summary alone, for the widest period
// any of them has; and the state of all.
func (w *Worker) allAccounts(ctx context.Context, asOf ledger.Date, judged *judged, months closedMonths) ([]setRequest, error) {
	var shown []Account
	var first ledger.Date
	for _, a := range w.Accounts {
		if len(judged.critical(a.Number, "cards")) > 0 {
			continue
		}
		since, err := w.since(ctx, a, asOf)
		if err != nil {
			return nil, err
		}
		if shown = append(shown, a); first == 0 || since < first {
			first = since
		}
	}
	formats := make([]export.Format, 0, len(w.Reports.Formats))
	for _, f := range w.Reports.Formats {
		if f != export.EDI {
			formats = append(formats, f)
		}
	}
	state := w.stateOfAll(asOf, judged, formats)
	if len(shown) == 0 {
		return state, nil
	}
	var sets []setRequest
	for _, basis := range w.Reports.Bases {
		for _, period := range totals.Months(asOf, first) {
			if months.closed(string(basis), period, shown...) {
				continue
			}
			sets = append(sets, setRequest{
				name: export.AllAccounts, accounts: shown, basis: basis, period: period,
				kinds: []export.Kind{export.SummaryKind, export.ControlKind}, formats: formats,
			})
		}
	}
	return append(sets, state...), nil
}
