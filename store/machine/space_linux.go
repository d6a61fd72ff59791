package machine

import (
	"os"
	"strings"
)

// ProcessSpace names the boot of this machine and the PID namespace of this process.
func ProcessSpace() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + namespace
}
