// Package store is the ledger: what the payment service said, version by version, and what each run believed of it.
//
// It takes and returns nouns of store/ledger and keeps the SQL to itself. It knows no rule, no report format and no HTTP.
// Every statement is one text for both databases; what differs between them is in store/engine.
//
// # Facts
//
// A fact (an installment, or one list's view of a slip) has versions. A version stands from the pull that brought it
// (first_pull) until a pull shows something else, or nothing, in its place (ended_pull). The version that stands is the
// current one; a key whose last version ended without a successor has vanished. A version is never changed except to mark
// its end. When a row was last seen follows from the complete pulls of its day, so a night in which nothing changes writes
// its pulls and nothing else.
//
// The number of pulls grows every night, the number of days does not, so two tables summarize pulls and are updated in the
// transaction of each pull. They hold nothing that could not be derived from the pulls:
//
//   - cover, per source and day: the last pull that asked for the day, the last complete one (shown), the last and the
//     first that prove it (proved, since), and how many were complete. 0 and an empty text mean none.
//   - asked, per window that was answered completely, windows of a single slip excepted: the business days of the first
//     and the last such pull, and of the last one that brought a change (moved_on).
//
// When a view of a slip was last seen follows from the windows of its day too. Where it does not, as with the answer to a
// question about one slip, slip_sighting has a row for every pull that showed the view again, in the order of merging;
// proved marks the first complete one of its day.
//
// A window is merged in the transaction that writes its pull row, which also checks the run's lease. A merge that fails
// at any point leaves nothing behind, and merging the same answer again changes nothing.
//
// A notification is kept as it arrived. It is linked to an installment later, and the link never changes. A message the
// service sends twice is one notification with a repeat; the time of arrival tells a second arrival from the same arrival
// handed over twice.
//
// # Units
//
// The work of a run is divided into units: a day of a list to ask for, a lane of such days, an account to judge, the sets
// of an account to render. Units are planned once and kept. A pull marks the units of its days done or failed in its own
// transaction, so that the rows of a unit and its state cannot disagree; an answer for a unit that is already done is not
// merged. A process that works for another leases a unit first; until is when the lease expires.
//
// # Evidence
//
// The body of an answer is kept compressed, in the transaction of its rows, and once for all pulls that brought the same
// bytes. Its key is the SHA-256 of the bytes as they arrived, which the pulls hold; the table body also holds the hash of
// the bytes as kept. Two things about a body may change: its bytes (body_bytes) are deleted when they are older than
// evidence.keep_days, and they are rewritten when a payer is forgotten. Both hashes stay, and an act records the erasure.
// A body deleted for its age is kept again when it comes again; one in which a payer was forgotten is not.
//
// # Keys
//
// The account leads every key. The key of an installment is account, sale day, NSU, authorization, installment number and
// occurrence. The column sale tells sales with the same day, NSU and authorization apart. It equals the occurrence, except
// where a number is repeated within one sale: those rows have different occurrences and share the number of the sale.
//
// Every index on installment slows the first load, so two lookups avoid an index of all rows. A notification names no day:
// only the first row that ever came of a day, NSU and authorization (leads) is indexed without it, and leads to the
// others. A report by forecast reads the sale days that forecast_day lists for its dates; day 0 means no forecast.
//
// # Beliefs
//
// An expectation stands from the run that wrote it until a run believes something else (ended_run); believing the same
// again writes nothing. A finding is the latest state of a case; its events are never changed. Reconciling an account is
// one transaction, numbered by a row of reconciled that also records what the result rests on (inputs, shadow).
//
// The sums bridge, rounding and population stand in the same way, from run to ended_run, and a sum of zero has no row.
// population counts what rules over many rows need: the members of an item of a kind. What one expectation adds to
// rounding and population is its contribution, an opaque text that only the rules write and read, so that it can be
// subtracted again; its brackets are what it adds to the bridge. A row of continuity is a movement of the open gross of
// a sale day, brand and product, and its closing balance stands until the day moves again. A tally belongs to one account
// and run.
//
// Two columns let a night judge only what moved. judged is the first reconcile that took a pull, or the link of a
// notification, into account (NULL: none yet). next_on is the day on which the passage of time may change an expectation
// (NULL: never). A run that reconciles an account again first undoes all of this, except findings.
//
// # Runs
//
// A run record is written when the run begins and completed when it ends. In between only its steps are updated, so that
// their times survive a killed process and add up over every process that continued the run. steps are in order, in
// microseconds; an interrupted step counts up to its last update. parameters are the flags of the command. windows counts
// each question once, however often it was asked; retries counts repeated requests. lost, late, at_risk,
// claimed, waived and excess are the figures of its cases, as ledger.Figures defines them. sums are the totals of the reports. sets are the revisions the run published or found in place.
//
// # Acts
//
// What people do is logged per account in acts numbered without gaps. Each act holds the hash of its predecessor and its
// own hash, whose input ledger.Act defines. An act on a case and the case's event are written in one transaction, which
// excludes a reconcile of the account: finding_event.act is the number of the act, 0 for events of a run. Every reconcile
// notes the last act, so that a truncated log is detected as far back as the last night. Acts after that which were
// removed together with their effects cannot be detected here.
//
// # Alerts
//
// The table alert has a row per alert and recipient. It is written before the alert is sent, so that a program that ends
// in between sends it after a restart, and kept afterwards, so that nobody is told twice about one run.
//
// # Occurrences
//
// An occurrence of a schedule is identified by the schedule and its slot. The process that inserts the row runs it; a
// schedule has at most one running occurrence. While it runs, the row is leased to the process; its outcome is written
// once. A schedule is accounted for from its first_seen row on: a later slot without a row has not been handled yet.
//
// # Schema
//
// The tables are described in migrations, a directory per database. Until the first release the schema changes by editing
// these files: schema_digest holds the digest of their statements, and a ledger made by others is refused. After that a
// change will be a new file.
//
// # Columns
//
//	money           integer ten-thousandths of a real
//	rates           integer millionths of the number as sent; percent in contract_mdr_rate
//	days            integer Rata Die (1 is 0001-01-01); NULL is none
//	sold_at         integer ticks of 100 ns since 0001-01-01, local time in São Paulo
//	instants        integer microseconds since 1970, UTC; NULL is none
//	content         16 bytes: the hash of the row's content
//	texts           as sent; absent is ''
//	lists, splits   JSON text: of brackets, codes, splits, files
//
// Absent numbers are NULL, never 0.
//
// # Views
//
// The views are for people, psql and charting programs; concilia itself reads the tables. Their names begin with v_ and
// mean the same in both databases:
//
//	v_installment          current installments, with what is believed of them
//	v_installment_history  every version, with the pulls that brought and ended it
//	v_split                the splits of current installments, one a row
//	v_slip                 the current views of each slip merged into one, with what is believed of it
//	v_slip_history         every version of every list's view
//	v_finding              the cases
//	v_finding_event        every event of a case
//	v_pull                 the questions asked
//	v_run                  the runs, with all their record says; JSON columns of the table are JSON here
//	v_run_step, v_run_sum  the steps of the runs in seconds, and the totals of their reports, one a row
//	v_coverage_day         the days of each source that were asked for, and whether they are complete
//
// Money and rates are numbers: WHERE gross = 339.04 finds rows in both databases. In Postgres they are NUMERIC and exact.
// SQLite has no decimal type, so there they are REAL, each the nearest to the exact value and equal to its literal up to 15
// digits; SUM of them may be off in its last digits: round it, or sum the integers of the tables. What a case expected and
// found may be an amount, a day or a text and is text, an amount among them with four decimals.
// In Postgres days are DATE, local times TIMESTAMP, instants TIMESTAMPTZ and truth values BOOLEAN; in SQLite they are ISO
// 8601 text, instants with Z, and 0 or 1. Absent is NULL. No view shows a payer, so that a reader with access to the views
// alone sees none.
//
// # Inbox
//
// Notifications wait in the inbox until a run takes them over. Its writer commits many at a time, and Keep returns only
// after the commit that holds its notification. The inbox is separate from the ledger, on SQLite a file of its own, so
// that keeping a notification never waits for a run.
//
// # Two pools
//
// SQLite has one writing transaction at a time; readers run beside it and see the state before it. A callback of a stream
// may therefore write. Inside a Reconciling, however, no other writing method may be called: it would deadlock with the
// open transaction.
package store
