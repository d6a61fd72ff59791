package main

import (
	"fmt"
	"os"
	"path/filepath"

	"concilia/cmd/sandbox/world"
)

// storeFolder is where a store's files are.
func storeFolder(store *world.Store, dir string) string {
	return filepath.Join(dir, "vendas", store.ID)
}

// writeStoreFiles writes what the stores' own systems have exported by the morning of the business clock. Files that are there are
// written anew.
func writeStoreFiles(w *world.World, dir string, planted bool) error {
	if dir == "" {
		return nil
	}
	from, to := w.Days()
	for _, store := range w.Stores() {
		folder := storeFolder(&store, dir)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for _, f := range w.StoreFiles(store, from, to, planted) {
			if err := os.WriteFile(filepath.Join(folder, f.Name), f.Bytes, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// describeStore is the entry of a store in a configuration, and where its files are.
func describeStore(store *world.Store, dir string) string {
	format := "neutral"
	if store.Notes {
		format = fmt.Sprintf("nfe, documents: [%q]", store.Document)
	}
	return fmt.Sprintf("{id: %s, accounts: [%d], format: %s} in %s", store.ID, store.Account, format, storeFolder(store, dir))
}
