package totals

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Table is a table of sums of an account: a row is current from the run that wrote it until ended_run. A sum of zero has no row, so
// the current rows do not depend on how they came about.
type Table struct {
	Name     string
	Keys     []string        // columns of integers where IsNumber says so, else of text
	IsNumber map[string]bool // by column
	Values   []string        // columns of integers
}

// Row is a key, each part as any of int64 and string, and its sums.
type Row struct {
	Key    []any
	Values []int64
}

// KeyText is the JSON text of the key.
func (r *Row) KeyText() string {
	b, err := json.Marshal(r.Key)
	if err != nil {
		return "" // integers and texts are JSON
	}
	return string(b)
}

// Columns are those of the key and of the sums, separated by commas.
func (t *Table) Columns() string {
	return strings.Join(append(slices.Clone(t.Keys), t.Values...), ", ")
}

// EachRow calls fn for the account's rows that were current as of the run, or with no run for those that are, in order of key.
func (t *Table) EachRow(ctx context.Context, q sqldb.Querier, a ledger.Account, run string, fn func(Row)) error {
	where, args := " AND ended_run IS NULL", []any{int64(a)}
	if run != "" {
		where, args = " AND run <= $2 AND (ended_run IS NULL OR ended_run > $2)", append(args, run)
	}
	return sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		texts, numbers := make([]string, len(t.Keys)), make([]int64, len(t.Keys))
		r := Row{Values: make([]int64, len(t.Values))}
		var targets []any
		for i, k := range t.Keys {
			if t.IsNumber[k] {
				targets = append(targets, &numbers[i])
			} else {
				targets = append(targets, &texts[i])
			}
		}
		for i := range r.Values {
			targets = append(targets, &r.Values[i])
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		for i, k := range t.Keys {
			if t.IsNumber[k] {
				r.Key = append(r.Key, numbers[i])
			} else {
				r.Key = append(r.Key, texts[i])
			}
		}
		fn(r)
		return nil
	}, "SELECT "+t.Columns()+" FROM "+t.Name+" WHERE account = $1"+where+" ORDER BY "+strings.Join(t.Keys, ", "), args...)
}

// saleDay is the column of the sale day that a row is of; 0 there means no sale day.
const saleDay = "sale_day"

// ReplaceParts returns the parts of the sale days, or of all if all is set, with those of no sale day: what they become in place of
// the current rows before. A row that none of the parts names is left with nothing.
func (t *Table) ReplaceParts(before map[string]Row, all bool, days []ledger.Date, parts []Row) map[string]Row {
	summed, at := setOfDays(days), slices.Index(t.Keys, saleDay)
	isReplaced := func(r *Row) bool {
		day := r.Key[at].(int64)
		return all || day == 0 || summed[ledger.Date(day)]
	}
	after := make(map[string]Row, len(parts))
	for id, was := range before {
		if isReplaced(&was) {
			after[id] = Row{was.Key, make([]int64, len(was.Values))}
		}
	}
	for _, part := range parts {
		if isReplaced(&part) {
			after[part.KeyText()] = part
		}
	}
	return after
}

func setOfDays(days []ledger.Date) map[ledger.Date]bool {
	set := make(map[ledger.Date]bool, len(days))
	for _, d := range days {
		set[d] = true
	}
	return set
}

var errOverflow = errors.New("a sum of the account does not fit its column")

// AddValues adds values to sums. It is an error if a sum does not fit its column.
func AddValues(sums, values []int64) error {
	for i, v := range values {
		if err := addValue(&sums[i], v); err != nil {
			return err
		}
	}
	return nil
}

func addValue(sum *int64, v int64) error {
	total := *sum + v
	if (total > *sum) != (v > 0) && v != 0 {
		return errOverflow
	}
	*sum = total
	return nil
}
