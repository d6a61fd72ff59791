package results

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
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
	"difference", "cancelled_gross",
}

// MonthTable is what a sale day adds to a month of a basis: with a part for each sale day, a run sums only the days that it
// evaluated. Slips have one part of each month.
var MonthTable = AggregateTable{
	Name: "month_part", Keys: []string{"basis", "side", "sale_day", "month", "brand"},
	isNumber: map[string]bool{"sale_day": true, "month": true}, values: monthColumns(),
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
	operationBasis = "operation"
	creditBasis    = "credit"
)

// KeepMonths adds up the months of the account, and keeps them as of the run: of cards the parts of the days, or of all days,
// and of slips all months. It is called once in an attempt, after the last expectation.
func (r *ReconcileTx) KeepMonths(all bool, days []ledger.Date) error {
	err := r.flushAll()
	if err == nil {
		err = r.keepMonths(all, days)
	}
	return r.t.DB.WrapError(r.doing, err)
}

func (r *ReconcileTx) keepMonths(all bool, days []ledger.Date) error {
	before, err := r.readCurrentAggregates(MonthTable)
	if err != nil {
		return err
	}
	if !all {
		summed := make(map[int64]bool, len(days))
		for _, d := range days {
			summed[int64(d)] = true
		}
		maps.DeleteFunc(before, func(_ string, c aggregateRow) bool { return c.key[1] == "cards" && !summed[c.key[2].(int64)] })
	}
	after := make(map[string]aggregateRow)
	for id, was := range before {
		after[id] = aggregateRow{was.key, make([]int64, len(MonthTable.values))} // no row is left, unless one is found below
	}
	if all {
		err, days = r.sumCardMonths(after, ""), nil
	}
	for some := range slices.Chunk(days, daysPerQuery) {
		args := make([]any, 0, len(some))
		for _, d := range some {
			args = append(args, int64(d))
		}
		in := " IN (" + sqldb.ListPlaceholders(2, len(some)) + ")"
		if err == nil {
			err = r.sumCardMonths(after, " AND i.sale_day"+in+" AND e.sale_day"+in, args...)
		}
	}
	if err == nil {
		err = r.sumSlipMonths(after)
	}
	if err != nil {
		return err
	}
	return r.writeAggregates(MonthTable, before, after)
}

