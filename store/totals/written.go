package totals

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// WrittenCards adds up installments as a reconcile writes what it expects of them, with the histories that it has at hand, which spares
// reading both again. It is believed for whole days alone: those of which queries over the rows count as many installments and expectations,
// and sum the same of what the bridge is made of. The zero value has none.
type WrittenCards struct {
	cards   Cards
	days    map[ledger.Date]*versionCount
	groups  map[dayGroup]*expectationCount
	lastDay ledger.Date   // that was added to last, with its counts
	onDay   *versionCount // nil: none
	failed  error         // the first sum that does not fit, or a row without its history: nothing is believed
}

// versionCount is what the current versions of a day add up to.
type versionCount struct {
	rows            int64
	received, gross ledger.Amount
}

// expectationCount is what the current expectations of a day, brand and product add up to.
type expectationCount struct {
	rows        int64
	netContract ledger.Amount
}

// errNoHistory means that an expectation came without the version that it is of.
var errNoHistory = errors.New("an expectation of no version at hand")

// Add adds the expectation of an installment of the sale at hand; nil: there is none. Those of a day, NSU and authorization come one after the
// other.
func (w *WrittenCards) Add(e *ledger.Expectation, sale *ledger.Sale) {
	if w.failed == nil {
		w.failed = w.addExpectation(e, sale)
	}
}

func (w *WrittenCards) addExpectation(e *ledger.Expectation, sale *ledger.Sale) error {
	h := findHistory(sale, e)
	if h == nil {
		return errNoHistory
	}
	v := h.Current()
	expected, version := expectationAtHand(e), versionAtHand(v)
	on, group := w.countsOf(e.Key.Day, dayGroup{e.Key.Day, e.Brand, string(e.Product)})
	on.rows++
	group.rows++
	var errs [3]error
	on.received, errs[0] = on.received.Add(version.received)
	on.gross, errs[1] = on.gross.Add(version.gross)
	group.netContract, errs[2] = group.netContract.Add(e.NetContract)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	var paid ledger.Amount
	for _, earlier := range h.Earlier() {
		paid = max(paid, earlier.Received.Or(0))
	}
	return w.cards.addCard(&expected, &version, paid)
}

// findHistory returns the history whose current version the expectation is of, or nil.
func findHistory(sale *ledger.Sale, e *ledger.Expectation) ledger.InstallmentHistory {
	if sale == nil {
		return nil
	}
	for _, h := range sale.Rows {
		if v := h.Current(); v.Version == e.Version && v.Key() == e.Key {
			return h
		}
	}
	return nil
}

// countsOf returns the counts of a day, and of a group of it.
func (w *WrittenCards) countsOf(day ledger.Date, g dayGroup) (*versionCount, *expectationCount) {
	if w.days == nil {
		w.days, w.groups = make(map[ledger.Date]*versionCount), make(map[dayGroup]*expectationCount)
	}
	if w.onDay == nil || w.lastDay != day {
		if w.days[day] == nil {
			w.days[day] = &versionCount{}
		}
		w.lastDay, w.onDay = day, w.days[day]
	}
	group := w.groups[g]
	if group == nil {
		group = &expectationCount{}
		w.groups[g] = group
	}
	return w.onDay, group
}

func expectationAtHand(e *ledger.Expectation) walkedExpectation {
	return walkedExpectation{
		RowKey:  rowKeyOf(&e.Key),
		version: int64(e.Version), brand: e.Brand, product: string(e.Product), class: e.Class, rest: e.Rest, net: e.Net, netContract: e.NetContract,
		grossCents: ledger.Amount(e.GrossCents) * ledger.Cent, received: e.Received, nextOn: e.NextOn, band: e.Band,
		contractMDRRate: int64(e.ContractMDRRate.Or(0)), daysAnticipated: e.DaysAnticipated.Or(0), daysLate: e.DaysLate.Or(0),
		impact: e.Impact.Or(0),
	}
}

