package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// Bridge moves the lines of the account's bridges by the amounts given, or, when these are all there is, puts them in
// their place. Lines of one side, day, brand, product, line and reason add up. It is called once in an attempt.
func (r *Reconciling) Bridge(all bool, lines []ledger.BridgeRow) error {
	cells := make([]heldCell, len(lines))
	for i, b := range lines {
		if err := r.mine(b.Account); err != nil {
			return err
		}
		cells[i] = heldCell{
			[]any{b.Side, int64(b.Day), b.Brand, string(b.Product), string(b.Line), b.Reason}, []int64{int64(b.Amount), int64(b.Excess)},
		}
	}
	return r.t.l.fault(r.doing, r.move(bridgeCells, all, cells))
}

// Bridged gives the lines as they stand now, in order of side, day, brand, product, line and reason.
func (r *Reconciling) Bridged() ([]ledger.BridgeRow, error) {
	out, err := bridgeRows(r.ctx, r.t, r.account, "")
	return out, r.t.l.fault(r.doing, err)
}

func bridgeRows(ctx context.Context, q querier, a ledger.Account, run string) ([]ledger.BridgeRow, error) {
	var out []ledger.BridgeRow
	err := readCells(ctx, q, bridgeCells, a, run, func(c heldCell) {
		out = append(out, ledger.BridgeRow{
			Account: a, Side: c.key[0].(string), Day: ledger.Date(c.key[1].(int64)), Brand: c.key[2].(string),
			Product: ledger.Product(c.key[3].(string)), Line: ledger.Line(c.key[4].(string)), Reason: c.key[5].(string),
			Amount: ledger.Amount(c.values[0]), Excess: ledger.Amount(c.values[1]),
		})
	})
	return out, err
}

// Populate moves the counts of the account's populations, or puts these in their place. It is called once in an attempt.
func (r *Reconciling) Populate(all bool, counts []ledger.Population) error {
	cells := make([]heldCell, len(counts))
	for i, p := range counts {
		cells[i] = heldCell{[]any{p.Kind, p.Item}, []int64{p.Members, int64(p.Amount), int64(p.Other)}}
	}
	return r.t.l.fault(r.doing, r.move(populationCells, all, cells))
}

// Populations gives the counts as they stand now, in order of kind and item.
func (r *Reconciling) Populations() ([]ledger.Population, error) {
	out, err := populations(r.ctx, r.t, r.account, "")
	return out, r.t.l.fault(r.doing, err)
}

func populations(ctx context.Context, q querier, a ledger.Account, run string) ([]ledger.Population, error) {
	var out []ledger.Population
	err := readCells(ctx, q, populationCells, a, run, func(c heldCell) {
		out = append(out, ledger.Population{
			Kind: c.key[0].(string), Item: c.key[1].(string), Members: c.values[0], Amount: ledger.Amount(c.values[1]),
			Other: ledger.Amount(c.values[2]),
		})
	})
	return out, err
}

// PopulationsOf returns the account's counts as the run left them, in order of kind and item.
func (l *Ledger) PopulationsOf(ctx context.Context, a ledger.Account, run string) ([]ledger.Population, error) {
	out, err := populations(ctx, l.db.Read, a, run)
	return out, l.fault("read the populations of run "+run, err)
}

// Tallies keeps what the rules did in the run. Tallies of one code add up.
func (r *Reconciling) Tallies(tallies []ledger.Tally) error {
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
			return r.t.l.fault(r.doing, err)
		}
	}
	return nil
}

// Rounding moves what the rules tolerated by code and month, in absolute cents, or puts these in its place. It is called
// once in an attempt.
func (r *Reconciling) Rounding(all bool, lines []ledger.Tolerated) error {
	cells := make([]heldCell, len(lines))
	for i, t := range lines {
		cells[i] = heldCell{[]any{t.Code, int64(t.Month.MonthStart())}, []int64{int64(t.Amount)}}
	}
	return r.t.l.fault(r.doing, r.move(roundingCells, all, cells))
}

// Rounded gives what the rules tolerate as it stands now, by code and month.
func (r *Reconciling) Rounded() ([]ledger.Tolerated, error) {
	out, err := roundings(r.ctx, r.t, r.account, "")
	return out, r.t.l.fault(r.doing, err)
}

