package sales

import (
	"cmp"
	"context"
	"slices"

	"concilia/store/concluded"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// shopTable is a table of what runs concluded of stores. day is the column by which a period replaces rows, and first of the key.
type shopTable[T comparable] struct {
	concluded.Table[T]
	compare func(a, b *T) int // in the order of the key
	place   func(row *T, at Shop)
}

var matchTable = shopTable[ownsales.Match]{
	Table: concluded.Table[ownsales.Match]{
		Name: "own_match",
		Key: sqldb.Columns[ownsales.Match]{
			{Name: "day", At: func(m *ownsales.Match) any { return &m.Day }},
			{Name: "sale_id", At: func(m *ownsales.Match) any { return &m.Sale }},
			{Name: "payment_no", At: func(m *ownsales.Match) any { return &m.Number }},
			{Name: "service_sale", At: func(m *ownsales.Match) any { return &m.Service }},
		},
		Values: sqldb.Columns[ownsales.Match]{
			{Name: "terminal", At: func(m *ownsales.Match) any { return &m.Terminal }},
			{Name: "own_at", At: func(m *ownsales.Match) any { return &m.OwnAt }},
			{Name: "own_amount", At: func(m *ownsales.Match) any { return &m.OwnAmount }},
			{Name: "own_installments", At: func(m *ownsales.Match) any { return &m.OwnInstallments }},
			{Name: "own_brand", At: func(m *ownsales.Match) any { return &m.OwnBrand }},
			{Name: "own_method", At: func(m *ownsales.Match) any { return &m.OwnMethod }},
			{Name: "own_status", At: func(m *ownsales.Match) any { return &m.OwnStatus }},
			{Name: "level", At: func(m *ownsales.Match) any { return &m.Level }},
			{Name: "nsu", At: func(m *ownsales.Match) any { return &m.NSU }},
			{Name: "auth", At: func(m *ownsales.Match) any { return &m.Auth }},
			{Name: "sale_at", At: func(m *ownsales.Match) any { return &m.SaleAt }},
			{Name: "sale_total", At: func(m *ownsales.Match) any { return &m.SaleTotal }},
			{Name: "installments", At: func(m *ownsales.Match) any { return &m.Installments }},
			{Name: "brand", At: func(m *ownsales.Match) any { return &m.Brand }},
			{Name: "product", At: func(m *ownsales.Match) any { return &m.Product }},
			{Name: "live", At: func(m *ownsales.Match) any { return &m.Live }},
			{Name: "bucket", At: func(m *ownsales.Match) any { return (*string)(&m.Bucket) }},
			{Name: "difference", At: func(m *ownsales.Match) any { return &m.Difference }},
			{Name: "codes", At: func(m *ownsales.Match) any { return &m.Codes }},
		},
	},
	compare: func(a, b *ownsales.Match) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Sale, b.Sale), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Service, b.Service))
	},
	place: func(m *ownsales.Match, at Shop) { m.Account, m.Store = at.Home, at.ID },
}

var seenDayTable = shopTable[ownsales.SeenDay]{
	Table: concluded.Table[ownsales.SeenDay]{
		Name: "own_seen_day",
		Key:  sqldb.Columns[ownsales.SeenDay]{{Name: "day", At: func(d *ownsales.SeenDay) any { return &d.Day }}},
		Values: sqldb.Columns[ownsales.SeenDay]{
			{Name: "state", At: func(d *ownsales.SeenDay) any { return (*string)(&d.State) }},
			{Name: "versions", At: func(d *ownsales.SeenDay) any { return &d.Versions }},
			{Name: "matched", At: func(d *ownsales.SeenDay) any { return &d.Matched }},
			{Name: "matched_rest", At: func(d *ownsales.SeenDay) any { return &d.MatchedRest }},
		},
	},
	compare: func(a, b *ownsales.SeenDay) int { return cmp.Compare(a.Day, b.Day) },
	place:   func(d *ownsales.SeenDay, at Shop) { d.Account, d.Store = at.Home, at.ID },
}

var monthTable = shopTable[ownsales.MonthTotal]{
	Table: concluded.Table[ownsales.MonthTotal]{
		Name: "own_month",
		Key: sqldb.Columns[ownsales.MonthTotal]{
			{Name: "day", At: func(m *ownsales.MonthTotal) any { return &m.Month }},
			{Name: "institution", At: func(m *ownsales.MonthTotal) any { return &m.Institution }},
		},
		Values: sqldb.Columns[ownsales.MonthTotal]{
			{Name: "participant", At: func(m *ownsales.MonthTotal) any { return &m.Participant }},
			{Name: "service_accounts", At: func(m *ownsales.MonthTotal) any { return &m.ServiceAccounts }},
			{Name: "of_service", At: func(m *ownsales.MonthTotal) any { return &m.OfService }},
			{Name: "own_total", At: func(m *ownsales.MonthTotal) any { return &m.OwnTotal }},
			{Name: "days_missing", At: func(m *ownsales.MonthTotal) any { return &m.DaysMissing }},
		},
	},
	compare: func(a, b *ownsales.MonthTotal) int {
		return cmp.Or(cmp.Compare(a.Month, b.Month), cmp.Compare(a.Institution, b.Institution))
	},
	place: func(m *ownsales.MonthTotal, at Shop) { m.Account, m.Store = at.Home, at.ID },
}

// keepConclusion keeps what a run concluded of a store in place of what stood of the same days.
func keepConclusion(ctx context.Context, t *sqldb.Tx, run string, c *ownsales.Conclusion) error {
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
func countMatched(c *ownsales.Conclusion) []ownsales.SeenDay {
	at := make(map[ledger.Date]*ownsales.SeenDay, len(c.Days))
	days := slices.Clone(c.Days)
	for i := range days {
		days[i].Matched, days[i].MatchedRest = 0, 0
		at[days[i].Day] = &days[i]
	}
	for i := range c.Matches {
		m := &c.Matches[i]
		if d := at[m.Day]; d != nil && m.Bucket == ownsales.Matched {
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
func keepRows[T comparable](ctx context.Context, k *keeping, table *shopTable[T], rows []T) error {
	rows = slices.Clone(rows)
	for i := range rows {
		table.place(&rows[i], k.at)
	}
	slices.SortFunc(rows, func(a, b T) int { return table.compare(&a, &b) })
	all := table.Columns()
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
		FROM `+table.Name+` AS c
		WHERE c.account = $1 AND c.store = $2 AND c.day >= $3 AND c.day <= $4 AND c.ended_run IS NULL
		ORDER BY `+table.orderBy(), int64(k.at.Home), k.at.ID, int64(k.period.From), int64(k.period.To))
	if err != nil {
		return err
	}
	takeBefore(nil)
	return table.Replace(ctx, k.Tx, concluded.Owner{Column: "store", Home: k.at.Home, ID: k.at.ID, Run: k.run}, over, fresh)
}

func (c *shopTable[T]) orderBy() string {
	list := ""
	for i, name := range c.Key.Names() {
		if i > 0 {
			list += ", "
		}
		list += "c." + name
	}
	return list
}
