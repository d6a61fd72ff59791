// Package results keeps what the rules concluded: expectations, cases and their events, what people did about them (acts, period
// closes, erasures), the bridge, the continuity, and the sums that rules over many rows need.
//
// # Expectations
//
// An expectation is current from the run that wrote it until a run concludes something else (ended_run); concluding the same again
// writes nothing. A finding is the latest state of a case; its events are never changed. Reconciling an account is one transaction,
// numbered by a row of reconciled that also records what the result rests on (inputs, suppressed rules).
//
// The aggregates bridge, rounding and population are current in the same way, from run to ended_run, and a sum of zero has no row.
// population counts what rules over many rows need: the members of an item of a kind. What one expectation adds to rounding and
// population is kept with it, so that it can be subtracted again; its brackets are what it adds to the bridge. So are
// forecast, which has what is to be credited by business day, and month_part, which has what a sale day adds to the months of a
// basis: pages and reports read them instead of summing installments. A row of continuity is a
// movement of the open gross of a sale day, brand and product, and its closing balance stays until the day changes again. A tally
// belongs to one account and run.
//
// Two columns let a night evaluate only what changed. judged is the first reconcile that took a pull, or the link of a notification,
// into account (NULL: none yet). next_on is the day on which the passage of time may change an expectation (NULL: never; day 1: every night). A run that
// reconciles an account again first undoes all of this, except findings.
//
// # Acts
//
// What people do is logged per account in acts numbered without gaps. Each act holds the hash of its predecessor and its own hash,
// whose input ledger.Act defines. An act on a case and the case's event are written in one transaction, which excludes a reconcile of
// the account: finding_event.act is the number of the act, 0 for events of a run. Every reconcile notes the last act, so that a truncated
// log is detected as far back as the last night. Acts after that which were removed together with their effects cannot be detected here.
//
// Inside a Reconciling no other writing method may be called: on SQLite, which has one writing transaction at a time, it would wait for
// the open one for ever.
package results
