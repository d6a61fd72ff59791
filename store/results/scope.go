package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// maxScopeSales bounds how many sales a scope names: past it the fullest days are read whole, which costs rows and spares
// memory.
const maxScopeSales = 250_000

// Scope finds what a reconcile as of the run's day has to look at when what it rests on is what the last one rested on:
// the sales and slips changed by a pull that no reconcile has included, those that the passage of time may change, those whose
// notifications were linked since, the sales that a changed one may double, and those named: whole days, and sales and
// slips with a case. What the reconcile writes then is not all there is of a day, and is not summed as it is written.
func (r *ReconcileTx) Scope(days []ledger.Date, sales []ledger.SaleKey, slips []string) (*ledger.Scope, error) {
	r.written = nil
	f := scopeSearch{accountTx: r.accountTx, days: make(map[ledger.Date]*scopedDay)}
	for _, d := range days {
		f.addWholeDay(d)
	}
	scope, err := f.findScope(sales, slips)
	return scope, r.wrapError(err)
}

type scopeSearch struct {
	*accountTx
	days  map[ledger.Date]*scopedDay
	sales int
}

// scopedDay gathers the sales of a day by NSU and authorization; the value says that they moved.
type scopedDay struct {
	whole bool
	sales map[saleName]bool
}

type saleName struct{ nsu, auth string }

func (f *scopeSearch) findScope(sales []ledger.SaleKey, slips []string) (*ledger.Scope, error) {
	for _, step := range []func() error{f.addPulled, f.addTimeDependent, f.addNotified} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for _, k := range sales {
		f.addSale(k.Day, saleName{k.NSU, k.Auth}, false)
	}
	if err := f.addDuplicates(); err != nil {
		return nil, err
	}
	scope := &ledger.Scope{}
	var err error
	if scope.Slips, err = f.findSlips(slips); err != nil {
		return nil, err
	}
	scope.Days = f.sortedDays()
	return scope, nil
}

func (f *scopeSearch) dayOf(d ledger.Date) *scopedDay {
	s := f.days[d]
	if s == nil {
		s = &scopedDay{sales: make(map[saleName]bool)}
		f.days[d] = s
	}
	return s
}

func (f *scopeSearch) addSale(d ledger.Date, name saleName, changed bool) {
	day := f.dayOf(d)
	if day.whole {
		return
	}
	was, known := day.sales[name]
	day.sales[name] = was || changed
	if !known {
		f.sales++
	}
	if f.sales > maxScopeSales {
		f.widenFullestDay()
	}
}

// addWholeDay takes the whole day.
func (f *scopeSearch) addWholeDay(d ledger.Date) {
	day := f.dayOf(d)
	f.sales -= len(day.sales)
	day.whole, day.sales = true, nil
}

// widenFullestDay takes the fullest day whole.
func (f *scopeSearch) widenFullestDay() {
	var fullest ledger.Date
	for d, day := range f.days {
		if n := len(day.sales); n > 0 && (fullest == 0 || n > len(f.days[fullest].sales) ||
			n == len(f.days[fullest].sales) && d < fullest) {
			fullest = d
		}
	}
	f.addWholeDay(fullest)
}

// addPulled looks for the rows that pulls no reconcile has included brought or ended: on the days of their windows, or, when those do
// not hold all that the pulls say they brought, on every day.
func (f *scopeSearch) addPulled() error {
	var windows []ledger.Period
	var brought int64
	err := sqldb.EachRow(f.ctx, f.t, func(rows *sql.Rows) error {
		var p ledger.Period
		var n, gone int64
		if err := rows.Scan(&p.From, &p.To, &n, &gone); err != nil {
			return err
		}
		if n+gone > 0 {
			windows = append(windows, p)
		}
		brought += n
		return nil
	}, `
		SELECT
			from_day,
			to_day,
			rows_new + changed,
			vanished
		FROM pull
		WHERE account = $1 AND judged = $2 AND source = 'cards'
		ORDER BY from_day, to_day`, int64(f.account), f.run.ID)
	if err != nil || len(windows) == 0 {
		return err
	}
	found, err := f.addChanged(joinPeriods(windows))
	if err != nil || found == brought {
		return err
	}
	_, err = f.addChanged([]ledger.Period{facts.AllDays})
	return err
}

