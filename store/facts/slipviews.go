package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// SlipConditions are the conditions of MergedSlipsSQL on a view v, a pull p and a reconcile c, and the pull that showed v last.
type SlipConditions struct {
	Current, Proven, Included, Reconciled, LastPull string
	// Among selects the ids of the only slips that are read, which are few: they are looked up in the database of Dialect. Empty: all of the
	// account are read.
	Among   string
	Dialect sqldb.Dialect
}

// fromViews is the FROM of the views of the slips that are read, which are named v.
func (s *SlipConditions) fromViews() string {
	if s.Among == "" {
		return "slip AS v"
	}
	return "(" + s.Among + ") AS w " + s.Dialect.JoinOneByOne("slip", "v", "", "v.account = $1 AND v.id = w.id")
}

// CurrentSlips reads the slips as they are.
func CurrentSlips() SlipConditions {
	return SlipConditions{
		Current: "v.ended_pull IS NULL", Proven: "v.proven = 1", Included: "1 = 1", Reconciled: "1 = 1",
		LastPull: "COALESCE(v.last_pull, v.first_pull)",
	}
}

// MergedSlipsSQL is ledger.SlipOf in SQL, for sums that must not come from the same code as the rows: of the views of
// account $1 that are current, the one seen last, with the charges and the cancellation of the credit list's view.
func MergedSlipsSQL(s SlipConditions) string {
	return `
		WITH covered AS MATERIALIZED (
			SELECT
				d.list,
				d.list_day,
				MAX(p.began) AS began
			FROM (
				SELECT DISTINCT
					v.list,
					v.list_day
				FROM ` + s.fromViews() + `
				WHERE v.account = $1 AND ` + s.Current + ` AND ` + s.Proven + ` AND v.list_day IS NOT NULL) AS d
			JOIN pull AS p ON p.account = $1 AND p.source = d.list AND p.complete = 1 AND p.from_day <= d.list_day
				AND p.to_day >= d.list_day AND ` + s.Included + `
			GROUP BY d.list, d.list_day),
		ranked AS (
			SELECT
				v.id,
				v.list,
				v.value,
				v.issued,
				v.due,
				v.paid_on,
				v.credited_on,
				v.paid_value,
				v.status,
				v.integration,
				ROW_NUMBER() OVER (
					PARTITION BY v.id
					ORDER BY
						CASE WHEN ` + s.Proven + ` AND c.began > p.began THEN c.began ELSE p.began END DESC,
						CASE v.list
							WHEN 'slips.detail' THEN 0
							WHEN 'slips.credit' THEN 1
							WHEN 'slips.payment' THEN 2
							ELSE 3
						END) AS place
			FROM ` + s.fromViews() + `
			JOIN pull AS p ON p.account = v.account AND p.id = ` + s.LastPull + `
			LEFT JOIN covered AS c ON c.list = v.list AND c.list_day = v.list_day
			WHERE v.account = $1 AND ` + s.Current + `),
		merged AS (
			SELECT
				r.id,
				r.value,
				r.issued,
				r.due,
				r.paid_on,
				r.credited_on,
				r.paid_value,
				v.cancelled_on,
				v.penalty_received,
				v.interest_received
			FROM ranked AS r
			LEFT JOIN slip AS v ON v.account = $1 AND v.id = r.id AND v.list = 'slips.credit' AND ` + s.Current + `
			WHERE r.place = 1)`
}

// SlipRow is a row of slip, with what only the store needs of it.
type SlipRow struct {
	ledger.SlipVersion
	day    ledger.Date               // by which the list selects the slip
	Ended  string                    // pull that ended the version; empty: it is current
	Proven bool                      // a complete pull of its day showed it
	Seal   ledger.PayerSeal          // its payer was forgotten
	Stored *ledger.StoredExpectation // where a stream reads it
}

// slipTable is the table slip, column by column.
var slipTable = append(sqldb.Columns[SlipRow]{
	{Name: "version", At: func(v *SlipRow) any { return &v.Version }},
	{Name: "list_day", At: func(v *SlipRow) any { return &v.day }},
	{Name: "content", At: func(v *SlipRow) any { return &v.Content }},
	{Name: "first_pull", At: func(v *SlipRow) any { return &v.FirstPull }},
	{Name: "last_pull", At: func(v *SlipRow) any { return &v.LastPull }},
	{Name: "ended_pull", At: func(v *SlipRow) any { return &v.Ended }},
	{Name: "vanished", At: func(v *SlipRow) any { return &v.Vanished }},
	{Name: "proven", At: func(v *SlipRow) any { return &v.Proven }},
	{Name: "first_seen", At: func(v *SlipRow) any { return &v.FirstSeen }},
	{Name: "last_changed", At: func(v *SlipRow) any { return &v.LastChanged }},
	{Name: "forgotten", At: func(v *SlipRow) any { return (*string)(&v.Seal) }},
}, sqldb.MemberColumns(ledger.SlipMembers(), func(v *SlipRow) *ledger.SlipView { return &v.SlipView })...)

