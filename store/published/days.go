package published

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"concilia/store/sqldb"
)

// daysKeptFor is for how many days after the end of its period what the sale days of a set left is kept: nights publish a month until
// the end of the next one, and a later revision is made from the rows.
const daysKeptFor = 70

// keepDays keeps what the sale days of a revision left in place of those of the revision before, and forgets those of periods that are
// long over.
func keepDays(ctx context.Context, t *sqldb.Tx, s *Set) error {
	if len(s.Days) == 0 {
		return nil
	}
	_, err := t.ExecContext(ctx, `
		INSERT INTO report_days (
			account,
			basis,
			from_day,
			to_day,
			filter,
			revision,
			days)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (account, basis, from_day, to_day, filter) DO UPDATE SET revision = excluded.revision, days = excluded.days`,
		s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision), s.Days)
	if err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, `
		DELETE FROM report_days
		WHERE account = $1 AND basis = $2 AND to_day < $3`, s.Account, s.Basis, int64(s.AsOf-daysKeptFor))
	return err
}

// DaysOf returns what the sale days of a revision left; nil when that is not kept.
func (l *SetReader) DaysOf(ctx context.Context, s *Set) (days []byte, err error) {
	err = l.db.Read.QueryRowContext(ctx, `
		SELECT days
		FROM report_days
		WHERE account = $1 AND basis = $2 AND from_day = $3 AND to_day = $4 AND filter = $5 AND revision = $6`,
		s.Account, s.Basis, int64(s.Period.From), int64(s.Period.To), s.Filter, int64(s.Revision)).Scan(&days)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return days, l.db.WrapError(fmt.Sprintf("read the days of the set of %s, %s %s r%d", s.Account, s.Basis, s.Period, s.Revision), err)
}
