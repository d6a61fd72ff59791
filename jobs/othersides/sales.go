package othersides

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"concilia/jobs/agreements"
	"concilia/jobs/caselife"
	"concilia/jobs/rules"
	"concilia/jobs/rules/shops"
	jobssales "concilia/jobs/sales"
	"concilia/jobs/sales/match"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sales"
)

// SalesSummary is what a run found of a store's own sales by card and slip. Amounts are in reais with two decimals.
type SalesSummary struct {
	Store         string `json:"store"`
	Sent          int    `json:"sent"`
	Matched       int    `json:"matched"`
	Divergent     int    `json:"divergent"`
	NotAtService  int    `json:"not_at_service"`
	Duplicated    int    `json:"duplicated"`
	OnlyAtService int    `json:"only_at_service"`
	Waiting       int    `json:"waiting"`
	// Difference is what the store says less what the service says.
	Difference Cents `json:"difference"`
}

// Bounds of what is held against each other at once, so that memory grows with the sales of a quarter and not with those of all years.
const (
	// summarizedDays is how many days a run looks back.
	summarizedDays = 100
	// marginDays are read around a period, for sides whose days differ.
	marginDays = 7
	// codeDays is how many days around a day of a store an authorization is looked for at the service.
	codeDays = 3
)

// SalesTerms are what the rules on stores evaluate by, as of a day.
func (k *Keeper) SalesTerms(asOf ledger.Date) (*shops.Terms, error) {
	tolerances := map[string]rules.Tolerance{}
	for _, r := range shops.Rules() {
		t, err := k.SalesSettings.ToleranceOf(&r)
		if err != nil {
			return nil, err
		}
		tolerances[r.Code] = t
	}
	return &shops.Terms{AsOf: asOf, Calendar: k.BankCalendar, Tolerance: func(code string) rules.Tolerance { return tolerances[code] }}, nil
}

// ConciliateSales holds the stores' own sales by card and slip against what the service knows, for the days of a period.
func ConciliateSales(
	ctx context.Context, l *store.Ledger, stores []jobssales.Store, m *agreements.Mapping, t *shops.Terms, period ledger.Period,
) (*jobssales.Conciliation, []jobssales.Row, error) {
	wide := ledger.Period{From: period.From - marginDays, To: period.To + marginDays}
	c := &jobssales.Conciliation{Terms: t, Accounts: map[ledger.Account]*jobssales.ServiceSide{}}
	needed := map[ledger.Account]ledger.Period{}
	for i := range stores {
		side, p, err := readSide(ctx, l, &stores[i], wide)
		if err != nil {
			return nil, nil, err
		}
		c.Sides = append(c.Sides, side)
		for _, a := range stores[i].Accounts {
			switch n, had := needed[a]; {
			case p.From == 0:
			case had:
				needed[a] = ledger.Period{From: min(n.From, p.From), To: max(n.To, p.To)}
			default:
				needed[a] = p
			}
		}
	}
	for a, p := range needed {
		side, err := readServiceSide(ctx, l, a, p, m)
		if err == nil && c.SellsBySlip(a) {
			err = addServiceSlips(ctx, l, a, p, side)
		}
		if err != nil {
			return nil, nil, err
		}
		c.Accounts[a] = side
	}
	return c, slices.DeleteFunc(c.Conciliate(), func(r jobssales.Row) bool { return !period.Contains(r.Day) }), nil
}

// readSide reads the payments by card and slip of a store around its complete days in a period.
func readSide(ctx context.Context, l *store.Ledger, s *jobssales.Store, within ledger.Period) (side jobssales.Side, p ledger.Period, err error) {
	side = jobssales.Side{Store: s, Complete: map[ledger.Date]bool{}}
	if side.Home, err = l.HomeOfShop(ctx, s.ID, s.Accounts[0]); err != nil {
		return side, p, err
	}
	at := sales.Shop{Home: side.Home, ID: s.ID}
	days, err := l.OwnDays(ctx, at)
	if err != nil {
		return side, p, err
	}
	if side.Faults, err = l.OwnFaults(ctx, at); err != nil {
		return side, p, err
	}
	side.Days = listEvaluated(days, s.From)
	for _, d := range side.Days {
		if d.State != ownsales.DayComplete || !within.Contains(d.Day) {
			continue
		}
		side.Complete[d.Day] = true
		if p.From == 0 {
			p.From = d.Day
		}
		p.To = d.Day
	}
	if p.From == 0 {
		return side, p, nil
	}
	err = l.OwnSales(ctx, at, ledger.Period{From: p.From - 1, To: p.To + 1}, func(k *sales.Kept) error {
		if !k.Vanished && (k.Method.IsCard() || k.Method == ownsales.MethodSlip || k.Method == "") {
			side.Payments = append(side.Payments, k.Payment)
		}
		return nil
	})
	return side, p, err
}

// listEvaluated are the days from the first evaluated one on, which is the first complete one unless from says another.
func listEvaluated(days []ownsales.Day, from ledger.Date) []ownsales.Day {
	first := slices.IndexFunc(days, func(d ownsales.Day) bool {
		return from != 0 && d.Day >= from || from == 0 && d.State == ownsales.DayComplete
	})
	if first < 0 {
		return nil
	}
	return days[first:]
}

