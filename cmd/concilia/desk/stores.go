package desk

import (
	"context"
	"slices"
	"strconv"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view"
	"concilia/jobs"
	"concilia/jobs/othersides"
	"concilia/jobs/rules"
	jobssales "concilia/jobs/sales"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// findShops are the stores that a person may see: one with a sale in an account that the person does not see is left out. id narrows
// them to one; empty: all.
func (s *Source) findShops(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, id string) ([]sales.Shop, error) {
	return s.findShopsOf(ctx, w, accounts, id, nil)
}

// findShopsOf are those of them that sell in one of some accounts; none: in any.
func (s *Source) findShopsOf(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, id string, of []ledger.Account) (out []sales.Shop, err error) {
	seen := s.numbers(w, accounts)
	for i := range w.Stores {
		store := &w.Stores[i]
		if id != "" && store.ID != id || slices.ContainsFunc(store.Accounts, func(n ledger.Account) bool { return !slices.Contains(seen, n) }) {
			continue
		}
		if len(of) > 0 && !slices.ContainsFunc(store.Accounts, func(n ledger.Account) bool { return slices.Contains(of, n) }) {
			continue
		}
		home, err := w.Ledger.HomeOfShop(ctx, store.ID, store.Accounts[0])
		if err != nil {
			return nil, err
		}
		out = append(out, sales.Shop{Home: home, ID: store.ID})
	}
	if id != "" && len(out) == 0 {
		err = console.ErrNotFound
	}
	return out, err
}

// conciliateStores holds all stores against the service for some days, as of the last night: whether a sale is known to no store, all of them tell together.
func conciliateStores(ctx context.Context, w *jobs.Worker, days ledger.Period) ([]jobssales.Row, error) {
	night, err := FindLastNight(ctx, w)
	if err != nil || night == nil {
		return nil, err
	}
	terms, err := w.OtherSides().SalesTerms(night.AsOf)
	if err != nil {
		return nil, err
	}
	_, rows, err := othersides.ConciliateSales(ctx, w.Ledger, w.Stores, w.Inputs.Mapping, terms, days)
	return rows, err
}

// StoreIDs are the stores that a person may see and that sell in one of some accounts; none: in any.
func (s *Source) StoreIDs(ctx context.Context, accounts []ledger.Account, of []ledger.Account) (out []string, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		shops, err := s.findShopsOf(ctx, w, accounts, "", of)
		for _, shop := range shops {
			out = append(out, shop.ID)
		}
		return err
	})
}

// Stores are the stores that StoreIDs names, with their rows and days in a period, or the one with that id.
func (s *Source) Stores(ctx context.Context, accounts []ledger.Account, of []ledger.Account, id string, days ledger.Period) (out *view.StoresPage, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		shops, err := s.findShopsOf(ctx, w, accounts, id, of)
		if err != nil {
			return err
		}
		rows, err := conciliateStores(ctx, w, days)
		if err != nil {
			return err
		}
		out = &view.StoresPage{}
		for _, shop := range shops {
			known, err := w.Ledger.OwnDays(ctx, shop)
			if err != nil {
				return err
			}
			out.AddStore(shop.Home, view.SalesCoverageOf(shop.ID, known, days), rows)
		}
		slices.SortStableFunc(out.Rows, func(a, b view.StoreRow) int { return int(b.Day - a.Day) })
		return nil
	})
}