func roundings(ctx context.Context, q querier, a ledger.Account, run string) ([]ledger.Tolerated, error) {
	var out []ledger.Tolerated
	err := readCells(ctx, q, roundingCells, a, run, func(c heldCell) {
		out = append(out, ledger.Tolerated{
			Code: c.key[0].(string), Month: ledger.Date(c.key[1].(int64)), Amount: ledger.Amount(c.values[0]),
		})
	})
	return out, err
}

// BridgeLines returns the account's bridge as the run left it, in order of side, day, brand, product and line.
func (l *Ledger) BridgeLines(ctx context.Context, a ledger.Account, run string) ([]ledger.BridgeRow, error) {
	out, err := bridgeRows(ctx, l.db.Read, a, run)
	return out, l.fault("read the bridge of run "+run, err)
}

// TalliesOf gives what the rules did on the account in the run, in order of code.
func (l *Ledger) TalliesOf(ctx context.Context, a ledger.Account, run string) ([]ledger.Tally, error) {
	var out []ledger.Tally
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		var t ledger.Tally
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
	return out, l.fault("read the tallies of run "+run, err)
}

// ToleratedOn returns what the rules tolerated on the rows that the query chooses, cards and slips, by code and month of the
// sale or due date, in absolute cents; on basis asof on all rows, as the run left it.
func (l *Ledger) ToleratedOn(ctx context.Context, q Query) ([]ledger.Tolerated, error) {
	if q.Basis == asOfBasis {
		return l.Roundings(ctx, q.Account, q.AsOfRun)
	}
	s := summing{l: l, q: &q}
	sums := map[ledger.Tolerated]ledger.Amount{} // by code and month
	var err error
	if _, none := q.cardDate(); none == nil {
		from, args, fault := s.cardRows("")
		err = errors.Join(fault, s.addTolerated(ctx, sums, "", "i.sale_day", from, args))
	}
	if _, none := q.slipDate(); none == nil && err == nil {
		sight, from, args, fault := s.slipRows("")
		err = errors.Join(fault, s.addTolerated(ctx, sums, mergedSlips(sight), "e.day", from, args))
	}
	out := make([]ledger.Tolerated, 0, len(sums))
	for t, amount := range sums {
		t.Amount = amount
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b ledger.Tolerated) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), cmp.Compare(a.Month, b.Month))
	})
	return out, l.fault(fmt.Sprintf("sum what is tolerated of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// addTolerated adds the brackets of rounding of expectations e, whose day is that expression.
func (s *summing) addTolerated(
	ctx context.Context, sums map[ledger.Tolerated]ledger.Amount, with, day, from string, args []any,
) error {
	d := s.l.db.Dialect
	return each(ctx, s.l.db.Read, func(rows *sql.Rows) error {
		var code string
		var day ledger.Date
		var amount ledger.Amount
		if err := rows.Scan(&code, scanDate{&day}, &amount); err != nil {
			return err
		}
		of := ledger.Tolerated{Code: code}
		if day != 0 {
			of.Month = day.MonthStart()
		}
		sum, err := sums[of].Add(amount)
		sums[of] = sum
		return err
	}, with+`
		SELECT
			`+d.Text("b", "Code")+`,
			r.day,
			CAST(SUM(ABS(`+d.Int("b", "Amount")+`)) AS BIGINT)
		FROM (
			SELECT
				`+day+` AS day,
				CASE WHEN e.brackets LIKE '%"rounding"%' THEN e.brackets ELSE '[]' END AS brackets
			FROM `+from+`) AS r
		CROSS JOIN `+d.Elements("r.brackets", "b")+`
		WHERE `+d.Text("b", "Line")+` = 'rounding' AND `+d.Text("b", "Code")+` <> ''
		GROUP BY `+d.Text("b", "Code")+`, r.day`, args...)
}

// Roundings returns what the rules tolerated as the run left it, by code and month, in absolute cents.
func (l *Ledger) Roundings(ctx context.Context, a ledger.Account, run string) ([]ledger.Tolerated, error) {
	out, err := roundings(ctx, l.db.Read, a, run)
	return out, l.fault("read the rounding of run "+run, err)
}
