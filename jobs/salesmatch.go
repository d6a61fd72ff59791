package jobs

import (
	"context"
	"slices"

	"concilia/jobs/agreements"
	jobssales "concilia/jobs/sales"
	"concilia/jobs/sales/match"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// SalesSummary is what a run found of a store's own sales by card. Amounts are in reais with two decimals.
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
)

// ConciliateSales holds the stores' own sales by card against what the service knows, for the days of a period.
func ConciliateSales(
	ctx context.Context, l *store.Ledger, stores []jobssales.Store, m *agreements.Mapping, period ledger.Period,
) ([]jobssales.Row, error) {
	wide := ledger.Period{From: period.From - marginDays, To: period.To + marginDays}
	c := &jobssales.Conciliation{Accounts: map[ledger.Account]*jobssales.ServiceSide{}}
	needed := map[ledger.Account]ledger.Period{}
	for i := range stores {
		side, p, err := readSide(ctx, l, &stores[i], wide)
		if err != nil {
			return nil, err
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
		if err != nil {
			return nil, err
		}
		c.Accounts[a] = side
	}
	return slices.DeleteFunc(c.Conciliate(), func(r jobssales.Row) bool { return !period.Contains(r.Day) }), nil
}

// readSide reads the payments by card of a store around its complete days in a period.
func readSide(ctx context.Context, l *store.Ledger, s *jobssales.Store, within ledger.Period) (side jobssales.Side, p ledger.Period, err error) {
	side = jobssales.Side{Store: s, Complete: map[ledger.Date]bool{}}
	home, err := l.HomeOfShop(ctx, s.ID, s.Accounts[0])
	if err != nil {
		return side, p, err
	}
	at := sales.Shop{Home: home, ID: s.ID}
	days, err := l.OwnDays(ctx, at)
	if err != nil {
		return side, p, err
	}
	for _, d := range days {
		if d.State != ledger.OwnComplete || !within.Contains(d.Day) {
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
		if !k.Vanished && k.Method.IsCard() {
			side.Payments = append(side.Payments, k.OwnPayment)
		}
		return nil
	})
	return side, p, err
}

// readServiceSide reads the sales of an account around the days that stores tell whole.
func readServiceSide(ctx context.Context, l *store.Ledger, a ledger.Account, p ledger.Period, m *agreements.Mapping) (*jobssales.ServiceSide, error) {
	out := &jobssales.ServiceSide{}
	var err error
	if out.Complete, err = l.ServiceDays(ctx, a); err != nil {
		return nil, err
	}
	err = l.ServiceSales(ctx, a, ledger.Period{From: p.From - 1, To: p.To + 1}, func(s *sales.ServiceSale) error {
		out.Sales = append(out.Sales, jobssales.SaleOf(m, match.Sale{
			Key: s.Key, SoldAt: s.SoldAt, Total: s.Total, Installments: s.Count, Reference: s.Reference, WebPaymentID: s.WebPaymentID, Terminal: s.Terminal,
		}, s.CardName, s.CardType, s.Card, s.Statuses))
		return nil
	})
	return out, err
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

// summarizeSales adds to the summary what stores say they sold, if the run has reconciled all their accounts.
func (w *Worker) summarizeSales(ctx context.Context, run *ledger.Run, s *Summary, v *accountVerdicts) error {
	if len(w.Stores) == 0 {
		return nil
	}
	for i := range w.Stores {
		for _, a := range w.Stores[i].Accounts {
			if _, reconciled := v.byAccount[a]; !reconciled || v.overflowed(a) {
				return nil
			}
		}
	}
	rows, err := ConciliateSales(ctx, w.Ledger, w.Stores, w.Inputs.Mapping, ledger.Period{From: run.AsOf - summarizedDays, To: run.AsOf})
	if err == nil {
		s.Sales = SummarizeSales(w.Stores, rows)
	}
	return err
}
