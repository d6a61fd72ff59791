// Package totals adds up what a summary says of money: over the operation months that a night publishes, the ledger's own
// sums of cards and of slips.
//
// A night's summary, its run record and the comparison of two runs take their figures from here, so that what a run said and
// what it is compared by are one calculation. The figures are sums of what reports show, to the cent; nothing is rounded
// here once more.
package totals
