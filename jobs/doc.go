// Package jobs is the work of concilia: one file per job, and night.go, where a whole night fits on one screen.
//
// A Worker holds what every job needs: the ledger, a client of the service, the documents the rules rest on, a target to
// publish to, and two clocks. The business clock says which morning it is and dates what is pulled; a simulation may move
// it. The wall clock dates run records. Nothing here reads a clock, a flag, a file or the environment by itself: that is
// cmd/concilia's part.
//
// The jobs:
//
//   - link: takes notifications over from the inbox and finds the installment each one is about; where that is configured,
//     the service is asked by code for the sales of those that fit none, whose days go into the plan;
//   - plan: has the package plan decide which windows to ask for tonight, and keeps them as units of work;
//   - pull: asks for windows, and keeps each complete answer in one database transaction; a window is one day at night,
//     and as wide as the answers allow for a range; an answer that lacks rows of an earlier complete one is set aside and
//     the day asked for once more, and only what both answers lack vanishes;
//   - confirm: repeats the questions that a second answer can settle before a difference is called an error;
//   - reconcile: applies the rules to the ledger as of a date;
//   - report: renders, proves and publishes; at night the sets of an account are a unit, for any worker that sees the
//     share;
//   - subscription: asks where the notifications of an account are sent, and records the answer;
//   - calibrate: measures which readings of undocumented members the ledger supports;
//   - bodies: deletes kept answers past their time;
//   - check: verifies the whole ledger, and the subscriptions to notifications;
//   - scheduled: the parts of a night that a schedule may run alone: pulling, publishing;
//   - night: link, plan, pull, confirm, reconcile and report, in order;
//   - preview: what a night would publish with the ledger as it is, without writing anything.
//
// What people decide and ask is not the night's part: see the packages desk, explain and overview. What they should know at
// once is found by the package watch, and what reports ask of the ledger is answered by the package feed.
//
// # Invariants
//
// Every job is idempotent and may be killed at any point: answers are kept completely or not at all, a second run adds
// nothing, and an unchanged report is not written again. A run holds a lease on each of its accounts; a second run fails
// and names the holder. A failure in one account is reported and does not stop the others.
package jobs
