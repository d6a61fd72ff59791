package facts

import (
	"cmp"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RowKey is the key of an installment within its account, in the order of the columns that the tables are indexed by.
type RowKey struct {
	Day        ledger.Date // of the sale
	NSU, Auth  string
	Number     int
	Occurrence int
}

// ReadRowKey reads the five columns of a key.
func ReadRowKey(f *sqldb.RowReader) RowKey {
	return RowKey{f.NextDate(), f.NextText(), f.NextText(), int(f.NextInt()), int(f.NextInt())}
}

// Compare orders keys as the database does.
func (k *RowKey) Compare(o *RowKey) int {
	if k.Day != o.Day {
		return cmp.Compare(k.Day, o.Day)
	}
	if c := strings.Compare(k.NSU, o.NSU); c != 0 {
		return c
	}
	if c := strings.Compare(k.Auth, o.Auth); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(k.Number, o.Number), cmp.Compare(k.Occurrence, o.Occurrence))
}

// ToArgs are the parts of the key as arguments of a query.
func (k *RowKey) ToArgs() []any {
	return []any{int64(k.Day), k.NSU, k.Auth, int64(k.Number), int64(k.Occurrence)}
}
