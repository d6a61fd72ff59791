package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// OpenedCases is the cases of one code and severity E that opened or reopened in a run.
type OpenedCases struct {
	Code          string
	Cases         int64
	Impact        ledger.Amount // sum of the impacts, positive when the merchant lost
	FirstInPeriod bool          // no case of the code was open in the period before
}

// OpenedCases returns the codes whose cases broke in the run, in order. The period before begins with the day since and ends
// with the previous run.
func (l *Store) OpenedCases(ctx context.Context, a ledger.Account, run string, since ledger.Date) ([]OpenedCases, error) {
	var out []OpenedCases
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var b OpenedCases
		var before bool
		err := rows.Scan(&b.Code, &b.Cases, &b.Impact, &before)
		b.FirstInPeriod = !before
		out = append(out, b)
		return err
	}, `
		SELECT
			now.code,
			now.cases,
			now.impact,
			EXISTS (
				SELECT 1
				FROM finding_event AS p
				WHERE p.account = $1 AND p.code = now.code AND p.state IN ('open', 'reopened') AND p.run < $2
					AND (p.as_of >= $3 OR NOT EXISTS (
						SELECT 1
						FROM finding_event AS n
						WHERE n.account = p.account AND n.case_id = p.case_id AND n.sequence = p.sequence + 1 AND n.as_of <= $3)))
		FROM (
			SELECT
				e.code,
				COUNT(*) AS cases,
				CAST(COALESCE(SUM(e.impact), 0) AS BIGINT) AS impact
			FROM finding_event AS e
			WHERE e.account = $1 AND e.run = $2 AND e.act = 0 AND e.state IN ('open', 'reopened') AND e.severity = 'E'
				AND NOT EXISTS (
					SELECT 1
					FROM finding_event AS b
					WHERE b.account = e.account AND b.case_id = e.case_id AND b.sequence = e.sequence - 1
						AND b.state IN ('open', 'reopened'))
			GROUP BY e.code) AS now
		ORDER BY now.code`, int64(a), run, int64(since))
	return out, l.db.WrapError("read what broke in run "+run, err)
}

// DaysWithRows says of which days of the period rows of the source stand: cards by the day of the sale, a list of slips
// by the date it is asked by.
func (l *Store) DaysWithRows(ctx context.Context, a ledger.Account, source ledger.Source, p ledger.Period,
) (map[ledger.Date]bool, error) {
	query := `
		SELECT EXISTS (
			SELECT 1
			FROM installment
			WHERE account = $1 AND sale_day = $2 AND ended_pull IS NULL)`
	var list []any
	if source != ledger.Cards {
		list = []any{string(source)}
		query = `
		SELECT EXISTS (
			SELECT 1
			FROM slip
			WHERE account = $1 AND list_day = $2 AND list = $3 AND ended_pull IS NULL)`
	}
	out := make(map[ledger.Date]bool, p.Days())
	for d := p.From; d <= p.To; d++ {
		var has bool
		if err := l.db.Read.QueryRowContext(ctx, query, append([]any{int64(a), int64(d)}, list...)...).Scan(&has); err != nil {
			return nil, l.db.WrapError("read the days of account "+a.String(), err)
		}
		out[d] = has
	}
	return out, nil
}
