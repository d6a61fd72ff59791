package jobs

import (
	"context"
	"time"

	jobssales "concilia/jobs/sales"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sales"
)

// SalesFile is a file of a store's own sales to be taken in.
type SalesFile struct {
	Path   string
	Store  *jobssales.Store
	Period ledger.Period // that it covers, as a person says; the zero Period is unknown
	Today  ledger.Date
	Actor  string
	At     time.Time
	DryRun bool
}

// TakeInSales takes in a file of a store's own sales, whole or not at all. file is known as soon as it could be read. An error may be a
// *ledger.OwnRefusal.
func TakeInSales(ctx context.Context, l *store.Ledger, f *SalesFile) (file *jobssales.File, done ledger.OwnImport, err error) {
	file, err = jobssales.OpenFile(f.Path, f.Store)
	if err != nil {
		return file, done, err
	}
	done, err = l.TakeInSales(ctx, &sales.TakeIn{
		Shop: f.Store.ID, First: f.Store.Accounts[0], Hash: file.Hash, Name: file.Name, Format: file.Format(), Map: f.Store.MapHash(),
		Notes: f.Store.IsNotes(), Period: f.Period, Today: f.Today, Actor: f.Actor, At: f.At, Read: file.Read,
	}, f.DryRun)
	return file, done, err
}
