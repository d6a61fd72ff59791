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

// AggregateTable is a table of sums of an account: a row is current from the run that wrote it until ended_run. A sum
// of zero has no row, so the current rows do not depend on how they came about.
type AggregateTable struct {
	Name     string
	Keys     []string // of integers where numeric says so, else of text
	isNumber map[string]bool
	values   []string // integers
	// endsUncounted is set where the writer does not know which rows it ended.
	endsUncounted bool
}

// The tables of aggregates.
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

// keyText is the JSON text of the key.
func (c *aggregateRow) keyText() string {
	b, err := json.Marshal(c.key)
	if err != nil {
		return "" // integers and texts are JSON
	}
	return string(b)
}

var errAggregateOverflow = errors.New("a sum of the account does not fit its column")

// aggregateWriter writes the sums of an account that the rules move.
type aggregateWriter struct{ *accountTx }

// updateAggregates adds the changes to the current rows, or, if they are all there is, replaces them. A row that did not change is
// not written.
func (w *aggregateWriter) updateAggregates(t AggregateTable, all bool, cells []aggregateRow) error {
	before, err := w.readCurrentAggregates(t)
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
		if err := addValues(sum.values, c.values); err != nil {
			return err
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
	return w.writeAggregates(t, before, after)
}

// addValues adds values to sums.
func addValues(sums, values []int64) error {
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
		return errAggregateOverflow
	}
	*sum = total
	return nil
}

