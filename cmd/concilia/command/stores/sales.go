package stores

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/config/problem"
	"concilia/export/words"
	"concilia/jobs"
	jobssales "concilia/jobs/sales"
	"concilia/store"
	"concilia/store/sales"
)

// NewSales is the command sales and those below it.
func NewSales(inv *command.Invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sales",
		Short: "take in what the stores' own systems say was sold",
		Long: `sales keeps the sales of stores: as the stores' own systems tell them: notes (NF-e, NFC-e), exports of shops and tables, payment by
payment, and which days are known whole. Names, documents and addresses of customers are not kept.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSalesImport(inv), newSalesFiles(inv), newSalesList(inv), newSalesShow(inv), newSalesCoverage(inv))
	return cmd
}

// loadStores are the configured stores, or the one named.
func loadStores(inv *command.Invocation, only string) (*config.Config, []jobssales.Store, error) {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return nil, nil, err
	}
	if len(c.Stores) == 0 {
		return nil, nil, problem.List{c.Problem("stores", "", words.NewMessage("problem.missing", "want", words.NewMessage("want.stores")))}
	}
	var agreed jobs.Worker
	if err := wire.LoadAgreements(c, &agreed); err != nil {
		return nil, nil, err
	}
	all, err := wire.StoresOf(c, agreed.Inputs.Mapping)
	if err != nil || only == "" {
		return c, all, err
	}
	for i := range all {
		if all[i].ID == only {
			return c, all[i : i+1], nil
		}
	}
	return nil, nil, exit.NewUsageError("error.no_store", "hint.stores", "name", problem.Shown(only), "names", storeIDs(all))
}

func storeIDs(all []jobssales.Store) string {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return strings.Join(ids, ", ")
}

// keptShop is a configured store with its home in the ledger.
type keptShop struct {
	sales.Shop
	settings jobssales.Store
}

// withShops opens the ledger that is there for the stores configured, or the one named.
func withShops(ctx context.Context, inv *command.Invocation, only string, fn func(*store.Ledger, []keptShop) error) error {
	c, stores, err := loadStores(inv, only)
	if err != nil {
		return err
	}
	l, err := inv.OpenKept(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	kept := make([]keptShop, len(stores))
	for i := range stores {
		home, err := l.HomeOfShop(ctx, stores[i].ID, stores[i].Accounts[0])
		if err != nil {
			return err
		}
		kept[i] = keptShop{sales.Shop{Home: home, ID: stores[i].ID}, stores[i]}
	}
	return fn(l, kept)
}

// salesPeriod are the flags of sales list and sales coverage.
type salesPeriod struct {
	store    string
	from, to command.DateFlag
}

func (o *salesPeriod) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.store, "store", "", "the `ID` of one store (default: all)")
	flags.Var(&o.from, "from", "first day, YYYY-MM-DD (default the first known)")
	flags.Var(&o.to, "to", "last day, YYYY-MM-DD (default the last known)")
}
