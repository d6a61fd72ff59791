package published

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RetiredSince gives the day of the account's last state set before asOf, and the revisions of which files were taken
// away on it or later and before asOf, those files alone. No state set before: no day, and no revisions.
func (l *SetReader) RetiredSince(ctx context.Context, account string, asOf ledger.Date) (since ledger.Date, out []*Set, err error) {
	doing := fmt.Sprintf("read what was taken away of %s before %s", account, asOf)
	err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error { return rows.Scan(sqldb.IntoDate(&since)) }, `
		SELECT
			to_day
		FROM report
		WHERE account = $1 AND basis = 'asof' AND filter = '' AND to_day < $2
		ORDER BY to_day DESC
		LIMIT 1`, account, int64(asOf))
	if err != nil || since == 0 {
		return 0, nil, l.db.WrapError(doing, err)
	}
	// One of which all went before since is left out; of the others the files say when each went.
	sets, err := l.querySets(ctx, doing, `
		WHERE account = $1 AND (retired_on IS NULL OR retired_on >= $2)
		ORDER BY basis, from_day, to_day, filter, revision`, account, int64(since))
	for _, s := range sets {
		s.Files = slices.DeleteFunc(s.Files, func(f File) bool { return f.RetiredOn < since || f.RetiredOn >= asOf })
		if len(s.Files) > 0 {
			out = append(out, s)
		}
	}
	return since, out, err
}
