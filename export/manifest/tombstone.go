package manifest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// TombstonePattern matches the name of a tombstone.
var TombstonePattern = regexp.MustCompile(
	`^set_((?:\d+|all)_[a-z]+_\d{8}_\d{8}(?:_f[0-9a-f]{8})?_r\d+)\.(\d{8})\.retired$`)

var tombstoneLine = regexp.MustCompile(`^([0-9a-f]{64})  ([^/\\]+)$`)

// ReadTombstone returns the hash of the manifest, and the hashes of the deleted files by name.
func ReadTombstone(text string) (manifest string, retired map[string]string, err error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	retired = make(map[string]string)
	for i, line := range lines {
		m := tombstoneLine.FindStringSubmatch(line)
		switch {
		case m == nil:
			return "", nil, fmt.Errorf("line %d is %.100q, should be a SHA-256 and a name", i+1, line)
		case i == 0:
			manifest = m[1]
		default:
			retired[m[2]] = m[1]
		}
	}
	if len(retired) == 0 {
		return "", nil, errors.New("names no file that was taken away")
	}
	return manifest, retired, nil
}
