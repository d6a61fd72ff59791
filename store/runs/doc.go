// Package runs keeps what was started and what became of it: runs and their steps, the units of work of a run, the leases that
// keep two runs from one account, the occurrences of schedules, the shared request rate, alerts, and the documents (contract,
// mapping, calendar, …) that runs used.
//
// # Runs
//
// A run record is written when the run begins and completed when it ends. In between only its steps are updated, so that their
// times survive a killed process and add up over every process that continued the run. steps are in order, in microseconds; an
// interrupted step counts up to its last update. parameters are the flags of the command. windows counts each request once,
// however often it was repeated; retries counts the repetitions. lost and gained total the unresolved cases and are never netted.
// sums are the totals of the reports; sets are the revisions that the run published or found in place.
//
// Ended records form a chain: end_number counts the ends, and digest is over the record and the digest of the end before it. Where
// the chain ended is in the manifest of every set that is published (ledger.ChainEnd), so that a forger who changes a record and
// computes all digests again is found by what was published before.
//
// # Units
//
// The work of a run is divided into units: a day of a list to ask for, a backfill range of such days, an account to reconcile, the
// report sets of an account to render. Units are planned once and kept. A pull marks the units of its days done or failed in its own
// transaction, so that the rows of a unit and its state cannot disagree; an answer for a unit that is already done is not merged. A
// process that works for another leases a unit first; until is when the lease expires.
//
// # Alerts
//
// The table alert has a row per alert and recipient. It is written before the alert is sent, so that a program that ends in between
// sends it after a restart, and kept afterwards, so that no recipient gets two alerts about one run.
//
// # Occurrences
//
// An occurrence of a schedule is identified by the schedule and its time. The process that inserts the row runs it; a schedule has at
// most one running occurrence. While it runs, the row is leased to the process; its outcome is written once. A schedule is accounted
// for from its first_seen row on: a later time without a row has not been handled yet.
package runs
