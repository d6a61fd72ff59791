package reports

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// Query chooses the rows of a report: those whose date of the basis lies in the period. Empty Brands and Classes choose
// all; both are as the last expectation has them, so they leave out rows that no run has evaluated.
//
// AsOfRun asks for the rows and expectations that were current when the run of that id had reconciled, or the last one before it: the answer
// is the same for ever. Empty is now.
type Query struct {
	Account ledger.Account
	Basis   string // operation, forecast or credit; slips also payment
	Period  ledger.Period
	Brands  []string
	Classes []ledger.Class
	AsOfRun string
}

// CardDate is the column of the query's basis, of an installment i.
func (q *Query) CardDate() (string, error) {
	switch q.Basis {
	case "operation":
		return saleDate, nil
	case "forecast":
		return forecastDate, nil
	case "credit":
		return "i.effective", nil
	}
	return "", fmt.Errorf("cards have no basis %q", q.Basis)
}

// SlipDate is the column of the query's basis, of a merged slip m.
func (q *Query) SlipDate() (string, error) {
	switch q.Basis {
	case "operation":
		return "m.issued", nil
	case "forecast":
		return "m.due", nil
	case "payment":
		return "m.paid_on", nil
	case "credit":
		return "m.credited_on", nil
	}
	return "", fmt.Errorf("slips have no basis %q", q.Basis)
}

// CardConditions gives the conditions on installment i and its expectation e.
func (q *Query) CardConditions(date string) *sqldb.Conditions {
	w := &sqldb.Conditions{}
	q.AddCurrent(w)
	from, to := w.AddArg(int64(q.Period.From)), w.AddArg(int64(q.Period.To))
	w.Add(date + " BETWEEN " + from + " AND " + to)
	if date == forecastDate {
		w.Add(forecastOn("BETWEEN " + from + " AND " + to))
	}
	q.AddFilters(w)
	return w
}

const (
	saleDate     = "i.sale_day"
	forecastDate = "i.forecast"
)

// forecastOn is the condition, behind that of the account $1, that the sale day of an installment i is one on which
// forecasts of those dates, 0 is none, are to be found: an index of every row by its forecast costs a first load more
// than the key does.
func forecastOn(dates string) string {
	return "i.sale_day IN (SELECT d.sale_day FROM forecast_day AS d WHERE d.account = $1 AND d.forecast " + dates + ")"
}

// AddFilters adds the filters, on an expectation e.
func (q *Query) AddFilters(w *sqldb.Conditions) {
	sqldb.AddIn(w, "e.brand", q.Brands, func(s string) any { return s })
	sqldb.AddIn(w, "e.class", q.Classes, func(c ledger.Class) any { return string(c) })
}

// Installments calls fn for the current version of every selected installment, with its
// expectation, or nil if no run has evaluated it, in order of sale instant, NSU, authorization, number and occurrence. The versions have
// ClassSince and TakenBackSince. As of a run they lack what reports do not show: how answers of the service brought the version, and what only
// the next reconcile needs of the expectation. Memory does not grow with the rows.
func (l *RowReader) Installments(ctx context.Context, q Query,
	fn func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) error {
	if q.ChoosesWholeDays() {
		return l.installmentsByDay(ctx, q, fn)
	}
	return l.installmentsBy(ctx, q, saleInstantOrder, fn)
}

// saleInstantOrder begins with the sale day because the key's index has it: the rows of a day are sorted, not all of them.
const saleInstantOrder = "i.sale_day, i.sold_at, i.nsu, i.auth, i.number, i.occurrence"

// reportRow is an installment and its expectation, nil for none.
type reportRow struct {
	version     *ledger.InstallmentVersion
	expectation *ledger.Expectation
}

