package store

import (
	"context"
	"database/sql"

	"concilia/export/words"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// coverageRow is a row of cover, derived from the pulls again.
type coverageRow struct {
	whole                       int64
	asked, shown, proved, since pullAt
}

// pullAt is a pull and when it began, in microseconds; the zero value is none.
type pullAt struct {
	began int64
	id    string
}

type coverKey struct {
	account ledger.Account
	source  ledger.Source
	day     ledger.Date
}

// checkCoverage holds what the pulls of every day are said to come to against the pulls. Its memory grows with the days.
func (c *ledgerCheck) checkCoverage(ctx context.Context) error {
	want := make(map[coverKey]coverageRow)
	err := sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		p, err := facts.ScanPull(rows)
		if err != nil {
			return err
		}
		at := pullAt{p.Began.UnixMicro(), p.ID}
		for d := p.Window.Period.From; d <= p.Window.Period.To; d++ {
			key := coverKey{p.Window.Account, p.Window.Source, d}
			is := want[key]
			is.asked = at
			if p.Complete {
				is.whole++
				is.shown = at
			}
			if p.ProvesDay(d) {
				is.proved = at
				if is.since == (pullAt{}) {
					is.since = at
				}
			}
			want[key] = is
		}
		return nil
	}, facts.SelectPull+`
		ORDER BY began, id`)
	if err != nil {
		return err
	}
	err = sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
		var key coverKey
		var is coverageRow
		err := rows.Scan(&key.account, &key.source, &key.day, &is.whole, &is.asked.began, &is.asked.id, &is.shown.began, &is.shown.id,
			&is.proved.began, &is.proved.id, &is.since.began, &is.since.id)
		// What Prune deleted of a day are complete pulls of it.
		if pulled := want[key]; pulled.whole < is.whole {
			pulled.whole = is.whole
			want[key] = pulled
		}
		if err == nil && is != want[key] {
			c.addFault(words.NewMessage("check_fault.coverage_differs", "account", key.account, "source", key.source, "day", key.day))
		}
		delete(want, key)
		return err
	}, `
		SELECT
			account,
			source,
			day,
			whole,
			asked_began,
			asked_pull,
			shown_began,
			shown_pull,
			proved_began,
			proved_pull,
			since_began,
			since_pull
		FROM cover
		ORDER BY account, source, day`)
	if n := len(want); n > 0 {
		c.addFault(words.NewMessage("check_fault.coverage_missing", "n", n))
	}
	return err
}

// checkWindows holds what is said of the windows that were asked for against the pulls.
func (c *ledgerCheck) checkWindows(ctx context.Context) error {
	const pulled = `
		SELECT
			account,
			source,
			from_day,
			to_day,
			COALESCE(MIN(pulled_on), 0),
			COALESCE(MAX(pulled_on), 0),
			COALESCE(MAX(CASE WHEN rows_new + changed + vanished > 0 THEN pulled_on END), 0)
		FROM pull
		WHERE complete = 1 AND source <> 'slips.detail'
		GROUP BY account, source, from_day, to_day`
	const said = `
		SELECT
			account,
			source,
			from_day,
			to_day,
			first_on,
			last_on,
			moved_on
		FROM asked`
	for _, odd := range [...]struct{ query, fault string }{
		{pulled + " EXCEPT" + said, "check_fault.coverage_window_missing"},
		{said + " EXCEPT" + pulled, "check_fault.coverage_window_invented"},
	} {
		err := sqldb.EachRow(ctx, c.l.db.Read, func(rows *sql.Rows) error {
			var a ledger.Account
			var w facts.RequestedWindow
			err := rows.Scan(&a, &w.Source, &w.Period.From, &w.Period.To, sqldb.IntoDate(&w.First), sqldb.IntoDate(&w.Last), sqldb.IntoDate(&w.LastChange))
			c.addFault(words.NewMessage(odd.fault, "account", a, "source", w.Source, "period", w.Period))
			return err
		}, odd.query)
		if err != nil {
			return err
		}
	}
	return nil
}
