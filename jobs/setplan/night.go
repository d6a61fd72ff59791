package setplan

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

// Planner says which report sets there are of accounts. All fields are required.
type Planner struct {
	Ledger   *store.Ledger
	Accounts []reportset.Account // in the order of their sets
	Reports  *reportset.Settings
}

// ListNightSets returns the sets that a nightly run as of a day publishes for the accounts.
func (p *Planner) ListNightSets(ctx context.Context, asOf ledger.Date, verdicts *reportset.Verdicts) ([]reportset.Request, error) {
	var sets []reportset.Request
	months, err := p.readClosedMonths(ctx)
	if err != nil {
		return nil, err
	}
	formats := p.Reports.MonthFormats()
	for _, a := range p.Accounts {
		if verdicts.HasOverflow(a.Number) {
			continue
		}
		since, err := reportset.ReadFirstDay(ctx, p.Ledger, a, asOf)
		if err != nil {
			return nil, err
		}
		for _, basis := range p.Reports.Bases {
			if len(formats) == 0 {
				break
			}
			for _, period := range source.PublishedMonths(asOf, since) {
				if months.isClosed(string(basis), period, a) {
					continue
				}
				sets = append(sets, reportset.Request{
					Name: a.Number.String(), Accounts: []reportset.Account{a}, Basis: basis, Period: period,
					Kinds: p.Reports.Kinds, Formats: formats,
				})
			}
		}
		sets = append(sets, p.newStateSet(a, asOf)...)
	}
	all, err := p.listSetsOfAll(ctx, asOf, verdicts, months)
	return append(sets, all...), err
}

// newStateSet returns the set of the account's state as of a day; none if no configured kind reports a state.
func (p *Planner) newStateSet(a reportset.Account, asOf ledger.Date) []reportset.Request {
	kinds := p.Reports.Kinds
	if !slices.ContainsFunc(kinds, func(k report.Kind) bool { return k != report.ControlKind && kindlist.Takes(k, report.ByAsOf) }) {
		return nil
	}
	return []reportset.Request{{
		Name: a.Number.String(), Accounts: []reportset.Account{a}, Basis: report.ByAsOf, Period: ledger.Period{From: asOf, To: asOf},
		Kinds: kinds, Formats: p.Reports.Formats,
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

// NewSetOfAll returns the set over every account whose first kind is not withheld. ok is false if no kind that exists over all accounts
// is among the kinds, if the first is withheld for every account, or if one could not be evaluated. Another kind may be withheld for more of them: a month rests on
// both sides, and a summary on cards alone.
func (p *Planner) NewSetOfAll(
	verdicts *reportset.Verdicts, basis report.Basis, period ledger.Period, kinds []report.Kind, formats []report.Format,
) (set reportset.Request, ok bool) {
	kinds, formats = kindsOfAll(basis, period, kinds), reportset.WithoutEDI(formats)
	if len(kinds) == 0 || len(formats) == 0 {
		return set, false
	}
	set = reportset.Request{
		Name: manifest.AllAccounts, Basis: basis, Period: period, Kinds: append(kinds, report.ControlKind), Formats: formats,
	}
	for _, a := range p.Accounts {
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
func (p *Planner) listSetsOfAll(ctx context.Context, asOf ledger.Date, verdicts *reportset.Verdicts, months closedMonths) ([]reportset.Request, error) {
	var sets []reportset.Request
	for _, basis := range p.Reports.Bases {
		set, ok := p.NewSetOfAll(verdicts, basis, ledger.Period{}, p.Reports.Kinds, p.Reports.Formats)
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
			if set, ok := p.NewSetOfAll(verdicts, basis, period, p.Reports.Kinds, p.Reports.Formats); ok {
				sets = append(sets, set)
			}
		}
	}
	if state, ok := p.NewSetOfAll(verdicts, report.ByAsOf, ledger.Period{From: asOf, To: asOf}, p.Reports.Kinds, p.Reports.Formats); ok {
		sets = append(sets, state)
	}
	return sets, nil
}

// findFirstDay returns the first day that any of the accounts is covered from.
func (p *Planner) findFirstDay(ctx context.Context, accounts []reportset.Account, asOf ledger.Date) (first ledger.Date, err error) {
	for _, a := range accounts {
		since, err := reportset.ReadFirstDay(ctx, p.Ledger, a, asOf)
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
func (p *Planner) readClosedMonths(ctx context.Context) (closedMonths, error) {
	inForce, err := p.Ledger.PeriodCloses(ctx, caselog.PeriodFilter{InForce: true})
	out := closedMonths{}
	for _, c := range inForce {
		out[closedMonth{c.Account, c.Basis, c.Period.To}] = true
	}
	return out, err
}

// isClosed reports whether the month that ends with a period is closed for all of the accounts.
func (c closedMonths) isClosed(basis string, p ledger.Period, accounts ...reportset.Account) bool {
	for _, a := range accounts {
		if !c[closedMonth{a.Number, basis, p.To}] {
			return false
		}
	}
	return len(accounts) > 0
}
