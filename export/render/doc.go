// Package render writes the files of one report set, proves that they agree with the ledger, and publishes them.
//
// Set writes everything that is asked for of a set under one revision number, or finds that the published revision has the same
// content and writes nothing. Compare says which of the two it would be. Recompute computes the content digest of a revision again.
//
// An extract is the same files for one person: proven alike, but without a revision. Its names end in a digest of its proof,
// so that under one name there are always the same bytes; it has no EDI file, nothing reserves a number for it, and verify
// finds it in no row of revisions.
//
// # Order of work
//
//   - Card tables are written to staging in one pass, which also computes their digests. Slips are read for their digests.
//     Rows stream; memory grows only with what is summed by day or by contract line, and with the title numbers of an EDI file.
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
// # Sale days
//
// Rows of cards come in the order of their sale days. On basis operation each row of a table is of one of these days, and a job may say
// which of them did not move since the current revision (export.SaleDays): their lines are copied from the files of that revision, whose
// hashes were compared, and what they left in sums is added to what the days that are read leave. The files have the bytes that they
// would have if every row were read. Of a file with copied lines the rest is read back; the hash of the whole shows that the copied lines
// are those that were read back when they were first written.
//
// Rendering may be killed at any point: what it wrote is in staging, which the next nightly run removes. A revision is
// published to a folder of this machine, from which it is copied into the archive (package publish below jobs); an extract
// is published to its target.
package render
