package stores

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/salesview"
	"concilia/config/problem"
	"concilia/store"
	"concilia/store/ledger"
)

func newSalesShow(inv *command.Invocation) *cobra.Command {
	var only string
	cmd := &cobra.Command{
		Use:   "show SALE",
		Short: "show a sale with every version of its payments, and the files that brought them",
		Long: `show tells of a sale, named by its id in the store's system (of a note, its key) or by the subject of a case about it, every version
of its payments: what the store said, and the files that brought the version and that showed it last.

With --json it prints one object per line, as sales list does, with "first_file", "last_file" (SHA-256) and "current".

Exit status: 0 shown; 2 usage, or no store knows such a sale; 40 configuration; 50 ledger unreachable.`,
		Args: command.ExactArgs(1, "argument.a_sale"),
		RunE: func(cmd *cobra.Command, args []string) error { return showSale(cmd.Context(), inv, args[0], only) },
	}
	cmd.Flags().StringVar(&only, "store", "", "the `ID` of one store (default: all)")
	return cmd
}

func showSale(ctx context.Context, inv *command.Invocation, sale, only string) error {
	if s, ok := ledger.ParseSubject(sale); ok && s.Kind == "own" && len(s.Parts) == 3 {
		sale = s.Parts[1] // as lists of cases name it
	}
	return withShops(ctx, inv, only, func(l *store.Ledger, shops []keptShop) error {
		var found salesview.SaleVersions
		for _, s := range shops {
			all, err := l.OwnSaleVersions(ctx, s.Shop, sale)
			if err != nil {
				return err
			}
			if len(all) == 0 {
				continue
			}
			files, err := l.OwnFiles(ctx, s.Shop)
			if err != nil {
				return err
			}
			found = append(found, salesview.SaleVersionsOf(s.ID, all, files)...)
		}
		if len(found) == 0 {
			return exit.NewUsageError("error.no_sale_of_store", "hint.sales_listed", "name", problem.Shown(sale))
		}
		return command.WriteLines(inv, found, found)
	})
}
