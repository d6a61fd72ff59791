package desk

import (
	"context"
	"slices"
	"strconv"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view/salesview"
	"concilia/jobs"
	"concilia/jobs/rules"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sales"
)

// storeAnswers answer about stores and their own sales.
type storeAnswers struct{ *access }

// findShops are the stores that a person may see: one with a sale in an account that the person does not see is left out. id narrows
// them to one; empty: all.
func (s *access) findShops(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, id string) ([]sales.Shop, error) {
	return s.findShopsOf(ctx, w, accounts, id, nil)
}

// findShopsOf are those of them that sell in one of some accounts; none: in any.
func (s *access) findShopsOf(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, id string, of []ledger.Account) (out []sales.Shop, err error) {
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

// StoreIDs are the stores that a person may see and that sell in one of some accounts; none: in any.
func (s storeAnswers) StoreIDs(ctx context.Context, accounts []ledger.Account, of []ledger.Account) (out []string, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		shops, err := s.findShopsOf(ctx, w, accounts, "", of)
		for _, shop := range shops {
			out = append(out, shop.ID)
		}
		return err
	})
}

// Stores are the stores that StoreIDs names, with what the last run left of their rows and days in a period, or the one with that id.
func (s storeAnswers) Stores(ctx context.Context, f *console.StoreFilter) (out *salesview.StoresPage, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		shops, err := s.findShopsOf(ctx, w, f.Accounts, f.Store, f.SellIn)
		if err != nil {
			return err
		}
		out = &salesview.StoresPage{}
		for _, shop := range shops {
			if err := addShop(ctx, w, f, shop, out); err != nil {
				return err
			}
		}
		out.KeepLatest(f.Limit)
		return nil
	})
}

// addShop adds a store to the page, with the latest rows of each bucket that is asked for.
func addShop(ctx context.Context, w *jobs.Worker, f *console.StoreFilter, shop sales.Shop, out *salesview.StoresPage) error {
	known, err := w.Ledger.OwnDays(ctx, shop)
	if err != nil {
		return err
	}
	evaluated, err := w.Ledger.EvaluatedDays(ctx, shop, f.Days)
	if err != nil {
		return err
	}
	sums, err := w.Ledger.BucketSums(ctx, shop, f.Days)
	if err != nil {
		return err
	}
	out.AddStore(salesview.SalesCoverageOf(shop.ID, known, f.Days), sums, evaluated)
	for i := range sums {
		if !slices.Contains(f.Buckets, sums[i].Bucket) {
			continue
		}
		out.All += sums[i].Rows
		err := w.Ledger.LatestMatches(ctx, shop, sums[i].Bucket, f.Days, f.Limit, func(m *ownsales.Match) error {
			out.Rows = append(out.Rows, salesview.StoreRowOf(m))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// StoreSale is a payment of a store by its subject, or a sale of the service that is held against stores.
func (s storeAnswers) StoreSale(ctx context.Context, accounts []ledger.Account, name string) (out *salesview.StoreSale, err error) {
	return out, s.ask(ctx, func(w *jobs.Worker) error {
		subject, ok := ledger.ParseSubject(name)
		if !ok {
			return console.ErrNotFound
		}
		if key, _, isSale := subject.SaleKey(); isSale && subject.Kind == string(rules.OnSale) {
			out, err = s.findServiceSale(ctx, w, accounts, key.Subject())
			return err
		}
		if subject.Kind == string(rules.OnSlip) && len(subject.Parts) == 1 {
			out, err = s.findServiceSale(ctx, w, accounts, ledger.SlipSubject(subject.Account, subject.Parts[0]))
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

// findServiceSale is a sale or slip of the service in a row of a store that the person may see, as the last run left it.
func (s storeAnswers) findServiceSale(ctx context.Context, w *jobs.Worker, accounts []ledger.Account, subject string) (*salesview.StoreSale, error) {
	shops, err := s.findShops(ctx, w, accounts, "")
	if err != nil {
		return nil, err
	}
	for _, shop := range shops {
		all, err := w.Ledger.MatchesOfSale(ctx, shop.Home, subject)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, func(m ownsales.Match) bool { return m.Store == shop.ID })
		if at < 0 {
			continue
		}
		m := &all[at]
		if m.Sale != "" {
			return findStorePayment(ctx, w, shop, m.Sale, m.Number)
		}
		row := salesview.StoreRowOf(m)
		day, err := findStoreDay(ctx, w, shop, m.Day)
		return &salesview.StoreSale{Subject: row.Subject, Store: shop.ID, Row: &row, Day: day}, err
	}
	return nil, console.ErrNotFound
}

// findStorePayment is a payment with all its versions and, if the last run evaluated it, how it was matched with the service.
func findStorePayment(ctx context.Context, w *jobs.Worker, shop sales.Shop, sale string, number int) (*salesview.StoreSale, error) {
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
	out := &salesview.StoreSale{Subject: last.Subject(shop.Home, shop.ID), Store: shop.ID, Versions: salesview.SaleVersionsOf(shop.ID, all, files)}
	if out.Day, err = findStoreDay(ctx, w, shop, last.Day()); err != nil {
		return nil, err
	}
	matches, err := w.Ledger.MatchOfPayment(ctx, shop, last)
	if len(matches) > 0 {
		row := salesview.StoreRowOf(&matches[0])
		// What a match does not keep of the store's side is in what its file said.
		row.Own.NSU, row.Own.Auth, row.Own.SlipID, row.Own.OurNumber, row.Own.Reference = last.NSU, last.Auth, last.SlipID, last.OurNumber, last.Reference
		out.Row = &row
	}
	return out, err
}

// findStoreDay is what is known of a day of a store.
func findStoreDay(ctx context.Context, w *jobs.Worker, shop sales.Shop, day ledger.Date) (*salesview.SalesDay, error) {
	known, err := w.Ledger.OwnDays(ctx, shop)
	if err != nil {
		return nil, err
	}
	one := salesview.SalesCoverage{salesview.SalesCoverageOf(shop.ID, known, ledger.Period{From: day, To: day})}.Days()
	if len(one) == 0 {
		return nil, nil
	}
	return &one[0], nil
}
