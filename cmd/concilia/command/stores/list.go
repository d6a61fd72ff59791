package stores

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/salesview"
	"concilia/cmd/concilia/wire"
	"concilia/config/problem"
	"concilia/jobs/othersides"
	jobssales "concilia/jobs/sales"
	"concilia/store"
	"concilia/store/sales"
)

func newSalesList(inv *command.Invocation) *cobra.Command {
	o := &salesPeriod{}
	var bucket string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list payments as the stores tell them, or how they stand against the service",
		Long: `list shows the payments of stores in order of day, sale and payment.

With --bucket it holds the payments by card and slip against what the service knows, and shows those that stand so:
  matched          both sides say the same
  divergent        both know it, and differ: amount, installments, product, brand, date, cancelled
  not_at_service   the store sold it, the service has no such sale
  duplicated       the store tells it twice
  only_at_service  the service has it, no store does
  waiting          the day of the other side, or the one after it, is not complete yet
  all              all of them
Only days that are complete are judged. A pair is found by the id of the payment or slip, the order's reference, a slip's number, NSU and
authorization, or parts of them with amount and day; at level 7 by amount and day alone, where nothing else could be meant: it is weak.
A payment by slip that names none is not held against the service.

With --json it prints one object per line:
  {"store","sale_id","payment_no","sold_at","amount","method","status","cancelled_at","installments","interest","brand","nsu",
   "auth","tid","reference","payment_id","last4","terminal","account","institution","slip_id","our_number","document",
   "version","vanished"}; what is not told is absent. With --bucket
  {"store","day","bucket","level","weak","reasons","difference","own","service"}; own is as above, without its version; service is
  {"subject","nsu","auth","slip","sold_at","total","installments","brand","product","live"}.

Exit status: 0 shown; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if bucket != "" {
				return listSalesBucket(cmd.Context(), inv, o, bucket)
			}
			return listSales(cmd.Context(), inv, o)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&bucket, "bucket", "", "how payments stand against the service")
	return cmd
}

// listSalesBucket shows how payments by card match the service.
func listSalesBucket(ctx context.Context, inv *command.Invocation, o *salesPeriod, bucket string) error {
	p, err := command.OpenPeriodOf(o.from, o.to)
	if err != nil {
		return err
	}
	if bucket != "all" && !slices.Contains(jobssales.Buckets(), jobssales.Bucket(bucket)) {
		return exit.NewUsageError("error.no_bucket", "hint.buckets", "name", problem.Shown(bucket))
	}
	if _, _, err := loadStores(inv, o.store); err != nil {
		return err
	}
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	terms, err := w.OtherSides().SalesTerms(w.Today())
	if err != nil {
		return err
	}
	_, rows, err := othersides.ConciliateSales(ctx, w.Ledger, w.Stores, w.Inputs.Mapping, terms, p)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r jobssales.Row) bool {
		return o.store != "" && r.Store != o.store || bucket != "all" && r.Bucket != jobssales.Bucket(bucket)
	})
	page := salesview.SalesRowsOf(rows)
	return command.WriteLines(inv, page, page)
}

func listSales(ctx context.Context, inv *command.Invocation, o *salesPeriod) error {
	p, err := command.OpenPeriodOf(o.from, o.to)
	if err != nil {
		return err
	}
	out := salesview.NewOwnSales(inv.Stdout, inv.JSON, inv.Language)
	return withShops(ctx, inv, o.store, func(l *store.Ledger, shops []keptShop) error {
		for _, s := range shops {
			err := l.OwnSales(ctx, s.Shop, p, func(k *sales.Kept) error { return out.Add(s.ID, k) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}