// installmentsBy is Installments in another order.
func (l *RowReader) installmentsBy(ctx context.Context, q Query, order string,
	fn func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) error {
	doing := fmt.Sprintf("read the installments of account %s, %s %s", q.Account, q.Basis, q.Period)
	date, err := q.CardDate()
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	w := q.CardConditions(date)
	join, since := q.ExpectationJoin(w), q.sinceColumns(w)
	columns := facts.ReportedInstallmentColumns + "," + results.ReportedExpectationColumns
	var seen facts.LastSeen
	isNow := q.AsOfRun == ""
	if isNow {
		columns = facts.InstallmentColumns + "," + results.ExpectationColumns
		if seen, err = facts.LastSeenAsOf(ctx, l.db.Read, q.Account, ledger.Cards, ""); err != nil {
			return l.db.WrapError(doing, err)
		}
	}
	err = sqldb.StreamAhead(ctx, l.db, func(f *sqldb.RowReader) (row reportRow, err error) {
		v, b := &facts.InstallmentRow{}, &results.ExpectationRow{}
		if isNow {
			v.ReadColumns(f)
			b.ReadColumns(f)
		} else {
			v.ReadReportedColumns(f)
			b.ReadReportedColumns(f, &ledger.Expectation{})
		}
		v.ClassSince, v.TakenBackSince = f.NextDate(), f.NextDate()
		if err := f.Err(); err != nil {
			return row, err
		}
		if err := v.Complete(q.Account, seen); err != nil {
			return row, err
		}
		row.version = &v.InstallmentVersion
		row.expectation, err = b.Complete(v.Key())
		return row, err
	}, func(row reportRow) error { return fn(row.version, row.expectation) }, `
		SELECT `+columns+`,`+since+`
		FROM installment AS i
		LEFT JOIN expectation AS e ON `+join+w.Where()+`
		ORDER BY `+order, w.Args...)
	return l.db.WrapError(doing, err)
}

// Credited is Installments for the basis credit, in order of credit date; the order within a date is undefined. Memory
// does not grow with the rows.
func (l *RowReader) Credited(ctx context.Context, q Query, fn func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	q.Basis = "credit"
	return l.installmentsBy(ctx, q, "i.effective", fn)
}

// LeftOut counts the selected rows of the account that have no date for the query's basis, and therefore belong to no
// period. A count is 0 if the basis does not apply to cards or slips.
func (l *RowReader) LeftOut(ctx context.Context, q Query) (cards, slips int64, err error) {
	doing := fmt.Sprintf("count what is left out of account %s, %s", q.Account, q.Basis)
	if date, err := q.CardDate(); err == nil {
		w := &sqldb.Conditions{}
		q.AddCurrent(w)
		w.Add(date + " IS NULL")
		if date == forecastDate {
			w.Add(forecastOn("= 0"))
		}
		from := "installment AS i"
		if len(q.Brands)+len(q.Classes) > 0 { // else no row has to be looked up
			q.AddFilters(w)
			from += `
			LEFT JOIN expectation AS e ON ` + q.ExpectationJoin(w)
		}
		err := l.db.Read.QueryRowContext(ctx, `
			SELECT COUNT(*)
			FROM `+from+w.Where(), w.Args...).Scan(&cards)
		if err != nil {
			return 0, 0, l.db.WrapError(doing, err)
		}
	}
	date, err := q.SlipDate()
	if err != nil || len(q.Brands) > 0 {
		return cards, 0, nil
	}
	w := &sqldb.Conditions{Args: []any{int64(q.Account)}}
	conditions, join := q.SlipConditions(w)
	w.Add(date + " IS NULL")
	sqldb.AddIn(w, "e.class", q.Classes, func(c ledger.Class) any { return string(c) })
	err = l.db.Read.QueryRowContext(ctx, facts.MergedSlipsSQL(conditions)+`
		SELECT COUNT(*)
		FROM merged AS m
		LEFT JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND `+join+w.Where(),
		w.Args...).Scan(&slips)
	return cards, slips, l.db.WrapError(doing, err)
}

