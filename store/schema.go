package store

import (
	"io/fs"

	"github.com/pressly/goose/v3"
)

// Schema is the schema version that this program migrates a ledger to, the same for both databases.
func Schema() int64 {
	// The names are checked when the tests migrate: what is not one of a migration counts for nothing here.
	names, _ := fs.Glob(migrations, "migrations/sqlite/*.sql")
	var highest int64
	for _, name := range names {
		if v, err := goose.NumericComponent(name); err == nil {
			highest = max(highest, v)
		}
	}
	return highest
}
