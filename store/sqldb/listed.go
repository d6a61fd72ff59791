package sqldb

import (
	"cmp"
	"slices"
)

// FromListed is a FROM item: the rows x of a table that are of an account, $1, and have a value of a list, $2, in a column; EncodeList makes
// the list, and member is TextMember or IntMember of the dialect. They are looked up value by value, by an index of account and column: the
// server has no statistics of what a transaction wrote, and would read all of it for each list; SQLite has none, and would read all rows of
// the account for each value.
func FromListed(d Dialect, table, index, column string, member func(alias, member string) string) string {
	return d.UnnestJSON("$2", "listed") + `
		` + d.JoinOneByOne(table, "x", index, "x.account = $1 AND x."+column+" = "+member("listed", "v"))
}

// EncodeList is a list of values, each once, as FromListed reads it.
func EncodeList[T cmp.Ordered](values []T) (string, error) {
	type element struct {
		Value T `json:"v"`
	}
	list := make([]element, 0, len(values))
	for _, v := range slices.Compact(slices.Sorted(slices.Values(values))) {
		list = append(list, element{v})
	}
	return MarshalText(list)
}
