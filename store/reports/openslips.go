package reports

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// OpenSlips calls fn for every slip of an account that is not paid yet, or is paid and not credited, as it is now and in order of its
// id, with what the last reconcile expects of it. It keeps their ids in memory, not the slips.
func (l *RowReader) OpenSlips(ctx context.Context, a ledger.Account, fn func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	doing := "read the open slips of account " + a.String()
	now, err := l.slipsAsOf(ctx, a, "")
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	var ids []string
	err = sqldb.ReadRows(ctx, l.db.Read, func(f *sqldb.RowReader) error {
		ids = append(ids, f.NextText())
		return f.Err()
	}, `
		SELECT e.id
		FROM slip_expectation AS e
		WHERE e.account = $1 AND e.ended_run IS NULL AND e.net_credited IS NULL AND (e.class = 'open' OR e.class = 'paid')
		ORDER BY e.id`, int64(a))
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	err = now.readSlips(ctx, ids, func(s ReportedSlip) error {
		if s.CreditedOn != 0 { // what its credit comes to is not known
			return nil
		}
		return fn(s.Slip, s.Expectation)
	})
	return l.db.WrapError(doing, err)
}
