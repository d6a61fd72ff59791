// Package source answers what reports ask of the ledger: rows in their order, and the ledger's own sums of the same rows,
// with which every rendered table is compared.
//
// # As of a run
//
// A ReportSource belongs to one report set: accounts, basis, period and filter. All of its answers are as of the run that
// its query names: what was pulled or decided since belongs to a later report, and a report rendered again is the same.
// A set over several accounts has their rows one account after the other, and their sums added up.
//
// # Two queries for one amount
//
// Rows come from one query and sums from another, so that a row that is lost or repeated on the way to a file leaves a
// difference: rows are read by a reader for each subject, sums by tableSums. The ledger does not know business days: the age
// of a case and the bucket of an aging are computed here with the calendar, for the sums from counts by day and not from the rows.
//
// # Sets as of a day, and totals
//
// A ReportSource with a StateSet also answers for sets that show how things were on a day instead of what a period held:
// cases with their ages, what is late, what is due later. PublishedMonths, AddPeriodTotals, SumSet and NameTotals compute the figures of
// a summary, of a run record and of the comparison of two runs, so that these are one calculation.
//
// Nothing is evaluated or rounded here. Only EDINumbers writes: it reserves the sequence numbers of EDI files and the
// numbers of titles, each of which is given out once.
package source