// readServiceSide reads the sales of an account around the complete days of stores.
func readServiceSide(ctx context.Context, l *store.Ledger, a ledger.Account, p ledger.Period, m *agreements.Mapping) (*jobssales.ServiceSide, error) {
	out := &jobssales.ServiceSide{}
	var err error
	if out.Complete, err = l.ServiceDays(ctx, a); err != nil {
		return nil, err
	}
	err = l.ServiceSales(ctx, a, ledger.Period{From: p.From - codeDays, To: p.To + codeDays}, func(s *sales.ServiceSale) error {
		out.Sales = append(out.Sales, jobssales.SaleOf(m, match.Sale{
			Key: s.Key, SoldAt: s.SoldAt, Total: s.Total, Installments: s.Count, Reference: s.Reference, WebPaymentID: s.WebPaymentID, Terminal: s.Terminal,
		}, s.CardName, s.CardType, s.Card, s.Statuses))
		return nil
	})
	return out, err
}

// addServiceSlips adds the slips of an account that were issued around the complete days of stores.
func addServiceSlips(ctx context.Context, l *store.Ledger, a ledger.Account, p ledger.Period, side *jobssales.ServiceSide) (err error) {
	if side.SlipsTold, err = l.SlipDays(ctx, a); err != nil {
		return err
	}
	return l.ServiceSlips(ctx, a, ledger.Period{From: p.From - codeDays, To: p.To + codeDays}, func(s *sales.ServiceSlip) error {
		side.Sales = append(side.Sales, match.Sale{
			Key: ledger.SaleKey{Account: a, Day: s.Issued}, SoldAt: ledger.StartOf(s.Issued), Total: s.Value, Product: match.SlipProduct, Live: s.Live,
			Slip: s.ID, OurNumber: s.OurNumber, Reference: s.Reference, Untold: !s.Told,
		})
		return nil
	})
}

// SummarizeSales counts the rows of each store.
func SummarizeSales(stores []jobssales.Store, rows []jobssales.Row) []SalesSummary {
	out := make([]SalesSummary, len(stores))
	for i := range stores {
		out[i].Store = stores[i].ID
	}
	for i := range rows {
		r := &rows[i]
		s := &out[slices.IndexFunc(stores, func(x jobssales.Store) bool { return x.ID == r.Store })]
		if s.Difference += Cents(r.Difference); r.Own != nil {
			s.Sent++
		}
		*map[jobssales.Bucket]*int{
			jobssales.Matched: &s.Matched, jobssales.Divergent: &s.Divergent, jobssales.NotAtService: &s.NotAtService,
			jobssales.Duplicated: &s.Duplicated, jobssales.OnlyAtService: &s.OnlyAtService, jobssales.Waiting: &s.Waiting,
		}[r.Bucket]++
	}
	return out
}

// evaluateSales applies the rules to the stores whose accounts the run has reconciled all, and adds what they say they sold.
func (k *salesKeeper) evaluateSales(ctx context.Context, run *ledger.Run, reconciled Reconciled, out *Evaluation) error {
	stores := chooseJudged(k.Stores, reconciled.isWhole)
	if len(stores) == 0 {
		return nil
	}
	prior, err := k.listSalesCases(ctx, stores)
	if err != nil {
		return err
	}
	terms, err := k.SalesTerms(run.AsOf)
	if err != nil {
		return err
	}
	period := ledger.Period{From: run.AsOf - summarizedDays, To: run.AsOf}
	evaluated := period
	for i := range prior {
		if f := &prior[i]; f.State.IsUnresolved() && f.Code != shops.FileMissing && f.Day != 0 {
			evaluated.From = min(evaluated.From, max(f.Day, run.AsOf-ledger.AgesOut))
		}
	}
	c, rows, err := ConciliateSales(ctx, k.Ledger, stores, k.Mapping, terms, evaluated)
	if err != nil {
		return fmt.Errorf("conciliate the sales of stores: %w", err)
	}
	if err := k.concludeOlder(ctx, run, c, evaluated.From); err != nil {
		return err
	}
	evaluation := c.Evaluate(run, rows, evaluated, k.SalesSettings, k.refusedSales)
	cases := caselife.Follow(run, prior, evaluation.Findings, evaluation.Leaves, func(*ledger.Finding) ledger.Closing { return "" })
	concluded, err := k.concludeSales(ctx, run, c, rows, evaluated)
	if err == nil {
		err = k.Ledger.KeepSales(ctx, run, concluded, cases.Changes)
	}
	if err != nil {
		return err
	}
	out.add(cases)
	out.Sales = SummarizeSales(stores, slices.DeleteFunc(rows, func(r jobssales.Row) bool { return !period.Contains(r.Day) }))
	return nil
}

