package export

import (
	"cmp"
	"maps"
	"slices"

	"concilia/export/table"
	"concilia/store/ledger"
)

// agingTable has a row per account, kind and brand that waits for money, in that order (reports D.6). Its columns are
// those of the buckets between what is not due and the total.
var agingTable = &table.Table{ID: "aging", Sheet: "Aging", Layout: 1, Columns: agingColumns()}

// bucket is a span of ages in business days: its id in machine formats, and the last day in it.
type bucket struct {
	id, column         string
	headerPT, headerEN string
	last               int64
}

// buckets are the ages of aging and of exceptions; the last has no end.
var buckets = [...]bucket{
	{"0-1", "d0_1", "0 a 1", "0 to 1", 1},
	{"2-5", "d2_5", "2 a 5", "2 to 5", 5},
	{"6-10", "d6_10", "6 a 10", "6 to 10", 10},
	{"11-30", "d11_30", "11 a 30", "11 to 30", 30},
	{"31-60", "d31_60", "31 a 60", "31 to 60", 60},
	{"61-90", "d61_90", "61 a 90", "61 to 90", 90},
	{"91+", "d91", "Mais de 90", "Over 90", 0},
}

// bucketOf is the place of the bucket that an age in business days falls into.
func bucketOf(days int64) int {
	for i := range len(buckets) - 1 {
		if days <= buckets[i].last {
			return i
		}
	}
	return len(buckets) - 1
}

// BucketColumn is the column of aging that an age in business days falls into; its count stands in that name + _qty.
func BucketColumn(days int64) string { return buckets[bucketOf(days)].column }

// AgingBuckets are the columns of the buckets' amounts.
func AgingBuckets() []string {
	out := make([]string, len(buckets))
	for i := range buckets {
		out[i] = buckets[i].column
	}
	return out
}

func agingColumns() []table.Column {
	qty := func(id, pt, en string) table.Column {
		return table.Column{ID: id + "_qty", Header: "Qtd " + pt, HeaderEN: en + ", number", Type: table.TypeInt}
	}
	money := func(id, pt, en string) table.Column {
		return table.Column{ID: id, Header: pt, HeaderEN: en, Type: table.TypeMoney, Decimals: 2}
	}
	columns := []table.Column{
		{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
		{ID: "kind", Header: "Tipo", HeaderEN: "Kind", Type: table.TypeEnum, Labels: agingLabels},
		{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "a slip, or not sent"},
		qty("not_due", "a vencer", "Not due"), money("not_due", "A vencer", "Not due"),
	}
	for _, b := range buckets {
		pt := b.headerPT
		if b.last == 0 {
			pt = "mais de 90"
		}
		columns = append(columns, qty(b.column, pt, b.headerEN), money(b.column, b.headerPT, b.headerEN))
	}
	return append(columns,
		qty("total", "total em atraso", "Total overdue"), money("total", "Total em atraso", "Total overdue"),
		table.Column{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash})
}

// The kinds of aging.
const (
	CardOverdue     = "card_overdue"      // since the forecast's business day
	SlipNotCredited = "slip_not_credited" // since the credit was due
	DisputeOpen     = "dispute_open"      // since the dispute was opened
)

// Wait is one case's part of aging. A case that is overdue and disputed stands in both kinds.
type Wait struct {
	Kind   string
	Brand  string
	Days   int64         // business days at the as-of
	Amount ledger.Amount // of which the case is
}

// NotDue is what is owed and not late, by account, kind and brand: sums of what is printed, and of the same at four
// decimals.
type NotDue struct {
	Account ledger.Account
	Kind    string
	Brand   string
	Count   int64
	Printed ledger.Amount
	Exact   ledger.Amount
}

type agingKey struct {
	account     ledger.Account
	kind, brand string
}

// agingCell is how many wait and for how much.
type agingCell struct {
	count int64
	sum   table.Money
}

func (c *agingCell) add(count int64, printed, exact ledger.Amount) {
	c.count += count
	c.sum.AddRounded(printed, exact)
}

// agingLine is a row: not due, the buckets, their total.
type agingLine struct {
	notDue, total agingCell
	bucket        [len(buckets)]agingCell
}

// aging adds the rows up; it grows with brands, not with cases.
type aging struct{ lines map[agingKey]*agingLine }

func newAging() *aging { return &aging{lines: make(map[agingKey]*agingLine)} }

func (a *aging) line(account ledger.Account, kind, brand string) *agingLine {
	key := agingKey{account, kind, brand}
	if a.lines[key] == nil {
		a.lines[key] = &agingLine{}
	}
	return a.lines[key]
}

// wait puts a case into its bucket.
func (a *aging) wait(account ledger.Account, w Wait) error {
	l := a.line(account, w.Kind, w.Brand)
	printed := w.Amount.Rounded(ledger.HalfAwayFromZero)
	l.bucket[bucketOf(w.Days)].add(1, printed, w.Amount)
	l.total.add(1, printed, w.Amount)
	return l.total.sum.Err()
}

func (a *aging) ahead(n *NotDue) error {
	c := &a.line(n.Account, n.Kind, n.Brand).notDue
	c.add(n.Count, n.Printed, n.Exact)
	return c.sum.Err()
}

// rows yields the rows in their order.
func (a *aging) rows(yield func(table.Row) error) error {
	keys := slices.SortedFunc(maps.Keys(a.lines), func(x, y agingKey) int {
		return cmp.Or(cmp.Compare(x.account, y.account), cmp.Compare(x.kind, y.kind), cmp.Compare(x.brand, y.brand))
	})
	row := agingTable.NewRow()
	for _, k := range keys {
		l := a.lines[k]
		next := append(row[:0], table.Text(k.account.String()), table.Text(k.kind), table.Text(k.brand))
		put := func(c *agingCell) { next = append(next, table.Int(c.count), c.sum.Cell()) }
		put(&l.notDue)
		for i := range l.bucket {
			put(&l.bucket[i])
		}
		put(&l.total)
		if err := yield(next); err != nil {
			return err
		}
	}
	return nil
}

// of adds up a kind over accounts and brands.
func (a *aging) of(kind string) agingLine {
	var sum agingLine
	add := func(to, from *agingCell) { to.add(from.count, from.sum.Printed, from.sum.Exact) }
	for k, l := range a.lines {
		if k.kind != kind {
			continue
		}
		add(&sum.notDue, &l.notDue)
		add(&sum.total, &l.total)
		for i := range l.bucket {
			add(&sum.bucket[i], &l.bucket[i])
		}
	}
	return sum
}
