package sqldb

import (
	"fmt"
	"path/filepath"

	"concilia/export/words"
)

// Filesystem returns the kind of the network file system on which a path is, or empty for a local one. A path that
// cannot be examined counts as local: opening the database will report what is wrong with it.
type Filesystem func(path string) string

// refuseNetworkPath refuses a file on a network's file system. The write-ahead log needs memory that all processes share,
// which machines do not, and the locks of such file systems hold less than they say: a ledger there breaks one day.
func refuseNetworkPath(path string, kind Filesystem) error {
	if is := kind(filepath.Dir(path)); is != "" {
		return fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.network", "", "path", path, "kind", is))
	}
	return nil
}
