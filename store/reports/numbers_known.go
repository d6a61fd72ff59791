package reports

import (
	"context"
	"database/sql"
	"math"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// KnownTitleNumbers returns the existing title numbers of the subjects and reserves none.
func (l *Store) KnownTitleNumbers(ctx context.Context, a ledger.Account, subjects []string) (map[string]string, error) {
	return l.TitleNumbersUpTo(ctx, a, subjects, math.MaxInt64)
}

// TitleNumbersUpTo gives those of the subjects that had a number when TitlesNumbered gave that sequence.
func (l *Store) TitleNumbersUpTo(ctx context.Context, a ledger.Account, subjects []string, sequence int64,
) (map[string]string, error) {
	asked := make(map[string]bool, len(subjects))
	for _, s := range subjects {
		asked[s] = true
	}
	out := make(map[string]string)
	// One pass over the account's titles: subjects are many, and one question each would take longer.
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
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
		WHERE account = $1 AND sequence <= $2`, int64(a), sequence)
	return out, l.db.WrapError("read the title numbers of account "+a.String(), err)
}

// TitlesNumbered is how far the account's titles are numbered: later numbers have greater sequences.
func (l *Store) TitlesNumbered(ctx context.Context, a ledger.Account) (sequence int64, err error) {
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT COALESCE(MAX(sequence), 0)
		FROM title_number
		WHERE account = $1`, int64(a)).Scan(&sequence)
	return sequence, l.db.WrapError("read how far the titles of account "+a.String()+" are numbered", err)
}
