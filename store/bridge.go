package store

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
)

// Bridge keeps lines of the run's bridge. Lines of one side, day, brand, product, line and reason add up.
func (r *Reconciling) Bridge(lines []ledger.BridgeRow) error {
	for _, b := range lines {
		if err := r.mine(b.Account); err != nil {
			return err
		}
		_, err := r.t.ExecContext(r.ctx, `
			INSERT INTO bridge (
				account,
				run,
				side,
				day,
				brand,
				product,
				line,
				reason,
				amount)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (account, run, side, day, brand, product, line, reason) DO UPDATE
			SET amount = bridge.amount + excluded.amount`,
			int64(b.Account), r.run.ID, b.Side, int64(b.Day), b.Brand, string(b.Product), string(b.Line), b.Reason,
			int64(b.Amount))
		if err != nil {
			return r.t.l.fault(r.doing, err)
		}
	}
	return nil
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

// Rounding adds to what the rule tolerated in the month, in absolute cents.
func (r *Reconciling) Rounding(code string, month ledger.Date, abs ledger.Amount) error {
	_, err := r.t.ExecContext(r.ctx, `
		INSERT INTO rounding (
			account,
			run,
			code,
			month,
			amount)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (account, run, code, month) DO UPDATE
		SET amount = rounding.amount + excluded.amount`,
		int64(r.account), r.run.ID, code, int64(month.MonthStart()), int64(abs))
	return r.t.l.fault(r.doing, err)
}

// BridgeLines gives the bridge that the run left of the account, in order of side, day, brand, product and line.
func (l *Ledger) BridgeLines(ctx context.Context, a ledger.Account, run string) ([]ledger.BridgeRow, error) {
	var out []ledger.BridgeRow
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		b := ledger.BridgeRow{Account: a}
		err := rows.Scan(&b.Side, &b.Day, &b.Brand, &b.Product, &b.Line, &b.Reason, &b.Amount)
		out = append(out, b)
		return err
	}, `
		SELECT
			side,
			day,
			brand,
			product,
			line,
			reason,
			amount
		FROM bridge
		WHERE account = $1 AND run = $2
		ORDER BY side, day, brand, product, line, reason`, int64(a), run)
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

// Roundings gives what the rules tolerated in the run by code and month, in absolute cents.
func (l *Ledger) Roundings(ctx context.Context, a ledger.Account, run string) ([]RoundingLine, error) {
	var out []RoundingLine
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		var r RoundingLine
		err := rows.Scan(&r.Code, &r.Month, &r.Amount)
		out = append(out, r)
		return err
	}, `
		SELECT
			code,
			month,
			amount
		FROM rounding
		WHERE account = $1 AND run = $2
		ORDER BY code, month`, int64(a), run)
	return out, l.fault("read the rounding of run "+run, err)
}

// RoundingLine is what one rule tolerated in one month.
type RoundingLine struct {
	Code   string
	Month  ledger.Date // its first day
	Amount ledger.Amount
}