func (w *aggregateWriter) writeAggregates(t AggregateTable, before, after map[string]aggregateRow) error {
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
	seen := w.digests.of(t.Name)
	for i := range ends {
		seen.add(rowEnded, encodedKey(ends[i].key))
	}
	for i := range made {
		seen.add(rowMade, made[i].encoded())
	}
	if err := w.t.ExecBatch(w.ctx, t.endStatement(), len(ends), func(i int) []any {
		return append([]any{int64(w.account), w.run.ID}, ends[i].key...)
	}); err != nil {
		return err
	}
	columns := append(append([]string{"account", "run"}, t.Keys...), t.values...)
	return w.t.LoadRows(w.ctx, t.Name, columns, len(made), func(i int, row sqldb.Row) error {
		row.Int(int64(w.account))
		row.Text(w.run.ID)
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

func (w *aggregateWriter) readCurrentAggregates(t AggregateTable) (map[string]aggregateRow, error) {
	out := make(map[string]aggregateRow)
	err := readAggregates(w.ctx, w.t, t, w.account, "", func(c aggregateRow) { out[c.keyText()] = c })
	return out, err
}

// readAggregates calls fn for the rows that were current as of the run, or with no run those that are, in order of key.
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

// UpdateBridge moves the lines of the account's bridges by the amounts given, or, when these are all there is, puts them in
// their place. Lines of one side, day, brand, product, line and reason add up. It is called once in an attempt.
func (w *aggregateWriter) UpdateBridge(all bool, lines []ledger.BridgeRow) error {
	cells := make([]aggregateRow, len(lines))
	for i, b := range lines {
		if err := w.checkAccount(b.Account); err != nil {
			return err
		}
		cells[i] = aggregateRow{
			[]any{b.Side, int64(b.Day), b.Brand, string(b.Product), string(b.Line), b.Reason}, []int64{int64(b.Amount), int64(b.Excess)},
		}
	}
	return w.wrapError(w.updateAggregates(BridgeTable, all, cells))
}

// CurrentBridge returns the current lines in order of side, day, brand, product, line and reason.
func (w *aggregateWriter) CurrentBridge() ([]ledger.BridgeRow, error) {
	out, err := readBridge(w.ctx, w.t, w.account, "")
	return out, w.wrapError(err)
}

func readBridge(ctx context.Context, q sqldb.Querier, a ledger.Account, run string) ([]ledger.BridgeRow, error) {
	var out []ledger.BridgeRow
	err := readAggregates(ctx, q, BridgeTable, a, run, func(c aggregateRow) {
		out = append(out, ledger.BridgeRow{
			Account: a, Side: c.key[0].(string), Day: ledger.Date(c.key[1].(int64)), Brand: c.key[2].(string),
			Product: ledger.Product(c.key[3].(string)), Line: ledger.BridgeLine(c.key[4].(string)), Reason: c.key[5].(string),
			Amount: ledger.Amount(c.values[0]), Excess: ledger.Amount(c.values[1]),
		})
	})
	return out, err
}

// UpdatePopulations moves the counts of the account's populations, or puts these in their place. It is called once in an attempt.
func (w *aggregateWriter) UpdatePopulations(all bool, counts []ledger.Population) error {
	cells := make([]aggregateRow, len(counts))
	for i, p := range counts {
		cells[i] = aggregateRow{[]any{p.Kind, p.Item}, []int64{p.Members, int64(p.Amount), int64(p.Other)}}
	}
	return w.wrapError(w.updateAggregates(PopulationTable, all, cells))
}

// CurrentPopulations returns the current counts in order of kind and item.
func (w *aggregateWriter) CurrentPopulations() ([]ledger.Population, error) {
	out, err := readPopulations(w.ctx, w.t, w.account, "")
	return out, w.wrapError(err)
}

func readPopulations(ctx context.Context, q sqldb.Querier, a ledger.Account, run string) ([]ledger.Population, error) {
	var out []ledger.Population
	err := readAggregates(ctx, q, PopulationTable, a, run, func(c aggregateRow) {
		out = append(out, ledger.Population{
			Kind: c.key[0].(string), Item: c.key[1].(string), Members: c.values[0], Amount: ledger.Amount(c.values[1]),
			Other: ledger.Amount(c.values[2]),
		})
	})
	return out, err
}

// PopulationsOfRun returns the account's counts as the run left them, in order of kind and item.
func (l *RunReader) PopulationsOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.Population, error) {
	out, err := readPopulations(ctx, l.db.Read, a, run)
	return out, l.db.WrapError("read the populations of run "+run, err)
}

// UpdateRounding moves what the rules tolerated by code and month, in absolute cents, or puts these in its place. It is called
// once in an attempt.
func (w *aggregateWriter) UpdateRounding(all bool, lines []ledger.ToleratedAmount) error {
	cells := make([]aggregateRow, len(lines))
	for i, t := range lines {
		cells[i] = aggregateRow{[]any{t.Code, int64(t.Month.MonthStart())}, []int64{int64(t.Amount)}}
	}
	return w.wrapError(w.updateAggregates(RoundingTable, all, cells))
}

// CurrentRounding returns what the rules tolerate now, by code and month.
func (w *aggregateWriter) CurrentRounding() ([]ledger.ToleratedAmount, error) {
	out, err := readRounding(w.ctx, w.t, w.account, "")
	return out, w.wrapError(err)
}

func readRounding(ctx context.Context, q sqldb.Querier, a ledger.Account, run string) ([]ledger.ToleratedAmount, error) {
	var out []ledger.ToleratedAmount
	err := readAggregates(ctx, q, RoundingTable, a, run, func(c aggregateRow) {
		out = append(out, ledger.ToleratedAmount{
			Code: c.key[0].(string), Month: ledger.Date(c.key[1].(int64)), Amount: ledger.Amount(c.values[0]),
		})
	})
	return out, err
}

// BridgeLines returns the account's bridge as the run left it, in order of side, day, brand, product and line.
func (l *RunReader) BridgeLines(ctx context.Context, a ledger.Account, run string) ([]ledger.BridgeRow, error) {
	out, err := readBridge(ctx, l.db.Read, a, run)
	return out, l.db.WrapError("read the bridge of run "+run, err)
}

// RoundingOfRun returns what the rules tolerated as the run left it, by code and month, in absolute cents.
func (l *RunReader) RoundingOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.ToleratedAmount, error) {
	out, err := readRounding(ctx, l.db.Read, a, run)
	return out, l.db.WrapError("read the rounding of run "+run, err)
}

// The columns of the movements, in the order of ledger's.
var MovementColumns = [ledger.MovementCount]string{
	"started", "added", "unblocked", "reversed", "reappeared", "restated", "reclassified", "received", "anticipated",
	"cancelled", "charged_back", "blocked", "vanished",
}

// continuityTable is the continuity, of which a row says what moved until its closing.
var continuityTable = AggregateTable{
	Name: "continuity", Keys: []string{"day", "brand", "product"}, isNumber: map[string]bool{"day": true},
	values: append(append([]string{"opening"}, MovementColumns[:]...), "closing"), endsUncounted: true,
}

// encodeContinuity is the key and the values of a row.
func encodeContinuity(c *ledger.Continuity) (row encodedRow) {
	row.Int(int64(c.Day))
	row.Text(c.Brand)
	row.Text(string(c.Product))
	row.Int(int64(c.Opening))
	for _, m := range c.Changes {
		row.Int(int64(m))
	}
	row.Int(int64(c.Closing))
	return row
}

// WriteContinuity writes the continuity of the days that changed: each row is current, with its closing, until a later one of its
// day, brand and product. It is called once in an attempt.
func (w *aggregateWriter) WriteContinuity(rows []ledger.Continuity) error {
	if err := w.t.ExecBatch(w.ctx, `
		UPDATE continuity
		SET ended_run = $2
		WHERE account = $1 AND ended_run IS NULL AND day = $3 AND brand = $4 AND product = $5`, len(rows), func(i int) []any {
		return []any{int64(w.account), w.run.ID, int64(rows[i].Day), rows[i].Brand, string(rows[i].Product)}
	}); err != nil {
		return w.wrapError(err)
	}
	made := make([]encodedRow, len(rows))
	for i := range rows {
		made[i] = encodeContinuity(&rows[i])
		w.digests.of(continuityTable.Name).add(rowMade, made[i])
	}
	columns := append(append([]string{"account", "run"}, continuityTable.Keys...), continuityTable.values...)
	err := w.t.LoadRows(w.ctx, continuityTable.Name, columns, len(made), func(i int, row sqldb.Row) error {
		row.Int(int64(w.account))
		row.Text(w.run.ID)
		decodeRow(string(made[i]), row)
		return nil
	})
	return w.wrapError(err)
}

// CurrentClosings gives what was open of each day, brand and product when the reconcile before had ended: the Closing of the
// current rows, without those of zero.
func (w *aggregateWriter) CurrentClosings() ([]ledger.Continuity, error) {
	var rows []ledger.Continuity
	err := sqldb.EachRow(w.ctx, w.t, func(row *sql.Rows) error {
		var c ledger.Continuity
		err := row.Scan(&c.Day, &c.Brand, &c.Product, &c.Closing)
		if c.Closing != 0 {
			rows = append(rows, c)
		}
		return err
	}, `
		SELECT
			day,
			brand,
			product,
			closing
		FROM continuity
		WHERE account = $1 AND ended_run IS NULL
		ORDER BY day, brand, product`, int64(w.account))
	return rows, w.wrapError(err)
}

// ContinuityOfRun returns the continuity of the account as the run left it, by sale day, brand and product. For a day that
// the run did not touch, opening equals closing and nothing moved.
func (l *RunReader) ContinuityOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.Continuity, error) {
	var out []ledger.Continuity
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var c ledger.Continuity
		var by string
		targets := []any{&by, &c.Day, &c.Brand, &c.Product, &c.Opening}
		for i := range c.Changes {
			targets = append(targets, &c.Changes[i])
		}
		if err := rows.Scan(append(targets, &c.Closing)...); err != nil {
			return err
		}
		if by != run {
			c.Opening, c.Changes = c.Closing, [ledger.MovementCount]ledger.Amount{}
		}
		out = append(out, c)
		return nil
	}, `
		SELECT
			run,
			day,
			brand,
			product,
			opening,
			`+strings.Join(MovementColumns[:], ",\n\t\t\t")+`,
			closing
		FROM continuity
		WHERE account = $1 AND run <= $2 AND (ended_run IS NULL OR ended_run > $2)
		ORDER BY day, brand, product`, int64(a), run)
	return out, l.db.WrapError("read the continuity of run "+run, err)
}
