// Package watch finds what people should know at once about a run that has ended: that it is incomplete, that a code breaks
// which had not for a month, that a budget of tolerated cents is used up, that the service has fallen silent, or that no
// night came.
//
// A Run is what a summary says that matters here. Everything else is read from the ledger as it stands, which the run has
// written before it ended: looked at again, it gives reason for the same alarms. Who is told, and that nobody is told twice,
// is the command line's part.
//
// # What an alarm says
//
// Counts, codes and sums. It names no payer, and not why something failed: causes may tell of machines, and alarms leave the
// house.
//
// # What it must not do
//
// It writes nothing, and it changes nothing of what came of the run: an alarm that cannot be found out is the caller's error.
package watch
