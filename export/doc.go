// Package export renders one report set from the ledger into files, and proves that the files agree with the ledger.
//
// A set is the reports of one account, basis, period and filter. Render writes everything that is asked for of a set under
// one revision number, or finds that the published revision has the same content and writes nothing.
//
// An extract is the same files for one person: proven alike, but without a revision. Its names end in a digest of its proof,
// so that under one name there are always the same bytes; it has no EDI file, nothing reserves a number for it, and Verify
// finds it in no row of revisions.
//
// # One row model
//
// Package table has the row model: columns as data, cells, and the text formats that read them. Package report
// has the kinds: a file each, with its columns, how its rows are filled and the identities of its totals. Rows stream; memory
// grows only with what is summed by day or by contract line, and with the title numbers of an EDI file. Package edi makes
// the records of such a file from rows.
//
// # Cents
//
// Money is shown in whole cents, rounded once when a row is built. Totals are sums of printed amounts, so that the
// installments, their summary, the workbook's total and the trailer of the EDI file are the same figure. The sum at four
// decimals is kept with each printed sum, and control shows both.
//
// # Fees and claims
//
// A charge deviates from the contract when the row was evaluated with a contract line and a rule fired for the amount; what
// a rule tolerates, or could not evaluate, counts as due. Fees sums the charges by contract line. Claims lists the deviating
// charges, each with its case. Claims are ordered by fee first, so the installments are read once for each fee that has
// any, and none are kept in memory. Line by line both must come to the same difference, or the set is refused. The
// contract lines are those of the run that evaluated the rows.
//
// # Order of work
//
//   - Card tables are written to staging in one pass, which also computes their digests. Slips are read for their digests.
//   - The digests are compared with those of the published revision. If they are equal, the staging is dropped and no
//     number is reserved.
//   - Numbers are reserved, EDI files and slips are written, then the workbook, from the csv of the tables. When an EDI
//     file reaches its maximum of records the next titles go into another one, installments-2, with a number of its own;
//     the ledger's figures for one part are its sums less the other parts. Entries of a statement are split in the same way,
//     each file opening with the closing balance of the one before.
//   - Every file is read back with a strict reader, and each count and sum is compared from three sources: a query of the
//     ledger, the counters kept while writing, the bytes read back. Any difference refuses the whole set. Sums that mean nothing by
//     themselves (rates, versions, ages, ordinals) are compared, too, and control does not list them.
//   - Control is written with all of these figures. Then the files are published, after them the manifest, and last the .done
//     file, which holds the manifest's hash.
//
// Rendering may be killed at any point: what it wrote is in staging, which the next nightly run removes. A revision is
// published to a folder of this machine, from which it is copied into the archive (package publish below jobs); an extract
// is published to its target.
//
// Inputs are what the content of a revision depends on besides rows and documents. With them Recompute computes the content
// digest of a revision again, as of its run.
//
// # Verify
//
// Verify needs no ledger. It reads a tree of published sets, compares every file with the hash and sums in its manifest,
// parses it again, recomputes the identities from the tables, and compares all of it, the manifest included, with control.
// A file that is missing, changed, misplaced or not listed is a fault that names it; hidden files are unfinished and are
// ignored. Verify cannot notice that the newest revision of a set was removed as a whole: only the ledger has a record of
// it.
//
// Control also records the last act of each log. Verify returns these ends to a caller that has the ledger: a log without
// such an act was truncated after the set was published. A path with no set below it proves nothing, and is a fault.
//
// # Retention
//
// A published file is deleted when it is older than its retention and no longer current: a later revision of its set has a
// file of the same name, or it shows the state of a day that is not the last. Before a file goes, a tombstone is written
// next to the manifest, named after the set and the day (set_…_r0.20271206.retired), with the SHA-256 and the name of the
// manifest and of each file that goes, in the format of sha256sum. Then the .done file is deleted, since the set is no
// longer complete, then the files. Manifest and tombstones are never deleted.
//
// Verify accepts a missing file when a tombstone of its own manifest names it and, for a period, a later revision has a
// file of the same name; a tombstone that says otherwise is a fault. Files that are still there are checked as ever. The
// control of the account's next state set also lists what was deleted, from the ledger's records, so a tombstone forged to
// hide a file is a fault. Files deleted since the last state set are recorded in the ledger only, so Verify's caller compares
// the revisions found with it. The last state of an account is never deleted. When a deleted revision is written again, its
// .done file comes back and its tombstones are removed last.
//
// # Invariants
//
//   - Equal content gives equal bytes: no clock, no locale, no map order. Run, revision and reasons are only in the
//     control table's own file and in the manifest, and never enter a digest.
//   - The package does not open the ledger and changes nothing in it. A ReportSource returns its rows and sums, Numbers
//     reserves numbers that must not be used twice, a Publisher makes files visible.
//   - Names and documents of persons are shown only by kinds that are configured to show them.
package export