// joinPeriods are the days of all the periods, each once. They come in order of their first day.
func joinPeriods(all []ledger.Period) []ledger.Period {
	out := all[:1]
	for _, p := range all[1:] {
		if last := &out[len(out)-1]; p.From <= last.To+1 {
			last.To = max(last.To, p.To)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// addChanged adds the sales of rows that a pull no reconcile has included brought or ended, and counts those brought.
func (f *scopeSearch) addChanged(periods []ledger.Period) (brought int64, err error) {
	for _, p := range periods {
		err := sqldb.EachRow(f.ctx, f.t, func(rows *sql.Rows) error {
			var d ledger.Date
			var name saleName
			var n int64
			err := rows.Scan(&d, &name.nsu, &name.auth, &n)
			brought += n
			f.addSale(d, name, true)
			return err
		}, `
			SELECT
				i.sale_day,
				i.nsu,
				i.auth,
				SUM(CASE WHEN i.first_pull IN (SELECT id FROM pull WHERE account = $1 AND judged = $4) THEN 1 ELSE 0 END)
			FROM installment AS i
			WHERE i.account = $1 AND i.sale_day BETWEEN $2 AND $3
				AND (i.first_pull IN (SELECT id FROM pull WHERE account = $1 AND judged = $4)
					OR i.ended_pull IN (SELECT id FROM pull WHERE account = $1 AND judged = $4))
			GROUP BY i.sale_day, i.nsu, i.auth
			ORDER BY i.sale_day, i.nsu, i.auth`, int64(f.account), int64(p.From), int64(p.To), f.run.ID)
		if err != nil {
			return 0, err
		}
	}
	return brought, nil
}

// addTimeDependent adds the sales that time may have turned: those of every night, and the others on the sale days where something waited
// until now at most. An index of all of them by their day would cost a first night more than the nights after it save.
func (f *scopeSearch) addTimeDependent() error {
	if err := f.addSales(false, EveryNightSQL(f.t.DB.Dialect), int64(f.account)); err != nil {
		return err
	}
	days, err := f.listDueDays()
	if err != nil {
		return err
	}
	for _, p := range days {
		if err := f.addSales(false, DueSalesSQL, int64(f.account), int64(p.From), int64(p.To), int64(f.run.AsOf)); err != nil {
			return err
		}
	}
	return nil
}

// EveryNightSQL are the sales that every night evaluates again.
func EveryNightSQL(d sqldb.Dialect) string {
	return `
		SELECT DISTINCT
			sale_day,
			nsu,
			auth
		FROM expectation` + d.UseIndex("expectation_every_night") + `
		WHERE account = $1 AND ended_run IS NULL AND next_on = 1`
}

// DueSalesSQL are the sales of some sale days that time may have turned.
const DueSalesSQL = `
		SELECT DISTINCT
			sale_day,
			nsu,
			auth
		FROM expectation
		WHERE account = $1 AND sale_day BETWEEN $2 AND $3 AND ended_run IS NULL AND next_on <= $4`

// listDueDays returns the sale days on which something waited until now at most, without what every night evaluates again.
func (f *scopeSearch) listDueDays() ([]ledger.Period, error) {
	var days []ledger.Period
	err := sqldb.EachRow(f.ctx, f.t, func(rows *sql.Rows) error {
		var d ledger.Date
		err := rows.Scan(&d)
		days = append(days, ledger.Period{From: d, To: d})
		return err
	}, `
		SELECT DISTINCT
			sale_day
		FROM waiting
		WHERE account = $1 AND ended_run IS NULL AND items > 0 AND next_on > 1 AND next_on <= $2
		ORDER BY sale_day`, int64(f.account), int64(f.run.AsOf))
	if err != nil || len(days) == 0 {
		return nil, err
	}
	return joinPeriods(days), nil
}

// addNotified adds the sales whose notifications no reconcile has seen linked.
func (f *scopeSearch) addNotified() error {
	return f.addSales(false, `
		SELECT DISTINCT
			sale_day,
			nsu,
			auth
		FROM notification
		WHERE account = $1 AND judged = $2`, int64(f.account), f.run.ID)
}

func (f *scopeSearch) addSales(changed bool, query string, args ...any) error {
	return sqldb.EachRow(f.ctx, f.t, func(rows *sql.Rows) error {
		var d ledger.Date
		var name saleName
		err := rows.Scan(&d, &name.nsu, &name.auth)
		f.addSale(d, name, changed)
		return err
	}, query, args...)
}

func (f *scopeSearch) sortedDays() []ledger.ScopeDay {
	var out []ledger.ScopeDay
	for d, day := range f.days {
		one := ledger.ScopeDay{Day: d, Whole: day.whole}
		for name, changed := range day.sales {
			one.Sales = append(one.Sales, ledger.ScopeSale{NSU: name.nsu, Auth: name.auth, Changed: changed})
		}
		slices.SortFunc(one.Sales, func(a, b ledger.ScopeSale) int {
			if c := strings.Compare(a.NSU, b.NSU); c != 0 {
				return c
			}
			return strings.Compare(a.Auth, b.Auth)
		})
		if one.Whole || len(one.Sales) > 0 {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b ledger.ScopeDay) int { return int(a.Day - b.Day) })
	return out
}

// includePulls records that this reconcile is the first to include the pulls and links that none has included, and what the pulls
// brought in all: those that brought nothing new do not stay for ever.
func (r *ReconcileTx) includePulls() error {
	if err := r.sumPulls(); err != nil {
		return err
	}
	for _, query := range [...]string{
		`
		UPDATE pull
		SET judged = $2
		WHERE account = $1 AND judged IS NULL`, `
		UPDATE notification
		SET judged = $2
		WHERE account = $1 AND judged IS NULL AND sale_day IS NOT NULL`,
	} {
		if _, err := r.t.ExecContext(r.ctx, query, int64(r.account), r.run.ID); err != nil {
			return err
		}
	}
	return nil
}

// sumPulls adds up the complete pulls that no reconcile has included.
func (r *ReconcileTx) sumPulls() error {
	var c ledger.Counts
	err := r.t.QueryRowContext(r.ctx, `
		SELECT
			CAST(COALESCE(SUM(requests), 0) AS BIGINT),
			CAST(COALESCE(SUM(rows_seen), 0) AS BIGINT),
			CAST(COALESCE(SUM(rows_new), 0) AS BIGINT),
			CAST(COALESCE(SUM(changed), 0) AS BIGINT),
			CAST(COALESCE(SUM(same), 0) AS BIGINT),
			CAST(COALESCE(SUM(vanished), 0) AS BIGINT),
			CAST(COALESCE(SUM(quarantined), 0) AS BIGINT)
		FROM pull
		WHERE account = $1 AND judged IS NULL AND complete = 1`, int64(r.account)).
		Scan(&c.Requests, &c.Rows, &c.New, &c.Changed, &c.Same, &c.Vanished, &c.Quarantined)
	if err != nil {
		return err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = r.t.ExecContext(r.ctx, `
		UPDATE reconciled
		SET pulled = $3
		WHERE account = $1 AND run = $2`, int64(r.account), r.run.ID, string(text))
	return err
}

// pullsNotIncluded returns the ids of the pulls that no reconcile has included.
func pullsNotIncluded(ctx context.Context, q sqldb.Querier, a ledger.Account) (map[string]bool, error) {
	ids := make(map[string]bool)
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids[id] = true
		return err
	}, `
		SELECT
			id
		FROM pull
		WHERE account = $1 AND judged IS NULL`, int64(a))
	return ids, err
}

// findSlips adds to those named the slips of which a view came or ended, those that time may have turned, and those
// that a list shows on a day pulled since, or has let go: the run that saw it evaluates what their lists show.
func (f *scopeSearch) findSlips(named []string) ([]string, error) {
	ids := slices.Clone(named)
	add := func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}
	windows, err := f.readSlipWindows()
	if err != nil {
		return nil, err
	}
	d := f.t.DB.Dialect
	err = sqldb.EachRow(f.ctx, f.t, add, `
		SELECT DISTINCT
			v.id
		FROM slip AS v
		LEFT JOIN (
			SELECT DISTINCT
				`+d.TextMember("w", "list")+` AS list,
				`+d.IntMember("w", "from")+` AS from_day,
				`+d.IntMember("w", "to")+` AS to_day
			FROM `+d.UnnestJSON("$3", "w")+`) AS p
			ON p.list = v.list AND v.list_day BETWEEN p.from_day AND p.to_day
		WHERE v.account = $1 AND (p.list IS NOT NULL
			OR v.first_pull IN (SELECT id FROM pull WHERE account = $1 AND judged = $2)
			OR v.ended_pull IN (SELECT id FROM pull WHERE account = $1 AND judged = $2))`, int64(f.account), f.run.ID, windows)
	if err != nil {
		return nil, err
	}
	if err := sqldb.EachRow(f.ctx, f.t, add, `
		SELECT
			id
		FROM slip_expectation
		WHERE account = $1 AND ended_run IS NULL AND next_on <= $2`, int64(f.account), int64(f.run.AsOf)); err != nil {
		return nil, err
	}
	if err := sqldb.EachRow(f.ctx, f.t, add, `
		SELECT DISTINCT
			id
		FROM slip
		WHERE account = $1 AND vanished = 1`, int64(f.account)); err != nil {
		return nil, err
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// slipWindow is days that a list of slips was asked for.
type slipWindow struct {
	List string `json:"list"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

// readSlipWindows reads the days of each list of slips that pulls no reconcile has included show whole, as a list in JSON. Windows that
// touch are one: each slip is held against all of them.
func (f *scopeSearch) readSlipWindows() (string, error) {
	windows := []slipWindow{}
	err := sqldb.EachRow(f.ctx, f.t, func(rows *sql.Rows) error {
		var w slipWindow
		if err := rows.Scan(&w.List, &w.From, &w.To); err != nil {
			return err
		}
		if n := len(windows) - 1; n >= 0 && windows[n].List == w.List && w.From <= windows[n].To+1 {
			windows[n].To = max(windows[n].To, w.To)
		} else {
			windows = append(windows, w)
		}
		return nil
	}, `
		SELECT DISTINCT
			source,
			from_day,
			to_day
		FROM pull
		WHERE account = $1 AND judged = $2 AND source <> 'cards' AND complete = 1
		ORDER BY source, from_day, to_day`, int64(f.account), f.run.ID)
	if err != nil {
		return "", err
	}
	return sqldb.MarshalText(windows)
}
