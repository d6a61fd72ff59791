// Package bank takes in statements of banks: it recognizes the format of a file by its content, reads it, finds whose bank
// account it is, and says for which days it is whole. store/bank keeps it.
//
// # How a file is read
//
// A File is read piece by piece, once for its hash and once for its rows, which package rows keeps in a temporary file where they are many:
// what is in memory does not grow with the file. Bytes that were taken in before are known by their hash and not read again.
//
// # What proves a day
//
// A statement that states its window has every line of a day in it, if the day ended before the file was made. One that
// states none is whole strictly between its first and last row: more rows of those two days may exist.
//
// # What is no movement
//
// Banks write balances as rows, and announce movements of days to come. Balance rows are counted, and those that are the
// closing of their own day are balances. Rows after the day the statement is of are scheduled: kept apart until a later
// file shows them booked.
//
// # How a payer pays
//
// Whether a credit is of a day, a brand or a slip, of one account or of all, less splits or tariffs, is configured, or measured: a
// Measurement matches the last settled days under every combination and finds what comes to clearly more reais than anything else.
//
// # What a night looks at again
//
// A day on which every group and line found its own by the passes that look at one day alone is closed. The other passes see
// only what is left of days, so a closed day changes nothing elsewhere, but that a later debit may take back one of its
// credits. A night therefore matches a Scope: the days with a new line or with something else credited, those that are not
// closed, those that people decided about, and those of credits that a debit line may take back. The matches of the other days
// are kept.
package bank
