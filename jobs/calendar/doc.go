// Package calendar answers which days are business days of Brazilian banks.
//
// # Two calendars
//
// The last business day of the year settles payments but has no service at the counter, so the one question has
// two answers, and every method takes the Kind that is meant:
//
//   - Settles counts that day. It judges card forecasts and receipts, slip credits, and everything not said otherwise.
//   - Counter does not. It judges slip due dates, lateness and limits, and it alone takes an account's local days.
//
// # Where days come from
//
// Weekends, the fixed national holidays, and the days that hang on Easter are computed for every year of the
// horizon; 20 November counts from 2024. State and city holidays do not stop settlement between banks, so none is
// built in. The configuration may close further days or open closed ones, for both calendars or for Counter
// alone; weekends cannot be opened. Ash Wednesday is a business day that opens at noon.
//
// # Horizon
//
// A calendar knows the years FirstYear to LastYear and nothing else. Outside them Check returns an error, no day is
// a business day, and a date that would lie outside is no date (zero): nothing panics and nothing is guessed.
//
// # Use
//
// New works out every day of the horizon once; afterwards a Calendar never changes, is safe to share, and answers
// each question with one or two table reads. Text and Hash name its content: two calendars with the same closed
// days have the same hash, however they were written.
package calendar
