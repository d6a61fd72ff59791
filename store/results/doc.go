// Package results keeps what the rules concluded: expectations, the bridge, the continuity, and the sums that rules over many rows
// need. The cases are in package caselog, and what the rows add up to is summed by package totals: a reconcile writes both in its
// transaction.
//
// # Expectations
//
// An expectation is current from the run that wrote it until a run concludes something else (ended_run); concluding the same again
// writes nothing. A finding is the latest state of a case; its events are never changed. Reconciling an account is one transaction,
// numbered by a row of reconciled that also records what the result rests on (inputs, suppressed rules).
//
// The aggregates bridge, rounding and population are current in the same way, from run to ended_run, and a sum of zero has no row.
// population counts what rules over many rows need: the members of an item of a kind. What one expectation adds to rounding and
// population is kept with it, so that it can be subtracted again; its brackets are what it adds to the bridge. The tables
// of package totals are current in the same way, too. A row of continuity is a movement of the open gross of a sale day, brand and
// product, and its closing balance stays until the day changes again. A tally belongs to one account and run.
//
// Two columns let a night evaluate only what changed. judged is the first reconcile that took a pull, or the link of a notification,
// into account (NULL: none yet). next_on is the day on which the passage of time may change an expectation (NULL: never; day 1: every night). A run that
// reconciles an account again first undoes all of this, except findings.
//
// moved of reconciled has the months, by basis, of the rows and cases that the reconcile says something else of (see MovedMonths): the
// report sets of other months need not be read after it. It has the sale days of the installments that the reconcile says something else
// of, too: of the month's other days nothing needs to be read.
//
// digests of reconciled has one for each table, over the rows that the reconcile made and ended; CheckConclusions computes them from
// the rows. ConclusionEnds chains the reconciles of an account, and what is published carries the end of that chain, like that of
// the records of runs.
//
// Inside a Reconciling no other writing method may be called: on SQLite, which has one writing transaction at a time, it would wait for
// the open one for ever.
package results
