// Package totals adds up what a reconcile concluded of the rows of an account, and reads the sums that reconciles kept. It only reads:
// package results writes the rows that it is handed here, in the transaction of the reconcile.
//
// Cards walks once over the installments of some sale days, each with its expectation, and makes all sums of them; those of a day that a
// reconcile has just evaluated whole it takes from WrittenCards, once queries over the rows agree. What they add up to
// is kept in tables with a row for each sale day, so that a run sums only the days that it evaluated:
//
//   - day_sum: the sums of the columns of report sets (DaySumTable).
//   - month_part: what the day adds to the months of a basis (MonthTable). Slips have one part of each month, of no sale day.
//   - forecast_part: what of the day is to be credited, by day of the service's forecast (ForecastPartTable). The calendar makes forecast of it
//     (ForecastTable), with what slips are to bring.
//   - waiting: how many installments of the day wait, for what, and until when (WaitingTable).
//
// Pages and reports read these tables instead of summing installments, as a plan reads waiting for the sale days to be asked for again.
//
// Differences is the other side of the bridge: N* less what was received, taken from the rows and not from what the rules made of them.
package totals
