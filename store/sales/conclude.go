package sales

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// concluded is a table of what runs concluded of stores. Its rows are current from the run that concluded them until the first that
// concluded otherwise, so that a past run can be read as it was. day is the column by which a period replaces rows, and first of the key.
type concluded[T comparable] struct {
	name    string
	key     sqldb.Columns[T] // behind account and store
	values  sqldb.Columns[T]
	compare func(a, b *T) int // in the order of the key
	place   func(row *T, at Shop)
}

func (c *concluded[T]) columns() sqldb.Columns[T] { return slices.Concat(c.key, c.values) }

var matchTable = concluded[ledger.OwnMatch]{
	name: "own_match",
	key: sqldb.Columns[ledger.OwnMatch]{
		{Name: "day", At: func(m *ledger.OwnMatch) any { return &m.Day }},
		{Name: "sale_id", At: func(m *ledger.OwnMatch) any { return &m.Sale }},
		{Name: "payment_no", At: func(m *ledger.OwnMatch) any { return &m.Number }},
		{Name: "service_sale", At: func(m *ledger.OwnMatch) any { return &m.Service }},
	},
	values: sqldb.Columns[ledger.OwnMatch]{
		{Name: "terminal", At: func(m *ledger.OwnMatch) any { return &m.Terminal }},
		{Name: "own_at", At: func(m *ledger.OwnMatch) any { return &m.OwnAt }},
		{Name: "own_amount", At: func(m *ledger.OwnMatch) any { return &m.OwnAmount }},
		{Name: "own_installments", At: func(m *ledger.OwnMatch) any { return &m.OwnInstallments }},
		{Name: "own_brand", At: func(m *ledger.OwnMatch) any { return &m.OwnBrand }},
		{Name: "own_method", At: func(m *ledger.OwnMatch) any { return &m.OwnMethod }},
		{Name: "own_status", At: func(m *ledger.OwnMatch) any { return &m.OwnStatus }},
		{Name: "level", At: func(m *ledger.OwnMatch) any { return &m.Level }},
		{Name: "nsu", At: func(m *ledger.OwnMatch) any { return &m.NSU }},
		{Name: "auth", At: func(m *ledger.OwnMatch) any { return &m.Auth }},
		{Name: "sale_at", At: func(m *ledger.OwnMatch) any { return &m.SaleAt }},
		{Name: "sale_total", At: func(m *ledger.OwnMatch) any { return &m.SaleTotal }},
		{Name: "installments", At: func(m *ledger.OwnMatch) any { return &m.Installments }},
		{Name: "brand", At: func(m *ledger.OwnMatch) any { return &m.Brand }},
		{Name: "product", At: func(m *ledger.OwnMatch) any { return &m.Product }},
		{Name: "live", At: func(m *ledger.OwnMatch) any { return &m.Live }},
		{Name: "bucket", At: func(m *ledger.OwnMatch) any { return (*string)(&m.Bucket) }},
		{Name: "difference", At: func(m *ledger.OwnMatch) any { return &m.Difference }},
		{Name: "codes", At: func(m *ledger.OwnMatch) any { return &m.Codes }},
	},
	compare: func(a, b *ledger.OwnMatch) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Sale, b.Sale), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Service, b.Service))
	},
	place: func(m *ledger.OwnMatch, at Shop) { m.Account, m.Store = at.Home, at.ID },
}

var seenDayTable = concluded[ledger.SeenOwnDay]{
	name: "own_seen_day",
	key:  sqldb.Columns[ledger.SeenOwnDay]{{Name: "day", At: func(d *ledger.SeenOwnDay) any { return &d.Day }}},
	values: sqldb.Columns[ledger.SeenOwnDay]{
		{Name: "state", At: func(d *ledger.SeenOwnDay) any { return (*string)(&d.State) }},
		{Name: "versions", At: func(d *ledger.SeenOwnDay) any { return &d.Versions }},
		{Name: "matched", At: func(d *ledger.SeenOwnDay) any { return &d.Matched }},
		{Name: "matched_rest", At: func(d *ledger.SeenOwnDay) any { return &d.MatchedRest }},
	},
	compare: func(a, b *ledger.SeenOwnDay) int { return cmp.Compare(a.Day, b.Day) },
	place:   func(d *ledger.SeenOwnDay, at Shop) { d.Account, d.Store = at.Home, at.ID },
}

var monthTable = concluded[ledger.OwnMonth]{
	name: "own_month",
	key: sqldb.Columns[ledger.OwnMonth]{
		{Name: "day", At: func(m *ledger.OwnMonth) any { return &m.Month }},
		{Name: "institution", At: func(m *ledger.OwnMonth) any { return &m.Institution }},
	},
	values: sqldb.Columns[ledger.OwnMonth]{
		{Name: "participant", At: func(m *ledger.OwnMonth) any { return &m.Participant }},
		{Name: "service_accounts", At: func(m *ledger.OwnMonth) any { return &m.ServiceAccounts }},
		{Name: "of_service", At: func(m *ledger.OwnMonth) any { return &m.OfService }},
		{Name: "own_total", At: func(m *ledger.OwnMonth) any { return &m.OwnTotal }},
		{Name: "days_missing", At: func(m *ledger.OwnMonth) any { return &m.DaysMissing }},
	},
	compare: func(a, b *ledger.OwnMonth) int {
		return cmp.Or(cmp.Compare(a.Month, b.Month), cmp.Compare(a.Institution, b.Institution))
	},
	place: func(m *ledger.OwnMonth, at Shop) { m.Account, m.Store = at.Home, at.ID },
}

