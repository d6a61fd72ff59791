package command

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/exit"
	"concilia/config/problem"
	"concilia/export/words"
)

// NoArgs refuses words after a command that takes none.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasParent() {
		return exit.NewUsageError("error.no_argument", "hint.help_of", "command", cmd.CommandPath(), "argument", args[0])
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return exit.NewUsageError("error.no_command", "hint.near_commands", "name", args[0], "names", strings.Join(near, " / "))
	}
	return exit.NewUsageError("error.no_command", "hint.commands_listed", "name", args[0])
}

// ExactArgs refuses a command line without exactly n arguments; what is the id of the text that says what they are.
func ExactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return exit.NewUsageError("error.argument_missing", "hint.usage", "command", cmd.CommandPath(), "what", words.NewMessage(what), "usage", cmd.UseLine())
		case len(args) > n:
			return exit.NewUsageError("error.argument_alone", "hint.usage", "command", cmd.CommandPath(), "what", words.NewMessage(what), "argument", args[n], "usage", cmd.UseLine())
		}
		return nil
	}
}

// ExplainFlag is the error of a flag that does not exist or is given wrongly.
func ExplainFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	command := cmd.CommandPath()
	switch {
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			name = "-" + short
		}
		return exit.NewUsageError("error.unknown_flag", "hint.help_of", "flag", name, "command", command)
	case errors.As(err, &empty):
		return exit.NewUsageError("error.flag_without_value", "hint.help_of", "flag", "--"+empty.GetSpecifiedName(), "command", command)
	case errors.As(err, &wrong):
		return exit.NewUsageError("error.wrong_flag_value", "hint.help_of", "flag", "--"+wrong.GetFlag().Name, "value", problem.Shown(wrong.GetValue()),
			"cause", describeWanted(wrong), "command", command)
	}
	return exit.NewUsageError("error.cause", "hint.help_of", "cause", err, "command", command)
}

// describeWanted is what a flag takes, where its type says so.
func describeWanted(wrong *pflag.InvalidValueError) any {
	switch wrong.GetFlag().Value.Type() {
	case "DATE":
		return words.NewMessage("error.want_date")
	case "int", "int64", "int64Slice", "uint", "uint64":
		return words.NewMessage("error.want_number")
	}
	return wrong.Unwrap()
}

// MakeGroup makes of cmd a command that only holds others: without one of them it is refused.
func MakeGroup(cmd *cobra.Command) *cobra.Command {
	cmd.Args = NoArgs
	cmd.RunE = func(c *cobra.Command, _ []string) error {
		return exit.NewUsageError("error.command_missing", "hint.help_of", "command", c.CommandPath())
	}
	return cmd
}
