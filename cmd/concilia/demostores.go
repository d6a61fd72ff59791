package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/othersides"
	"concilia/store/ledger"
)

// storesText is the part of the configuration about stores.
func (d *demoFiles) storesText() string {
	var b []byte
	for i, s := range d.stores {
		if i == 0 {
			b = append(b, "stores:\n"...)
		}
		format := "neutral"
		if s.Notes {
			format = fmt.Sprintf("nfe, documents: [%q]", s.Document)
		}
		b = fmt.Appendf(b, "  - {id: %s, accounts: [%d], format: %s}\n", s.ID, s.Account, format)
	}
	return string(b)
}

// exportedAgain is how many days the stores' files of a later morning have.
const exportedAgain = 8

// takeInSales writes what the stores' systems have exported by a morning below vendas, and takes it in as sales import does.
func (m *mornings) takeInSales(ctx context.Context, w *jobs.Worker) error {
	morning := world.DateOf(m.moment)
	from, _ := m.world.Days()
	if morning > m.world.AsOf() {
		from = max(from, morning-exportedAgain)
	}
	for i, s := range m.stores {
		folder := m.filePath(filepath.Join("vendas", s.ID))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for _, f := range m.world.StoreFiles(s, from, morning-1, true) {
			path := filepath.Join(folder, f.Name)
			if err := os.WriteFile(path, f.Bytes, 0o644); err != nil {
				return err
			}
			days, err := daysOf(f)
			if err != nil {
				return err
			}
			in := &othersides.SalesFile{Path: path, Store: &w.Stores[i], Period: days, Today: w.Today(), Actor: demoUser, At: m.Wall()}
			if _, _, err := othersides.TakeInSales(ctx, w.Ledger, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// daysOf are the days that a store's file has whole; none for notes, whose numbers say it.
func daysOf(f world.StoreFile) (p ledger.Period, err error) {
	if f.From == 0 {
		return p, nil
	}
	if p.From, err = ledger.ParseDate(f.From.String()); err == nil {
		p.To, err = ledger.ParseDate(f.To.String())
	}
	return p, err
}