func versionAtHand(v *ledger.InstallmentVersion) walkedVersion {
	k := v.Key()
	return walkedVersion{
		RowKey: rowKeyOf(&k), version: int64(v.Version), stands: true, received: v.Received.Or(0), gross: v.Gross, mdr: v.MDR.Or(0), fee: v.Fee.Or(0),
		antifraud: v.Antifraud.Or(0), anticipation: v.Anticipation.Or(0), sale: int64(cmp.Or(v.SaleOccurrence, v.Occurrence)),
		forecast: v.Forecast, effective: v.Effective, splits: v.Splits, count: int64(v.Count), saleTotal: v.SaleTotal.Or(0),
		saleFee: v.SaleFee.Or(0), saleAntifraud: v.SaleAntifraud.Or(0), mdrRate: int64(v.MDRRate.Or(0)),
		anticipationRate: int64(v.AnticipationRate.Or(0)),
	}
}

func rowKeyOf(k *ledger.InstallmentKey) facts.RowKey {
	return facts.RowKey{Day: k.Day, NSU: k.NSU, Auth: k.Auth, Number: k.Number, Occurrence: k.Occurrence}
}

// Days are those of what was added, in order.
func (w *WrittenCards) Days() []ledger.Date { return slices.Sorted(maps.Keys(w.days)) }

// TakeWritten takes the sums of what was written if the rows of its days count and add up to the same; the days are still missing else. The
// caller has the connection of the transaction to itself.
func (c *Cards) TakeWritten(ctx context.Context, t *sqldb.Tx, a ledger.Account, w *WrittenCards) error {
	days := w.Days()
	if len(days) == 0 {
		return nil
	}
	if whole, err := w.isWhole(ctx, t, a, days[0], days[len(days)-1]); err != nil || !whole {
		return err
	}
	c.days = append(c.days, days...)
	c.sums, c.months = joinMaps(c.sums, w.cards.sums), joinMaps(c.months, w.cards.months)
	c.forecast, c.waiting = joinMaps(c.forecast, w.cards.forecast), joinMaps(c.waiting, w.cards.waiting)
	c.byDay = joinMaps(c.byDay, w.cards.byDay)
	return nil
}

// joinMaps adds the entries of a map, whose keys are of other days, to another.
func joinMaps[K comparable, V any](to, from map[K]V) map[K]V {
	if to == nil {
		return from
	}
	maps.Copy(to, from)
	return to
}

// isWhole reports whether the rows from a day to another count and add up to what was written.
func (w *WrittenCards) isWhole(ctx context.Context, t *sqldb.Tx, a ledger.Account, first, last ledger.Date) (bool, error) {
	if w.failed != nil {
		return false, nil
	}
	groups := make(map[dayGroup]expectationCount, len(w.groups))
	err := sqldb.EachRow(ctx, t.Tx, func(rows *sql.Rows) error {
		var g dayGroup
		var n expectationCount
		err := rows.Scan(&g.day, &g.brand, &g.product, &n.rows, &n.netContract)
		groups[g] = n
		return err
	}, `
		SELECT
			sale_day,
			brand,
			product,
			COUNT(*),
			CAST(SUM(net_contract) AS BIGINT)
		FROM expectation
		WHERE account = $1 AND sale_day BETWEEN $2 AND $3 AND ended_run IS NULL
		GROUP BY sale_day, brand, product`, int64(a), int64(first), int64(last))
	if err != nil || !holdsSame(w.groups, groups) {
		return false, err
	}
	days := make(map[ledger.Date]versionCount, len(w.days))
	err = sqldb.EachRow(ctx, t.Tx, func(rows *sql.Rows) error {
		var day ledger.Date
		var n versionCount
		err := rows.Scan(&day, &n.rows, &n.received, &n.gross)
		days[day] = n
		return err
	}, `
		SELECT
			sale_day,
			COUNT(*),
			CAST(COALESCE(SUM(received), 0) AS BIGINT),
			CAST(SUM(gross) AS BIGINT)
		FROM installment
		WHERE account = $1 AND sale_day BETWEEN $2 AND $3 AND ended_pull IS NULL
		GROUP BY sale_day`, int64(a), int64(first), int64(last))
	return holdsSame(w.days, days), err
}

func holdsSame[K, V comparable](a map[K]*V, b map[K]V) bool {
	return maps.EqualFunc(a, b, func(x *V, y V) bool { return *x == y })
}
