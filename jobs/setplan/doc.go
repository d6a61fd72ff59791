// Package setplan says which report sets there are: those that a nightly run owes (Planner), and those that a person's
// request for reports asks for, now (Search) or as of a past run (AsOfSearch).
//
// A night owes, for each account and basis, the month of the day before and the month before that, and the state of the
// day; then the same over all accounts. A closed month has no set. A request is parsed (Parser), which refuses
// contradictions, and is answered as of the last reconcile of each account; what was closed or published is named by its
// revisions, the rest has to be rendered. ReadVerdict and ReadInputsOfRun read what a past reconcile concluded and by
// which documents.
//
// It only reads the ledger. What a set contains is in package reportset; package setpublish renders and publishes it.
package setplan
