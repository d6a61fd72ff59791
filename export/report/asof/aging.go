package asof

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// AgingTable has a row per account, kind and brand that waits for money, in that order (reports D.6). Its columns are
// those of the buckets between what is not due and the total.
var AgingTable = &table.Table{ID: "aging", Sheet: "Atrasos por faixa", SheetEN: "Aging", Layout: 1, Columns: agingColumns()}

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

// BucketColumn returns the column of aging for an age in business days; the column of its count is that name + _qty.
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
		{ID: "kind", Header: "Tipo", HeaderEN: "Kind", Type: table.TypeEnum, Labels: words.Labels("aging")},
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
	BankMissing     = "bank_missing"      // since the bank day of what is not in the bank
)

type agingKey struct {
	account     ledger.Account
	kind, brand string
}

// countedMoney is a number of rows and their amount.
type countedMoney struct {
	count int64
	sum   table.Money
}

func (c *countedMoney) addMoney(count int64, printed, exact ledger.Amount) {
	c.count += count
	c.sum.AddRounded(printed, exact)
}

// agingLine is a row of aging: not due, the buckets, their total.
type agingLine struct {
	notDue, total countedMoney
	bucket        [len(buckets)]countedMoney
}

// AgingDefinition is the kind aging.
var AgingDefinition = &report.Definition{
	Kind: report.AgingKind, Tables: []*table.Table{AgingTable}, Bases: asOfBasis, Formats: report.ExceptEDI,
	FollowsFromRows: true,
	Needs:           []report.Kind{report.ExceptionsKind},
	View: map[string]report.View{"aging": {
		PageColumns: "account kind brand d0_1 d2_5 d6_10 d11_30 d31_60 d61_90 d91 total", FrozenColumns: 3,
	}},
	Begin:     beginAging,
	NewReader: func(ledger.Date) report.RowReader { return make(agingReader) },
}

// Aging adds up cases. Its memory grows with brands, not with cases.
type Aging struct {
	report.ColumnTotals
	set   *report.Set
	out   report.Rows
	lines map[agingKey]*agingLine
}

func beginAging(_ context.Context, set *report.Set) (report.Content, error) {
	out, err := set.Open(AgingTable)
	return &Aging{set: set, out: out, lines: make(map[agingKey]*agingLine)}, err
}

// Intake takes the aging entries of cases, and what is not due.
func (a *Aging) Intake() report.Intake {
	return report.Intake{NotDue: a.addNotDue, Case: func(c *report.Case) error {
		for _, w := range c.AgingEntries {
			if err := a.addWait(c.Account, w); err != nil {
				return fmt.Errorf("case %s: %w", c.Case, err)
			}
		}
		return nil
	}}
}

// agingOf maps each kind of aging to the rows of exceptions that it must equal, in the words of formulas.
var agingOf = []struct{ kind, cases string }{
	{CardOverdue, "RECEIVED_OVERDUE"}, {SlipNotCredited, "SLIP_CREDIT_OVERDUE"}, {DisputeOpen, "disputed"}, {BankMissing, "BANK_CREDIT_MISSING"},
}

// Identities are that of the figures and those of aging: its total is its buckets, and the cases of exceptions; what is not
// due is the agenda's net.
func (a *Aging) Identities() []report.Identity {
	exceptions := report.ContentOf[*Exceptions](a.set, report.ExceptionsKind)
	out := []report.Identity{exceptions.figuresIdentity()}
	sums := a.out.Counter()
	buckets := table.Money{Printed: ledger.Amount(sums.Sum("total")), Exact: sums.ExactSum("total")}
	formula := "aging.total ="
	for i, b := range AgingBuckets() {
		if i > 0 {
			formula += " +"
		}
		formula += " aging." + b
		buckets.Printed -= ledger.Amount(sums.Sum(b))
		buckets.Exact -= sums.ExactSum(b)
	}
	out = append(out, report.NewIdentity("aging_total", formula, buckets))
	for _, of := range agingOf {
		waits, cases := a.sumKind(of.kind).total, exceptions.sumOf(of.cases)
		if of.kind == BankMissing && waits.count == 0 && cases.count == 0 {
			continue // who has no bank account has no such line
		}
		out = append(out,
			report.NewIdentity(of.kind, "aging."+of.kind+".total = exceptions."+of.cases+".impact", waits.sum, report.NegateMoney(cases.sum)),
			newCountIdentity(of.kind+"_qty", "aging."+of.kind+".total_qty = exceptions."+of.cases+".cases", waits.count-cases.count))
	}
	if agenda := report.ContentOf[*Agenda](a.set, report.AgendaKind); agenda != nil && a.set.Filter.ShowsOpen() {
		net := agenda.out.Counter()
		out = append(out, report.NewIdentity("not_due", "aging."+CardOverdue+".not_due = agenda.net", a.sumKind(CardOverdue).notDue.sum,
			report.NegateMoney(table.Money{Printed: ledger.Amount(net.Sum("net")), Exact: net.ExactSum("net")})))
	}
	return report.PlaceUnderTable(AgingTable, out)
}

func (a *Aging) lineFor(account ledger.Account, kind, brand string) *agingLine {
	key := agingKey{account, kind, brand}
	if a.lines[key] == nil {
		a.lines[key] = &agingLine{}
	}
	return a.lines[key]
}

// addWait puts a case into its bucket.
func (a *Aging) addWait(account ledger.Account, w report.AgingEntry) error {
	l := a.lineFor(account, w.Kind, w.Brand)
	printed := w.Amount.Rounded(ledger.HalfAwayFromZero)
	l.bucket[bucketOf(w.Days)].addMoney(1, printed, w.Amount)
	l.total.addMoney(1, printed, w.Amount)
	return l.total.sum.Err()
}

func (a *Aging) addNotDue(n *report.NotDue) error {
	c := &a.lineFor(n.Account, n.Kind, n.Brand).notDue
	c.addMoney(n.Count, n.Printed, n.Exact)
	return c.sum.Err()
}

// Finish writes the rows in their order.
func (a *Aging) Finish(context.Context) error {
	keys := slices.SortedFunc(maps.Keys(a.lines), func(x, y agingKey) int {
		return cmp.Or(cmp.Compare(x.account, y.account), cmp.Compare(x.kind, y.kind), cmp.Compare(x.brand, y.brand))
	})
	row := AgingTable.NewRow()
	for _, k := range keys {
		l := a.lines[k]
		next := append(row[:0], table.Text(k.account.String()), table.Text(k.kind), table.Text(k.brand))
		put := func(c *countedMoney) { next = append(next, table.Int(c.count), c.sum.Cell()) }
		put(&l.notDue)
		for i := range l.bucket {
			put(&l.bucket[i])
		}
		put(&l.total)
		if err := a.out.Write(next); err != nil {
			return err
		}
	}
	return nil
}

// sumKind adds up a kind over accounts and brands.
func (a *Aging) sumKind(kind string) agingLine {
	var sum agingLine
	add := func(to, from *countedMoney) { to.addMoney(from.count, from.sum.Printed, from.sum.Exact) }
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

// agingReader adds up the columns of each kind of aging, by the words of formulas.
type agingReader map[string]ledger.Amount

func (r agingReader) ReadRow(t *table.Table, row table.Row) error {
	for i := range row {
		if column := &t.Columns[i]; column.Type.Numeric() {
			r["aging."+row[1].S+"."+column.ID] += ledger.Amount(report.InTenThousandths(column, row[i].N))
		}
	}
	return nil
}

func (r agingReader) Terms() map[string]ledger.Amount { return r }
