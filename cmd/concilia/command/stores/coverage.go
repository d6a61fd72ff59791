package stores

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view/salesview"
	"concilia/store"
)

func newSalesCoverage(inv *command.Invocation) *cobra.Command {
	o := &salesPeriod{}
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "show which days of the stores are complete, partial or missing",
		Long: `coverage shows each day from the first to the last that files of a store show, as a calendar: a row a month, a mark a day. A day
without a file is not a clean day.

With --json it prints one object per line and day: {"store","day","state","payments","why"}.

Exit status: 0 shown; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return showSalesCoverage(cmd.Context(), inv, o) },
	}
	o.addFlags(cmd)
	return cmd
}

func showSalesCoverage(ctx context.Context, inv *command.Invocation, o *salesPeriod) error {
	p, err := command.OpenPeriodOf(o.from, o.to)
	if err != nil {
		return err
	}
	return withShops(ctx, inv, o.store, func(l *store.Ledger, shops []keptShop) error {
		var page salesview.SalesCoverage
		for _, s := range shops {
			days, err := l.OwnDays(ctx, s.Shop)
			if err != nil {
				return err
			}
			page = append(page, salesview.SalesCoverageOf(s.ID, days, p))
		}
		return command.WriteLines(inv, page.Days(), page)
	})
}
