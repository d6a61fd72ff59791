package store

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
)

// KnownTitleNumbers gives those of the subjects that have a number already, and reserves none.
func (l *Ledger) KnownTitleNumbers(ctx context.Context, a ledger.Account, subjects []string) (map[string]string, error) {
	asked := make(map[string]bool, len(subjects))
	for _, s := range subjects {
		asked[s] = true
	}
	out := make(map[string]string)
	// One pass over the account's titles: subjects are many, and one question each would take longer.
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		var subject, number string
		if err := rows.Scan(&subject, &number); err != nil {
			return err
		}
		if asked[subject] {
			out[subject] = number
		}
		return nil
	}, `
		SELECT
			subject,
			number
		FROM title_number
		WHERE account = $1`, int64(a))
	return out, l.fault("read the title numbers of account "+a.String(), err)
}
