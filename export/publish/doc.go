// Package publish puts finished files where people and machines fetch them.
//
// A target is named by a URL. Today that is a folder, a plain path or file://; the share may be of any kind that the
// system mounts. What a target promises:
//
//   - A file appears whole or not at all. It is written under a hidden name in the directory it will stand in, brought to
//     the disk, read back and compared by SHA-256, and only then gets its name; the directory is brought to the disk last.
//   - A published file is never overwritten. Putting the same bytes again does nothing, so a publication that broke off
//     may simply be repeated; other bytes under a name that is taken are an error.
//   - Nothing leaves the folder: names with .. and symbolic links that lead outside are refused.
//   - What a killed process left behind (hidden names, staging directories) is removed when nobody has touched it for
//     a day. Its age is measured by the clock of the target's file system, which all who write there share.
//
// Where the file system has hard links, two processes that publish one name at once cannot both succeed with different bytes.
// Where it has none, the last step is a look and a rename, and the lock of a run keeps others away.
//
// An error of the target itself (full, read-only, gone) is ErrUnreachable: nothing has to be computed again, only
// put again. An error of the local file is not.
package publish
