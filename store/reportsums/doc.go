// Package reportsums sums in SQL what reports show, from the tables and not from the rows that store/reports streams: the sums are the
// independent figures that a report set's own counters must equal before it is published. Both choose rows by the same Query.
//
// Sums of whole sale days are added up from what a reconcile kept of each day, which it computed from the rows as it had written them
// (table day_sum).
package reportsums
