package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelpNamesExitCodes: whoever puts a command into cron reads from its help what its exit codes mean.
func TestHelpNamesExitCodes(t *testing.T) {
	t.Parallel()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			walk(c)
		}
		if cmd.HasParent() && cmd.HasSubCommands() {
			return // it only holds others
		}
		_, status, ok := strings.Cut(cmd.Long, "Exit status:")
		if !ok {
			t.Errorf("the help of %q names no exit codes", cmd.CommandPath())
		}
		for _, code := range []string{"0", "2"} {
			if !regexp.MustCompile(`(^|\s)` + code + `[ ;]`).MatchString(status) {
				t.Errorf("the help of %q does not say what %s means: %s", cmd.CommandPath(), code, status)
			}
		}
	}
	walk(newRoot(environment{lookup: func(string) (string, bool) { return "", false }}))
}
