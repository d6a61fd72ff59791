package main

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// The shares of a night in trouble: what is mounted over the folder of the reports, for one process alone.
const (
	readOnlyShare = "ro"
	fullShare     = "size=4k,nr_inodes=1"
)

// troubledShare makes of a command the same one that finds such a share at a folder. It is one process as before.
func troubledShare(cmd *exec.Cmd, folder, share string) {
	script := fmt.Sprintf(`mount -t tmpfs -o %s none "$0" && exec "$@"`, share)
	cmd.Args = append([]string{"sh", "-c", script, folder, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.SysProcAttr = ownSpace(syscall.CLONE_NEWNS)
}

// anotherMachine makes of a command one whose process is the first of a PID namespace of its own, under the same host name.
func anotherMachine(cmd *exec.Cmd) { cmd.SysProcAttr = ownSpace(syscall.CLONE_NEWPID) }

func ownSpace(also uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | also,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: syscall.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: syscall.Getgid(), Size: 1}},
	}
}

// mayTrouble reports whether processes may have namespaces of their own here, and a file system in one.
func mayTrouble(t *testing.T) bool {
	t.Helper()
	try := exec.Command("/bin/true")
	troubledShare(try, t.TempDir(), fullShare)
	out, err := try.CombinedOutput()
	if err != nil {
		t.Logf("shares are not troubled and hosts not doubled here: %v %s", err, strings.TrimSpace(string(out)))
	}
	return err == nil
}