// concludeSales makes what the run keeps of the stores for the days of a period.
func (k *salesKeeper) concludeSales(
	ctx context.Context, run *ledger.Run, c *jobssales.Conciliation, rows []jobssales.Row, period ledger.Period,
) ([]ownsales.Conclusion, error) {
	months := ledger.Period{From: period.From.MonthStart(), To: period.To.MonthEnd()}
	totals := map[string][]ownsales.Total{}
	for i := range c.Sides {
		side := &c.Sides[i]
		var err error
		if totals[side.Store.ID], err = k.Ledger.OwnTotals(ctx, sales.Shop{Home: side.Home, ID: side.Store.ID}, months); err != nil {
			return nil, err
		}
	}
	return c.Conclude(rows, period, run.AsOf, func(store string) []ownsales.Total { return totals[store] }), nil
}

// concludeOlder concludes anew the days before those that the run evaluates, from the first one on of which a store says something else than when they
// were concluded: part by part, so that memory does not grow with years.
func (k *salesKeeper) concludeOlder(ctx context.Context, run *ledger.Run, c *jobssales.Conciliation, before ledger.Date) error {
	var from ledger.Date
	for i := range c.Sides {
		stale, err := k.findStaleSales(ctx, run, &c.Sides[i], before)
		if err != nil {
			return err
		}
		if stale != 0 && (from == 0 || stale < from) {
			from = stale
		}
	}
	for from != 0 && from < before {
		part := ledger.Period{From: from, To: min(from+summarizedDays, before) - 1}
		side, rows, err := ConciliateSales(ctx, k.Ledger, storesOf(c), k.Mapping, c.Terms, part)
		if err != nil {
			return fmt.Errorf("conciliate the sales of stores, %s: %w", part, err)
		}
		concluded, err := k.concludeSales(ctx, run, side, rows, part)
		if err == nil {
			err = k.Ledger.KeepSales(ctx, run, concluded, nil)
		}
		if err != nil {
			return err
		}
		from = part.To + 1
	}
	return nil
}

func storesOf(c *jobssales.Conciliation) (out []jobssales.Store) {
	for i := range c.Sides {
		out = append(out, *c.Sides[i].Store)
	}
	return out
}

// findStaleSales is the first day before a day of which a store says something else than was concluded, 0: none is.
func (k *salesKeeper) findStaleSales(ctx context.Context, run *ledger.Run, side *jobssales.Side, before ledger.Date) (ledger.Date, error) {
	q := sales.Concluded{Home: side.Home, Run: run.ID, Period: ledger.Period{From: 1, To: before - 1}}
	var seen []ownsales.SeenDay
	err := k.Ledger.SeenOwnDays(ctx, q, func(d *ownsales.SeenDay) error {
		if d.Store == side.Store.ID {
			seen = append(seen, *d)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	var months []ownsales.MonthTotal
	err = k.Ledger.OwnMonths(ctx, q, func(m *ownsales.MonthTotal) error {
		if m.Store == side.Store.ID {
			months = append(months, *m)
		}
		return nil
	})
	return side.FindStale(before, seen, months), err
}

// chooseJudged are the stores of which every account is reconciled, without those that share one with a store of which not every one
// is: a sale may be the other store's.
func chooseJudged(all []jobssales.Store, isReconciled func(ledger.Account) bool) []jobssales.Store {
	left := slices.Clone(all)
	for {
		whole := map[ledger.Account]bool{}
		for i := range left {
			for _, a := range left[i].Accounts {
				whole[a] = isReconciled(a)
			}
		}
		open := map[ledger.Account]bool{}
		for i := range all {
			if !slices.ContainsFunc(left, func(s jobssales.Store) bool { return s.ID == all[i].ID }) {
				for _, a := range all[i].Accounts {
					open[a] = true
				}
			}
		}
		before := len(left)
		left = slices.DeleteFunc(left, func(s jobssales.Store) bool {
			return slices.ContainsFunc(s.Accounts, func(a ledger.Account) bool { return !whole[a] || open[a] })
		})
		if len(left) == before {
			return left
		}
	}
}

// listSalesCases returns the cases of stores.
func (k *salesKeeper) listSalesCases(ctx context.Context, stores []jobssales.Store) (out []ledger.Finding, err error) {
	var filter caselog.FindingFilter
	filter.Codes = append(filter.Codes, jobssales.FileCodes()...)
	for _, r := range shops.Rules() {
		filter.Codes = append(filter.Codes, r.Code)
	}
	sells := map[ledger.Account]bool{}
	names := map[string]bool{}
	for i := range stores {
		home, err := k.Ledger.HomeOfShop(ctx, stores[i].ID, stores[i].Accounts[0])
		if err != nil {
			return nil, err
		}
		for _, a := range stores[i].Accounts {
			sells[a] = true
		}
		filter.Accounts = append(append(filter.Accounts, home), stores[i].Accounts...)
		names[stores[i].ID] = true
	}
	slices.Sort(filter.Accounts)
	filter.Accounts = slices.Compact(filter.Accounts)
	err = k.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if id := jobssales.OfSubject(f.Subject); names[id] || id == "" && sells[f.Account] && strings.HasPrefix(f.Code, ledger.OwnSaleCodes) {
			out = append(out, *f)
		}
		return nil
	})
	return out, err
}
