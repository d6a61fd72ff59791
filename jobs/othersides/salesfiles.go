package othersides

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"concilia/export/words"
	jobssales "concilia/jobs/sales"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sales"
)

// SalesFile is a file of a store's own sales to be taken in.
type SalesFile struct {
	Path   string
	Store  *jobssales.Store
	Period ledger.Period // that it covers, as a person says; the zero Period is unknown
	// Together are the files that are taken in with it; nil: it alone.
	Together map[ledger.FileHash]bool
	Today    ledger.Date
	Actor    string
	At       time.Time
	DryRun   bool
}

// HashSales names the files of a store that are taken in together; one that cannot be read has no name.
func HashSales(paths []string, s *jobssales.Store) map[ledger.FileHash]bool {
	all := make(map[ledger.FileHash]bool, len(paths))
	for _, path := range paths {
		if file, err := jobssales.OpenFile(path, s); err == nil {
			all[file.Hash] = true
		}
	}
	return all
}

// TakeInSales takes in a file of a store's own sales, whole or not at all. file is known as soon as it could be read. An error may be a
// *words.Refusal.
func TakeInSales(ctx context.Context, l *store.Ledger, f *SalesFile) (file *jobssales.File, done ownsales.Import, err error) {
	file, err = jobssales.OpenFile(f.Path, f.Store)
	if err != nil {
		return file, done, err
	}
	done, err = l.TakeInSales(ctx, &sales.TakeIn{
		Shop: f.Store.ID, First: f.Store.Accounts[0], Hash: file.Hash, Name: file.Name, Format: file.Format(), Map: f.Store.MapHash(),
		Notes: f.Store.IsNotes(), Period: f.Period, Together: f.Together, Today: f.Today, Actor: f.Actor, At: f.At, Read: file.Read,
	}, f.DryRun)
	return file, done, err
}

// takeInSales takes in what the inboxes of stores hold that is new, or that another map read, and returns what was refused, by store. A file that is refused
// hinders no other, and is looked at again by the next run. Files stay.
func (k *salesKeeper) takeInSales(ctx context.Context) (map[string][]jobssales.RefusedFile, error) {
	refused := map[string][]jobssales.RefusedFile{}
	for i := range k.Stores {
		s := &k.Stores[i]
		if s.Inbox == "" {
			continue
		}
		refused[s.ID] = []jobssales.RefusedFile{}
		refuse := func(name, reason string) {
			refused[s.ID] = append(refused[s.ID], jobssales.RefusedFile{Name: name, Reason: reason})
		}
		paths, err := k.listInbox(ctx, s.Inbox)
		if err != nil {
			refuse(".", "unreadable")
			continue
		}
		known, err := k.listTakenSales(ctx, s)
		if err != nil {
			return nil, err
		}
		var together map[ledger.FileHash]bool
		if slices.Contains(slices.Collect(maps.Values(known)), false) {
			together = HashSales(paths, s)
		}
		for _, path := range paths {
			var refusal *words.Refusal
			var unreadable *fs.PathError
			switch err := k.takeInSalesFile(ctx, s, path, known, together); {
			case errors.As(err, &refusal):
				refuse(filepath.Base(path), refusal.ID)
			case errors.As(err, &unreadable):
				refuse(filepath.Base(path), "unreadable")
			case err != nil:
				return nil, words.NewFault("publish_fault.store", "", "store", s.ID, "cause", err)
			}
		}
	}
	return refused, nil
}

// listTakenSales are the files of a store that were taken in, and whether by the map that it has now.
func (k *salesKeeper) listTakenSales(ctx context.Context, s *jobssales.Store) (map[ledger.FileHash]bool, error) {
	home, err := k.Ledger.HomeOfShop(ctx, s.ID, s.Accounts[0])
	if err != nil {
		return nil, err
	}
	files, err := k.Ledger.OwnFiles(ctx, sales.Shop{Home: home, ID: s.ID})
	known := make(map[ledger.FileHash]bool, len(files))
	for i := range files {
		known[files[i].Hash] = files[i].Map == s.MapHash()
	}
	return known, err
}

// takeInSalesFile takes in a file of an inbox unless its bytes are known by the store's map. A file that another map read, and that this one
// does not, stays as it was read: it may be of the system that the store had before.
func (k *salesKeeper) takeInSalesFile(ctx context.Context, s *jobssales.Store, path string, known, together map[ledger.FileHash]bool) error {
	file, err := jobssales.OpenFile(path, s)
	var taken, byThisMap bool
	if file != nil {
		byThisMap, taken = known[file.Hash]
	}
	if err == nil && !byThisMap {
		_, _, err = TakeInSales(ctx, k.Ledger, &SalesFile{Path: path, Store: s, Together: together, Today: k.Today(), Actor: "concilia", At: k.Wall()})
	}
	var refusal *words.Refusal
	if taken && errors.As(err, &refusal) {
		return nil
	}
	return err
}
