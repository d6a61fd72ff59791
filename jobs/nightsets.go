package jobs

import (
	"context"
	"slices"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/jobs/reportset"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// setPlanner says which report sets there are of a worker's accounts.
type setPlanner struct {
	ledger   *store.Ledger
	accounts []Account
	reports  *ReportSettings
}

func (m *stepMaker) newSetPlanner() *setPlanner {
	w := m.worker
	return &setPlanner{ledger: w.Ledger, accounts: w.Accounts, reports: &w.Reports}
}

// listNightSets returns the sets that a nightly run as of a day publishes for the worker's accounts.
func (p *setPlanner) listNightSets(ctx context.Context, asOf ledger.Date, verdicts *reportset.Verdicts) ([]reportset.Request, error) {
	var sets []reportset.Request
	months, err := p.readClosedMonths(ctx)
	if err != nil {
		return nil, err
	}
	formats := p.reports.MonthFormats()
	for _, a := range p.accounts {
		if verdicts.HasOverflow(a.Number) {
			continue
		}
		since, err := reportset.ReadFirstDay(ctx, p.ledger, a, asOf)
		if err != nil {
			return nil, err
		}
		for _, basis := range p.reports.Bases {
			if len(formats) == 0 {
				break
			}
			for _, period := range source.PublishedMonths(asOf, since) {
				if months.isClosed(string(basis), period, a) {
					continue
				}
				sets = append(sets, reportset.Request{
					Name: a.Number.String(), Accounts: []Account{a}, Basis: basis, Period: period,
					Kinds: p.reports.Kinds, Formats: formats,
				})
			}
		}
		sets = append(sets, p.newStateSet(a, asOf)...)
	}
	all, err := p.listSetsOfAll(ctx, asOf, verdicts, months)
	return append(sets, all...), err
}

// newStateSet returns the set of the account's state as of a day; none if no configured kind reports a state.
func (p *setPlanner) newStateSet(a Account, asOf ledger.Date) []reportset.Request {
	kinds := p.reports.Kinds
	if !slices.ContainsFunc(kinds, func(k report.Kind) bool { return k != report.ControlKind && kindlist.Takes(k, report.ByAsOf) }) {
		return nil
	}
	return []reportset.Request{{
		Name: a.Number.String(), Accounts: []Account{a}, Basis: report.ByAsOf, Period: ledger.Period{From: asOf, To: asOf},
		Kinds: kinds, Formats: p.reports.Formats,
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
		if slices.Contains(asked, k) && kindlist.Takes(k, basis) && whole {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// newSetOfAll returns the set over every account whose first kind is not withheld. ok is false if no kind that exists over all accounts
// is among the kinds, if the first is withheld for every account, or if one could not be evaluated. Another kind may be withheld for more of them: a month rests on
// both sides, and a summary on cards alone.
func (p *setPlanner) newSetOfAll(
	verdicts *reportset.Verdicts, basis report.Basis, period ledger.Period, kinds []report.Kind, formats []report.Format,
) (set reportset.Request, ok bool) {
	kinds, formats = kindsOfAll(basis, period, kinds), reportset.WithoutEDI(formats)
	if len(kinds) == 0 || len(formats) == 0 {
		return set, false
	}
	set = reportset.Request{
		Name: manifest.AllAccounts, Basis: basis, Period: period, Kinds: append(kinds, report.ControlKind), Formats: formats,
	}
	for _, a := range p.accounts {
		if verdicts.HasOverflow(a.Number) {
			return set, false // without it the set would not be of all accounts
		}
		if codes := verdicts.WithholdingCodes(a.Number, kinds[0]); len(codes) > 0 {
			set.Hidden = append(set.Hidden, export.AccountFacts{
				Account: a.Number, Name: a.Name, Verdict: verdicts.ByAccount[a.Number].Verdict,
				Withheld: []export.Withheld{{Kind: kinds[0], Code: codes[0]}},
			})
			continue
		}
		set.Accounts = append(set.Accounts, a)
	}
	return set, len(set.Accounts) > 0
}

// listSetsOfAll returns the sets over every account: for each basis the summary and the month of each month, from the first covered
// day of any of the accounts in it, and the state.
func (p *setPlanner) listSetsOfAll(ctx context.Context, asOf ledger.Date, verdicts *reportset.Verdicts, months closedMonths) ([]reportset.Request, error) {
	var sets []reportset.Request
	for _, basis := range p.reports.Bases {
		set, ok := p.newSetOfAll(verdicts, basis, ledger.Period{}, p.reports.Kinds, p.reports.Formats)
		if !ok {
			continue
		}
		first, err := p.findFirstDay(ctx, set.Accounts, asOf)
		if err != nil {
			return nil, err
		}
		for _, period := range source.PublishedMonths(asOf, first) {
			if months.isClosed(string(basis), period, set.Accounts...) {
				continue
			}
			if set, ok := p.newSetOfAll(verdicts, basis, period, p.reports.Kinds, p.reports.Formats); ok {
				sets = append(sets, set)
			}
		}
	}
	if state, ok := p.newSetOfAll(verdicts, report.ByAsOf, ledger.Period{From: asOf, To: asOf}, p.reports.Kinds, p.reports.Formats); ok {
		sets = append(sets, state)
	}
	return sets, nil
}

// findFirstDay returns the first day that any of the accounts is covered from.
func (p *setPlanner) findFirstDay(ctx context.Context, accounts []Account, asOf ledger.Date) (first ledger.Date, err error) {
	for _, a := range accounts {
		since, err := reportset.ReadFirstDay(ctx, p.ledger, a, asOf)
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
func (p *setPlanner) readClosedMonths(ctx context.Context) (closedMonths, error) {
	inForce, err := p.ledger.PeriodCloses(ctx, caselog.PeriodFilter{InForce: true})
	out := closedMonths{}
	for _, c := range inForce {
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
