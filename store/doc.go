// Package store opens the ledger: what the payment service said, version by version, and what each run concluded from it.
//
// It keeps the SQL to itself and the packages below it, each of which describes its tables on its own page:
//
//   - store/ledger and below it: the nouns that all of them take and return. They have no SQL.
//   - store/sqldb: the two databases. Every statement is one text for both; what differs between them is there.
//   - store/runs: runs and their steps, units of work, leases, occurrences of schedules, alerts, documents.
//   - store/facts: what came from the service: pulls and the bodies of their answers, installments, slips, notifications.
//   - store/lookup: which sales and slips a word, a day or a payer leads to.
//   - store/caselog: cases and their events, and what people did about them.
//   - store/results: what was concluded: expectations, sums; store/totals: what the rows add up to, by day and month.
//   - store/published: what was published; store/reports: the rows of reports; store/reportsums: their sums, computed apart;
//     store/restatements: what changed in closed periods.
//   - store/bank: statements of banks, and what they prove.
//   - store/books: the movement of the day and the journal.
//   - store/sales: the sales of the shops themselves; store/concluded: how both keep what runs conclude of them.
//   - store/spool: brings records into order before they are taken in or shown, however many there are.
//
// This package opens a ledger with all of them, makes its tables, checks and backs it up, waits out its outages, and keeps the inbox. No package of
// store refers to a rule, a report format or HTTP.
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
//	v_installment          current installments, with their expectations
//	v_installment_history  every version, with the pulls that brought and ended it
//	v_split                the splits of current installments, one a row
//	v_slip                 the current views of each slip merged into one, with its expectation
//	v_slip_history         every version of every list's view
//	v_finding              the cases
//	v_finding_event        every event of a case
//	v_pull                 the pulls
//	v_run                  the runs, with all their record says; JSON columns of the table are JSON here
//	v_run_step, v_run_sum  the steps of the runs in seconds, and the totals of their reports, one a row
//	v_bank_line            lines of payers in the statements of banks, and what became of each
//	v_bank_group           what the service says it paid into a bank account as one credit, and what became of it
//	v_bank_match           both sides of every match of them
//	v_bank_day             the days of bank accounts, and what statements prove of them
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
// SQLite has one writing transaction at a time; readers meanwhile see the state before it. A callback of a stream
// may therefore write. Inside a results.ReconcileTx, however, no other writing method may be called: it would deadlock with the
// open transaction.
package store
