package sqldb

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// fuse is the number of everything that a program serves as a file system, over the network or not.
const fuse = 0x65735546

// networkFilesystem recognizes the file systems by the magic number that statfs gives.
func networkFilesystem(path string) string {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return ""
	}
	// The type of the field differs from machine to machine, and the numbers have 32 bits.
	switch uint32(s.Type) {
	case 0x6969:
		return "NFS"
	case 0xff534d42, 0xfe534d42, 0x517b:
		return "SMB"
	case fuse:
		mounts, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			return ""
		}
		return networkFUSE(path, string(mounts))
	case 0x01021997:
		return "9p"
	case 0x00c36400:
		return "Ceph"
	case 0x5346414f, 0x6b414653:
		return "AFS"
	case 0x73757245:
		return "Coda"
	case 0x0bd00bd0:
		return "Lustre"
	}
	return ""
}

// networkFUSE names the program that serves path, by the table of mounts, when it is one known to go over the network:
// local disks and the folders that a virtual machine gets from its host have the same number.
func networkFUSE(path, mounts string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	longest, kind := -1, ""
	for line := range strings.Lines(mounts) {
		where, what, ok := strings.Cut(line, " - ")
		at, is := strings.Fields(where), strings.Fields(what)
		if !ok || len(at) < 5 || len(is) == 0 {
			continue
		}
		point := strings.ReplaceAll(at[4], `\040`, " ")
		// What was mounted later on one place hides what was there before.
		if isWithin(abs, point) && len(point) >= longest {
			longest, kind = len(point), is[0]
		}
	}
	switch program := strings.TrimPrefix(kind, "fuse."); program {
	case "sshfs", "s3fs", "rclone", "gcsfuse", "goofys", "mount-s3", "davfs", "glusterfs", "ceph-fuse", "smbnetfs",
		"curlftpfs", "nfs", "juicefs", "seaweedfs", "blobfuse", "blobfuse2":
		return program
	}
	return ""
}

func isWithin(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}
