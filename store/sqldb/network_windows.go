package sqldb

import (
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"
)

// driveRemote is what GetDriveType says of a drive that is another machine's.
const driveRemote = 4

// networkFilesystem recognizes a path of another machine by its name, and a drive by its type.
func networkFilesystem(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	volume := filepath.VolumeName(abs)
	if strings.HasPrefix(volume, `\\`) {
		// \\?\C: and \\.\C: are drives of this machine; \\?\UNC\ is not.
		if rest, ok := strings.CutPrefix(volume[2:], `?\`); !ok || strings.HasPrefix(strings.ToUpper(rest), "UNC") {
			if !strings.HasPrefix(volume, `\\.\`) {
				return "a network share"
			}
		}
	}
	root, err := syscall.UTF16PtrFromString(volume + `\`)
	if err != nil {
		return ""
	}
	kind, _, _ := syscall.NewLazyDLL("kernel32.dll").NewProc("GetDriveTypeW").Call(uintptr(unsafe.Pointer(root)))
	if kind == driveRemote {
		return "a network drive"
	}
	return ""
}
