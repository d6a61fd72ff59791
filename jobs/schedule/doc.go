// Package schedule starts jobs by the clock and accounts for every occurrence of every schedule: it was run, caught up
// or skipped, and why. It knows no job, no ledger and no configuration: whoever wires it hands in what a job does, the
// rows that remember, and a clock.
//
// # Slots
//
// A slot is the instant at which an occurrence is due, and with its schedule the key of its row. Whoever inserts the row
// has the occurrence, so that of any number of processes one runs it. A schedule is named by its job, its times and
// their zone: other times are another schedule, which goes on where the one before it ended.
//
// Times are those that clocks show in the zone, walked one after another and then turned into instants. Where hours are
// named ("30 2 * * *") every named time is one slot: one that the clocks jump over in spring is due at the instant they
// jump, one that they show twice in autumn is due the first time. Where every hour is meant ("*/10 * * * *") slots follow
// what has passed: none in an hour that is jumped over, and one each time in an hour shown twice. @every counts from
// 1970, so that slots stay where they are over restarts.
//
// # What becomes of a slot
//
// A slot that comes due while a process watches is run at once, or as soon as the one job a process runs at a time has
// ended. When the occurrence before it is still running it is skipped; when that one still waits, the older is skipped.
// What came due while nobody watched is missed: catch_up runs what is not older than its days, oldest first; latest runs
// the last; skip none. An occurrence that others keep from its accounts is tried again until half the time to the next
// one has passed, six hours at most.
//
// The row of a running occurrence is renewed while its process lives. When it does not live any more another takes the
// occurrence again, in front of later ones: nothing that was begun is lost, and a job must bear to be run twice. After
// the fifth death it is skipped, so that a job that kills its process does not do so for ever.
//
// Told to end, a scheduler starts nothing more and gives the running job a time to end by itself. After that it is
// interrupted and put back: the next process takes it again.
package schedule
