package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// PrunedRows counts the rows that Prune deleted, or would.
type PrunedRows struct {
	Pulls   int64 // that showed what was known
	Units   int64 // of runs that ended
	Tallies int64 // what the rules counted in a run, for an account
	Alerts  int64 // that are not delivered any more
}

// Prune deletes what no question needs any more of the nights before a day: the units of work of the runs that ended, what the
// rules counted in them, the alerts, and the pulls that pullsToPrune chooses. Facts, expectations, cases, acts, records of runs,
// what was published and its numbers stay. dry only counts.
//
// It takes no lease: what it deletes no run comes back to. Killed, it has deleted a part of it, and the next call the rest.
func (l *Ledger) Prune(ctx context.Context, before ledger.Date, dry bool) (*PrunedRows, error) {
	const doing = "prune the ledger"
	accounts, err := l.leasedAccounts(ctx)
	if err != nil {
		return nil, l.db.WrapError(doing, err)
	}
	var out PrunedRows
	for _, a := range accounts {
		pulls, err := l.prunePulls(ctx, a, before, dry)
		if err != nil {
			return nil, l.db.WrapError(doing, err)
		}
		out.Pulls += pulls
		for _, part := range []struct {
			count *int64
			rows  string
		}{{&out.Units, "unit" + ofPrunedRuns}, {&out.Tallies, "tally" + ofPrunedRuns}} {
			n, err := l.deleteRows(ctx, dry, part.rows, int64(a), int64(before))
			if err != nil {
				return nil, l.db.WrapError(doing, err)
			}
			*part.count += n
		}
	}
	out.Alerts, err = l.deleteRows(ctx, dry, "alert WHERE raised < $1", before.Time().UnixMicro())
	return &out, l.db.WrapError(doing, err)
}

// LeastKept is the fewest days of pulls that must stay: rules compare the answers of the last thirty.
const LeastKept = 35

// CompactPulls deletes the pulls of an account before a day that showed only what was known, as Prune does.
func (l *Ledger) CompactPulls(ctx context.Context, a ledger.Account, before ledger.Date) error {
	_, err := l.prunePulls(ctx, a, before, false)
	return l.db.WrapError("compact the pulls of account "+a.String(), err)
}

// ofPrunedRuns are the rows of account $1 of runs that ended and are as of a day before $2.
const ofPrunedRuns = `
		WHERE account = $1 AND run IN (
			SELECT id
			FROM run
			WHERE ended IS NOT NULL AND as_of < $2)`

// leasedAccounts are the accounts that a run ever worked on.
func (l *Ledger) leasedAccounts(ctx context.Context) (out []ledger.Account, err error) {
	err = sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var a ledger.Account
		err := rows.Scan(&a)
		out = append(out, a)
		return err
	}, "SELECT account FROM lease ORDER BY account")
	return out, err
}

// deleteRows deletes rows, or counts them.
func (l *Ledger) deleteRows(ctx context.Context, dry bool, rows string, args ...any) (n int64, err error) {
	if dry {
		err = l.db.Read.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+rows, args...).Scan(&n)
		return n, err
	}
	err = l.db.TransactRepeatable(ctx, "delete what is past its use", func(t *sqldb.Tx) error {
		done, err := t.ExecContext(ctx, "DELETE FROM "+rows, args...)
		if err != nil {
			return err
		}
		n, err = done.RowsAffected()
		return err
	})
	return n, err
}

// prunedAtOnce is how many pulls are deleted in one transaction: a night at the same time waits no longer than for that.
const prunedAtOnce = 2000

func (l *Ledger) prunePulls(ctx context.Context, a ledger.Account, before ledger.Date, dry bool) (int64, error) {
	var going []string
	err := l.db.Snapshot(ctx, func(db *sqldb.DB) (err error) {
		going, err = pullsToPrune(ctx, db.Read, a, before)
		return err
	})
	if err != nil || dry {
		return int64(len(going)), err
	}
	for some := range slices.Chunk(going, prunedAtOnce) {
		err := l.db.TransactRepeatable(ctx, "delete the pulls that showed what was known", func(t *sqldb.Tx) error {
			return t.ExecBatch(ctx, "DELETE FROM pull WHERE account = $1 AND id = $2", len(some), func(i int) []any {
				return []any{int64(a), some[i]}
			})
		})
		if err != nil {
			return 0, err
		}
	}
	return int64(len(going)), nil
}

