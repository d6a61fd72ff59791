package sqldb

import (
	"fmt"
	"path/filepath"
)

// Filesystem returns the kind of the network file system on which a path is, or empty for a local one. A path that
// cannot be examined counts as local: opening the database will report what is wrong with it.
type Filesystem func(path string) string

// refuseNetworkPath refuses a file on a network's file system. The write-ahead log needs memory that all processes share,
// which machines do not, and the locks of such file systems hold less than they say: a ledger there breaks one day.
func refuseNetworkPath(path string, kind Filesystem) error {
	if is := kind(filepath.Dir(path)); is != "" {
		return fmt.Errorf("%w: %s lies on a file system over the network (%s), where SQLite loses data: put the ledger on a "+
			"local disk, or use postgres://… for one that machines share", ErrDSN, path, is)
	}
	return nil
}