// StoreSale is a payment of a store by its subject, or a sale of the service that is held against stores.
func (s *Source) StoreSale(ctx context.Context, accounts []ledger.Account, name string) (out *view.StoreSale, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		subject, ok := ledger.ParseSubject(name)
		if !ok {
			return console.ErrNotFound
		}
		if key, _, isSale := subject.SaleKey(); isSale && subject.Kind == string(rules.OnSale) {
			out, err = s.findServiceSale(ctx, w, accounts, key.Subject(), key.Day)
			return err
		}
		if subject.Kind == string(rules.OnSlip) && len(subject.Parts) == 1 {
			out, err = s.findServiceSale(ctx, w, accounts, ledger.SlipSubject(subject.Account, subject.Parts[0]), 0)
			return err
		}
		if subject.Kind != "own" || len(subject.Parts) != 3 {
			return console.ErrNotFound
		}
		shops, err := s.findShops(ctx, w, accounts, subject.Parts[0])
		if err != nil {
			return err
		}
		if number, wrong := strconv.Atoi(subject.Parts[2]); wrong == nil && shops[0].Home == subject.Account {
			out, err = findStorePayment(ctx, w, shops[0], subject.Parts[1], number)
			return err
		}
		return console.ErrNotFound
	})
}

// findServiceSale is a sale or slip of the service in a row of a store that the person may see. day is that of the sale; 0: it is that of the row
// in which the last run left it.
func (s *Source) findServiceSale(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, subject string, day ledger.Date) (*view.StoreSale, error) {
	shops, err := s.findShops(ctx, w, accounts, "")
	if err != nil {
		return nil, err
	}
	for i := 0; day == 0 && i < len(shops); i++ {
		all, err := w.Ledger.MatchesOfSale(ctx, shops[i].Home, subject)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 {
			day = all[0].Day
		}
	}
	if day == 0 {
		return nil, console.ErrNotFound
	}
	rows, err := conciliateStores(ctx, w, ledger.Period{From: day - 1, To: day + 1})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		r := &rows[i]
		at := slices.IndexFunc(shops, func(shop sales.Shop) bool { return shop.ID == r.Store })
		if at < 0 || r.Sale == nil || r.Sale.Subject() != subject {
			continue
		}
		if r.Own != nil {
			return findStorePayment(ctx, w, shops[at], r.Own.Sale, r.Own.Number)
		}
		row := view.StoreRowOf(shops[at].Home, r)
		day, err := findStoreDay(ctx, w, shops[at], r.Day)
		return &view.StoreSale{Subject: row.Subject, Store: r.Store, Row: &row, Day: day}, err
	}
	return nil, console.ErrNotFound
}

// findStorePayment is a payment with all its versions and, if its day is complete, how it stands against the service.
func findStorePayment(ctx context.Context, w *jobs.Worker, shop sales.Shop, sale string, number int) (*view.StoreSale, error) {
	all, err := w.Ledger.OwnSaleVersions(ctx, shop, sale)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(k sales.Kept) bool { return k.Number != number })
	if len(all) == 0 {
		return nil, console.ErrNotFound
	}
	files, err := w.Ledger.OwnFiles(ctx, shop)
	if err != nil {
		return nil, err
	}
	last := &all[len(all)-1]
	out := &view.StoreSale{Subject: last.Subject(shop.Home, shop.ID), Store: shop.ID, Versions: view.SaleVersionsOf(shop.ID, all, files)}
	if out.Day, err = findStoreDay(ctx, w, shop, last.Day()); err != nil {
		return nil, err
	}
	rows, err := conciliateStores(ctx, w, ledger.Period{From: last.Day(), To: last.Day()})
	for i := range rows {
		if r := &rows[i]; r.Store == shop.ID && r.Own != nil && r.Own.Sale == sale && r.Own.Number == number {
			row := view.StoreRowOf(shop.Home, r)
			out.Row = &row
		}
	}
	return out, err
}

// findStoreDay is what is known of a day of a store.
func findStoreDay(ctx context.Context, w *jobs.Worker, shop sales.Shop, day ledger.Date) (*view.SalesDay, error) {
	known, err := w.Ledger.OwnDays(ctx, shop)
	if err != nil {
		return nil, err
	}
	one := view.SalesCoverage{view.SalesCoverageOf(shop.ID, known, ledger.Period{From: day, To: day})}.Days()
	if len(one) == 0 {
		return nil, nil
	}
	return &one[0], nil
}
