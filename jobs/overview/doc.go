// Package overview looks up what a person wants to see first: how things stand, which days are known, and what changed
// between two runs.
//
//   - Status: the last night and one that has not ended, what is open, and what waits;
//   - Coverage: of every day of every list, whether an answer proves it. A day is complete once an answer arrived whole that
//     was asked for after the day had ended;
//   - Diff: what the later of two runs knew and believed, less what the earlier one did: totals, cases, documents and
//     revisions, each as of its run.
//
// # What it must not do
//
// It judges nothing, calls nobody and writes nothing, not even the first day an account is answered for. It takes no lock, so
// that it answers while a night runs.
package overview
