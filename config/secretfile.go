package config

import (
	"os"
	"runtime"
	"strings"

	"concilia/export/words"
)

// readSecret reads a secret from the file at path, unless it is known already; what is the id of what it is called.
func (v *validator) readSecret(key, path, what string, dst *Secret) {
	if path == "" || !dst.Empty() || v.hasProblem[key] {
		return
	}
	data, err := readFile(path, maxSecret)
	if err != nil {
		v.addProblem(key, path, words.NewMessage("want.readable_secret", "what", words.NewMessage(what), "cause", errorReason(err)))
		return
	}
	// Editors end a file with a newline, which is no part of the password.
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	switch {
	case text == "":
		v.addProblem(key, path, words.NewMessage("want.filled_secret", "what", words.NewMessage(what)))
		return
	case strings.ContainsAny(strings.TrimRight(text, "\r\n"), "\n\r\x00"): // not a password: the service would refuse it during the run
		v.addProblem(key, path, words.NewMessage("want.one_line_secret", "what", words.NewMessage(what)))
		return
	}
	*dst = Secret{text}
	v.warnIfReadable(key, path)
}

// warnIfReadable warns of a secret that every user of this machine can read. Its group may read it: so it can be shared with
// the user of a daemon. Windows has no such permission bits.
func (v *validator) warnIfReadable(key, path string) {
	info, err := os.Stat(path)
	if path != "" && err == nil && runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o004 != 0 {
		v.addWarning(words.NewMessage("warning.readable_secret", "key", key, "path", path))
	}
}
