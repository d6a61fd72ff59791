// Package books keeps the movement: events of titles, each published once, and the cuts that they were found in.
//
// A cut of a source (cards, slips) holds the events that became known between the run of the cut before and its own. The cuts of
// one run are the account's next set of the movement, which is published under the as-of of the run. A cut is one transaction:
// its row, its events, the numbers of their titles and of the files. What is published is made from these rows alone, so that it is
// the same however often it is made.
package books
