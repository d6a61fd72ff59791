// Package export renders one report set from the ledger into files, and proves that the files agree with the ledger.
//
// A set is the reports of one account, basis, period and filter. Render writes everything that is asked for of a set under
// one revision number, or finds that the published revision has the same content and writes nothing.
//
// An extract is the same files for one person: proven alike, but without a revision. Its names end in a digest of its proof,
// so that under one name there are always the same bytes; it has no EDI file, nothing reserves a number for it, and verify
// finds it in no row of revisions.
//
// # One row model
//
// Package table has the row model: columns as data, cells, and the text formats that read them. Package report
// has the kinds: a file each, with its columns, how its rows are filled and the identities of its totals. Rows stream; memory
// grows only with what is summed by day or by contract line, and with the title numbers of an EDI file. Package edi makes
// the records of such a file from rows.
//
// What a set shares with those who read it later has packages of its own: manifest has the names of files, the manifest, its
// signature and tombstones; control the rows of the control table, their words, and the figures that prove a file; readback
// the readers that a file has to pass; verify checks a published tree; retire deletes what is older than its retention; index
// writes the page that leads to all sets.
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
// # Invariants
//
//   - Equal content gives equal bytes: no clock, no locale, no map order. Run, revision and reasons are only in the
//     control table's own file and in the manifest, and never enter a digest.
//   - The package does not open the ledger and changes nothing in it. A ReportSource returns its rows and sums, Numbers
//     reserves numbers that must not be used twice, a Publisher makes files visible.
//   - Names and documents of persons are shown only by kinds that are configured to show them.
package export
