// Package retire deletes files of published sets that are older than their retention, and leaves a tombstone that names them.
//
// A published file is deleted when it is older than its retention and no longer current: a later revision of its set has a
// file of the same name, or it shows the state of a day that is not the last. Before a file goes, a tombstone is written
// next to the manifest, named after the set and the day (set_…_r0.20271206.retired), with the SHA-256 and the name of the
// manifest and of each file that goes, in the format of sha256sum. Then the .done file is deleted, since the set is no
// longer complete, then the files. Manifest and tombstones are never deleted.
package retire
