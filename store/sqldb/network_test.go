package sqldb

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestNetwork: a file on a network's file system is refused with what to do, one on a disk is not.
func TestNetwork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct{ name, kind, says string }{
		{"a disk", "", ""},
		{"a share of the office", "NFS", "(NFS)"},
		{"a folder mounted by ssh", "sshfs", "postgres://"},
	} {
		var asked string
		err := refuseNetworkPath(filepath.Join(dir, "ledger.db"), func(path string) string {
			asked = path
			return c.kind
		})
		if asked != dir {
			t.Errorf("%s: asked about %s", c.name, asked)
		}
		if (err != nil) != (c.kind != "") || err != nil && (!errors.Is(err, ErrDSN) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if is := networkFilesystem(dir); is != "" {
		t.Errorf("the folder of the tests lies on %s", is)
	}
	if is := networkFilesystem(filepath.Join(dir, "nowhere")); is != "" {
		t.Errorf("a folder that is not there lies on %s", is)
	}
}
