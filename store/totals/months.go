package totals

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// monthAmounts are the columns of the amounts of a month, in the order of ledger's, each followed by its exact sum.
var monthAmounts = [ledger.MonthAmountCount]string{
	"gross", "mdr", "fees", "anticipation", "net_expected", "splits", "received", "not_due", "overdue", "blocked", "short", "over",
	"difference", "cancelled_gross", "cancelled_received",
}

// MonthTable is what a sale day adds to a month of a basis: with a part for each sale day, a run sums only the days that it
// evaluated. Slips have one part of each month.
var MonthTable = Table{
	Name: "month_part", Keys: []string{"basis", "side", "sale_day", "month", "brand"},
	IsNumber: map[string]bool{"sale_day": true, "month": true}, Values: monthColumns(),
}

func monthColumns() []string {
	out := []string{"sales", "installments"}
	for _, c := range monthAmounts {
		out = append(out, c, c+"_exact")
	}
	return out
}

// The bases that months are kept on.
const (
	OperationBasis = "operation"
	CreditBasis    = "credit"
)

// cardSide is the side of the parts of installments.
const cardSide = "cards"

// readMonthParts reads parts of months: the key, with the month as a number such as 202611, and the values.
func readMonthParts(ctx context.Context, q sqldb.Querier, query string, args ...any) ([]Row, error) {
	var out []Row
	return out, sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var basis, side, brand string
		var day, month int64
		values := make([]int64, len(MonthTable.Values))
		targets := []any{&basis, &side, &day, &month, &brand}
		for i := range values {
			targets = append(targets, &values[i])
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		first := ledger.NewDate(int(month/100), time.Month(month%100), 1)
		out = append(out, Row{[]any{basis, side, day, int64(first), brand}, values})
		return nil
	}, query, args...)
}

// sumsOf gives the sums of the amounts by SQL expressions, in the order of MonthTable.Values: of each amount the printed sum and
// the exact one.
func sumsOf(amounts [ledger.MonthAmountCount][2]string) string {
	var b strings.Builder
	for i, a := range amounts {
		for j, expression := range a {
			name := monthAmounts[i]
			if j == 1 {
				name += "_exact"
			}
			b.WriteString(",\n\t\t\tCAST(COALESCE(SUM(" + expression + "), 0) AS BIGINT) AS " + name)
		}
	}
	return b.String()
}

