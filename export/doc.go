// Package export turns one set of the ledger's answers into files, and proves that they say what the ledger says.
//
// A set is the reports of one account, basis, period and filter. Render writes whatever is asked for of it under one
// revision number, or finds that all of it stands already and writes nothing.
//
// # One row model
//
// A Table lists its columns once, as data: id, headers, type, decimals, when a cell is empty, labels. Every format
// reads that list. A report kind is one file of this package: its columns, and how a row is filled. Rows stream; what
// grows is only what is added up by day, and the title numbers of an EDI file.
//
// # Cents
//
// Money is shown in whole cents, rounded per row when the row is built; totals are sums of what is printed, so that
// the installments, their summary, the workbook's total and the trailer of the EDI file are one figure. Beside each
// printed sum the sum at four decimals is kept, and control shows both.
//
// # Order of work
//
//   - Card tables are written to staging in one pass, with their digests. Slips are passed over for their digests.
//   - The digests are held against those that stand. Nothing new: the staging is dropped, no number is reserved.
//   - Numbers are reserved, EDI files and slips are written, then the workbook, from the tables' own csv.
//   - Every file is read back with a strict reader, and each count and sum is compared by three ways: the ledger's
//     own query, the counters kept while writing, the bytes read back. Any difference refuses the whole set.
//   - Control is written with all of these figures, then the files are published, the manifest after them, and a
//     file that says it is done last. That one holds the manifest's hash.
//
// A rendering may be killed anywhere. What it left without its mark was never published: the next one takes it away and
// writes the same names again, with the same numbers. What it left with its mark, and nobody remembers, is adopted.
//
// # Verify
//
// Verify needs no ledger: it reads a tree of published sets, holds every file against its manifest's hash and sums,
// parses it again, works the identities out again from the tables, and holds all of it, the manifest too, against
// control. A file that is missing, changed, misplaced, or listed by nobody is a fault that names it; what is hidden is
// on its way and no business of a reader. It cannot miss the newest revision of a set when all of that is taken away:
// only the ledger knows that there was one.
//
// # Invariants
//
//   - Equal content gives equal bytes: no clock, no locale, no order of maps. Run, revision and reasons stand only in
//     the control table's own file and in the manifest, and never enter a digest.
//   - The package reads no ledger and changes none. A Feed answers it, Numbers hands out what must not be used
//     twice, a Publisher makes files visible.
//   - Names and documents of persons are shown only by kinds that are told to.
package export
