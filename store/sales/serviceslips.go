package sales

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ServiceSlip is a slip as the service's lists show it now, the detail before the list by credit, by payment and by due date.
type ServiceSlip struct {
	ID                   string
	Issued               ledger.Date
	Value                ledger.Amount
	OurNumber, Reference string
	// Live: it was not cancelled, and its registration did not fail.
	Live bool
	// Told: the list by credit shows it, the only one with its number, its reference and its cancellation.
	Told bool
}

// ServiceSlips calls fn for the slips of an account that were issued in a period, in order of id.
func (s *ServiceReader) ServiceSlips(ctx context.Context, a ledger.Account, p ledger.Period, fn func(*ServiceSlip) error) error {
	var now *ServiceSlip
	flush := func() error {
		if now == nil {
			return nil
		}
		return fn(now)
	}
	err := s.db.StreamRows(ctx, func(f *sqldb.RowReader) error {
		id := f.NextText()
		if now == nil || now.ID != id {
			if err := flush(); err != nil {
				return err
			}
			now = &ServiceSlip{ID: id, Live: true}
		}
		now.addView(f)
		return f.Err()
	}, `
		SELECT
			v.id,
			v.list,
			v.issued,
			v.value,
			v.status,
			v.integration,
			v.our_number,
			v.reference_code,
			v.cancelled_on
		FROM slip AS v
		WHERE v.account = $1 AND v.ended_pull IS NULL AND v.issued >= $2 AND v.issued <= $3
		ORDER BY
			v.id,
			CASE v.list
				WHEN 'slips.detail' THEN 0
				WHEN 'slips.credit' THEN 1
				WHEN 'slips.payment' THEN 2
				ELSE 3
			END`, int64(a), int64(p.From), int64(p.To))
	if err == nil {
		err = flush()
	}
	return s.db.WrapError("read the slips of account "+a.String(), err)
}

// addView adds what a view shows that none before it did.
func (x *ServiceSlip) addView(f *sqldb.RowReader) {
	list, issued, value := ledger.Source(f.NextText()), f.NextDate(), ledger.Amount(f.NextInt())
	status, integration := sqldb.NextOpt[int64](f), sqldb.NextOpt[int64](f)
	number, reference, cancelled := f.NextText(), f.NextText(), f.NextDate()
	if x.Issued == 0 {
		x.Issued, x.Value = issued, value
	}
	failed := status.V == ledger.BillFailed || integration.V == ledger.IntegrationRejected || integration.V == ledger.IntegrationFailed
	if failed || cancelled != 0 {
		x.Live = false
	}
	if list == ledger.SlipsCredit {
		x.OurNumber, x.Reference, x.Told = number, reference, true
	}
}

// slipsAhead is how many days after its issue a slip may be due for its absence to mean something: as far as the list by due date is
// usually read.
const slipsAhead = 60

// SlipDays returns the days of which the service showed, after they were over, every slip that was issued then and is due within 60 days: its
// list is by due date.
func (s *ServiceReader) SlipDays(ctx context.Context, a ledger.Account) (map[ledger.Date]bool, error) {
	asked := map[ledger.Date]ledger.Date{} // the day on which a due date was last answered whole
	err := sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var due, on ledger.Date
		err := rows.Scan(sqldb.IntoDate(&due), sqldb.IntoDate(&on))
		asked[due] = on
		return err
	}, `
		SELECT
			c.day,
			p.pulled_on
		FROM cover AS c
		JOIN pull AS p ON p.account = c.account AND p.id = c.shown_pull
		WHERE c.account = $1 AND c.source = $2 AND c.shown_pull <> '' AND NOT EXISTS (
			SELECT 1
			FROM quarantine AS q
			WHERE q.account = c.account AND q.source = c.source AND q.day = c.day AND q.ended_pull IS NULL)`, int64(a), string(ledger.SlipsDue))
	days := map[ledger.Date]bool{}
	for day := range asked {
		whole := true
		for due := day; whole && due <= day+slipsAhead; due++ {
			whole = asked[due] > day
		}
		if whole {
			days[day] = true
		}
	}
	return days, s.db.WrapError("read the days of slips of account "+a.String(), err)
}
