package results

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/totals"
)

// The tables of aggregates.
var (
	BridgeTable = totals.Table{
		Name: "bridge", Keys: []string{"side", "day", "brand", "product", "line", "reason"}, IsNumber: map[string]bool{"day": true},
		Values: []string{"amount", "excess"},
	}
	RoundingTable = totals.Table{
		Name: "rounding", Keys: []string{"code", "month"}, IsNumber: map[string]bool{"month": true}, Values: []string{"amount"},
	}
	PopulationTable = totals.Table{
		Name: "population", Keys: []string{"kind", "item"}, Values: []string{"members", "amount", "other"},
	}
)

// aggregateWriter writes the sums of an account that the rules move.
type aggregateWriter struct{ *accountTx }

// updateAggregates adds the changes to the current rows, or, if they are all there is, replaces them. A row that did not change is
// not written.
func (w *aggregateWriter) updateAggregates(t totals.Table, all bool, cells []totals.Row) error {
	before, err := w.readCurrentAggregates(t)
	if err != nil {
		return err
	}
	after := make(map[string]totals.Row, len(cells))
	for _, c := range cells {
		id := c.KeyText()
		sum, known := after[id]
		if !known {
			sum = totals.Row{Key: c.Key, Values: make([]int64, len(t.Values))}
			if was, stands := before[id]; stands && !all {
				copy(sum.Values, was.Values)
			}
		}
		if err := totals.AddValues(sum.Values, c.Values); err != nil {
			return err
		}
		after[id] = sum
	}
	if all {
		for id, was := range before {
			if _, known := after[id]; !known {
				after[id] = totals.Row{Key: was.Key, Values: make([]int64, len(t.Values))}
			}
		}
	}
	return w.writeAggregates(t, before, after)
}

func (w *aggregateWriter) writeAggregates(t totals.Table, before, after map[string]totals.Row) error {
	var ends, made []totals.Row
	for _, id := range slices.Sorted(maps.Keys(after)) {
		c := after[id]
		was, stands := before[id]
		if stands && slices.Equal(was.Values, c.Values) {
			continue
		}
		if stands {
			ends = append(ends, c)
		}
		if slices.ContainsFunc(c.Values, func(v int64) bool { return v != 0 }) {
			made = append(made, c)
		}
	}
	seen := w.digests.of(t.Name)
	for i := range ends {
		seen.add(rowEnded, encodedKey(ends[i].Key))
	}
	for i := range made {
		seen.add(rowMade, encodedAggregate(&made[i]))
	}
	if err := w.t.ExecBatch(w.ctx, endStatement(&t), len(ends), func(i int) []any {
		return append([]any{int64(w.account), w.run.ID}, ends[i].Key...)
	}); err != nil {
		return err
	}
	columns := append(append([]string{"account", "run"}, t.Keys...), t.Values...)
	return w.t.LoadRows(w.ctx, t.Name, columns, len(made), func(i int, row sqldb.Row) error {
		row.Int(int64(w.account))
		row.Text(w.run.ID)
		for _, k := range made[i].Key {
			switch k := k.(type) {
			case int64:
				row.Int(k)
			case string:
				row.Text(k)
			}
		}
		for _, v := range made[i].Values {
			row.Int(v)
		}
		return nil
	})
}

// endStatement takes the account, the run that ends the current row, and the key.
func endStatement(t *totals.Table) string {
	var b strings.Builder
	b.WriteString("UPDATE " + t.Name + " SET ended_run = $2 WHERE account = $1 AND ended_run IS NULL")
	for i, k := range t.Keys {
		b.WriteString(" AND " + k + " = $" + strconv.Itoa(i+3))
	}
	return b.String()
}

func (w *aggregateWriter) readCurrentAggregates(t totals.Table) (map[string]totals.Row, error) {
	out := make(map[string]totals.Row)
	err := t.EachRow(w.ctx, w.t, w.account, "", func(c totals.Row) { out[c.KeyText()] = c })
	return out, err
}

// UpdateBridge moves the lines of the account's bridges by the amounts given, or, when these are all there is, puts them in
// their place. Lines of one side, day, brand, product, line and reason add up. It is called once in an attempt.
func (w *aggregateWriter) UpdateBridge(all bool, lines []ledger.BridgeRow) error {
	cells := make([]totals.Row, len(lines))
	for i, b := range lines {
		if err := w.checkAccount(b.Account); err != nil {
			return err
		}
		cells[i] = totals.Row{
			Key: []any{b.Side, int64(b.Day), b.Brand, string(b.Product), string(b.Line), b.Reason}, Values: []int64{int64(b.Amount), int64(b.Excess)},
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
	err := BridgeTable.EachRow(ctx, q, a, run, func(c totals.Row) {
		out = append(out, ledger.BridgeRow{
			Account: a, Side: c.Key[0].(string), Day: ledger.Date(c.Key[1].(int64)), Brand: c.Key[2].(string),
			Product: ledger.Product(c.Key[3].(string)), Line: ledger.BridgeLine(c.Key[4].(string)), Reason: c.Key[5].(string),
			Amount: ledger.Amount(c.Values[0]), Excess: ledger.Amount(c.Values[1]),
		})
	})
	return out, err
}

// UpdatePopulations moves the counts of the account's populations, or puts these in their place. It is called once in an attempt.
func (w *aggregateWriter) UpdatePopulations(all bool, counts []ledger.Population) error {
	cells := make([]totals.Row, len(counts))
	for i, p := range counts {
		cells[i] = totals.Row{Key: []any{p.Kind, p.Item}, Values: []int64{p.Members, int64(p.Amount), int64(p.Other)}}
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
	err := PopulationTable.EachRow(ctx, q, a, run, func(c totals.Row) {
		out = append(out, ledger.Population{
			Kind: c.Key[0].(string), Item: c.Key[1].(string), Members: c.Values[0], Amount: ledger.Amount(c.Values[1]),
			Other: ledger.Amount(c.Values[2]),
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
	cells := make([]totals.Row, len(lines))
	for i, t := range lines {
		cells[i] = totals.Row{Key: []any{t.Code, int64(t.Month.MonthStart())}, Values: []int64{int64(t.Amount)}}
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
	err := RoundingTable.EachRow(ctx, q, a, run, func(c totals.Row) {
		out = append(out, ledger.ToleratedAmount{
			Code: c.Key[0].(string), Month: ledger.Date(c.Key[1].(int64)), Amount: ledger.Amount(c.Values[0]),
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
var continuityTable = totals.Table{
	Name: "continuity", Keys: []string{"day", "brand", "product"}, IsNumber: map[string]bool{"day": true},
	Values: append(append([]string{"opening"}, MovementColumns[:]...), "closing"),
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
	columns := append(append([]string{"account", "run"}, continuityTable.Keys...), continuityTable.Values...)
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
