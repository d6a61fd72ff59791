// Package store is the ledger: what the payment service said, version by version, and what the runs believed of it.
//
// It speaks nouns of store/ledger outward and SQL inward. It knows no rule, no report format and no HTTP. One text of
// every statement serves both databases; what differs between them is in store/engine.
//
// # Facts
//
// A fact (an installment, a list's view of a slip) has versions. A version stands from the pull that brought it
// (first_pull) until the pull that showed something else, or nothing, in its place (ended_pull). The version that
// stands is the current one; a key whose last version ended without a successor is vanished. Nothing of a version
// changes but the marks of its end. When a row was seen last follows from the complete pulls of its day, so a night
// that changes nothing writes its pulls and nothing else.
//
// Pulls grow by the night, days do not. cover keeps of each day of a source what its pulls come to, in the transaction of
// every pull: the last that asked for it, the last that arrived whole (shown), the last and the first that prove it
// (proved, since), and how many arrived whole; 0 and an empty text are none. It says nothing that the pulls do not say. So does
// asked, which keeps of each window that arrived whole, those of single slips left out, the business days of the first
// and the last such pull and of the last that brought anything (moved_on).
//
// When a slip's view was seen follows in the same way from the windows of its day. Where it does not, as for the answer
// to a question about one slip, slip_sighting has a row for every pull that showed the view again, in order of merging;
// proved marks the first complete one of its day.
//
// A window is merged in one transaction with its pull row, inside which the run's lease is checked. A merge that ends
// early, whatever ended it, leaves nothing behind; merging the same answer again changes nothing.
//
// A notification is what the service said of a change, kept as it arrived; its link to an installment is found later and
// never changes once there. What came twice is one notification with a repeat: an arrival handed over again is told
// from another arrival by when it arrived.
//
// # Units
//
// What a run has to do lies in units: a day of a list to ask for, a lane of such days, an account to judge. They are
// planned once and stay. A pull marks the units of its days done, or failed, in the transaction that keeps it, so that
// what a unit brought and that it is done are one; an answer to what is done already is not merged. Whoever does a unit
// for another process leases it first: until says how long it is his.
//
// # Evidence
//
// The body of an answer is kept compressed, once for all pulls that brought the same, in the transaction of its rows. It
// is known by the SHA-256 of what arrived, which its pulls hold; the table body holds that of what is kept beside it. The
// bytes, in body_bytes, are the one thing that is deleted for its age, and a body that a payer was forgotten in is
// the one thing that is rewritten; both hashes stay, and the act of forgetting is in the log. A body deleted for its age
// is kept anew when it comes again, one that a payer was forgotten in is not.
//
// # Keys
//
// The account leads every key. An installment's key is account, sale day, NSU, authorization, installment number and
// occurrence; the column sale tells the sales of one day, NSU and authorization apart. It equals the occurrence, but
// for a number repeated within one sale: those rows have occurrences of their own and share the sale's number.
//
// A first load pays for every index of installment, row by row, so two questions are answered without one of all rows.
// A notification names no day: the first row that ever came of a day, NSU and authorization leads to the others (leads).
// A report by forecast reads the sale days that forecast_day gives for its dates, 0 being none.
//
// # Beliefs
//
// An expectation stands from the run that wrote it until a run believes something else (ended_run): believing the same
// again writes nothing. A finding is the last sight of a case; its events are never changed. All of a reconcile of an
// account is one transaction, which a row of reconciled numbers and says what it rested on (inputs, shadow).
//
// Sums stand like expectations, from run to ended_run, and one that comes to nothing has no row: bridge, rounding,
// and population, which counts what rules over many rows read (members of an item of a kind). What an expectation adds
// to rounding and population is its contribution, a text that whoever judges writes and reads, so that it can be taken
// away again; what it adds to the bridge are its brackets. A row of continuity is what moved the open gross of a sale
// day, brand and product, and its closing stands until the day moves again. A tally is of one account and run.
//
// So that a night looks at what moved alone, judged names the reconcile that was the first to know a pull or the link
// of a notification, NULL none yet, and next_on the day on which time may turn an expectation, NULL never. A run that
// reconciles again takes all of this back first, findings apart.
//
// # Runs
//
// A record is written when its run begins and once more, whole, when it ends; never after. In between its steps alone are
// noted, so that the time they took is known of a run whose process was killed, too, and adds up over every process that
// took it up. steps holds them in their order with microseconds; a step that was broken off is counted up to the last
// note. parameters are the flags of the command; windows counts each question once, however often it was asked, retries
// the requests made again; lost and gained are what the cases that stand come to, apart; sums what the reports come to;
// sets the revisions that the run made, or found standing.
//
// # Acts
//
// What people do goes into a log per account, numbered without holes; each entry holds the hash of the one before, and a
// hash of itself that ledger.Act spells out. An act on a case and the case's event that names it are one transaction,
// which waits for a reconcile of the account and is waited for: finding_event.act is its number, 0 of a run's own. Every
// reconcile notes where the log ended, so that a cut end shows as far back as the last night; a later act whose effect
// was removed with it is found by nothing here.
//
// # Alerts
//
// What people are to be told is in alert, once for each of who is told: raised before it is told, so that a program that
// ends in between tells it when it is started again, and kept afterwards, so that nobody is told twice of one run.
//
// # Occurrences
//
// An occurrence of a schedule is known by the schedule and its slot. Whoever inserts its row runs it, one of a schedule at a
// time; while it runs the row belongs to a process, as a lease does, and what became of it is written once. A schedule is
// accounted for from its first_seen row on: a slot after it without a row is one that nobody has come to.
//
// # Columns
//
//	money           integer ten-thousandths of a real
//	rates           integer millionths of the number as sent; percent in contract_mdr_rate
//	days            integer Rata Die (1 is 0001-01-01); NULL is none
//	sold_at         integer ticks of 100 ns since 0001-01-01 on a clock in São Paulo
//	instants        integer microseconds since 1970, UTC; NULL is none
//	content         16 bytes: the hash of what stands in the row
//	texts           as sent; absent is ''
//	lists, splits   JSON text: of brackets, codes, splits, files
//
// Absent numbers are NULL, never 0.
//
// # Views
//
// The views are for people, psql and programs that draw charts; the program itself reads the tables. Their names begin
// with v_ and mean the same in both databases:
//
//	v_installment          what stands, with what is believed of it
//	v_installment_history  every version, with the pulls that brought and ended it
//	v_split                the splits of what stands, one a row
//	v_slip                 the views of a slip that stand, merged into one, with what is believed of it
//	v_slip_history         every version of every list's view
//	v_finding              the cases
//	v_finding_event        everything that happened to them
//	v_pull                 the questions asked
//	v_run                  the runs, each with all its record says; what is a JSON text in the table is one here
//	v_run_step, v_run_sum  the steps of the runs with their seconds, and what their reports come to, one a row
//	v_coverage_day         the days of a source that were asked for, and whether whole
//
// Money has four decimals and rates six: NUMERIC in Postgres; in SQLite, which has no decimals, text that is exact. Its
// SUM of such a text is a float: sum the integers of the tables instead, or give the text to a program that knows
// decimals. Days are DATE, what a clock in São Paulo showed TIMESTAMP, instants TIMESTAMPTZ and truths BOOLEAN in
// Postgres; in SQLite text as in ISO 8601, instants with Z, and 0 or 1. Absent is NULL. Who pays a slip is in no view, so
// that somebody who may read the views alone never sees it.
//
// # Inbox
//
// Notifications wait in the inbox until a run takes them over. Its writer commits many at a time and each is kept before
// Keep returns. It is beside the ledger, not in it: on SQLite a file of its own, so that keeping never waits for a run.
//
// # Two pools
//
// Writing is done by one transaction at a time on SQLite; reading goes on beside it and sees the state before. A
// function handed to a stream may therefore write, but inside a Reconciling no other method that writes may be called:
// it would wait for the transaction that waits for it.
package store
