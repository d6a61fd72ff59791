// Package calendar computes which days are business days of Brazilian banks.
//
// # Two calendars
//
// The last business day of the year settles payments but has no service at the counter. So there are two calendars, and
// every method takes the Kind of calendar:
//
//   - Settles counts that day. It is for card forecasts and receipts, slip credits, and everything not listed below.
//   - Counter does not. It is for slip due dates, lateness and limits, and only it contains an account's local days.
//
// # Where days come from
//
// Weekends, the fixed national holidays, and the days that depend on Easter are computed for every year of the
// horizon; 20 November counts from 2024. State and city holidays do not stop settlement between banks, so none is
// built in. The configuration may close further days or open closed ones, for both calendars or for Counter
// alone; weekends cannot be opened. Ash Wednesday is a business day that opens at noon.
//
// # Horizon
//
// A calendar covers the years FirstYear to LastYear. Outside them Check returns an error, no day is a business day, and a
// result that would lie outside is the zero date: nothing panics and nothing is guessed.
//
// # Use
//
// New computes every day of the horizon once; afterwards a Calendar never changes, is safe for concurrent use, and needs
// one or two table lookups per call. Text and Hash identify its content: two calendars with the same closed days
// have the same hash, however they were configured.
package calendar
