package sales

import (
	"cmp"
	"context"
	"slices"

	"concilia/store/concluded"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// shopTable is a table of what runs concluded of stores. day is the column by which a period replaces rows, and first of the key.
type shopTable[T comparable] struct {
	concluded.Table[T]
	compare func(a, b *T) int // in the order of the key
	place   func(row *T, at Shop)
}

var matchTable = shopTable[ledger.OwnMatch]{
	Table: concluded.Table[ledger.OwnMatch]{
		Name: "own_match",
		Key: sqldb.Columns[ledger.OwnMatch]{
			{Name: "day", At: func(m *ledger.OwnMatch) any { return &m.Day }},
			{Name: "sale_id", At: func(m *ledger.OwnMatch) any { return &m.Sale }},
			{Name: "payment_no", At: func(m *ledger.OwnMatch) any { return &m.Number }},
			{Name: "service_sale", At: func(m *ledger.OwnMatch) any { return &m.Service }},
		},
		Values: sqldb.Columns[ledger.OwnMatch]{
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
	},
	compare: func(a, b *ledger.OwnMatch) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Sale, b.Sale), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Service, b.Service))
	},
	place: func(m *ledger.OwnMatch, at Shop) { m.Account, m.Store = at.Home, at.ID },
}

var seenDayTable = shopTable[ledger.SeenOwnDay]{
	Table: concluded.Table[ledger.SeenOwnDay]{
		Name: "own_seen_day",
		Key:  sqldb.Columns[ledger.SeenOwnDay]{{Name: "day", At: func(d *ledger.SeenOwnDay) any { return &d.Day }}},
		Values: sqldb.Columns[ledger.SeenOwnDay]{
			{Name: "state", At: func(d *ledger.SeenOwnDay) any { return (*string)(&d.State) }},
			{Name: "versions", At: func(d *ledger.SeenOwnDay) any { return &d.Versions }},
			{Name: "matched", At: func(d *ledger.SeenOwnDay) any { return &d.Matched }},
			{Name: "matched_rest", At: func(d *ledger.SeenOwnDay) any { return &d.MatchedRest }},
		},
	},
	compare: func(a, b *ledger.SeenOwnDay) int { return cmp.Compare(a.Day, b.Day) },
	place:   func(d *ledger.SeenOwnDay, at Shop) { d.Account, d.Store = at.Home, at.ID },
}

var monthTable = shopTable[ledger.OwnMonth]{
	Table: concluded.Table[ledger.OwnMonth]{
		Name: "own_month",
		Key: sqldb.Columns[ledger.OwnMonth]{
			{Name: "day", At: func(m *ledger.OwnMonth) any { return &m.Month }},
			{Name: "institution", At: func(m *ledger.OwnMonth) any { return &m.Institution }},
		},
		Values: sqldb.Columns[ledger.OwnMonth]{
			{Name: "participant", At: func(m *ledger.OwnMonth) any { return &m.Participant }},
			{Name: "service_accounts", At: func(m *ledger.OwnMonth) any { return &m.ServiceAccounts }},
			{Name: "of_service", At: func(m *ledger.OwnMonth) any { return &m.OfService }},
			{Name: "own_total", At: func(m *ledger.OwnMonth) any { return &m.OwnTotal }},
			{Name: "days_missing", At: func(m *ledger.OwnMonth) any { return &m.DaysMissing }},
		},
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