var (
	writtenSlipColumns = slipTable.Without("last_pull", "ended_pull")
	readSlipColumns    = slipTable.Without("account")
)

// SlipColumns are the columns that ReadColumns reads, of a table named v.
var SlipColumns = readSlipColumns.SelectList("v")

// ReadColumns reads SlipColumns; SlipsLastSeen.Complete completes the view after it.
func (v *SlipRow) ReadColumns(f *sqldb.RowReader) { readSlipColumns.Read(v, f) }

// SlipsLastSeen says when the views of an account were seen last.
type SlipsLastSeen struct {
	Account ledger.Account
	Days    map[ledger.Source]LastSeen
	Pulls   map[string]PullRef
}

// LoadSlipsLastSeen reads, on any connection or transaction, when the views of an account's slips were seen last.
func (l *HistoryReader) LoadSlipsLastSeen(ctx context.Context, q sqldb.Querier, a ledger.Account) (*SlipsLastSeen, error) {
	s := &SlipsLastSeen{Account: a, Days: make(map[ledger.Source]LastSeen)}
	var err error
	if s.Pulls, err = loadSlipPulls(ctx, q, a); err != nil {
		return nil, err
	}
	for _, list := range ledger.SlipLists() {
		if s.Days[list], err = LoadLastSeen(ctx, q, a, list, AllDays); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Complete completes a view after its scan.
func (s *SlipsLastSeen) Complete(v *SlipRow) {
	v.Account = s.Account
	if v.LastPull == "" {
		v.LastPull = v.FirstPull
	}
	last := s.Pulls[v.LastPull]
	// Every complete window of its day has shown a current view since.
	if day, ok := s.Days[v.List][v.day]; ok && v.Ended == "" && v.Proven && day.Began.After(last.Began) {
		last = day
	}
	v.LastPull, v.LastRun, v.SeenAt = last.ID, last.Run, last.Began
}

// SlipOf merges the views of one slip, or returns nil when every list has let it go. A view that vanished from its
// list has Vanished set and is among the earlier versions.
func SlipOf(views []*SlipRow) *ledger.Slip {
	var current, earlier []ledger.SlipVersion
	for _, v := range views {
		if v.Ended == "" {
			current = append(current, v.SlipVersion)
		} else {
			earlier = append(earlier, v.SlipVersion)
		}
	}
	if len(current) == 0 {
		return nil
	}
	s := ledger.SlipOf(current, earlier)
	return &s
}

// ReissuedSlip is a slip that shares its reference code with others: the merchant issued more than one for the same order.
type ReissuedSlip struct {
	ID         string
	Reference  string
	Issued     ledger.Date
	Registered bool // some list says that its registration succeeded
}

// ReissuedSlips returns the account's current slips that share a reference code, in order of code and id. A slip whose views
// have different codes is listed under each.
func (l *HistoryReader) ReissuedSlips(ctx context.Context, a ledger.Account) ([]ReissuedSlip, error) {
	var out []ReissuedSlip
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var r ReissuedSlip
		err := rows.Scan(&r.ID, &r.Reference, sqldb.IntoDate(&r.Issued), sqldb.IntoBool(&r.Registered))
		out = append(out, r)
		return err
	}, `
		WITH shown AS (
			SELECT
				reference_code,
				id,
				MAX(issued) AS issued,
				MAX(CASE WHEN integration = $2 THEN 1 ELSE 0 END) AS registered
			FROM slip
			WHERE account = $1 AND ended_pull IS NULL AND reference_code <> ''
			GROUP BY reference_code, id)
		SELECT
			id,
			reference_code,
			issued,
			registered
		FROM shown
		WHERE reference_code IN (
			SELECT reference_code
			FROM shown
			GROUP BY reference_code
			HAVING COUNT(*) > 1)
		ORDER BY reference_code, id`, int64(a), int64(ledger.IntegrationIssued))
	return out, l.db.WrapError("read the slips that share a reference code", err)
}
