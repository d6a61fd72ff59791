// Package facts keeps what came from the service, version by version: pulls and the bodies of their answers, installments, slips,
// notifications, rows that could not be parsed, and which days were answered completely.
//
// # Versions
//
// A fact (an installment, or one list's view of a slip) has versions. A version is current from the pull that brought it (first_pull)
// until a pull shows something else, or nothing, in its place (ended_pull). A key whose last version ended without a successor has
// vanished. A version is never changed except to mark its end. When a row was last seen follows from the complete pulls of its day,
// so a night in which nothing changes writes its pulls and nothing else.
//
// The number of pulls grows every night, the number of days does not, so two tables summarize pulls and are updated in the
// transaction of each pull. They hold nothing that could not be derived from the pulls:
//
//   - cover, per source and day: the last pull that asked for the day, the last complete one (shown), the last and the first that
//     prove it (proved, since), and how many were complete. 0 and an empty text mean none.
//   - asked, per window that was answered completely, windows of a single slip excepted: the business days of the first and the last
//     such pull, and of the last one that brought a change (moved_on).
//
// When a view of a slip was last seen follows from the windows of its day too. Where it does not, as with the answer to a request for
// one slip, slip_sighting has a row for every pull that showed the view again, in the order of merging; proved marks the first
// complete one of its day.
//
// A window is merged in the transaction that writes its pull row, which also checks the run's lease. A merge that fails at any point
// leaves nothing behind, and merging the same answer again changes nothing.
//
// A notification is kept as it arrived. It is linked to an installment later, and the link never changes. A message that the service
// sends twice is one notification with a repeat; the time of arrival distinguishes a second arrival from the same arrival handed over
// twice.
//
// # Evidence
//
// The body of an answer is kept compressed, in the transaction of its rows, and once for all pulls that brought the same bytes. Its
// key is the SHA-256 of the bytes as they arrived, which the pulls hold; the table body also holds the hash of the bytes as kept. Two
// things about a body may change: its bytes (body_bytes) are deleted when they are older than evidence.keep_days, and they are
// rewritten when a payer is forgotten. Both hashes stay, and an act records the erasure. A body deleted for its age is kept again when
// it comes again; one in which a payer was forgotten is not.
//
// # Keys
//
// The account leads every key. The key of an installment is account, sale day, NSU, authorization, installment number and occurrence.
// The column sale distinguishes sales with the same day, NSU and authorization. It equals the occurrence, except where a number is
// repeated within one sale: those rows have different occurrences and share the number of the sale.
//
// Every index on installment slows the first load, so two lookups avoid an index of all rows. A notification names no day: only the
// first row that ever came of a day, NSU and authorization (leads) is indexed without it, and leads to the others. A report by forecast
// reads the sale days that forecast_day lists for its dates; day 0 means no forecast.
//
// # As of a run
//
// A reconcile notes with every pull that it was the first to include it (judged). As of a run, the pulls are those included by it and by those
// before it, and later runs change nothing of that.
package facts
