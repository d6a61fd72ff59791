package results

import (
	"maps"
	"slices"

	"concilia/store/ledger"
	"concilia/store/totals"
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
	return w.wrapError(w.keepTotals(all, days, in))
}

func (w *totalsWriter) keepTotals(all bool, days []ledger.Date, in ledger.ForecastReading) error {
	if err := w.sumCardTotals(all, days); err != nil {
		return err
	}
	cards := &w.conclusions.totals
	slipMonths, err := totals.SumSlipMonths(w.ctx, w.t, w.account)
	if err != nil {
		return err
	}
	if _, err := w.keepParts(totals.MonthTable, all, days, append(cards.ListMonthParts(), slipMonths...)); err != nil {
		return err
	}
	parts, err := w.keepParts(totals.ForecastPartTable, all, days, cards.ListForecastParts())
	if err != nil {
		return err
	}
	forecast, err := totals.SumForecast(w.ctx, w.t, w.account, maps.Values(parts), in)
	if err != nil {
		return err
	}
	if err := w.aggregates.updateAggregates(totals.ForecastTable, true, forecast); err != nil {
		return err
	}
	if _, err := w.keepParts(totals.WaitingTable, all, days, cards.ListWaiting()); err != nil {
		return err
	}
	_, err = w.keepParts(totals.DaySumTable, all, days, cards.ListDaySums())
	return err
}

// keepParts keeps what the days, or all of them, add to a table, and returns what every day adds to it. Rows of which nothing is left
// are among those, with zeros.
func (w *totalsWriter) keepParts(t totals.Table, all bool, days []ledger.Date, parts []totals.Row) (map[string]totals.Row, error) {
	rows, err := w.aggregates.readCurrentAggregates(t)
	if err != nil {
		return nil, err
	}
	after := t.ReplaceParts(rows, all, days, parts)
	if err := w.aggregates.writeAggregates(t, rows, after); err != nil {
		return nil, err
	}
	maps.Copy(rows, after)
	return rows, nil
}

// CardSums gives what the ledger holds of the days per day, brand and product, by queries of its own over the rows: the
// other side of the cards' bridge, N* − R, and the gross of the open rows. R is taken from the rows, not from what the
// rules made of it; what was paid before a claw-back is netted against it. Rows that no run has evaluated, and vanished ones,
// are in neither. No days at all are every day.
func (w *totalsWriter) CardSums(days []ledger.Date) ([]ledger.DaySum, error) {
	err := w.sumCardTotals(len(days) == 0, days)
	if err != nil {
		return nil, w.wrapError(err)
	}
	return w.conclusions.totals.ListDifferences(days), nil
}

// SumCardsAhead begins to sum the days for CardSums and KeepTotals in the background. They come in order, and the caller writes
// no more expectations of their cards in this reconcile, unless it calls Restart.
func (w *totalsWriter) SumCardsAhead(days []ledger.Date) error {
	if len(days) == 0 {
		return nil
	}
	err := w.conclusions.installments.flushBatch(w.ctx)
	if err == nil {
		written := w.conclusions.takeWritten()
		err = w.t.RunInBackground(func() error { return w.sumDays(written, false, days) })
	}
	return w.wrapError(err)
}

// sumCardTotals sums what is not summed yet of the days, or of all days there can be. What is written after it is not in the totals:
// they are dropped, and summed again.
func (w *totalsWriter) sumCardTotals(all bool, days []ledger.Date) error {
	err := w.conclusions.flushAll()
	if err == nil {
		err = w.sumDays(w.conclusions.takeWritten(), all, days)
	}
	w.conclusions.totalsAreRead = true
	return err
}

// sumDays sums what is not summed yet of the days, or of all days there can be: of whole days that were just written from what was at hand then.
func (w *totalsWriter) sumDays(written *totals.WrittenCards, all bool, days []ledger.Date) error {
	cards := &w.conclusions.totals
	isAsked := func(day ledger.Date) bool { return all || slices.Contains(days, day) }
	if !slices.ContainsFunc(written.Days(), func(day ledger.Date) bool { return !isAsked(day) }) {
		if err := cards.TakeWritten(w.ctx, w.t, w.account, written); err != nil {
			return err
		}
	}
	return cards.SumMissing(w.ctx, w.t, w.account, all, days)
}

// SlipSums gives V* − credited of the account's slips per due date, as CardSums does: credited is what was paid, once
// the view seen last has a credit date.
func (w *totalsWriter) SlipSums() ([]ledger.DaySum, error) {
	if err := w.conclusions.flushAll(); err != nil {
		return nil, w.wrapError(err)
	}
	rows, err := totals.SumSlips(w.ctx, w.t, w.account)
	out := make([]ledger.DaySum, len(rows))
	for i, b := range rows {
		out[i] = ledger.DaySum{Day: b.Day, Difference: b.Amount}
	}
	return out, w.wrapError(err)
}