// keepConclusion keeps what a run concluded of a store in place of what stood of the same days.
func keepConclusion(ctx context.Context, t *sqldb.Tx, run string, c *ledger.OwnConclusion) error {
	k := &keeping{Tx: t, at: Shop{Home: c.Home, ID: c.Store}, run: run, period: c.Period}
	if err := keepRows(ctx, k, &matchTable, c.Matches); err != nil {
		return err
	}
	if err := keepRows(ctx, k, &seenDayTable, countMatched(c)); err != nil {
		return err
	}
	k.period.From = k.period.From.MonthStart()
	return keepRows(ctx, k, &monthTable, c.Months)
}

// countMatched are the evaluated days with how many of their rows match: most do, and a page that adds them up reads a row a day.
func countMatched(c *ledger.OwnConclusion) []ledger.SeenOwnDay {
	at := make(map[ledger.Date]*ledger.SeenOwnDay, len(c.Days))
	days := slices.Clone(c.Days)
	for i := range days {
		days[i].Matched, days[i].MatchedRest = 0, 0
		at[days[i].Day] = &days[i]
	}
	for i := range c.Matches {
		m := &c.Matches[i]
		if d := at[m.Day]; d != nil && m.Bucket == ledger.OwnMatched {
			d.Matched++
			d.MatchedRest += m.Difference
		}
	}
	return days
}

// keeping is where, of which days and by whom rows are kept.
type keeping struct {
	*sqldb.Tx
	at     Shop
	run    string
	period ledger.Period
}

// keepRows ends the rows that a run no longer concludes, and writes those that are new or other. What the same run wrote before is
// replaced.
func keepRows[T comparable](ctx context.Context, k *keeping, table *concluded[T], rows []T) error {
	rows = slices.Clone(rows)
	for i := range rows {
		table.place(&rows[i], k.at)
	}
	slices.SortFunc(rows, func(a, b T) int { return table.compare(&a, &b) })
	all := table.columns()
	var over []T
	var fresh []*T
	next := 0
	takeBefore := func(was *T) {
		for ; next < len(rows) && (was == nil || table.compare(&rows[next], was) < 0); next++ {
			fresh = append(fresh, &rows[next])
		}
	}
	err := k.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		var was T
		table.place(&was, k.at)
		all.Read(&was, f)
		if f.Err() != nil {
			return f.Err()
		}
		takeBefore(&was)
		switch {
		case next == len(rows) || table.compare(&rows[next], &was) > 0:
			over = append(over, was)
		case rows[next] != was:
			over, fresh = append(over, was), append(fresh, &rows[next])
			next++
		default:
			next++
		}
		return nil
	}), `
		SELECT `+all.SelectList("c")+`
		FROM `+table.name+` AS c
		WHERE c.account = $1 AND c.store = $2 AND c.day >= $3 AND c.day <= $4 AND c.ended_run IS NULL
		ORDER BY `+table.orderBy(), int64(k.at.Home), k.at.ID, int64(k.period.From), int64(k.period.To))
	if err != nil {
		return err
	}
	takeBefore(nil)
	if err := endRows(ctx, k, table, over); err != nil {
		return err
	}
	columns := append([]string{"account", "store", "run"}, all.Names()...)
	return k.LoadRows(ctx, table.name, columns, len(fresh), func(i int, r sqldb.Row) error {
		r.Int(int64(k.at.Home))
		r.Text(k.at.ID)
		r.Text(k.run)
		all.Put(fresh[i], r)
		return nil
	})
}

func (c *concluded[T]) orderBy() string {
	list := ""
	for i, name := range c.key.Names() {
		if i > 0 {
			list += ", "
		}
		list += "c." + name
	}
	return list
}

// endRows ends current rows, and deletes those of the run itself.
func endRows[T comparable](ctx context.Context, k *keeping, table *concluded[T], over []T) error {
	of := "WHERE account = $1 AND store = $2 AND ended_run IS NULL"
	for i, name := range table.key.Names() {
		of += fmt.Sprintf(" AND %s = $%d", name, i+4)
	}
	args := func(i int) []any {
		key := rowArgs{int64(k.at.Home), k.at.ID, k.run}
		table.key.Put(&over[i], &key)
		return key
	}
	if err := k.ExecBatch(ctx, "DELETE FROM "+table.name+" "+of+" AND run = $3", len(over), args); err != nil {
		return err
	}
	return k.ExecBatch(ctx, "UPDATE "+table.name+" SET ended_run = $3 "+of, len(over), args)
}

// rowArgs takes the values of columns as arguments of a statement.
type rowArgs []any

func (a *rowArgs) Int(v int64)    { *a = append(*a, v) }
func (a *rowArgs) Text(v string)  { *a = append(*a, v) }
func (a *rowArgs) Bytes(v []byte) { *a = append(*a, v) }
func (a *rowArgs) Null()          { *a = append(*a, nil) }
