// Package manifest has what names a published set and proves that it is whole: the names of its files and their parts, the
// manifest that lists them, the done marker, the signature of the manifest, and the tombstones of files that were deleted.
//
// Every text of this package is read by programs of others, so a name or a line in it never changes its meaning.
package manifest
