// Package verify checks published sets again: a directory of them, or those in the directory of a file.
//
// CheckTree needs no ledger. It reads a tree of published sets, compares every file with the hash and sums in its manifest,
// parses it again, recomputes the identities from the tables, and compares all of it, the manifest included, with control.
// A file that is missing, changed, misplaced or not listed is a fault that names it; hidden files are unfinished and are
// ignored. CheckTree cannot notice that the newest revision of a set was removed as a whole: only the ledger has a record of
// it.
//
// Control also records the last act of each log. CheckTree returns these ends to a caller that has the ledger: a log without
// such an act was truncated after the set was published. A path with no set below it proves nothing, and is a fault.
//
// # Deleted files
//
// CheckTree accepts a missing file when a tombstone of its own manifest names it and, for a period, a later revision has a
// file of the same name; a tombstone that says otherwise is a fault. Files that are still there are checked as ever. The
// control of the account's next state set also lists what was deleted, from the ledger's records, so a tombstone forged to
// hide a file is a fault. Files deleted since the last state set are recorded in the ledger only, so CheckTree's caller compares
// the revisions found with it. The last state of an account is never deleted. When a deleted revision is written again, its
// .done file comes back and its tombstones are removed last.
package verify
