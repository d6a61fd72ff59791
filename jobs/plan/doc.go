// Package plan decides what a night asks the service for, each question with its reason.
//
// The service can be searched by operation day only, and an installment is seen paid only when the day of its sale is asked
// for again. Asking for every day that may still change, a year and more of them, would cost hundreds of calls a night, so
// the plan asks for the days on which the ledger says that something can have happened.
//
// # The windows
//
// A window is one day of one list, asked for once, for the first reason that applies:
//
//   - no complete answer proves the day yet: one that began before the day had ended does not;
//   - it is one of the last days, or is due, paid or credited around now;
//   - it holds an installment that is due or overdue, or blocked past its promises;
//   - what it brought has not been judged, a notification names it, or an answer looked cut there;
//   - it holds anything else open: every seventh night, or every night where money came early of late and no notification
//     would tell;
//   - some days after it was finished, ever more rarely: what is done may still be changed in silence.
//
// Delays says within how many nights that sees what the service shows. Since is the first day of an account that a plan
// reaches back to.
//
// # Beside the windows
//
// Some questions prove nothing of a day: they measure whether the ends of a list belong to it, ask for what no list shows,
// such as the detail of a slip whose registration has been stuck since an earlier morning, or what the settlement simulator
// charges. Nothing vanishes because of their answers, and a night is complete without them.
//
// # What it must not do
//
// It reads the ledger and writes nothing, calls nobody and reads no clock: the same ledger and as-of give the same plan.
// Turns are counted by the as-of, and by when a day was asked for last, so that nights left out are caught up with.
package plan
