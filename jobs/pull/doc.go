// Package pull asks the service for windows of days and keeps its answers in the ledger.
//
// A Puller has what this needs: the ledger, a client of the service, the inbox of notifications, the planner, clocks and
// progress. It works for one run at a time, in this order:
//
//   - LinkNotifications moves notifications from the inbox to the ledger and links each to its installment. The days of those
//     that fit none go into the plan; where it is configured, their sales are also searched for by code;
//   - PlanNight plans the windows of a nightly run, and PlanRanges the ranges of a backfill, as units of work in the ledger.
//     A run is planned once, so that one that was killed continues with the plan it had;
//   - PullUnits asks for single days, PullRanges for ranges in windows as wide as the answers allow. Every complete answer
//     is merged in one database transaction with its pull;
//   - Recheck sends the probe requests of a nightly run, and asks a second time about slips whose lists contradict each
//     other, before a rule may report an error about them.
//
// # When an answer is not trusted
//
// An answer that lacks rows of an earlier complete answer is not merged: the window is asked for again, and only rows that
// both answers lack vanish. An answer for several days whose number of rows looks like a limit of the operator is asked for
// again in halves, which are kept instead; if the halves have other rows, earlier windows with the same number of rows are
// rechecked too. A window that fails is kept as failed and does not stop the others. After maxUnreachable windows in a row
// without a connection the others are not asked for.
//
// Nothing is evaluated here. Every step may be killed and repeated; processes may share the units of a run.
package pull