// SlipRows calls fn for every slip that the query chooses, merged as Slips does, with its expectation, or
// nil if no run has evaluated it, in order of the basis' date and id. Brands choose no slip. It keeps the ids of the period in memory, not the
// slips.
func (l *RowReader) SlipRows(ctx context.Context, q Query, fn func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	doing := fmt.Sprintf("read the slips of account %s, %s %s", q.Account, q.Basis, q.Period)
	if _, err := q.SlipDate(); err != nil {
		return l.db.WrapError(doing, err)
	}
	if len(q.Brands) > 0 {
		return nil
	}
	type dated struct {
		day ledger.Date
		id  string
	}
	var chosen []dated
	past, err := l.slipsAsOf(ctx, q.Account, q.AsOfRun)
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	err = past.eachSlip(ctx, func(s *ledger.Slip) error {
		if d := SlipDate(s, q.Basis); q.Period.Contains(d) {
			chosen = append(chosen, dated{d, s.ID})
		}
		return nil
	})
	if err != nil {
		return l.db.WrapError(doing, err)
	}
	slices.SortFunc(chosen, func(a, b dated) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.id, b.id)) })
	ids := make([]string, len(chosen))
	for i := range chosen {
		ids[i] = chosen[i].id
	}
	err = past.readSlips(ctx, ids, func(s ReportedSlip) error {
		if len(q.Classes) > 0 && (s.Expectation == nil || !slices.Contains(q.Classes, s.Expectation.Class)) {
			return nil
		}
		return fn(s.Slip, s.Expectation)
	})
	return l.db.WrapError(doing, err)
}

// SlipDate is the date of a basis of a slip; no date when it has none, or slips have no such basis.
func SlipDate(s *ledger.Slip, basis string) ledger.Date {
	switch basis {
	case "operation":
		return s.Issued
	case "forecast":
		return s.Due
	case "payment":
		return s.PaidOn
	case "credit":
		return s.CreditedOn
	}
	return 0
}

// takenBack is the greatest amount that is below zero once it is rounded to cents, half away from zero.
const takenBack = -ledger.Cent / 2

// sinceColumns are the columns of the day on which an installment i was first seen cancelled or charged back, and taken back; NULL for what it
// is not. Only rows of these classes have their versions looked up.
func (q *Query) sinceColumns(w *sqldb.Conditions) string {
	return `
			CASE WHEN ` + isReversed + ` THEN (
				SELECT MIN(h.last_changed)
				FROM installment AS h
				WHERE ` + isEarlier + ` AND ` + q.hasSameClass(w) + `
				) END AS class_since,` + takenBackSince
}

// isReversed is the condition that an expectation e is of an installment that is cancelled or charged back.
const isReversed = "e.class IN ('cancelled', 'chargeback')"

// isEarlier is the condition that h is a version of an installment i, up to i itself.
const isEarlier = `h.account = i.account AND h.sale_day = i.sale_day AND h.nsu = i.nsu AND h.auth = i.auth
					AND h.number = i.number AND h.occurrence = i.occurrence AND h.version <= i.version`

// hasSameClass is the condition that a version h of an installment i, whose expectation is e, was of the class of e: a run gave it that
// class, or it has the same status texts: no run may have evaluated it, or the mapping lacked the texts yet, and these
// classes follow from the texts alone.
func (q *Query) hasSameClass(w *sqldb.Conditions) string {
	upToRun := ""
	if q.AsOfRun != "" {
		upToRun = " AND x.run <= " + w.AddArg(q.AsOfRun)
	}
	return `(h.status = i.status AND h.received_status = i.received_status OR EXISTS (
						SELECT 1
						FROM expectation AS x
						WHERE x.account = h.account AND x.sale_day = h.sale_day AND x.nsu = h.nsu AND x.auth = h.auth
							AND x.number = h.number AND x.occurrence = h.occurrence AND x.version = h.version
							AND x.class = e.class` + upToRun + `))`
}

// takenBackSince is the column of the day on which an installment i was first seen taken back.
var takenBackSince = fmt.Sprintf(`
			CASE WHEN i.received <= %[1]d THEN (
				SELECT MIN(h.last_changed)
				FROM installment AS h
				WHERE `+isEarlier+` AND h.received <= %[1]d
				) END AS taken_back_since`, int(takenBack))
