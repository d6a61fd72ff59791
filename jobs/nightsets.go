package jobs

import (
	"context"
	"slices"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/results"
)

// publishNight renders and publishes what a night of asOf owes: per account and basis the month of the day before and
// the month before that, and the state of the day; then the same over all accounts. What is past its days goes then.
func (w *Worker) publishNight(ctx context.Context, run *ledger.Run, s *Summary, verdicts *accountVerdicts) error {
	sets, err := w.listNightSets(ctx, run.AsOf, verdicts)
	if err != nil {
		return err
	}
	err = w.runPublication(ctx, run, s, func(p *publication) error { return p.publishNightSets(ctx, verdicts, sets) })
	if err != nil {
		return err
	}
	if err := w.retireFiles(ctx, run, s); err != nil {
		return err
	}
	return w.trimArchive(ctx, run, s)
}

// listNightSets are the sets that a night of asOf owes of the worker's accounts.
func (w *Worker) listNightSets(ctx context.Context, asOf ledger.Date, verdicts *accountVerdicts) ([]setRequest, error) {
	var sets []setRequest
	months, err := w.readClosedMonths(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range w.Accounts {
		since, err := w.firstDay(ctx, a, asOf)
		if err != nil {
			return nil, err
		}
		for _, basis := range w.Reports.Bases {
			for _, period := range source.PublishedMonths(asOf, since) {
				if months.isClosed(string(basis), period, a) {
					continue
				}
				sets = append(sets, setRequest{
					name: a.Number.String(), accounts: []Account{a}, basis: basis, period: period,
					kinds: w.Reports.Kinds, formats: w.Reports.Formats,
				})
			}
		}
		sets = append(sets, w.newStateSet(a, asOf)...)
	}
	all, err := w.listSetsOfAll(ctx, asOf, verdicts, months)
	return append(sets, all...), err
}

// newStateSet is the set of the account's state on the morning of asOf; none when no configured kind is of a state.
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

// newSetOfAll is the set over every account of which its kind is not withheld: the summary of a period, the exceptions of a
// state. ok is false when that is not among the kinds, or is withheld of every account.
func (w *Worker) newSetOfAll(
	verdicts *accountVerdicts, basis report.Basis, period ledger.Period, kinds []report.Kind, formats []report.Format,
) (set setRequest, ok bool) {
	kind := report.SummaryKind
	if basis == report.ByAsOf {
		kind = report.ExceptionsKind
	}
	formats = withoutEDI(formats)
	if !slices.Contains(kinds, kind) || !kind.Takes(basis) || len(formats) == 0 {
		return set, false
	}
	set = setRequest{
		name: export.AllAccounts, basis: basis, period: period, kinds: []report.Kind{kind, report.ControlKind}, formats: formats,
	}
	for _, a := range w.Accounts {
		if codes := verdicts.withholdingCodes(a.Number, kind); len(codes) > 0 {
			set.hidden = append(set.hidden, export.AccountFacts{
				Account: a.Number, Name: a.Name, Verdict: verdicts.byAccount[a.Number].Verdict,
				Withheld: []export.Withheld{{Kind: kind, Code: codes[0]}},
			})
			continue
		}
		set.accounts = append(set.accounts, a)
	}
	return set, len(set.accounts) > 0
}

// withholdingCodes are the codes of the critical findings that hold a kind of the account back: those of the source it rests on,
// of both sources when it rests on both. Control is never held back.
func (v *accountVerdicts) withholdingCodes(a ledger.Account, k report.Kind) []string {
	switch {
	case k == report.ControlKind:
		return nil
	case k.Side() == "":
		return slices.Concat(v.criticalCodes(a, "cards"), v.criticalCodes(a, "slips"))
	}
	return v.criticalCodes(a, k.Side())
}

// listSetsOfAll are the sets over every account: per basis the summary of each month, from the first day that one of the
// accounts in it answers for, and the state.
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
			if set.period = period; !months.isClosed(string(basis), period, set.accounts...) {
				sets = append(sets, set)
			}
		}
	}
	if state, ok := w.newSetOfAll(verdicts, report.ByAsOf, ledger.Period{From: asOf, To: asOf}, w.Reports.Kinds, w.Reports.Formats); ok {
		sets = append(sets, state)
	}
	return sets, nil
}

// findFirstDay is the first day that one of the accounts answers for.
func (w *Worker) findFirstDay(ctx context.Context, accounts []Account, asOf ledger.Date) (first ledger.Date, err error) {
	for _, a := range accounts {
		since, err := w.firstDay(ctx, a, asOf)
		if err != nil {
			return 0, err
		}
		if first == 0 || since < first {
			first = since
		}
	}
	return first, nil
}

// readClosedMonths tells which months are closed, for whoever publishes: a night makes no revision of one.
type closedMonths map[closedMonth]bool

type closedMonth struct {
	account ledger.Account
	basis   string
	last    ledger.Date // of the month
}

func (w *Worker) readClosedMonths(ctx context.Context) (closedMonths, error) {
	standing, err := w.Ledger.PeriodCloses(ctx, results.PeriodFilter{InForce: true})
	out := closedMonths{}
	for _, c := range standing {
		out[closedMonth{c.Account, c.Basis, c.Period.To}] = true
	}
	return out, err
}

// isClosed says whether the month that ends with a period is closed for all of the accounts.
func (c closedMonths) isClosed(basis string, p ledger.Period, accounts ...Account) bool {
	for _, a := range accounts {
		if !c[closedMonth{a.Number, basis, p.To}] {
			return false
		}
	}
	return len(accounts) > 0
}
