package jobs

import (
	"context"

	"concilia/export"
	"concilia/store/ledger"
)

// publishNight renders and publishes what a night of asOf owes: per account and basis the month of the day before and
// the month before that, then the same over all accounts.
func (w *Worker) publishNight(ctx context.Context, run *ledger.Run, s *Summary, judged *judged) error {
	var sets []setRequest
	for _, a := range w.Accounts {
		since, err := w.since(ctx, a, run.AsOf)
		if err != nil {
			return err
		}
		for _, basis := range w.Reports.Bases {
			for _, period := range nightPeriods(run.AsOf, since) {
				sets = append(sets, setRequest{
					name: a.Number.String(), accounts: []Account{a}, basis: basis, period: period,
					kinds: w.Reports.Kinds, formats: w.Reports.Formats,
				})
			}
		}
	}
	all, err := w.allAccounts(ctx, run.AsOf, judged)
	if err != nil {
		return err
	}
	return w.publishSets(ctx, run, s, judged, append(sets, all...))
}

// allAccounts are the sets over every account whose cards are not withheld: the summary alone, for the widest period
// any of them has.
func (w *Worker) allAccounts(ctx context.Context, asOf ledger.Date, judged *judged) ([]setRequest, error) {
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
	if len(shown) == 0 {
		return nil, nil
	}
	formats := make([]export.Format, 0, len(w.Reports.Formats))
	for _, f := range w.Reports.Formats {
		if f != export.EDI {
			formats = append(formats, f)
		}
	}
	var sets []setRequest
	for _, basis := range w.Reports.Bases {
		for _, period := range nightPeriods(asOf, first) {
			sets = append(sets, setRequest{
				name: export.AllAccounts, accounts: shown, basis: basis, period: period,
				kinds: []export.Kind{export.SummaryKind, export.ControlKind}, formats: formats,
			})
		}
	}
	return sets, nil
}

// nightPeriods are the month of the day before asOf and the month before it, newest first, clipped to what is answered
// for.
func nightPeriods(asOf, since ledger.Date) []ledger.Period {
	var out []ledger.Period
	last := asOf - 1
	for _, from := range []ledger.Date{last.MonthStart(), (last.MonthStart() - 1).MonthStart()} {
		p := ledger.Period{From: max(from, since), To: from.MonthEnd()}
		if p.From <= p.To && p.From <= last {
			out = append(out, p)
		}
	}
	return out
}
