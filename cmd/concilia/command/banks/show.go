package banks

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/bankview"
	"concilia/config/problem"
	"concilia/jobs/othersides"
	"concilia/store"
	"concilia/store/facts"
)

func newBankShow(inv *command.Invocation) *cobra.Command {
	var asOf command.DateFlag
	cmd := &cobra.Command{
		Use:   "show LINE|GROUP|MATCH|FILE",
		Short: "show one line, group or match, and the sales and slips it should have paid; or a statement",
		Long: `show tells everything of one row of bank lines: both sides, what they differ by, where to look, and the sales and slips that
the service says it paid with it, twenty at most. It is named by a subject or the match of bank lines --json, or by a
piece of one that no other has.

With --json it prints one object: the members of a row of bank lines, and
  "titles":[{"subject","brand","product","amount"}],"more":{"items","amount"}.

FILE is a statement taken in, by its name or by 8 digits at least of its SHA-256: what bank list --files says of it, and the days of
which it is the last word ("days": the rows of bank coverage).

Exit status: 0 shown; 2 usage, or not exactly one has the piece; 40 configuration; 50 ledger unreachable.`,
		Args: command.ExactArgs(1, "argument.line_or_group"),
		RunE: func(cmd *cobra.Command, args []string) error { return showBankItem(cmd.Context(), inv, args[0], asOf) },
	}
	cmd.Flags().Var(&asOf, "as-of", "the morning to tell from, YYYY-MM-DD (default today)")
	return cmd
}

func showBankItem(ctx context.Context, inv *command.Invocation, named string, flag command.DateFlag) error {
	asOf, terms, err := bankTerms(inv, flag)
	if err != nil {
		return err
	}
	return withBanks(ctx, inv, "", func(l *store.Ledger, accounts []keptBank) error {
		var found []desk.BankItem
		for _, a := range accounts {
			matched, err := othersides.ConciliateBank(ctx, l, &a.settings, terms, asOf)
			if err != nil {
				return err
			}
			found = append(found, desk.FindBankItems(othersides.BankRowsOf(matched), named)...)
		}
		if slices.ContainsFunc(found, func(f desk.BankItem) bool { return f.IsNamed(named) }) {
			found = slices.DeleteFunc(found, func(f desk.BankItem) bool { return !f.IsNamed(named) })
		}
		if len(found) == 0 {
			files, err := findBankFiles(ctx, l, accounts, named)
			if err != nil {
				return err
			}
			if len(files) == 1 {
				return inv.WritePage(files[0])
			}
		}
		if len(found) != 1 {
			return exit.NewUsageError("error.several_of_bank", "hint.bank_lines_listed", "n", len(found), "name", problem.Shown(named))
		}
		detail, err := found[0].Detail(ctx, l)
		if err != nil {
			return err
		}
		return inv.WritePage(detail)
	})
}

// findBankFiles finds the statements with a name, or whose hash begins so.
func findBankFiles(ctx context.Context, l *store.Ledger, accounts []keptBank, named string) (found []bankview.BankFileDetail, err error) {
	for _, a := range accounts {
		files, err := l.StatementFiles(ctx, a.Account)
		if err != nil {
			return nil, err
		}
		days, err := l.BankDays(ctx, a.Account)
		if err != nil {
			return nil, err
		}
		for i := range files {
			f := &files[i]
			if f.Name == named || len(named) >= command.LeastHash && strings.HasPrefix(f.Hash.String(), strings.ToLower(named)) {
				found = append(found, bankview.BankFileDetailOf(f, bankview.BankCoverageOf(a.ID, a.settings.Since, days, facts.AllDays)))
			}
		}
	}
	return found, nil
}
