// Package publish archives proven report sets and delivers them to the target.
//
// A set is rendered once. Its files go into the archive first, then its revision is recorded in the ledger, in one transaction
// with a delivery that waits, then its files are copied to the target and the delivery ends. Killed anywhere, the next run goes
// on with copies: nothing is rendered twice, lost or doubled.
//
//   - A Session is one publication. Opening one checks that the archive is there and is the ledger's.
//   - Keep puts the files of a set into the archive; any worker may do that, on any machine that sees the archive.
//   - Record writes the revision. Only the process that leads the run does.
//   - Deliver copies a revision to the target: its files, the manifest, the done marker last. A file whose very bytes lie
//     there is not written again, other bytes under its name are never overwritten.
//   - What a full or unreachable target did not take waits: the next run delivers it, in the order of publication.
//   - Retention selects and deletes published files whose days are over; an Indexer writes the pages that lead to the files.
//
// An error of the archive ends the session: nothing more is published, and nothing was lost, since no revision is recorded
// before its files are archived. An error of the target does not: what is recorded waits.
package publish
