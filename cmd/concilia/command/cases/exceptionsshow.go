package cases

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/caseview"
	"concilia/jobs/casework"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

func newExceptionsShow(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "show CASE…",
		Short: "show complete cases, with their history",
		Long: `show prints complete cases: what was expected and found, the impact, and the history, which is every change by data
and every act of a person, when, by whom and why. Six or more leading digits of a case are enough if they are unique.

Exit status: 0 shown; 2 usage, or no such case; 40 configuration; 50 ledger unreachable.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.NewUsageError("error.show_needs_case", "hint.cases_listed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return showExceptions(cmd.Context(), inv, args) },
	}
}

func showExceptions(ctx context.Context, inv *command.Invocation, names []string) error {
	return inv.WithCasework(ctx, func(d *casework.Handler) error {
		ids, err := d.ResolveCases(ctx, names)
		if err != nil {
			return err
		}
		for _, id := range ids {
			f, err := d.Ledger.FindingByCase(ctx, id)
			if err != nil {
				return err
			}
			events, err := d.Ledger.FindingEvents(ctx, f.Case)
			if err != nil {
				return err
			}
			acts, err := d.Ledger.Acts(ctx, caselog.ActFilter{Accounts: []ledger.Account{f.Account}, Subjects: []string{f.Case}})
			if err != nil {
				return err
			}
			if err := inv.WritePage(caseview.CasePageOf(f, events, acts, d.Service)); err != nil {
				return err
			}
		}
		return nil
	})
}
