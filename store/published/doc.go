// Package published keeps what was published: the revisions of report sets with their files, to which targets each was delivered and
// what of it the archive still has, and the numbers that EDI files and titles were given, each of them once.
//
// A revision is written once. Later only its delivery, its removal from the archive and what its content followed from are noted.
// A ledger that was restored from a backup takes back what its targets have (Lost). What the rows of reports and
// their sums are is in packages reports and reportsums.
package published
