// Package queue hands the units of a run to whoever works: goroutines of this process (Pool), or processes anywhere that
// share a ledger on Postgres.
//
// A unit is a row of the ledger. What it does and that it is done are one commit there, so a queue may hand a unit out
// twice, to two workers even: the second finds it done and changes nothing. A queue therefore promises only that it
// comes back when every unit it was given has been worked on to an end, done or failed, or with the first error that
// ends the run.
//
// The units of a night are windows to pull, accounts to judge, and the sets of an account to render, prove and publish. The
// last two hold much memory for long: a process does one of them at a time. What a transaction can't undo, a file made
// visible, is done only after asking the ledger whether the unit is still this worker's (store.StillMine); a worker that
// stood still so long that it was taken over ends with ErrLost and changes nothing more. One that can't do a unit here, such
// as one that does not see the share, fails it: it is given back with the reason and comes round at another, at last at the
// process that leads the run.
//
// What a unit fails of by itself (a window that the service does not answer) is no error of the queue: work notes it in
// the unit and returns nil. An error of work is one that nobody can go on after: credentials refused, the ledger gone,
// the run taken over.
package queue
