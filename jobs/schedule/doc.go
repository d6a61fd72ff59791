// Package schedule starts jobs by the clock and accounts for every occurrence of every schedule: it was run, caught up
// or skipped, and why. It is independent of jobs, ledger and configuration: its caller passes in the function that runs a
// job, the store of occurrences, and a clock.
//
// # Slots
//
// A slot is the instant at which an occurrence is due. Schedule and slot are the key of the occurrence's row, and the
// process that inserts the row owns the occurrence, so that exactly one of any number of processes runs it. A schedule is
// identified by its job, its times and their zone: changing the times makes another schedule, which continues where the old one ended.
//
// Times are local times of the zone, enumerated first and converted to instants afterwards. A schedule that names hours
// ("30 2 * * *") has one slot per named time: a time skipped by the clock change in spring is due at the instant of the
// change, a time shown twice in autumn is due the first time. A schedule for every hour ("*/10 * * * *") follows elapsed
// time: no slots in a skipped hour, twice as many in a repeated one. @every counts from 1970, so that slots do not shift
// when a process restarts.
//
// # The outcome of a slot
//
// A slot that comes due while a process watches is run at once, or as soon as the job that is running has ended: a process
// runs one job at a time. It is skipped if the previous occurrence of its schedule is still running; if the previous one
// is still waiting, the older of the two is skipped. A slot that came due while no process was watching was missed:
// catch_up runs the missed slots that are not older than catch_up_days, oldest first; latest runs the last one; skip runs
// none. An occurrence whose accounts are locked by another run is retried until half the time to the next slot has passed,
// and for six hours at most.
//
// A process renews the row of its running occurrence. When the renewals stop, another process runs the occurrence again,
// before later ones. No occurrence is lost, and jobs must be idempotent. An occurrence whose process died five times is
// skipped, so that a job that kills its process does not do so for ever.
//
// When its context ends, a scheduler starts nothing more and gives the running job time to finish. After that the job is
// interrupted and its occurrence put back for the next process.
package schedule
