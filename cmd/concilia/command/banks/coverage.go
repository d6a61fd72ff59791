package banks

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/bankview"
	"concilia/jobs"
	"concilia/store"
)

func newBankCoverage(inv *command.Invocation) *cobra.Command {
	o := &bankPeriod{}
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "show which days of the bank accounts are proven, covered, broken or missing",
		Long: `coverage shows each day from the first to the last that statements show, as a calendar: a row a month, a mark a day.

A day is proven when the bank's balances before and after it agree with its lines, covered when a statement has all of it
and no balances say more, broken when balances contradict the lines, partial when no statement has all of it, missing when
none shows it. Proven and covered days are settled; days on which banks are closed are covered when the days around
them are settled.

With --json it prints one object per line and day:
  {"bank","day","state","lines","credits","debits","balance","residual","file"}.

Exit status: 0 every day from the first answered for to the last settled one is settled; 30 one is not; 2 usage;
40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return showBankCoverage(cmd.Context(), inv, o) },
	}
	o.addFlags(cmd)
	return cmd
}

func showBankCoverage(ctx context.Context, inv *command.Invocation, o *bankPeriod) error {
	p, err := command.OpenPeriodOf(o.from, o.to)
	if err != nil {
		return err
	}
	return withBanks(ctx, inv, o.bank, func(l *store.Ledger, accounts []keptBank) error {
		var page bankview.BankCoverage
		for _, a := range accounts {
			days, err := l.BankDays(ctx, a.Account)
			if err != nil {
				return err
			}
			page = append(page, bankview.BankCoverageOf(a.ID, a.settings.Since, days, p))
		}
		if err := command.WriteLines(inv, page.Days(), page); err != nil {
			return err
		}
		if page.HasGap() {
			return exit.Status(jobs.ExitIncomplete)
		}
		return nil
	})
}
