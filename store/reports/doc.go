// Package reports answers what reports ask of the ledger: rows in the order of their key, as of now or as of a run, cases, and what is to
// come. What was published is in package published; the sums that a set's own counters must equal are in package reportsums.
//
// Its Store has a reader for each subject: RowReader, CaseReader, AgendaReader, and RestatementReader for what changed in closed periods.
// A Query says which rows a report has; its methods give the conditions in SQL.
package reports
