// Package queue distributes the units of a run: to goroutines of this process (Pool), or to any process that shares a
// ledger on Postgres.
//
// A unit is a row of the ledger. Its result and its state are written in one transaction, so a queue may deliver a unit
// more than once, even to two workers: the second finds it done and changes nothing. A queue therefore promises only to
// return when every unit it was given is done or failed, or with the first error that ends the run.
//
// The units of a nightly run are windows to pull, accounts to evaluate, and the report sets of an account to render, prove and
// publish. The last two need much memory for a long time, so a process does one of them at a time. Making a file visible is
// not part of any transaction: it happens only after the ledger confirms that the worker still holds the unit's lease
// (Ledger.ConfirmUnitLease). A worker that stalled so long that it lost the lease ends with ErrLeaseLost and changes nothing more. A
// worker that cannot do a unit, for example because it does not see the share, gives it back with the reason; the unit goes
// to another worker, and in the end to the process that leads the run.
//
// A unit that fails by itself (a window that the service does not answer) is not an error of the queue: the work function
// records the failure in the unit and returns nil. An error from the work function means that no process can continue:
// the credentials are refused, the ledger is unreachable, or the run was taken over.
package queue
