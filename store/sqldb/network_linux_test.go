package sqldb

import "testing"

// TestNetworkFUSE: the program behind a folder is that of the innermost mount over it.
func TestNetworkFUSE(t *testing.T) {
	t.Parallel()
	const mounts = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:40 / /far rw,nosuid - fuse.sshfs host:/data rw,user_id=0
41 40 0:41 / /far/near rw - fuseblk /dev/sdb1 rw
42 22 0:42 / /with\040blank rw - fuse.rclone remote: rw
43 22 0:43 / /host rw - fuse.grpcfuse grpcfuse rw
a line of something else
`
	for _, c := range []struct{ name, path, want string }{
		{"the disk", "/var/lib/concilia", ""},
		{"mounted by ssh", "/far/ledger", "sshfs"},
		{"the mount itself", "/far", "sshfs"},
		{"a name that only begins alike", "/farther", ""},
		{"a local disk mounted below", "/far/near/x", ""},
		{"a blank in the name", "/with blank/x", "rclone"},
		{"the host of a virtual machine", "/host/x", ""},
	} {
		if got := networkFUSE(c.path, mounts); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
