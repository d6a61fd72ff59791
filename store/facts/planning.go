package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// WaitingDay is a sale day on which installments were ever seen, and what those that are open or blocked wait for, by
// their expectations. All are false for a day on which nothing is due.
type WaitingDay struct {
	Day ledger.Date
	// FirstForecast and LastForecast are the promises ever seen there; none when no row had one.
	FirstForecast, LastForecast ledger.Date

	Due         bool // one falls due by the as-of, or fell due and has no expectation yet
	Late        bool // one is overdue, and time will still turn what is said of it
	LongOverdue bool // one is overdue, and time turns nothing of it any more
	Blocked     bool // one is blocked
	Open        bool // there is one, of these or any other
}

// WaitingQuery says from which days payments are due.
type WaitingQuery struct {
	Account ledger.Account
	AsOf    ledger.Date
	// Recent are the forecast dates that came due of late, and OverdueBy the date by which a row promised on one of them
	// is reported as overdue if it is not paid.
	Recent    ledger.Period
	OverdueBy ledger.Date
}

// WaitingDays gives the sale days of an account, oldest first. The service shows a payment only under the day of its
// sale: those that wait must be asked for again. It does not look at the rows of a day; rows that no run has evaluated are
// left out.
func (l *PlanReader) WaitingDays(ctx context.Context, q WaitingQuery) ([]WaitingDay, error) {
	var days []WaitingDay
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var d WaitingDay
		err := rows.Scan(&d.Day, sqldb.IntoDate(&d.FirstForecast), sqldb.IntoDate(&d.LastForecast), sqldb.IntoBool(&d.Due), sqldb.IntoBool(&d.Late), sqldb.IntoBool(&d.LongOverdue),
			sqldb.IntoBool(&d.Blocked), sqldb.IntoBool(&d.Open))
		days = append(days, d)
		return err
	}, WaitingDaysSQL, int64(q.Account), int64(q.AsOf+1), int64(q.Recent.From), int64(q.Recent.To), int64(q.OverdueBy))
	return days, l.db.WrapError("read the waiting days of account "+q.Account.String(), err)
}

// WaitingDaysSQL is the query of WaitingDays. It takes the account, the day after the as-of, the first and the last recent day, and the day by
// which a row that was promised on one of them is overdue.
const WaitingDaysSQL = `
		SELECT
			d.sale_day,
			d.first_forecast,
			d.last_forecast,
			MAX(CASE WHEN w.rest = 'not_due' AND w.next_on > 0 AND (w.next_on <= $2 OR d.recent = 1 AND w.next_on <= $5) THEN 1 ELSE 0 END),
			MAX(CASE WHEN w.rest = 'overdue' AND w.next_on > 0 THEN 1 ELSE 0 END),
			MAX(CASE WHEN w.rest = 'overdue' AND w.next_on = 0 THEN 1 ELSE 0 END),
			MAX(CASE WHEN w.rest = 'blocked' THEN 1 ELSE 0 END),
			MAX(CASE WHEN w.items > 0 AND w.rest <> '' THEN 1 ELSE 0 END)
		FROM (
			SELECT
				sale_day,
				MIN(CASE WHEN forecast > 0 THEN forecast END) AS first_forecast,
				MAX(forecast) AS last_forecast,
				MAX(CASE WHEN forecast BETWEEN $3 AND $4 THEN 1 ELSE 0 END) AS recent
			FROM forecast_day
			WHERE account = $1
			GROUP BY sale_day) AS d
		LEFT JOIN waiting AS w ON w.account = $1 AND w.sale_day = d.sale_day AND w.ended_run IS NULL
		GROUP BY d.sale_day, d.first_forecast, d.last_forecast
		ORDER BY d.sale_day`

// HasEarlyPayments reports whether an installment of the account was paid before its forecast date in the period.
func (l *PlanReader) HasEarlyPayments(ctx context.Context, a ledger.Account, p ledger.Period) (bool, error) {
	var early bool
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT CASE
			WHEN EXISTS (
				SELECT 1
				FROM installment
				WHERE account = $1 AND ended_pull IS NULL AND effective IS NOT NULL AND effective BETWEEN $2 AND $3
					AND effective < forecast)
			THEN 1 ELSE 0 END`, int64(a), int64(p.From), int64(p.To)).Scan(sqldb.IntoBool(&early))
	return early, l.db.WrapError("read the early payments of account "+a.String(), err)
}

// BrandsSold returns the spellings of the brands of the installments that the account sold in the period, in order.
func (l *PlanReader) BrandsSold(ctx context.Context, a ledger.Account, p ledger.Period) ([]string, error) {
	var out []string
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var spelling string
		err := rows.Scan(&spelling)
		out = append(out, spelling)
		return err
	}, `
		SELECT DISTINCT
			card_name
		FROM installment
		WHERE account = $1 AND sale_day BETWEEN $2 AND $3 AND ended_pull IS NULL
		ORDER BY card_name`, int64(a), int64(p.From), int64(p.To))
	return out, l.db.WrapError("read the brands that account "+a.String()+" sold", err)
}

// NightlyRunCount counts, up to most, the nights before asOf in which the account was reconciled.
func (l *PlanReader) NightlyRunCount(ctx context.Context, a ledger.Account, asOf ledger.Date, most int) (int, error) {
	n := 0
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM (
			SELECT DISTINCT
				u.as_of
			FROM reconciled AS r
			JOIN run AS u ON u.id = r.run
			WHERE r.account = $1 AND u.kind = $2 AND u.as_of < $3
			LIMIT $4) AS nights`, int64(a), string(ledger.Nightly), int64(asOf), int64(most)).Scan(&n)
	return n, l.db.WrapError("count the nights of account "+a.String(), err)
}

// CountSQL is how many installments the sale of a version i has, 0 read as 1.
const CountSQL = "CASE WHEN i.count_sent < 1 THEN 1 ELSE i.count_sent END"

// CurrentExpectationJoin joins an installment's version i with its current expectation e.
const CurrentExpectationJoin = ExpectationJoin + ` AND e.ended_run IS NULL`

// ExpectationJoin joins every expectation of the version.
const ExpectationJoin = `e.account = i.account AND e.sale_day = i.sale_day AND e.nsu = i.nsu AND e.auth = i.auth
			AND e.number = i.number AND e.occurrence = i.occurrence AND e.version = i.version`

// SlipRegistrations returns, by id, the statusIntegration that the lists by payment and due date show for the slips in the
// list by credit date of a period; absent if neither shows one.
func (l *PlanReader) SlipRegistrations(ctx context.Context, a ledger.Account, credited ledger.Period) (map[string]ledger.Opt[int64], error) {
	out := map[string]ledger.Opt[int64]{}
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var id string
		var last ledger.Opt[int64]
		err := rows.Scan(&id, sqldb.IntoOpt(&last))
		out[id] = last
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

// OpenedCases is the cases of one code and severity E that opened or reopened in a run.
type OpenedCases struct {
	Code          string
	Cases         int64
	Impact        ledger.Amount // sum of the impacts, positive when the merchant lost
	FirstInPeriod bool          // no case of the code was open in the period before
}

// OpenedCases returns the codes whose cases broke in the run, in order. The period before begins with the day since and ends
// with the previous run.
func (l *PlanReader) OpenedCases(ctx context.Context, a ledger.Account, run string, since ledger.Date) ([]OpenedCases, error) {
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

// DaysWithRows returns the days of the period that have current rows of the source: cards by the day of the sale, a list of slips
// by the date it is asked by.
func (l *PlanReader) DaysWithRows(ctx context.Context, a ledger.Account, source ledger.Source, p ledger.Period,
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
