package results

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// UpdateBridge moves the lines of the account's bridges by the amounts given, or, when these are all there is, puts them in
// their place. Lines of one side, day, brand, product, line and reason add up. It is called once in an attempt.
func (r *ReconcileTx) UpdateBridge(all bool, lines []ledger.BridgeRow) error {
	cells := make([]aggregateRow, len(lines))
	for i, b := range lines {
		if err := r.checkAccount(b.Account); err != nil {
			return err
		}
		cells[i] = aggregateRow{
			[]any{b.Side, int64(b.Day), b.Brand, string(b.Product), string(b.Line), b.Reason}, []int64{int64(b.Amount), int64(b.Excess)},
		}
	}
	return r.t.DB.WrapError(r.doing, r.updateAggregates(BridgeTable, all, cells))
}

// CurrentBridge gives the lines as they stand now, in order of side, day, brand, product, line and reason.
func (r *ReconcileTx) CurrentBridge() ([]ledger.BridgeRow, error) {
	out, err := readBridge(r.ctx, r.t, r.account, "")
	return out, r.t.DB.WrapError(r.doing, err)
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
func (r *ReconcileTx) UpdatePopulations(all bool, counts []ledger.Population) error {
	cells := make([]aggregateRow, len(counts))
	for i, p := range counts {
		cells[i] = aggregateRow{[]any{p.Kind, p.Item}, []int64{p.Members, int64(p.Amount), int64(p.Other)}}
	}
	return r.t.DB.WrapError(r.doing, r.updateAggregates(PopulationTable, all, cells))
}

// CurrentPopulations gives the counts as they stand now, in order of kind and item.
func (r *ReconcileTx) CurrentPopulations() ([]ledger.Population, error) {
	out, err := readPopulations(r.ctx, r.t, r.account, "")
	return out, r.t.DB.WrapError(r.doing, err)
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
func (l *Store) PopulationsOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.Population, error) {
	out, err := readPopulations(ctx, l.db.Read, a, run)
	return out, l.db.WrapError("read the populations of run "+run, err)
}

// RecordRuleCounts keeps what the rules did in the run. Tallies of one code add up.
func (r *ReconcileTx) RecordRuleCounts(tallies []ledger.RuleCounts) error {
	for _, t := range tallies {
		_, err := r.t.ExecContext(r.ctx, `
			INSERT INTO tally (
				account,
				run,
				code,
				eligible,
				evaluated,
				fired,
				within,
				no_input,
				unmapped,
				shadow,
				outside,
				not_evaluable)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
			ON CONFLICT (account, run, code) DO UPDATE
			SET
				eligible = tally.eligible + excluded.eligible,
				evaluated = tally.evaluated + excluded.evaluated,
				fired = tally.fired + excluded.fired,
				within = tally.within + excluded.within,
				no_input = tally.no_input + excluded.no_input,
				unmapped = tally.unmapped + excluded.unmapped,
				shadow = tally.shadow + excluded.shadow,
				outside = tally.outside + excluded.outside,
				not_evaluable = tally.not_evaluable + excluded.not_evaluable`,
			int64(r.account), r.run.ID, t.Code, t.Eligible, t.Evaluated, t.Fired, t.Within, t.NoInput, t.Unmapped,
			t.Shadow, t.Window, t.NotEvaluable)
		if err != nil {
			return r.t.DB.WrapError(r.doing, err)
		}
	}
	return nil
}

// UpdateRounding moves what the rules tolerated by code and month, in absolute cents, or puts these in its place. It is called
// once in an attempt.
func (r *ReconcileTx) UpdateRounding(all bool, lines []ledger.ToleratedAmount) error {
	cells := make([]aggregateRow, len(lines))
	for i, t := range lines {
		cells[i] = aggregateRow{[]any{t.Code, int64(t.Month.MonthStart())}, []int64{int64(t.Amount)}}
	}
	return r.t.DB.WrapError(r.doing, r.updateAggregates(RoundingTable, all, cells))
}

// CurrentRounding gives what the rules tolerate as it stands now, by code and month.
func (r *ReconcileTx) CurrentRounding() ([]ledger.ToleratedAmount, error) {
	out, err := readRounding(r.ctx, r.t, r.account, "")
	return out, r.t.DB.WrapError(r.doing, err)
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
func (l *Store) BridgeLines(ctx context.Context, a ledger.Account, run string) ([]ledger.BridgeRow, error) {
	out, err := readBridge(ctx, l.db.Read, a, run)
	return out, l.db.WrapError("read the bridge of run "+run, err)
}

// RuleCountsOfRun gives what the rules did on the account in the run, in order of code.
func (l *Store) RuleCountsOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.RuleCounts, error) {
	var out []ledger.RuleCounts
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var t ledger.RuleCounts
		err := rows.Scan(&t.Code, &t.Eligible, &t.Evaluated, &t.Fired, &t.Within, &t.NoInput, &t.Unmapped, &t.Shadow,
			&t.Window, &t.NotEvaluable)
		out = append(out, t)
		return err
	}, `
		SELECT
			code,
			eligible,
			evaluated,
			fired,
			within,
			no_input,
			unmapped,
			shadow,
			outside,
			not_evaluable
		FROM tally
		WHERE account = $1 AND run = $2
		ORDER BY code`, int64(a), run)
	return out, l.db.WrapError("read the tallies of run "+run, err)
}

// RoundingOfRun returns what the rules tolerated as the run left it, by code and month, in absolute cents.
func (l *Store) RoundingOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.ToleratedAmount, error) {
	out, err := readRounding(ctx, l.db.Read, a, run)
	return out, l.db.WrapError("read the rounding of run "+run, err)
}
