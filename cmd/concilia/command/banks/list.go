package banks

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view/bankview"
	"concilia/jobs/othersides"
	"concilia/store"
)

func newBankList(inv *command.Invocation) *cobra.Command {
	var files bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "show the bank accounts, and up to which day each is settled",
		Long: `list shows the bank accounts of the configuration: the first and last day that statements show, the frontier (the last day
up to which every day is settled), how many lines are kept, and how much of what the service says it paid up to the frontier
came to the cent. With --files it shows the statements taken in, in the order the bank made them.

With --json it prints one object per line: {"bank","home","accounts","since","frontier","days","lines","received","proven"},
with --files
  {"bank","file","sha256","format","from","to","stated","made","as_of","lines","credits","debits","balance_rows","blocked",
   "notes","actor","taken"}.

Exit status: 0 shown; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listBanks(cmd.Context(), inv, files) },
	}
	cmd.Flags().BoolVar(&files, "files", false, "the statements taken in")
	return cmd
}

func listBanks(ctx context.Context, inv *command.Invocation, files bool) error {
	asOf, terms, err := bankTerms(inv, command.DateFlag{})
	if err != nil {
		return err
	}
	return withBanks(ctx, inv, "", func(l *store.Ledger, accounts []keptBank) error {
		var list bankview.BankAccounts
		var kept bankview.BankFiles
		for _, a := range accounts {
			if !files {
				matched, err := othersides.ConciliateBank(ctx, l, &a.settings, terms, asOf)
				if err != nil {
					return err
				}
				list = append(list, bankview.BankAccountOf(matched))
				continue
			}
			all, err := l.StatementFiles(ctx, a.Account)
			if err != nil {
				return err
			}
			kept = append(kept, bankview.BankFilesOf(a.ID, all)...)
		}
		if files {
			return command.WriteLines(inv, kept, kept)
		}
		return command.WriteLines(inv, list, list)
	})
}
