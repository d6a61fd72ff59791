// Package plan decides what a nightly run requests from the service, and why.
//
// The service can be searched by operation day only, and an installment is seen as paid only when the day of its sale is
// requested again. Requesting every day that may still change, more than a year of them, would cost hundreds of requests a
// night. So the plan requests the days on which something can have happened according to the ledger.
//
// # The windows
//
// A window is one day of one list, requested once, for the first reason that applies:
//
//   - no complete answer proves the day yet: one that began before the day had ended does not;
//   - it is one of the last days, or is due, paid or credited around now;
//   - it holds an installment that is due or overdue, or blocked after its forecast;
//   - its rows have not been evaluated, a notification names it, or an answer seemed truncated there;
//   - it holds anything else open: every seventh night, or every night if money came early recently and no notification would
//     report it;
//   - some days after it was finished, less and less often: the service may change it without a notification.
//
// Delays returns within how many nights a change at the service is seen. FirstDay returns the first day of an account that a
// plan covers.
//
// # Probe requests
//
// Probe requests prove no day. They measure whether the bounds of a list are inclusive, or request what no list shows, such as
// the detail of a slip whose registration has been stuck since an earlier run, or the charges of the settlement simulator. No
// row vanishes because of their answers, and a nightly run is complete without them.
//
// # What it must not do
//
// It reads the ledger and writes nothing, sends no request and reads no clock: the same ledger and as-of give the same plan.
// Which night a day is due in depends on the as-of and on its last request, so that missed nights are made up for.
package plan