// prunablePull is a pull as far as it matters whether it can go.
type prunablePull struct {
	id, body string
	began    int64
	on       ledger.Date
	window   pulledWindow
	complete bool
	shown    int64 // rows
	spoke    bool  // it brought, changed, ended or could not read a row, or noticed something else
	judged   bool  // a reconcile knows it
}

type pulledWindow struct {
	source   ledger.Source
	from, to ledger.Date
}

// pullsToPrune chooses the pulls before a day that can go. One that arrived whole and showed only what was known can, if others of its
// window began before and after it; if nothing names it; if it is not the only one that leads to a body whose bytes are kept; and if
// no slip that it showed has other values in another list: of the two the one seen last holds, also as of a past run. One that failed can, if
// nothing names it.
func pullsToPrune(ctx context.Context, q sqldb.Querier, a ledger.Account, before ledger.Date) ([]string, error) {
	pulls, err := readPrunablePulls(ctx, q, a)
	if err != nil {
		return nil, err
	}
	named, err := readTexts(ctx, q, namedPulls, int64(a))
	if err != nil {
		return nil, err
	}
	bodies, err := readTexts(ctx, q, keptBodies, int64(a))
	if err != nil {
		return nil, err
	}
	compared, err := readComparedDays(ctx, q, a)
	if err != nil {
		return nil, err
	}
	spared, ends := make(map[string]bool), edgesOf(pulls)
	var going []*prunablePull
	for i := range pulls {
		p := &pulls[i]
		switch {
		case p.on == 0, p.on >= before, !p.judged, named[p.id],
			p.complete && (p.spoke || ends[p.id] || p.shown > 0 && compared.touch(p.window)):
			spared[p.body] = true
		default:
			going = append(going, p)
		}
	}
	var out []string
	for _, p := range going {
		if bodies[p.body] && !spared[p.body] {
			spared[p.body] = true
			continue
		}
		out = append(out, p.id)
	}
	return out, nil
}

// edgesOf are the complete pulls of each window that began first and last, and those of its first and last day.
func edgesOf(pulls []prunablePull) map[string]bool {
	type edges struct{ began, ended, firstDay, lastDay *prunablePull }
	windows := make(map[pulledWindow]*edges)
	for i := range pulls {
		p := &pulls[i]
		if !p.complete {
			continue
		}
		e := windows[p.window]
		if e == nil {
			e = &edges{p, p, p, p}
			windows[p.window] = e
		}
		if p.began >= e.ended.began {
			e.ended = p
		}
		if p.began < e.began.began {
			e.began = p
		}
		if p.on < e.firstDay.on {
			e.firstDay = p
		}
		if p.on > e.lastDay.on {
			e.lastDay = p
		}
	}
	out := make(map[string]bool)
	for _, e := range windows {
		for _, p := range []*prunablePull{e.began, e.ended, e.firstDay, e.lastDay} {
			out[p.id] = true
		}
	}
	return out
}

func readPrunablePulls(ctx context.Context, q sqldb.Querier, a ledger.Account) (out []prunablePull, err error) {
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var p prunablePull
		err := rows.Scan(&p.id, &p.body, &p.began, sqldb.IntoDate(&p.on), &p.window.source, &p.window.from, &p.window.to,
			sqldb.IntoBool(&p.complete), &p.shown, sqldb.IntoBool(&p.spoke), sqldb.IntoBool(&p.judged))
		out = append(out, p)
		return err
	}, `
		SELECT
			id,
			sha256,
			began,
			pulled_on,
			source,
			from_day,
			to_day,
			complete,
			rows_seen,
			CASE WHEN rows_new + changed + vanished + quarantined > 0 OR note <> '' THEN 1 ELSE 0 END,
			CASE WHEN judged IS NULL THEN 0 ELSE 1 END
		FROM pull
		WHERE account = $1
		ORDER BY began, id`, int64(a))
	return out, err
}

