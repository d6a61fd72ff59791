// Package casework is what people decide about cases, months and payers, and what they look up about runs
// and cases as a whole. What is known of one case or one item is in jobs/explain.
//
// # Decisions
//
// A Handler carries out what people decide:
//
//   - ActOnCases: one verb on cases, named or chosen by a filter: acknowledge, assign, dispute, answer, waive,
//     close, reopen;
//   - ChangePeriod: closes a month of accounts on a basis, or reopens the one closed last. A close fixes the revision
//     that was published last, for the kinds of report that FixedByClose names;
//   - ErasePayer: erases a payer from the kept response bodies and statements.
//
// Every decision is written to the log of acts with its actor and reason, in the transaction of what it changes. Nothing
// is written for a dry run, nor for a request that changes nothing, so that a request may be repeated.
//
// A request that does not fit one of its cases or accounts is carried out for none of them: all obstacles are collected
// and returned at once in a *RequestError. Every other job returns the same type for a request that a person must
// correct: it has the words for the person and a hint at what would help, and the command line has one exit code for it.
//
// The first person's act on a verb that needs two people is logged as a proposal and changes nothing. The same act with
// the same parameters by another person within seven days carries it out and names the proposal. Names are compared
// without regard to case. A proposal is used up by the act that confirms it.
//
// # Look-ups
//
//   - Overview.ReadStatus: the last nightly run and one that has not ended, what is open, and what waits;
//   - Overview.ReadCoverage: for every day of every list, whether a complete response proves it;
//   - Overview.CompareRuns: totals, cases, documents and revisions as of two runs;
//   - Watcher.FindAlarms: what people should know at once about a finished run. An alarm has counts, codes and sums,
//     no payer and no cause of a failure, because alarms are sent outside.
//
// Look-ups take no lock, write nothing and do not call the service. They apply no rule: they show what the last run
// found.
package casework
