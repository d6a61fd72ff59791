// Package publish puts finished files where people and machines fetch them.
//
// A target is named by a URL: a folder (a plain path or file://, of any share that the system mounts), a bucket
// (s3://bucket/prefix) or a directory of an SFTP server (sftp://user@host/path). What a target promises:
//
//   - A file appears whole or not at all. It is written under a hidden name in the directory it will stand in, brought to
//     the disk, read back and compared by SHA-256, and only then gets its name; the directory is brought to the disk last.
//   - A published file is never overwritten. Putting the same bytes again does nothing, so a publication that broke off
//     may simply be repeated; other bytes under a name that is taken are an error.
//   - Nothing leaves the folder: names with .. and symbolic links that lead outside are refused.
//   - What a killed process left behind (hidden names, staging directories, halves of uploads) is removed by the next
//     Stage that finds it untouched for twelve hours: by the run of the next night. Its age is measured by the clock of
//     the file system it lies on, which all who write there share; that of uploads by the wall clock.
//
// Where the file system has hard links, two processes that publish one name at once cannot both succeed with different bytes.
// Where it has none, the last step is a look and a rename, and the lock of a run keeps others away.
//
// # Buckets and servers
//
// In a bucket an object appears when its upload is complete, and the server itself refuses a name that is taken
// (If-None-Match: *). On a server the part gets its name by a hard link, or by a rename where it has none; its key is
// always held against the known hosts. Both are read back; both are staged on this machine. Credentials never stand in a
// URL, nor in an error.
//
// An error of the target itself (full, read-only, gone) is ErrUnreachable: nothing has to be computed again, only
// put again. An error of the local file is not.
package publish
