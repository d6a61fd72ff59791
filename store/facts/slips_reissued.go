package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ReissuedSlip is a slip that shares its reference code with others: the merchant issued more than one for the same thing.
type ReissuedSlip struct {
	ID         string
	Reference  string
	Issued     ledger.Date
	Registered bool // some list says that its registration succeeded
}

// ReissuedSlips returns the account's current slips that share a reference code, in order of code and id. A slip whose views
// have different codes is listed under each.
func (l *Store) ReissuedSlips(ctx context.Context, a ledger.Account) ([]ReissuedSlip, error) {
	var out []ReissuedSlip
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var r ReissuedSlip
		err := rows.Scan(&r.ID, &r.Reference, sqldb.IntoDate(&r.Issued), sqldb.IntoBool(&r.Registered))
		out = append(out, r)
		return err
	}, `
		WITH shown AS (
			SELECT
				reference_code,
				id,
				MAX(issued) AS issued,
				MAX(CASE WHEN integration = $2 THEN 1 ELSE 0 END) AS registered
			FROM slip
			WHERE account = $1 AND ended_pull IS NULL AND reference_code <> ''
			GROUP BY reference_code, id)
		SELECT
			id,
			reference_code,
			issued,
			registered
		FROM shown
		WHERE reference_code IN (
			SELECT reference_code
			FROM shown
			GROUP BY reference_code
			HAVING COUNT(*) > 1)
		ORDER BY reference_code, id`, int64(a), int64(ledger.IntegrationIssued))
	return out, l.db.WrapError("read the slips that share a reference code", err)
}
