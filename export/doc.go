// Package export turns one set of the ledger's answers into files, and proves that they say what the ledger says.
//
// A set is the reports of one account, basis, period and filter. Render writes whatever is asked for of it under one
// revision number, or finds that all of it stands already and writes nothing.
//
// # One row model
//
// A Table lists its columns once, as data: id, headers, type, decimals, when a cell is empty, labels. Every format
// reads that list. A report kind is one file of this package: its columns, and how a row is filled. Rows stream; what
// grows is only what is added up by day or by contract line, and the title numbers of an EDI file.
//
// # Cents
//
// Money is shown in whole cents, rounded per row when the row is built; totals are sums of what is printed, so that
// the installments, their summary, the workbook's total and the trailer of the EDI file are one figure. Beside each
// printed sum the sum at four decimals is kept, and control shows both.
//
// # Fees and claims
//
// A charge is off the contract when the row was judged by a contract line and a rule fired for the amount; what a rule
// tolerates, or could not judge, counts as due. Fees adds the charges up by contract line. Claims lists what is off, each
// with its case; it is ordered by fee first, so the installments are passed over once for each fee that has any, and
// nothing is held. Line by line both come to the same difference, or the set is refused. The lines are those of the
// contract that the run judged by.
//
// # Order of work
//
//   - Card tables are written to staging in one pass, with their digests. Slips are passed over for their digests.
//   - The digests are held against those that stand. Nothing new: the staging is dropped, no number is reserved.
//   - Numbers are reserved, EDI files and slips are written, then the workbook, from the tables' own csv. Past the records
//     of an EDI file its titles go on in another one, installments-2, with a number of its own; of the parts the ledger
//     answers for the last, by what the earlier ones leave. So do the entries of a statement, each file opening with what
//     the one before closed with.
//   - Every file is read back with a strict reader, and each count and sum is compared by three ways: the ledger's
//     own query, the counters kept while writing, the bytes read back. Any difference refuses the whole set.
//   - Control is written with all of these figures, then the files are published, the manifest after them, and a
//     file that says it is done last. That one holds the manifest's hash.
//
// A rendering may be killed anywhere. What it left without its mark was never published: the next one takes it away and
// writes the same names again, with the same numbers. What it left with its mark, and nobody remembers, is adopted. Its
// staging is hidden, and the target sweeps it before the next night (package publish).
//
// # Verify
//
// Verify needs no ledger: it reads a tree of published sets, holds every file against its manifest's hash and sums,
// parses it again, works the identities out again from the tables, and holds all of it, the manifest too, against
// control. A file that is missing, changed, misplaced, or listed by nobody is a fault that names it; what is hidden is
// on its way and no business of a reader. It cannot miss the newest revision of a set when all of that is taken away:
// only the ledger knows that there was one.
//
// Control also says where the logs of acts ended. Verify gives these ends back for whoever has the ledger at hand: a log
// that lacks such an act was cut after the set was published. A path with no set below it proves nothing, and is a fault.
//
// # Retention
//
// A published file goes when it is past its days and does not stand any more: a later revision of its set has one of
// its name, or it shows the state of a day that is not the last. It goes whole, and what it was stays known: before it a
// tombstone is put beside its manifest, named after the set and the day (set_…_r0.20271206.retired), with the SHA-256 and
// the name of the manifest and of each file that goes, as sha256sum prints them. Then the mark of the set goes, as the set
// is not whole any more, then the files. Manifest and tombstones are never taken away. To Verify a file may be missing when
// a tombstone of its own manifest names it and, of a period, a later revision has one of its name; a tombstone that says
// otherwise is a fault. What is there is checked as ever. What went is also listed by the control of the account's next
// state set, from what the ledger remembers: a tombstone that somebody made to hide a file is not in it, and a fault. Of the
// days since the last state set the ledger alone can tell, which Verify's reader holds the revisions found against; and the
// last state of an account never goes. Written again by its recipe, a revision has its mark back, and
// its tombstones go last.
//
// # Invariants
//
//   - Equal content gives equal bytes: no clock, no locale, no order of maps. Run, revision and reasons stand only in
//     the control table's own file and in the manifest, and never enter a digest.
//   - The package reads no ledger and changes none. A Feed answers it, Numbers hands out what must not be used
//     twice, a Publisher makes files visible.
//   - Names and documents of persons are shown only by kinds that are told to.
package export
