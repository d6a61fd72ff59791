package cases

import (
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/jobs/rules/catalogue"
)

// NewRules is the command rules and those below it.
func NewRules(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{Use: "rules", Short: "show the catalogue of rules"})
	cmd.AddCommand(
		&cobra.Command{
			Use:   "list",
			Short: "list every rule, a line each",
			Long: `list prints every rule with its severity, what it needs and when it fires; with --json one object per line.

Exit status: 0 listed; 2 usage.`,
			Args: command.NoArgs,
			RunE: func(*cobra.Command, []string) error { return listRules(inv) },
		},
		&cobra.Command{
			Use:   "show CODE",
			Short: "show one rule: sentence, formula, tolerance, who owns the impact",
			Long: `show describes one rule: sentence, formula, tolerance, who owns the impact.

Exit status: 0 shown; 2 usage, or no such rule.`,
			Args: command.ExactArgs(1, "argument.a_code"),
			RunE: func(_ *cobra.Command, args []string) error {
				text := catalogue.Show(strings.ToUpper(args[0]))
				if text == "" {
					return exit.NewUsageError("error.no_rule", "hint.rules_listed", "name", args[0])
				}
				return inv.WritePage(view.RulePage{Code: strings.ToUpper(args[0]), Text: text})
			},
		},
	)
	return cmd
}

func listRules(inv *command.Invocation) error {
	all := view.AllRules()
	return command.WriteLines(inv, all, all)
}
