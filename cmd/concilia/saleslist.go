package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/salesview"
	"concilia/cmd/concilia/wire"
	"concilia/jobs/othersides"
	jobssales "concilia/jobs/sales"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sales"
)

func newSalesFiles(g *globals) *cobra.Command {
	var only string
	cmd := &cobra.Command{
		Use:   "files",
		Short: "list the files that were taken in",
		Long: `files lists the files of stores in the order they were made, with the days they have whole and what became of their rows.

With --json it prints one object per line:
  {"store","file","sha256","format","from","to","made","rows","new","changed","same","vanished","quarantined","actor","taken"}.

Exit status: 0 shown; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.withShops(cmd.Context(), only, func(l *store.Ledger, shops []keptShop) error {
				var all salesview.SalesFiles
				for _, s := range shops {
					files, err := l.OwnFiles(cmd.Context(), s.Shop)
					if err != nil {
						return err
					}
					all = append(all, salesview.SalesFilesOf(s.ID, files)...)
				}
				return view.WriteLines(g.stdout, g.json, g.Language, all, all)
			})
		},
	}
	cmd.Flags().StringVar(&only, "store", "", "the `ID` of one store (default: all)")
	return cmd
}

// salesPeriod are the flags of sales list and sales coverage.
type salesPeriod struct {
	store    string
	from, to dateFlag
}

func (o *salesPeriod) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.store, "store", "", "the `ID` of one store (default: all)")
	flags.Var(&o.from, "from", "first day, YYYY-MM-DD (default the first known)")
	flags.Var(&o.to, "to", "last day, YYYY-MM-DD (default the last known)")
}

// parsePeriod is the period of the flags, open ends being the ends of all dates.
func (o *salesPeriod) parsePeriod() (ledger.Period, error) {
	p := ledger.Period{From: max(1, o.from.Date), To: ledger.NewDate(9999, 12, 31)}
	if o.to.Date != 0 {
		p.To = o.to.Date
	}
	if p.To < p.From {
		return p, exit.Usagef("--from is the first day, --to the last", "--to %s lies before --from %s", o.to, o.from)
	}
	return p, nil
}

func newSalesList(g *globals) *cobra.Command {
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
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if bucket != "" {
				return g.listSalesBucket(cmd.Context(), o, bucket)
			}
			return g.listSales(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&bucket, "bucket", "", "how payments stand against the service")
	return cmd
}

// listSalesBucket shows how payments by card match the service.
func (g *globals) listSalesBucket(ctx context.Context, o *salesPeriod, bucket string) error {
	p, err := o.parsePeriod()
	if err != nil {
		return err
	}
	if bucket != "all" && !slices.Contains(jobssales.Buckets(), jobssales.Bucket(bucket)) {
		return exit.Usagef("concilia help sales list tells them", "no bucket is called %.40q", bucket)
	}
	if _, _, err := g.loadStores(o.store); err != nil {
		return err
	}
	w, done, err := g.WireWorker(ctx, wire.WantKept)
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
	return view.WriteLines(g.stdout, g.json, g.Language, page, page)
}

func (g *globals) listSales(ctx context.Context, o *salesPeriod) error {
	p, err := o.parsePeriod()
	if err != nil {
		return err
	}
	out := salesview.NewOwnSales(g.stdout, g.json, g.Language)
	return g.withShops(ctx, o.store, func(l *store.Ledger, shops []keptShop) error {
		for _, s := range shops {
			err := l.OwnSales(ctx, s.Shop, p, func(k *sales.Kept) error { return out.Add(s.ID, k) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func newSalesShow(g *globals) *cobra.Command {
	var only string
	cmd := &cobra.Command{
		Use:   "show SALE",
		Short: "show a sale with every version of its payments, and the files that brought them",
		Long: `show tells of a sale, named by its id in the store's system (of a note, its key) or by the subject of a case about it, every version
of its payments: what the store said, and the files that brought the version and that showed it last.

With --json it prints one object per line, as sales list does, with "first_file", "last_file" (SHA-256) and "current".

Exit status: 0 shown; 2 usage, or no store knows such a sale; 40 configuration; 50 ledger unreachable.`,
		Args: exactArgs(1, "a sale"),
		RunE: func(cmd *cobra.Command, args []string) error { return g.showSale(cmd.Context(), args[0], only) },
	}
	cmd.Flags().StringVar(&only, "store", "", "the `ID` of one store (default: all)")
	return cmd
}

func (g *globals) showSale(ctx context.Context, sale, only string) error {
	if s, ok := ledger.ParseSubject(sale); ok && s.Kind == "own" && len(s.Parts) == 3 {
		sale = s.Parts[1] // as lists of cases name it
	}
	return g.withShops(ctx, only, func(l *store.Ledger, shops []keptShop) error {
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
			return exit.Usagef("concilia sales list shows those known", "no store has a sale %.60q", sale)
		}
		return view.WriteLines(g.stdout, g.json, g.Language, found, found)
	})
}

func newSalesCoverage(g *globals) *cobra.Command {
	o := &salesPeriod{}
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "show which days of the stores are complete, partial or missing",
		Long: `coverage shows each day from the first to the last that files of a store show, as a calendar: a row a month, a mark a day. A day
without a file is not a clean day.

With --json it prints one object per line and day: {"store","day","state","payments","why"}.

Exit status: 0 shown; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.showSalesCoverage(cmd.Context(), o) },
	}
	o.addFlags(cmd)
	return cmd
}

func (g *globals) showSalesCoverage(ctx context.Context, o *salesPeriod) error {
	p, err := o.parsePeriod()
	if err != nil {
		return err
	}
	return g.withShops(ctx, o.store, func(l *store.Ledger, shops []keptShop) error {
		var page salesview.SalesCoverage
		for _, s := range shops {
			days, err := l.OwnDays(ctx, s.Shop)
			if err != nil {
				return err
			}
			page = append(page, salesview.SalesCoverageOf(s.ID, days, p))
		}
		return view.WriteLines(g.stdout, g.json, g.Language, page.Days(), page)
	})
}
