// Package reports answers what reports ask of the ledger: rows in the order of their key, as of now or as of a run, and the sums of
// them. What was published is in package published.
//
// Its Store has a reader for each subject: RowReader, SumReader, CaseReader, AgendaReader, and RestatementReader for what changed in
// closed periods.
//
// The sums are computed in SQL, from the tables and not from the rows that this package streams: they are the independent figures that
// a report set's own counters must equal before it is published. Those of whole sale days are added up from what a reconcile kept of each
// day, which it computed from the rows as it had written them (table day_sum).
package reports
