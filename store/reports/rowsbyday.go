package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// maxSortedRows is the default of RowReader.MaxSortedRows.
const maxSortedRows = 15_000

// ChoosesWholeDays reports whether the query chooses all rows of its sale days, and as of a run: what they are read from does not change
// meanwhile.
func (q *Query) ChoosesWholeDays() bool {
	return q.AsOfRun != "" && q.Basis == "operation" && len(q.Brands)+len(q.Classes) == 0
}

// installmentsByDay is Installments for a query that chooses whole days. Versions and expectations are each read in the order of the key and
// put together here, and the rows of a day are sorted while fn has those of the day before: the database would look up each expectation, and
// sort wide rows on its disk. Both are read once, however many rows a day has.
func (l *RowReader) installmentsByDay(
	ctx context.Context, q Query, fn func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d := dayReader{
		q: &q, most: cmp.Or(l.MaxSortedRows, maxSortedRows), rows: &dayRows{}, days: make(chan *dayRows), free: make(chan *dayRows, 2),
	}
	d.free <- &dayRows{}
	var failed error // known once the channel is closed
	go func() {
		defer close(d.days)
		failed = d.readVersions(ctx, l.db)
	}()
	for day := range d.days { // to the end, so that the connections are free again
		if err == nil {
			err = day.passRows(fn)
		}
		if err = errors.Join(err, day.removeRows()); err != nil {
			stop()
		}
		d.free <- day
	}
	if err == nil {
		err = failed
	}
	return l.db.WrapError(fmt.Sprintf("read the installments of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// dayReader puts the rows of sale days together.
type dayReader struct {
	q            *Query
	most         int // rows of a day that are sorted as they are
	expectations *sqldb.Ahead[keyedExpectation]
	next         keyedExpectation // the first one that no version has come to yet
	more         bool             // there is one
	day          ledger.Date      // at hand
	rows         *dayRows         // of it; nil once there is nothing more to read
	days         chan *dayRows
	free         chan *dayRows // for the next days: there are two in turn, and room for both once no more are read
}

// dayRows are the rows of a sale day in the order of the key, which is that of what was sold at the same time.
type dayRows struct {
	versions     []facts.InstallmentRow
	expectations []*ledger.Expectation // nil for none
	order        []int                 // of the report
	large        *largeDay             // has all rows of a day with more than a few; nil: it has none
	spare        *largeDay             // was large, for the next such day; nil: there was none
}

// addRow adds a row without an expectation, to be filled.
func (r *dayRows) addRow() *facts.InstallmentRow {
	r.versions, r.expectations = append(r.versions, facts.InstallmentRow{}), append(r.expectations, nil)
	return &r.versions[len(r.versions)-1]
}

func (r *dayRows) dropLast() {
	last := len(r.versions) - 1
	r.versions, r.expectations = r.versions[:last], r.expectations[:last]
}

// becomeLarge begins a large day, of which about so many rows are in memory.
func (r *dayRows) becomeLarge(a ledger.Account, most int) {
	if r.spare == nil {
		r.spare = newLargeDay(a, most)
	}
	r.large, r.spare = r.spare, nil
}

// packRows moves the rows to those of a large day.
func (r *dayRows) packRows() error {
	for i := range r.versions {
		if err := r.large.addRow(&r.versions[i], r.expectations[i]); err != nil {
			return err
		}
	}
	r.versions, r.expectations = r.versions[:0], r.expectations[:0]
	return nil
}

// hasRows reports whether the day has any row.
func (r *dayRows) hasRows() bool { return len(r.versions) > 0 || r.large != nil }

// sortByTime puts the rows in the order of the report.
func (r *dayRows) sortByTime() error {
	if r.large != nil {
		return r.large.rows.EndAdding()
	}
	r.order = r.order[:0]
	for i := range r.versions {
		r.order = append(r.order, i)
	}
	slices.SortStableFunc(r.order, func(a, b int) int { return cmp.Compare(r.versions[a].SoldAt, r.versions[b].SoldAt) })
	return nil
}

// passRows calls fn for the rows in their order. fn must not keep them: they are overwritten.
func (r *dayRows) passRows(fn func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	if r.large != nil {
		return r.large.passRows(fn)
	}
	for _, i := range r.order {
		if err := fn(&r.versions[i].InstallmentVersion, r.expectations[i]); err != nil {
			return err
		}
	}
	return nil
}

// removeRows leaves no row, for the next day.
func (r *dayRows) removeRows() error {
	r.versions, r.expectations = r.versions[:0], r.expectations[:0]
	if r.large == nil {
		return nil
	}
	err := r.large.rows.Reset()
	r.large, r.spare = nil, r.large
	return err
}

func (d *dayReader) readVersions(ctx context.Context, db *sqldb.DB) (err error) {
	defer func() {
		if d.rows != nil {
			err = errors.Join(err, d.rows.removeRows())
		}
	}()
	d.expectations = d.readExpectations(ctx, db)
	defer d.expectations.Stop()
	d.advance()
	w := &sqldb.Conditions{}
	d.q.AddCurrent(w)
	w.Add(saleDate + " BETWEEN " + w.AddArg(int64(d.q.Period.From)) + " AND " + w.AddArg(int64(d.q.Period.To)))
	err = db.StreamInIndexOrder(ctx, func(f *sqldb.RowReader) error { return d.addVersion(ctx, f) }, `
		SELECT `+facts.ReportedInstallmentColumns+`,`+takenBackSince+`
		FROM installment AS i`+w.Where()+`
		ORDER BY i.sale_day, i.nsu, i.auth, i.number, i.occurrence`, w.Args...)
	if err == nil {
		err = d.endDay(ctx)
	}
	return err
}

// keyedExpectation is an expectation, and the day on which its installment was first seen cancelled or charged back.
type keyedExpectation struct {
	*ledger.Expectation
	classSince ledger.Date
}

// expectationsAtOnce is how many expectations are allocated together, some sixty kilobytes.
const expectationsAtOnce = 128

func (d *dayReader) readExpectations(ctx context.Context, db *sqldb.DB) *sqldb.Ahead[keyedExpectation] {
	w := &sqldb.Conditions{}
	w.Add("e.account = " + w.AddArg(int64(d.q.Account)))
	w.Add("e.sale_day BETWEEN " + w.AddArg(int64(d.q.Period.From)) + " AND " + w.AddArg(int64(d.q.Period.To)))
	w.Add(results.ExpectationCurrentAsOf(w.AddArg(d.q.AsOfRun)))
	sameClass := d.q.hasSameClass(w)
	row := &results.ExpectationRow{}
	var fresh []ledger.Expectation // zero, made many at once
	return sqldb.ReadAheadInIndexOrder(ctx, db, func(f *sqldb.RowReader) (keyedExpectation, error) {
		k := ledger.InstallmentKey{SaleKey: ledger.SaleKey{Account: d.q.Account, Day: f.NextDate(), NSU: f.NextText(), Auth: f.NextText()}}
		k.Number, k.Occurrence = int(f.NextInt()), int(f.NextInt())
		if len(fresh) == 0 {
			fresh = make([]ledger.Expectation, expectationsAtOnce)
		}
		row.ReadReportedColumns(f, &fresh[0])
		fresh = fresh[1:]
		since := f.NextDate()
		if err := f.Err(); err != nil {
			return keyedExpectation{}, err
		}
		e, err := row.Complete(k)
		return keyedExpectation{e, since}, err
	}, `
		SELECT
			e.sale_day,
			e.nsu,
			e.auth,
			e.number,
			e.occurrence,`+results.ReportedExpectationColumns+`,
			CASE WHEN `+isReversed+` THEN (
				SELECT MIN(h.last_changed)
				FROM installment AS i
				JOIN installment AS h ON `+isEarlier+`
				WHERE `+facts.ExpectationJoin+` AND `+sameClass+`
				) END
		FROM expectation AS e`+w.Where()+`
		ORDER BY e.sale_day, e.nsu, e.auth, e.number, e.occurrence`, w.Args...)
}

func (d *dayReader) advance() { d.next, d.more = d.expectations.Next() }

// addVersion takes a version, and its expectation if it is that of this version.
func (d *dayReader) addVersion(ctx context.Context, f *sqldb.RowReader) error {
	v := d.rows.addRow()
	v.ReadReportedColumns(f)
	v.TakenBackSince = f.NextDate()
	if err := f.Err(); err != nil {
		return err
	}
	v.Account = d.q.Account
	key := v.Key()
	if key.Day != d.day {
		first := *v
		d.rows.dropLast()
		if err := d.endDay(ctx); err != nil {
			return err
		}
		d.day, v = key.Day, d.rows.addRow()
		*v = first
	}
	for d.more && compareKeys(&d.next.Key, &key) < 0 {
		d.advance()
	}
	if d.more && compareKeys(&d.next.Key, &key) == 0 && d.next.Version == v.Version {
		d.rows.expectations[len(d.rows.expectations)-1], v.ClassSince = d.next.Expectation, d.next.classSince
	}
	if err := d.expectations.Err(); err != nil {
		return err // else what could not be read would be taken for what is not there
	}
	if d.rows.large == nil && len(d.rows.versions) > d.most {
		d.rows.becomeLarge(d.q.Account, d.most)
	}
	if d.rows.large != nil {
		return d.rows.packRows()
	}
	return v.Complete(d.q.Account, nil)
}

// endDay hands on the rows of the day at hand, in order.
func (d *dayReader) endDay(ctx context.Context) error {
	if !d.rows.hasRows() {
		return nil
	}
	if err := d.rows.sortByTime(); err != nil {
		return err
	}
	select {
	case d.days <- d.rows:
		d.rows = nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case d.rows = <-d.free:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// compareKeys orders the installments of an account as the key of their tables does.
func compareKeys(a, b *ledger.InstallmentKey) int {
	if a.Day != b.Day {
		return cmp.Compare(a.Day, b.Day)
	}
	if c := strings.Compare(a.NSU, b.NSU); c != 0 {
		return c
	}
	if c := strings.Compare(a.Auth, b.Auth); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Occurrence, b.Occurrence))
}