// readParts reads parts of months: the key, with the month as a number such as 202611, and the values.
func (r *ReconcileTx) readParts(into map[string]aggregateRow, query string, args ...any) error {
	return sqldb.EachRow(r.ctx, r.t, func(rows *sql.Rows) error {
		var basis, side, brand string
		var day, month int64
		values := make([]int64, len(MonthTable.values))
		targets := []any{&basis, &side, &day, &month, &brand}
		for i := range values {
			targets = append(targets, &values[i])
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		first := ledger.NewDate(int(month/100), time.Month(month%100), 1)
		part := aggregateRow{[]any{basis, side, day, int64(first), brand}, values}
		into[part.keyText()] = part
		return nil
	}, query, append([]any{int64(r.account)}, args...)...)
}

// sumsOf gives the sums of the amounts by SQL expressions, in the order of MonthTable.values: of each amount the printed sum and
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

// cardFigures are the figures of a row, printed and exact, by the expressions of its columns.
func cardFigures(d sqldb.Dialect) string {
	cents := sqldb.RoundToCents
	splits := func(round func(string) string) string {
		value := round("COALESCE(" + d.IntMember("x", "value") + ", 0)")
		return "COALESCE((SELECT CAST(SUM(" + value + ") AS BIGINT) FROM " + d.UnnestJSON("i.splits", "x") + "), 0)"
	}
	exactly := func(x string) string { return x }
	var b strings.Builder
	for _, f := range [][3]string{
		{"gross", "e.gross_cents * 100", "i.gross"},
		{"mdr", cents("COALESCE(i.mdr, 0)"), "COALESCE(i.mdr, 0)"},
		{"fees", cents("COALESCE(i.fee, 0)") + " + " + cents("COALESCE(i.antifraud, 0)"), "COALESCE(i.fee, 0) + COALESCE(i.antifraud, 0)"},
		{"anticipation", cents("COALESCE(i.anticipation, 0)"), "COALESCE(i.anticipation, 0)"},
		{"splits", splits(cents), splits(exactly)},
		{"n", cents("e.net"), "e.net"},
		{"s", cents("e.net_contract"), "e.net_contract"},
		{"r", cents("COALESCE(i.received, 0)"), "COALESCE(i.received, 0)"},
	} {
		b.WriteString(",\n\t\t\t\t" + f[1] + " AS " + f[0] + ",\n\t\t\t\t" + f[2] + " AS " + f[0] + "_exact")
	}
	return b.String()
}

// cardAmounts are the amounts of a month by cardFigures.
func cardAmounts() (out [ledger.MonthAmountCount][2]string) {
	const live, dead = "live = 1", "live = 0"
	received := live + " AND status = 'received'"
	positive := func(x string) string { return "(CASE WHEN " + x + " > 0 THEN " + x + " ELSE 0 END)" }
	for _, a := range []struct {
		amount ledger.MonthAmount
		when   string
		of     func(exact string) string
	}{
		{ledger.MonthGross, live, func(x string) string { return "gross" + x }},
		{ledger.MonthMDR, live, func(x string) string { return "mdr" + x }},
		{ledger.MonthFees, live, func(x string) string { return "fees" + x }},
		{ledger.MonthAnticipation, live, func(x string) string { return "anticipation" + x }},
		{ledger.MonthNetExpected, live, func(x string) string { return "n" + x }},
		{ledger.MonthSplits, live, func(x string) string { return "splits" + x }},
		{ledger.MonthReceived, received, func(x string) string { return "r" + x }},
		{ledger.MonthNotDue, live + " AND status = 'not_due'", func(x string) string { return "n" + x + " - r" + x }},
		{ledger.MonthOverdue, live + " AND status = 'overdue'", func(x string) string { return "n" + x + " - r" + x }},
		{ledger.MonthBlocked, live + " AND status = 'blocked'", func(x string) string { return "n" + x + " - r" + x }},
		{ledger.MonthShort, received, func(x string) string { return positive("n" + x + " - r" + x) }},
		{ledger.MonthOver, received, func(x string) string { return positive("r" + x + " - n" + x) }},
		{ledger.MonthDifference, live, func(x string) string {
			return "s" + x + " - n" + x + " + CASE WHEN status = 'received' THEN n" + x + " - r" + x + " ELSE 0 END"
		}},
		{ledger.MonthCancelledGross, dead, func(x string) string { return "gross" + x }},
	} {
		for i, exact := range []string{"", "_exact"} {
			out[a.amount][i] = "CASE WHEN " + a.when + " THEN " + a.of(exact) + " END"
		}
	}
	return out
}

// sumCardMonths adds the parts of the sale days that the conditions choose, on both bases. A row without the date of a basis is in
// no part of it.
func (r *ReconcileTx) sumCardMonths(into map[string]aggregateRow, conditions string, args ...any) error {
	d := r.t.DB.Dialect
	const sale = "LENGTH(nsu) || ':' || nsu || auth || ':' || sale" // with the day: one text for each sale
	parts := func(basis, month, from string) string {
		return `
		SELECT
			'` + basis + `',
			'cards',
			sale_day,
			` + month + ` AS month,
			brand,
			COUNT(DISTINCT CASE WHEN live = 1 THEN ` + sale + ` END),
			SUM(live)` + sumsOf(cardAmounts()) + `
		FROM ` + from + `
		GROUP BY sale_day, ` + month + `, brand`
	}
	return r.readParts(into, `
		WITH figures AS MATERIALIZED (
			SELECT
				i.sale_day,
				i.nsu,
				i.auth,
				i.sale,
				i.effective,
				`+d.MonthOfDay("i.sale_day")+` AS sold_in,
				`+d.MonthOfDay("i.effective")+` AS credited_in,
				e.brand,
				CASE WHEN e.class IN ('cancelled', 'chargeback') THEN 0 ELSE 1 END AS live,
				CASE e.rest
					WHEN 'blocked' THEN 'blocked'
					WHEN 'overdue' THEN 'overdue'
					WHEN 'not_due' THEN 'not_due'
					WHEN 'no_forecast' THEN 'not_due'
					ELSE 'received'
				END AS status`+cardFigures(d)+`
			FROM installment AS i
			JOIN expectation AS e ON `+facts.CurrentExpectationJoin+`
			WHERE i.account = $1 AND i.ended_pull IS NULL`+conditions+d.OptimizationFence()+`)`+
		parts(operationBasis, "sold_in", "figures")+`
		UNION ALL`+parts(creditBasis, "credited_in", "figures WHERE effective IS NOT NULL"), args...)
}

// sumSlipMonths adds the months of slips, on both bases: by the day of issue and by that of the credit.
func (r *ReconcileTx) sumSlipMonths(into map[string]aggregateRow) error {
	d := r.t.DB.Dialect
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
	return r.readParts(into, facts.MergedSlipsSQL(facts.CurrentSlips())+`,
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
		parts(operationBasis, "issued_on")+`
		UNION ALL`+parts(creditBasis, "credited_on"))
}

// MonthLines returns the months of an account as the run left them, of cards before slips by basis, month and brand; of all months
// if none is given, else of those from one to another.
func (l *Store) MonthLines(ctx context.Context, a ledger.Account, run string, months ledger.Period) ([]ledger.MonthLine, error) {
	type key struct {
		basis, side, brand string
		month              ledger.Date
	}
	sums := make(map[key]*ledger.MonthLine)
	err := readAggregates(ctx, l.db.Read, MonthTable, a, run, func(c aggregateRow) {
		k := key{c.key[0].(string), c.key[1].(string), c.key[4].(string), ledger.Date(c.key[3].(int64))}
		if months != (ledger.Period{}) && !months.Contains(k.month) {
			return
		}
		part := ledger.MonthLine{
			Account: a, Basis: k.basis, Month: k.month, Side: k.side, Brand: k.brand, Sales: c.values[0], Installments: c.values[1],
		}
		for i := range part.Printed {
			part.Printed[i], part.Exact[i] = ledger.Amount(c.values[2+2*i]), ledger.Amount(c.values[3+2*i])
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
