package jobs

import (
	"context"
	"slices"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/jobs/source"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// publishNight renders and publishes the sets of a nightly run as of a day: for each account and basis the month of the
// day before and the month before that, and the state of the day; then the same over all accounts. Then it deletes
// expired files.
func (w *Worker) publishNight(ctx context.Context, run *ledger.Run, s *Summary, verdicts *accountVerdicts) error {
	sets, err := w.listNightSets(ctx, run.AsOf, verdicts)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(sets, func(set setRequest) bool { return set.basis == report.ByAsOf }) {
		s.runSums().ReadEveryDay()
	}
	err = w.runPublication(ctx, run, s, func(p *publication) error {
		if err := p.publishNightSets(ctx, verdicts, sets); err != nil {
			return err
		}
		return p.publishMovement(ctx, verdicts)
	})
	if err != nil {
		return err
	}
	if err := w.retireFiles(ctx, run, s); err != nil {
		return err
	}
	if len(s.Retired) > 0 {
		if err := w.updateIndexes(ctx, w.newPublisher(), s.Away > 0); err != nil {
			return err
		}
	}
	return w.trimArchive(ctx, run, s)
}

// listNightSets returns the sets that a nightly run as of a day publishes for the worker's accounts.
func (w *Worker) listNightSets(ctx context.Context, asOf ledger.Date, verdicts *accountVerdicts) ([]setRequest, error) {
	var sets []setRequest
	months, err := w.readClosedMonths(ctx)
	if err != nil {
		return nil, err
	}
	formats := w.Reports.monthFormats()
	for _, a := range w.Accounts {
		if verdicts.hasOverflow(a.Number) {
			continue
		}
		since, err := readFirstDay(ctx, w.Ledger, a, asOf)
		if err != nil {
			return nil, err
		}
		for _, basis := range w.Reports.Bases {
			if len(formats) == 0 {
				break
			}
			for _, period := range source.PublishedMonths(asOf, since) {
				if months.isClosed(string(basis), period, a) {
					continue
				}
				sets = append(sets, setRequest{
					name: a.Number.String(), accounts: []Account{a}, basis: basis, period: period,
					kinds: w.Reports.Kinds, formats: formats,
				})
			}
		}
		sets = append(sets, w.newStateSet(a, asOf)...)
	}
	all, err := w.listSetsOfAll(ctx, asOf, verdicts, months)
	return append(sets, all...), err
}

// newStateSet returns the set of the account's state as of a day; none if no configured kind reports a state.
func (w *Worker) newStateSet(a Account, asOf ledger.Date) []setRequest {
	kinds := w.Reports.Kinds
	if !slices.ContainsFunc(kinds, func(k report.Kind) bool { return k != report.ControlKind && k.Takes(report.ByAsOf) }) {
		return nil
	}
	return []setRequest{{
		name: a.Number.String(), accounts: []Account{a}, basis: report.ByAsOf, period: ledger.Period{From: asOf, To: asOf},
		kinds: kinds, formats: w.Reports.Formats,
	}}
}

// kindsOfAll returns the kinds of a set over all accounts that are among those asked for, the one that the others follow first: summary
// and month of a period, exceptions, recoveries and forecast of a state. A period of no day is not known yet.
func kindsOfAll(basis report.Basis, period ledger.Period, asked []report.Kind) (kinds []report.Kind) {
	of := []report.Kind{report.SummaryKind, report.MonthKind, report.BankKind}
	if basis == report.ByAsOf {
		of = []report.Kind{report.ExceptionsKind, report.RecoveriesKind, report.ForecastKind}
	}
	for _, k := range of {
		whole := k != report.MonthKind || period == (ledger.Period{}) || report.IsWholeMonth(period)
		if slices.Contains(asked, k) && k.Takes(basis) && whole {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// newSetOfAll returns the set over every account whose first kind is not withheld. ok is false if no kind that exists over all accounts
// is among the kinds, if the first is withheld for every account, or if one could not be evaluated. Another kind may be withheld for more of them: a month rests on
// both sides, and a summary on cards alone.
func (w *Worker) newSetOfAll(
	verdicts *accountVerdicts, basis report.Basis, period ledger.Period, kinds []report.Kind, formats []report.Format,
) (set setRequest, ok bool) {
	kinds, formats = kindsOfAll(basis, period, kinds), withoutEDI(formats)
	if len(kinds) == 0 || len(formats) == 0 {
		return set, false
	}
	set = setRequest{
		name: manifest.AllAccounts, basis: basis, period: period, kinds: append(kinds, report.ControlKind), formats: formats,
	}
	for _, a := range w.Accounts {
		if verdicts.hasOverflow(a.Number) {
			return set, false // without it the set would not be of all accounts
		}
		if codes := verdicts.withholdingCodes(a.Number, kinds[0]); len(codes) > 0 {
			set.hidden = append(set.hidden, export.AccountFacts{
				Account: a.Number, Name: a.Name, Verdict: verdicts.byAccount[a.Number].Verdict,
				Withheld: []export.Withheld{{Kind: kinds[0], Code: codes[0]}},
			})
			continue
		}
		set.accounts = append(set.accounts, a)
	}
	return set, len(set.accounts) > 0
}

// withholdingCodes returns the codes of critical findings that withhold a kind of report of the account: those of its
// side, or of both sides if it has rows of both. Control is never withheld.
func (v *accountVerdicts) withholdingCodes(a ledger.Account, k report.Kind) []string {
	switch {
	case k == report.ControlKind, k == report.BankKind: // a bank account has a verdict of its own
		return nil
	case k.Side() == "":
		return slices.Concat(v.criticalCodes(a, "cards"), v.criticalCodes(a, "slips"))
	}
	return v.criticalCodes(a, k.Side())
}

// listSetsOfAll returns the sets over every account: for each basis the summary and the month of each month, from the first covered
// day of any of the accounts in it, and the state.
func (w *Worker) listSetsOfAll(ctx context.Context, asOf ledger.Date, verdicts *accountVerdicts, months closedMonths) ([]setRequest, error) {
	var sets []setRequest
	for _, basis := range w.Reports.Bases {
		set, ok := w.newSetOfAll(verdicts, basis, ledger.Period{}, w.Reports.Kinds, w.Reports.Formats)
		if !ok {
			continue
		}
		first, err := w.findFirstDay(ctx, set.accounts, asOf)
		if err != nil {
			return nil, err
		}
		for _, period := range source.PublishedMonths(asOf, first) {
			if months.isClosed(string(basis), period, set.accounts...) {
				continue
			}
			if set, ok := w.newSetOfAll(verdicts, basis, period, w.Reports.Kinds, w.Reports.Formats); ok {
				sets = append(sets, set)
			}
		}
	}
	if state, ok := w.newSetOfAll(verdicts, report.ByAsOf, ledger.Period{From: asOf, To: asOf}, w.Reports.Kinds, w.Reports.Formats); ok {
		sets = append(sets, state)
	}
	return sets, nil
}

// findFirstDay returns the first day that any of the accounts is covered from.
func (w *Worker) findFirstDay(ctx context.Context, accounts []Account, asOf ledger.Date) (first ledger.Date, err error) {
	for _, a := range accounts {
		since, err := readFirstDay(ctx, w.Ledger, a, asOf)
		if err != nil {
			return 0, err
		}
		if first == 0 || since < first {
			first = since
		}
	}
	return first, nil
}

// closedMonths are the closed months of accounts.
type closedMonths map[closedMonth]bool

type closedMonth struct {
	account ledger.Account
	basis   string
	last    ledger.Date // of the month
}

// readClosedMonths reads which months are closed, because a nightly run makes no revision of them.
func (w *Worker) readClosedMonths(ctx context.Context) (closedMonths, error) {
	standing, err := w.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{InForce: true})
	out := closedMonths{}
	for _, c := range standing {
		out[closedMonth{c.Account, c.Basis, c.Period.To}] = true
	}
	return out, err
}

// isClosed reports whether the month that ends with a period is closed for all of the accounts.
func (c closedMonths) isClosed(basis string, p ledger.Period, accounts ...Account) bool {
	for _, a := range accounts {
		if !c[closedMonth{a.Number, basis, p.To}] {
			return false
		}
	}
	return len(accounts) > 0
}
