package engine

import (
	"fmt"
	"path/filepath"
)

// Filesystem names the kind of the file system a path lies on when it is one over a network, or is empty. A path that
// cannot be asked about is taken for a local one: the database itself tells what is wrong with it.
type Filesystem func(path string) string

// refuseNetwork refuses a file on a network's file system. The write-ahead log needs memory that all processes share,
// which machines do not, and the locks of such file systems hold less than they say: a ledger there breaks one day.
func refuseNetwork(path string, kind Filesystem) error {
	if is := kind(filepath.Dir(path)); is != "" {
		return fmt.Errorf("%w: %s lies on a file system over the network (%s), where SQLite loses data: put the ledger on a "+
			"local disk, or use postgres://… for one that machines share", ErrDSN, path, is)
	}
	return nil
}