// SumSlipMonths sums the months of the account's slips, on both bases: by the day of issue and by that of the credit. They are rows of
// MonthTable.
func SumSlipMonths(ctx context.Context, t *sqldb.Tx, a ledger.Account) ([]Row, error) {
	d := t.DB.Dialect
	cents := sqldb.RoundToCents
	var amounts [ledger.MonthAmountCount][2]string
	for i := range amounts {
		amounts[i] = [2]string{"0", "0"}
	}
	const paid = "class = 'paid'"
	confirmed := paid + " AND unconfirmed = 0"
	set := func(a ledger.MonthAmount, when, of string) {
		exact := strings.NewReplacer("face", "face_exact", "paid", "paid_exact", "tariff", "tariff_exact", "due", "due_exact").Replace(of)
		amounts[a] = [2]string{"CASE WHEN " + when + " THEN " + of + " END", "CASE WHEN " + when + " THEN " + exact + " END"}
	}
	set(ledger.MonthGross, paid, "CASE WHEN unconfirmed = 1 THEN face ELSE due END")
	set(ledger.MonthFees, paid, "tariff")
	set(ledger.MonthNetExpected, paid, "CASE WHEN unconfirmed = 1 THEN paid ELSE due END - tariff")
	set(ledger.MonthReceived, paid+" AND credited = 1", "paid - tariff")
	set(ledger.MonthNotDue, paid+" AND credited = 0 AND late = 0", "paid - tariff")
	set(ledger.MonthOverdue, paid+" AND credited = 0 AND late = 1", "paid - tariff")
	set(ledger.MonthShort, confirmed, "CASE WHEN due > paid THEN due - paid ELSE 0 END")
	set(ledger.MonthOver, confirmed, "CASE WHEN paid > due THEN paid - due ELSE 0 END")
	set(ledger.MonthDifference, confirmed, "due - paid")
	set(ledger.MonthCancelledGross, "class = 'cancelled'", "face")
	parts := func(basis, day string) string {
		return `
		SELECT
			'` + basis + `',
			'slips',
			0,
			` + d.MonthOfDay(day) + ` AS month,
			'',
			SUM(CASE WHEN class = 'paid' THEN 1 ELSE 0 END),
			0` + sumsOf(amounts) + `
		FROM figures
		WHERE ` + day + ` IS NOT NULL
		GROUP BY ` + d.MonthOfDay(day)
	}
	return readMonthParts(ctx, t, facts.MergedSlipsSQL(facts.CurrentSlips())+`,
		figures AS (
			SELECT
				m.issued AS issued_on,
				m.credited_on,
				e.class,
				CASE WHEN m.credited_on IS NULL THEN 0 ELSE 1 END AS credited,
				CASE WHEN e.rest = 'credit_overdue' THEN 1 ELSE 0 END AS late,
				CASE WHEN e.brackets LIKE '%"`+string(ledger.LineLateNotShown)+`"%' THEN 1 ELSE 0 END AS unconfirmed,
				`+cents("m.value")+` AS face,
				m.value AS face_exact,
				`+cents("COALESCE(m.paid_value, 0)")+` AS paid,
				COALESCE(m.paid_value, 0) AS paid_exact,
				`+cents("COALESCE(e.tariff, 0)")+` AS tariff,
				COALESCE(e.tariff, 0) AS tariff_exact,
				`+cents("e.face")+` AS due,
				e.face AS due_exact
			FROM merged AS m
			JOIN slip_expectation AS e ON e.account = $1 AND e.id = m.id AND e.ended_run IS NULL)`+
		parts(OperationBasis, "issued_on")+`
		UNION ALL`+parts(CreditBasis, "credited_on"), int64(a))
}

// MonthLines returns the months of an account as the run left them, of cards before slips by basis, month and brand; of all months
// if none is given, else of those from one to another.
func (l *Store) MonthLines(ctx context.Context, a ledger.Account, run string, months ledger.Period) ([]ledger.MonthLine, error) {
	type key struct {
		basis, side, brand string
		month              ledger.Date
	}
	sums := make(map[key]*ledger.MonthLine)
	err := MonthTable.EachRow(ctx, l.db.Read, a, run, func(r Row) {
		k := key{r.Key[0].(string), r.Key[1].(string), r.Key[4].(string), ledger.Date(r.Key[3].(int64))}
		if months != (ledger.Period{}) && !months.Contains(k.month) {
			return
		}
		part := ledger.MonthLine{
			Account: a, Basis: k.basis, Month: k.month, Side: k.side, Brand: k.brand, Sales: r.Values[0], Installments: r.Values[1],
		}
		for i := range part.Printed {
			part.Printed[i], part.Exact[i] = ledger.Amount(r.Values[2+2*i]), ledger.Amount(r.Values[3+2*i])
		}
		if sums[k] == nil {
			sums[k] = &part
		} else {
			sums[k].Add(&part)
		}
	})
	out := make([]ledger.MonthLine, 0, len(sums))
	for _, line := range sums {
		out = append(out, *line)
	}
	slices.SortFunc(out, func(x, y ledger.MonthLine) int {
		return cmp.Or(strings.Compare(x.Basis, y.Basis), cmp.Compare(x.Month, y.Month), strings.Compare(x.Side, y.Side), strings.Compare(x.Brand, y.Brand))
	})
	return out, l.db.WrapError("read the months of run "+run, err)
}
