package command

import (
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/exit"
)

// NoArgs refuses words after a command that takes none.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasParent() {
		return exit.Usagef(cmd.CommandPath()+" --help", "%s takes no argument, not %q", cmd.CommandPath(), args[0])
	}
	hint := "concilia --help lists the commands"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return exit.Usagef(hint, "there is no command %q", args[0])
}

// ExactArgs refuses a command line without exactly n arguments, which are named what.
func ExactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return exit.Usagef(cmd.UseLine(), "%s needs %s", cmd.CommandPath(), what)
		case len(args) > n:
			return exit.Usagef(cmd.UseLine(), "%s takes %s alone, not %q too", cmd.CommandPath(), what, args[n])
		}
		return nil
	}
}

// MakeGroup makes of cmd a command that only holds others: without one of them it is refused.
func MakeGroup(cmd *cobra.Command) *cobra.Command {
	cmd.Args = NoArgs
	cmd.RunE = func(c *cobra.Command, _ []string) error {
		return exit.Usagef(c.CommandPath()+" --help", "%s needs one of its commands", c.CommandPath())
	}
	return cmd
}