// namedPulls are the pulls that other rows of account $1 name.
const namedPulls = `
		SELECT first_pull FROM installment WHERE account = $1
		UNION SELECT last_pull FROM installment WHERE account = $1 AND last_pull IS NOT NULL
		UNION SELECT ended_pull FROM installment WHERE account = $1 AND ended_pull IS NOT NULL
		UNION SELECT first_pull FROM slip WHERE account = $1
		UNION SELECT last_pull FROM slip WHERE account = $1 AND last_pull IS NOT NULL
		UNION SELECT ended_pull FROM slip WHERE account = $1 AND ended_pull IS NOT NULL
		UNION SELECT pull FROM slip_sighting WHERE account = $1
		UNION SELECT first_pull FROM quarantine WHERE account = $1
		UNION SELECT ended_pull FROM quarantine WHERE account = $1 AND ended_pull IS NOT NULL
		UNION SELECT asked_pull FROM cover WHERE account = $1
		UNION SELECT shown_pull FROM cover WHERE account = $1
		UNION SELECT proved_pull FROM cover WHERE account = $1
		UNION SELECT since_pull FROM cover WHERE account = $1`

// keptBodies are the bodies of account $1 whose bytes are there.
const keptBodies = `
		SELECT DISTINCT p.sha256
		FROM pull AS p
		JOIN body AS b ON b.sha256 = p.sha256
		WHERE p.account = $1 AND b.expired_on IS NULL`

func readTexts(ctx context.Context, q sqldb.Querier, query string, args ...any) (map[string]bool, error) {
	out := make(map[string]bool)
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		out[text] = true
		return err
	}, query, args...)
	return out, err
}

// comparedDays are the days of lists that show or showed a slip with other values than another list at the same time.
type comparedDays map[ledger.Source][]ledger.Date

// touch reports whether a window has one of the days.
func (c comparedDays) touch(w pulledWindow) bool {
	days := c[w.source]
	i, _ := slices.BinarySearch(days, w.from)
	return w.source == ledger.SlipDetail || i < len(days) && days[i] <= w.to
}

func readComparedDays(ctx context.Context, q sqldb.Querier, a ledger.Account) (comparedDays, error) {
	out := make(comparedDays)
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var list ledger.Source
		var day ledger.Date
		err := rows.Scan(&list, &day)
		out[list] = append(out[list], day)
		return err
	}, `
		SELECT DISTINCT
			v.list,
			v.list_day
		FROM slip AS v
		JOIN slip AS o ON o.account = v.account AND o.id = v.id AND o.list <> v.list
		LEFT JOIN pull AS vf ON vf.account = v.account AND vf.id = v.first_pull
		LEFT JOIN pull AS ve ON ve.account = v.account AND ve.id = v.ended_pull
		LEFT JOIN pull AS of ON of.account = o.account AND of.id = o.first_pull
		LEFT JOIN pull AS oe ON oe.account = o.account AND oe.id = o.ended_pull
		WHERE v.account = $1 AND v.list_day IS NOT NULL AND `+viewsDiffer()+`
			AND (ve.judged IS NULL OR of.judged IS NULL OR of.judged < ve.judged)
			AND (oe.judged IS NULL OR vf.judged IS NULL OR vf.judged < oe.judged)
		ORDER BY v.list, v.list_day`, int64(a))
	return out, err
}

// viewsDiffer is the condition that of the views v and o of a slip it matters which one was seen last: ledger.SlipOf takes it as the slip,
// but for the members that only the credit list has, and for those that another view fills in. A detail is compared in ways of its own.
func viewsDiffer() string {
	var differ []string
	for _, member := range []string{
		"value", "issued", "due", "payer_document", "payer_name", "payer_street", "payer_zip", "payer_city", "payer_state",
		"payer_district", "payer_phone", "paid_on", "credited_on", "paid_value", "bar_code", "digitable_line", "pix_code",
	} {
		differ = append(differ, "v."+member+" IS DISTINCT FROM o."+member)
	}
	return `(o.list = 'slips.detail' OR v.status <> o.status
			OR v.integration <> o.integration AND v.list <> 'slips.credit' AND o.list <> 'slips.credit' OR ` + strings.Join(differ, " OR ") + ")"
}
