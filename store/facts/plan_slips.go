package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// SlipRegistrations returns, by id, the statusIntegration that the lists by payment and due date show for the slips in the
// list by credit date of a period; absent if neither shows one.
func (l *Store) SlipRegistrations(ctx context.Context, a ledger.Account, credited ledger.Period) (map[string]ledger.Opt[int64], error) {
	out := map[string]ledger.Opt[int64]{}
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var id string
		var told ledger.Opt[int64]
		err := rows.Scan(&id, sqldb.IntoOpt(&told))
		out[id] = told
		return err
	}, `
		SELECT
			c.id,
			COALESCE(
				(SELECT p.integration FROM slip AS p WHERE p.account = c.account AND p.id = c.id AND p.list = 'slips.payment'
					AND p.ended_pull IS NULL),
				(SELECT d.integration FROM slip AS d WHERE d.account = c.account AND d.id = c.id AND d.list = 'slips.due'
					AND d.ended_pull IS NULL))
		FROM slip AS c
		WHERE c.account = $1 AND c.list = 'slips.credit' AND c.list_day BETWEEN $2 AND $3 AND c.ended_pull IS NULL`,
		int64(a), int64(credited.From), int64(credited.To))
	return out, l.db.WrapError("read the registrations of account "+a.String(), err)
}
