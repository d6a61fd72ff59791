package results

import (
	"context"
	"database/sql"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// The columns of the movements, in the order of ledger's.
var MovementColumns = [ledger.MovementCount]string{
	"started", "added", "unblocked", "reversed", "reappeared", "restated", "reclassified", "received", "anticipated",
	"cancelled", "charged_back", "blocked", "vanished",
}

// WriteContinuity keeps the continuity of the days that moved: each row stands, with its closing, until a later one of its
// day, brand and product. It is called once in an attempt.
func (r *ReconcileTx) WriteContinuity(rows []ledger.Continuity) error {
	if err := r.t.ExecBatch(r.ctx, `
		UPDATE continuity
		SET ended_run = $2
		WHERE account = $1 AND ended_run IS NULL AND day = $3 AND brand = $4 AND product = $5`, len(rows), func(i int) []any {
		return []any{int64(r.account), r.run.ID, int64(rows[i].Day), rows[i].Brand, string(rows[i].Product)}
	}); err != nil {
		return r.t.DB.WrapError(r.doing, err)
	}
	columns := append([]string{"account", "run", "day", "brand", "product", "opening"}, MovementColumns[:]...)
	err := r.t.LoadRows(r.ctx, "continuity", append(columns, "closing"), len(rows), func(i int, row sqldb.Row) error {
		c := &rows[i]
		row.Int(int64(r.account))
		row.Text(r.run.ID)
		row.Int(int64(c.Day))
		row.Text(c.Brand)
		row.Text(string(c.Product))
		row.Int(int64(c.Opening))
		for _, m := range c.Changes {
			row.Int(int64(m))
		}
		row.Int(int64(c.Closing))
		return nil
	})
	return r.t.DB.WrapError(r.doing, err)
}

// CurrentClosings gives what was open of each day, brand and product when the reconcile before had ended: the Closing of the
// rows that stand, those that came to nothing left out.
func (r *ReconcileTx) CurrentClosings() ([]ledger.Continuity, error) {
	var rows []ledger.Continuity
	err := sqldb.EachRow(r.ctx, r.t, func(row *sql.Rows) error {
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
		ORDER BY day, brand, product`, int64(r.account))
	return rows, r.t.DB.WrapError(r.doing, err)
}

// ContinuityOfRun returns the continuity of the account as the run left it, by sale day, brand and product. For a day that
// the run did not touch, opening equals closing and nothing moved.
func (l *Store) ContinuityOfRun(ctx context.Context, a ledger.Account, run string) ([]ledger.Continuity, error) {
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
