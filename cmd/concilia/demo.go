package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/command/serving"
	"concilia/cmd/concilia/demo"
	"concilia/cmd/concilia/exit"
	"concilia/store/ledger"
)

func newDemo(inv *command.Invocation) *cobra.Command {
	asOf := command.DateFlag{Date: ledger.NewDate(2026, time.November, 18)}
	var o demo.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "run a whole night against a sandbox, with seeded data",
		Long: `demo starts the sandbox in this process with seeded data and planted differences, runs a whole night against it
over HTTP, and writes ledger, configuration, statements of the bank, the stores' own sales and reports under --dir. It needs no configuration. A
second run finds nothing new. Afterwards the other commands can be tried on its results:

  concilia --config concilia-demo/concilia.yaml exceptions list

With --nights the next mornings follow. Between the first and the second somebody claims an installment that was not paid; on the third
it has been paid, and the month before is closed by the day of credit. Mornings that the folder has lived already are not lived again.

With --serve the desk opens in the browser afterwards, on this machine only, until stopped. Two managers may sign in: their passwords
are printed once, and new ones are made by the next --serve.

Exit status: 0 when what was found is exactly what was planted, 1 otherwise; 2 usage; 130 interrupted.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.AsOf = asOf.Date
			return runDemo(cmd.Context(), inv, o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Dir, "dir", "concilia-demo", "folder for ledger and reports")
	flags.IntVar(&o.Days, "days", 60, "operation days, ending the day before --as-of")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the generated data")
	flags.Var(&asOf, "as-of", "the morning to evaluate from, YYYY-MM-DD")
	flags.BoolVar(&o.Banks, "banks", true, "write statements of the bank, with differences of their own, and take them in")
	flags.BoolVar(&o.Stores, "sales", true, "write what the stores say they sold, with differences of its own, and take it in")
	flags.IntVar(&o.Nights, "nights", 1, "mornings, the first of them --as-of")
	flags.BoolVar(&o.Desk, "serve", false, "open the desk in the browser afterwards")
	return cmd
}

// runDemo lives the mornings of a demo, and serves its desk if that is asked for.
func runDemo(ctx context.Context, inv *command.Invocation, o demo.Options) error {
	d, stop, err := demo.Start(inv.Process, o, inv.Stdout, inv.JSON)
	if err != nil {
		return err
	}
	defer stop()
	wrong, err := d.Live(ctx)
	if err != nil {
		return err
	}
	inv.ReportFailures(d.Summary)
	if len(wrong) > 0 || len(d.Summary.Unpublished) > 0 {
		return exit.Status(exit.Internal)
	}
	if o.Desk {
		return d.ServeDesk(ctx, serving.DefaultListen)
	}
	return nil
}
