package results

import (
	"maps"

	"concilia/store/ledger"
)

// totalsWriter reads what the rows of an account add up to, and keeps the sums of its days, months and forecast and of what waits.
type totalsWriter struct {
	*accountTx
	conclusions *conclusionWriter
	aggregates  *aggregateWriter
}

// KeepTotals adds up the days, the months, the forecast and what waits of the account, and keeps them as of the run: of cards what the days
// add to them, or all days, and of slips all. It is called once in an attempt, after the last expectation.
func (w *totalsWriter) KeepTotals(all bool, days []ledger.Date, in ledger.ForecastReading) error {
	err := w.sumCardTotals(all, days)
	if err == nil {
		err = w.keepMonths(all, days)
	}
	if err == nil {
		err = w.keepForecast(all, days, in)
	}
	if err == nil {
		err = w.keepWaiting(all, days)
	}
	if err == nil {
		err = w.keepDaySums(all, days)
	}
	return w.wrapError(err)
}

// dropOtherDays leaves out the parts of the sale days that are not summed, unless all are.
func dropOtherDays(parts map[string]aggregateRow, all bool, days []ledger.Date, cardDay func(aggregateRow) (isCard bool, saleDay int64)) {
	if all {
		return
	}
	summed := setOfDays(days)
	maps.DeleteFunc(parts, func(_ string, c aggregateRow) bool {
		isCard, day := cardDay(c)
		return isCard && !summed[ledger.Date(day)]
	})
}

// replaceParts returns the parts that take the place of those before: what none of them names is left with nothing.
func replaceParts(before map[string]aggregateRow, parts []aggregateRow) map[string]aggregateRow {
	after := make(map[string]aggregateRow, len(before))
	for id, was := range before {
		after[id] = aggregateRow{was.key, make([]int64, len(was.values))}
	}
	for _, part := range parts {
		after[part.keyText()] = part
	}
	return after
}
