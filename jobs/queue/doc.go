// Package queue hands the units of a run to whoever works: goroutines of this process (Pool), or processes anywhere that
// share a ledger on Postgres.
//
// A unit is a row of the ledger. What it does and that it is done are one commit there, so a queue may hand a unit out
// twice, to two workers even: the second finds it done and changes nothing. A queue therefore promises only that it
// comes back when every unit it was given has been worked on to an end, done or failed, or with the first error that
// ends the run.
//
// What a unit fails of by itself (a window that the service does not answer) is no error of the queue: work notes it in
// the unit and returns nil. An error of work is one that nobody can go on after: credentials refused, the ledger gone,
// the run taken over.
package queue
