package sqldb

import "syscall"

// networkFilesystem recognizes the file systems by the name that statfs gives.
func networkFilesystem(path string) string {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return ""
	}
	var name []byte
	for _, c := range s.Fstypename {
		if c == 0 {
			break
		}
		name = append(name, byte(c))
	}
	switch string(name) {
	case "nfs", "smbfs", "afpfs", "webdav", "macfuse", "osxfuse", "fusefs":
		return string(name)
	}
	return ""
}
