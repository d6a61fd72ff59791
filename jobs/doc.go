// Package jobs is the work of concilia: one file per job, and night.go, where a whole night reads on one screen.
//
// A Worker holds what every job needs: the ledger, a client of the service, the documents the rules rest on, a place
// to publish to, and two clocks. The business clock says which morning it is and dates what is pulled; a simulation
// may move it. The wall clock dates run records. Nothing here reads a clock, a flag, a file or the environment by
// itself: cmd/concilia wires.
//
// The jobs:
//
//   - link: takes over what the service notified and finds the installment each notification speaks of;
//   - plan: the windows to ask for tonight, each with its reason;
//   - pull: asks, and keeps every answer that arrived whole in one database transaction a window; a night's windows are a
//     day each, those of a range as wide as the answers allow;
//   - confirm: asks once more about what a second answer can settle, before anyone calls it an error;
//   - reconcile: lets the rules judge what is kept, as of a date;
//   - report: renders, proves and publishes what an account is owed and got; of a night the sets of an account are a unit
//     that any worker does that sees the share;
//   - subscription: asks where the notifications of an account go, and records it;
//   - coverage: tells which days are complete, partial or missing;
//   - acts: what people do about cases, logged, by a second person where four eyes are asked for;
//   - explain: puts everything there is to say about one case on a page;
//   - calibrate: measures which readings of what the service leaves open the ledger speaks for;
//   - evidence: shows the answer that was kept, and forgets a payer;
//   - check: reads the whole ledger again, and asks where notifications go;
//   - scheduled: the parts of a night, as schedules start them: pulled alone, published alone;
//   - night: link, plan, pull, confirm, reconcile and report, in order.
//
// # Invariants
//
// Every job may be run twice and killed anywhere: what is kept is kept whole, a second run keeps nothing new, and an
// equal report is not written again. A run holds the lease of its accounts; a second one is told who has it. One
// account's trouble is told and does not stop the others.
package jobs
