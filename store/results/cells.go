package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// AggregateTable is a table of sums of an account: a row stands from the run that made it what it is until ended_run. A cell
// that came to nothing has no row, so what stands is the same however it came about.
type AggregateTable struct {
	Name     string
	Keys     []string // of integers where numeric says so, else of text
	isNumber map[string]bool
	values   []string // integers
}

var (
	BridgeTable = AggregateTable{
		Name: "bridge", Keys: []string{"side", "day", "brand", "product", "line", "reason"}, isNumber: map[string]bool{"day": true},
		values: []string{"amount", "excess"},
	}
	RoundingTable = AggregateTable{
		Name: "rounding", Keys: []string{"code", "month"}, isNumber: map[string]bool{"month": true}, values: []string{"amount"},
	}
	PopulationTable = AggregateTable{
		Name: "population", Keys: []string{"kind", "item"}, values: []string{"members", "amount", "other"},
	}
)

// aggregateRow is a key, each part as any of int64 and string, and its sums.
type aggregateRow struct {
	key    []any
	values []int64
}

// keyText tells cells apart: JSON text of the key.
func (c *aggregateRow) keyText() string {
	b, err := json.Marshal(c.key)
	if err != nil {
		return "" // integers and texts are JSON
	}
	return string(b)
}

var errAggregateOverflow = errors.New("a sum of the account does not fit its column")

// updateAggregates adds the cells to what stands, or, when they are all there is, puts them in its place. What did not change is
// not written.
func (r *ReconcileTx) updateAggregates(t AggregateTable, all bool, cells []aggregateRow) error {
	before, err := r.readCurrentAggregates(t)
	if err != nil {
		return err
	}
	after := make(map[string]aggregateRow, len(cells))
	for _, c := range cells {
		id := c.keyText()
		sum, known := after[id]
		if !known {
			sum = aggregateRow{c.key, make([]int64, len(t.values))}
			if was, stands := before[id]; stands && !all {
				copy(sum.values, was.values)
			}
		}
		for i, v := range c.values {
			total := sum.values[i] + v
			if (total > sum.values[i]) != (v > 0) && v != 0 {
				return errAggregateOverflow
			}
			sum.values[i] = total
		}
		after[id] = sum
	}
	if all {
		for id, was := range before {
			if _, known := after[id]; !known {
				after[id] = aggregateRow{was.key, make([]int64, len(t.values))}
			}
		}
	}
	return r.writeAggregates(t, before, after)
}

func (r *ReconcileTx) writeAggregates(t AggregateTable, before, after map[string]aggregateRow) error {
	var ends, made []aggregateRow
	for _, id := range slices.Sorted(maps.Keys(after)) {
		c := after[id]
		was, stands := before[id]
		if stands && slices.Equal(was.values, c.values) {
			continue
		}
		if stands {
			ends = append(ends, c)
		}
		if slices.ContainsFunc(c.values, func(v int64) bool { return v != 0 }) {
			made = append(made, c)
		}
	}
	if err := r.t.ExecBatch(r.ctx, t.endStatement(), len(ends), func(i int) []any {
		return append([]any{int64(r.account), r.run.ID}, ends[i].key...)
	}); err != nil {
		return err
	}
	columns := append(append([]string{"account", "run"}, t.Keys...), t.values...)
	return r.t.LoadRows(r.ctx, t.Name, columns, len(made), func(i int, row sqldb.Row) error {
		row.Int(int64(r.account))
		row.Text(r.run.ID)
		for _, k := range made[i].key {
			switch k := k.(type) {
			case int64:
				row.Int(k)
			case string:
				row.Text(k)
			}
		}
		for _, v := range made[i].values {
			row.Int(v)
		}
		return nil
	})
}

func (t *AggregateTable) endStatement() string {
	var b strings.Builder
	b.WriteString("UPDATE " + t.Name + " SET ended_run = $2 WHERE account = $1 AND ended_run IS NULL")
	for i, k := range t.Keys {
		b.WriteString(" AND " + k + " = $" + strconv.Itoa(i+3))
	}
	return b.String()
}

func (r *ReconcileTx) readCurrentAggregates(t AggregateTable) (map[string]aggregateRow, error) {
	out := make(map[string]aggregateRow)
	err := readAggregates(r.ctx, r.t, t, r.account, "", func(c aggregateRow) { out[c.keyText()] = c })
	return out, err
}

// readAggregates hands fn the cells that stood when the run had reconciled, or with no run those that stand, in order of key.
func readAggregates(ctx context.Context, q sqldb.Querier, t AggregateTable, a ledger.Account, run string, fn func(aggregateRow)) error {
	where, args := " AND ended_run IS NULL", []any{int64(a)}
	if run != "" {
		where, args = " AND run <= $2 AND (ended_run IS NULL OR ended_run > $2)", append(args, run)
	}
	return sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		texts, numbers := make([]string, len(t.Keys)), make([]int64, len(t.Keys))
		c := aggregateRow{values: make([]int64, len(t.values))}
		var targets []any
		for i, k := range t.Keys {
			if t.isNumber[k] {
				targets = append(targets, &numbers[i])
			} else {
				targets = append(targets, &texts[i])
			}
		}
		for i := range c.values {
			targets = append(targets, &c.values[i])
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		for i, k := range t.Keys {
			if t.isNumber[k] {
				c.key = append(c.key, numbers[i])
			} else {
				c.key = append(c.key, texts[i])
			}
		}
		fn(c)
		return nil
	}, "SELECT "+strings.Join(append(slices.Clone(t.Keys), t.values...), ", ")+" FROM "+t.Name+" WHERE account = $1"+where+
		" ORDER BY "+strings.Join(t.Keys, ", "), args...)
}
