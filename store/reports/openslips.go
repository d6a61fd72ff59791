package reports

import (
	"context"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// OpenSlipsSQL is the query of OpenSlips, of the account $1. SQLite joins in the order of the text: by expectation, of which few are open,
// and so in the order of the key without sorting.
var OpenSlipsSQL = `
	SELECT ` + facts.SlipColumns + `,` + results.SlipExpectationColumns + `
	FROM slip_expectation AS e
	CROSS JOIN slip AS v
	WHERE v.account = e.account AND v.id = e.id AND e.account = $1 AND e.ended_run IS NULL AND e.net_credited IS NULL AND (e.class = 'open' OR e.class = 'paid')
	ORDER BY e.account, e.id, v.list, v.version`

// OpenSlips calls fn for every slip of an account that is not paid yet, or is paid and not credited, as it is now and in order of its
// id, with what the last reconcile expects of it. It reads them in one query, however many there are, and keeps one in memory.
func (l *RowReader) OpenSlips(ctx context.Context, a ledger.Account, fn func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	doing := "read the open slips of account " + a.String()
	now, err := l.slipsAsOf(ctx, a, "")
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	var views []*facts.SlipRow
	var stored *results.SlipExpectationRow
	flush := func() error {
		s := now.mergeSlip(views)
		views = nil
		if s == nil || s.CreditedOn != 0 { // what its credit comes to is not known
			return nil
		}
		e, err := stored.Complete(a, s.ID)
		if err != nil {
			return err
		}
		return fn(s, e)
	}
	err = sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		v, e := &facts.SlipRow{}, &results.SlipExpectationRow{}
		v.ReadColumns(f)
		e.ReadColumns(f)
		if err := f.Err(); err != nil {
			return err
		}
		now.lastSeen.Complete(v)
		if len(views) > 0 && views[0].ID != v.ID {
			if err := flush(); err != nil {
				return err
			}
		}
		views, stored = append(views, v), e
		return nil
	}, OpenSlipsSQL, int64(a))
	if err == nil && len(views) > 0 {
		err = flush()
	}
	return l.db.WrapError(doing, err)
}
