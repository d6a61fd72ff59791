// Package feed answers what reports ask of a ledger: rows in their order, and beside them the ledger's own sums of the same
// rows, which every rendered table is compared with.
//
// # As of a run
//
// A Feed is of one set of files: accounts, basis, period and filter. All of its answers are as of the run that its query
// names, so that what was pulled or done since is of a later report, and a report rendered again says the same. A set over
// several accounts is their rows one account after the other, and its sums are added up.
//
// # Two ways
//
// Rows come from one query and sums from another, so that a row that is lost or shown twice on the way to a file leaves a
// difference. What a sum of the ledger cannot know, the business days of a case and the bucket of an aging, is brought into
// it here by the calendar, from counts by day and not from the rows.
//
// # State sets
//
// A state set tells how things stood on a morning instead of what a period held: cases with their ages, what is late, what
// is to come. Only a Feed with a State can answer for one.
//
// # What it must not do
//
// It judges nothing and rounds nothing, and what the ledger holds stays as it is. Only Numbers writes: it reserves the
// sequence numbers of EDI files and the numbers of titles, which have to be given out once.
package feed
