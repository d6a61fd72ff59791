// Package publish puts finished files where people and machines fetch them.
//
// A target is a folder, of any share that the system mounts, a bucket, or a directory of an SFTP server; openers in publish.go says how each
// is named. What a target promises:
//
//   - A file appears whole or not at all. It is written under a hidden name in its final directory, synced, read back and
//     compared by SHA-256, and only then gets its name; the directory is synced last.
//   - A published file is never overwritten. Publishing the same bytes again does nothing, so an interrupted publication
//     is simply repeated; other bytes under an existing name are an error.
//   - Nothing is written outside the folder: names with .. and symbolic links that lead outside are refused.
//   - What a killed process left behind (hidden names, staging directories, partial uploads) is removed by the next Stage
//     that finds it untouched for twelve hours, which is the run of the next night. The age of files is measured by the
//     clock of their file system, which all writers share; that of uploads by the wall clock.
//
// On file systems with hard links, two processes that publish one name at the same time cannot both succeed with different
// bytes. Without hard links the last step is a check and a rename, and the lease of the run keeps other writers away.
//
// # Buckets and servers
//
// In a bucket an object appears when its upload is complete, and the server itself refuses a name that is taken
// (If-None-Match: *), also for large objects that are assembled from parts. On an SFTP server the partial file gets its
// name by a hard link, or by a rename where the server has no hard links; the server's key is always checked against the
// known hosts. Files are staged on this machine for both, and read back from both. Credentials appear neither in a URL nor
// in an error.
//
// A server that hangs, and neither takes nor sends a byte for two minutes, counts as unreachable. A partial file that a
// broken connection left is removed over the next connection of the same process.
//
// # The archive
//
// An Archive is a folder, bucket or server of its own in which every published file is kept once, compressed, under the
// SHA-256 of its plain bytes ({2 hex}/{sha256}.gz), put whole like any file of a target. Folders are made 0700 and files 0600,
// and a folder that is open to others is refused. archive.json says whose ledger's it is; manifests lie a second time under
// sets/, by their names, so that an archive explains itself without its ledger. Reading a file compares its bytes with its name.
//
// An error of the target itself (full, read-only, unreachable) is ErrUnreachable: nothing has to be computed again, only
// published again. An error of the local file is not.
package publish
