// Package report says what a kind of report is, and holds the kinds of what the service lists: summary, month, installments, splits,
// fees and claims of cards, slips of boletos, restatement of both. Each kind is a file: what its tables are, which bases and formats
// it goes with, what it takes from the rows of a set, its sums, its totals and the identities they obey. The kinds of basis asof
// are in package asof, those that also rest on banks, stores or books in package othersides, and package kindlist lists all. Package
// render writes the files of a set and proves them, package verify checks them later.
//
// # A kind
//
// A Definition is what a kind is: its tables, its side, its bases and formats, the kinds that it needs, and Begin. Begin
// starts a Content, the one interface of all kinds. A Content says in its Intake which rows of the ledger it takes; Set.Fill
// passes over each source once, whatever number of kinds take from it, and calls Finish of a kind after the last row.
//
// Three ways to be filled: installments writes a row for each row that passes. summary adds rows up and writes its lines in
// Finish; it has totals that are no sums of its columns, and returns them from FillTotals and DistinctTotals.
// aging takes parts of two sources, cases and what is not due, and its identities rest on those of exceptions and of the
// agenda, which it finds in the Set.
//
// A content of cards that is also a DayContent can take what a sale day left in it in place of the rows of that day. A night then reads
// the days of a month that moved, if all contents of cards of the set can: see package render.
//
// # A new kind
//
// A new kind is one file: its table, its Definition, its Content, and a RowReader when a formula has terms that are no sum of
// a column. It has a line in package kindlist, at the place of its tables in a set. When it takes rows that no kind takes today, their
// type is in rows.go, an interface of RowSource and Intake get a function for them, and passes a line.
//
// # Cents
//
// Rows show whole cents, rounded when a row is built. Every sum is kept twice, as printed and at four decimals (table.Money);
// identities must leave nothing at four decimals.
package report
