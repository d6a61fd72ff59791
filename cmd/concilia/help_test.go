package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
)

// TestHelpNamesExitCodes: the help of a command says what its exit codes mean, for a crontab.
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

// TestHelpInPortuguese: what a command does and what each of its options is, is said in Portuguese too, wherever people ask for it.
func TestHelpInPortuguese(t *testing.T) {
	t.Parallel()
	english := newRoot(environment{lookup: func(string) (string, bool) { return "", false }})
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.TrimPrefix(cmd.CommandPath(), "concilia ")
		if cmd.HasParent() && words.Label(view.Portuguese, "command", path) == path {
			t.Errorf("%q has no words in Portuguese", path)
		}
		for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			flags.VisitAll(func(f *pflag.Flag) {
				if usage := strings.ReplaceAll(f.Usage, "`", ""); words.Label(view.Portuguese, "option", usage) == usage {
					t.Errorf("--%s of %q has no words in Portuguese: %s", f.Name, path, usage)
				}
			})
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(english)
	for _, args := range [][]string{{"exceptions", "dispute", "--help"}, {"help"}, {"help", "demo"}, {"man", "serve"}} {
		code, said, _ := inProcess(append(args, "--lang", "pt-BR")...)
		for _, left := range []string{"Usage:", "Flags:", "(default", "Available", "help for", "Handbook"} {
			if code != 0 || strings.Contains(said, left) {
				t.Errorf("%v ends with %d and says %q:\n%s", args, code, left, said)
			}
		}
		if !strings.Contains(said, "lang en") {
			t.Errorf("%v does not say where the whole text is:\n%s", args, said)
		}
	}
}
