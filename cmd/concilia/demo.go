package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/view"
	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// demoOptions are the flags of demo.
type demoOptions struct {
	dir  string
	days int
	seed uint64
	asOf dateFlag
}

func newDemo(g *globals) *cobra.Command {
	o := demoOptions{asOf: dateFlag{ledger.NewDate(2026, time.November, 18)}}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "run a whole night against a sandbox, with seeded data",
		Long: `demo starts the sandbox in this process with seeded data and planted differences, runs a whole night against it
over HTTP, and writes ledger, configuration and reports under --dir. It needs no configuration. A second run finds
nothing new. Afterwards the other commands can be tried on its results:

  concilia --config concilia-demo/concilia.yaml exceptions list

Exit status: 0 when what was found is exactly what was planted, 1 otherwise; 2 usage; 130 interrupted.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), g) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.dir, "dir", "concilia-demo", "folder for ledger and reports")
	flags.IntVar(&o.days, "days", 60, "operation days, ending the day before --as-of")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the generated data")
	flags.Var(&o.asOf, "as-of", "the morning to judge from, YYYY-MM-DD")
	return cmd
}

func (o *demoOptions) run(ctx context.Context, g *globals) error {
	if o.days < 1 || o.days > 400 {
		return usage("--days takes 1 to 400", "--days %d", o.days)
	}
	asOf, err := world.ParseDate(o.asOf.String())
	if err != nil {
		return err
	}
	w, err := world.New(world.Options{Seed: o.seed, Days: o.days, AsOf: asOf, Plant: true})
	if err != nil {
		return fmt.Errorf("drawing the sandbox's data: %w", err)
	}
	password := rand.Text()
	base, stop, err := serveSandbox(w, password, g.wall)
	if err != nil {
		return err
	}
	defer stop()
	d := demoFiles{dir: o.dir, base: base, since: o.asOf.Date - ledger.Date(o.days), contract: contractText(w)}
	if err := d.write(fmt.Sprintf("seed %d, %s, as of %s", o.seed, view.Plural(o.days, "day", "days"), o.asOf)); err != nil {
		return err
	}
	inner := *g
	inner.config = d.path("concilia.yaml")
	inner.lookup = d.environment(password, w.Now())
	began := g.wall()
	s, found, err := inner.demoNight(ctx, o.asOf.Date)
	if err != nil {
		return err
	}
	wrong := comparePlanted(found, w.Planted())
	if err := inner.printDemo(s, found, len(w.Planted()), wrong, o.dir, g.wall().Sub(began)); err != nil {
		return err
	}
	inner.complain(s)
	if len(wrong) > 0 || len(s.Unpublished) > 0 {
		return codeError(exitInternal)
	}
	return nil
}

// demoNight runs the night as the run command does, and lists the cases that stand after it.
func (g *globals) demoNight(ctx context.Context, asOf ledger.Date) (*jobs.Summary, []ledger.Finding, error) {
	worker, closeAll, err := g.wire(ctx, wantService|wantTarget)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll()
	s, err := worker.Night(ctx, asOf)
	if err != nil {
		return nil, nil, err
	}
	found, err := standing(ctx, worker.Ledger)
	return s, found, err
}

// serveSandbox serves the world on a free port of the loopback until stop is called.
func serveSandbox(w *world.World, password string, wall func() time.Time) (base string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("sandbox: %w", err)
	}
	server := &http.Server{
		Handler:           service.New(w, service.Options{Users: []service.User{{Name: demoUser, Password: password}}, Now: wall}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() {
		_ = server.Close() // nobody waits for an answer any more
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			panic("sandbox: " + err.Error())
		}
	}, nil
}

// contractText is the sandbox's contract as a contract file.
func contractText(w *world.World) string {
	b := []byte("# What the merchant agreed with the service. Rates in percent, fees in reais.\ncontracts:\n")
	for _, c := range w.Contract() {
		b = fmt.Appendf(b, "  - account: %d\n    valid_from: %s\n    fee_basis: %s\n    rates:\n", c.Account, c.ValidFrom, c.FeeBasis)
		for _, r := range c.Rates {
			b = fmt.Appendf(b, "      - {brand: \"*\", product: %s, installments: %s, mdr: %s", r.Product, span(r.From, r.To), r.MDR)
			for _, f := range []struct{ key, value string }{
				{"transaction_fee", r.TransactionFee}, {"antifraud_fee", r.AntifraudFee}, {"anticipation", r.Anticipation},
			} {
				if f.value != "" {
					b = fmt.Appendf(b, ", %s: %s", f.key, f.value)
				}
			}
			b = append(b, "}\n"...)
		}
		b = fmt.Appendf(b, "    settlement: {credit: %s, debit: %s}\n", c.SettlementCredit, c.SettlementDebit)
		b = fmt.Appendf(b, "    slip: {tariff: %s, credit: %s}\n", c.SlipTariff, c.SlipCredit)
		if len(c.Splits) == 0 {
			continue
		}
		b = append(b, "    splits:\n"...)
		for _, s := range c.Splits {
			b = fmt.Appendf(b, "      - {beneficiary: %q, pct: %s}\n", s.Beneficiary, s.Pct)
		}
	}
	return string(b)
}

func span(from, to int) string {
	if from == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

// comparePlanted says, a line each, what was planted and not found, and what was found and not planted.
func comparePlanted(found []ledger.Finding, planted []world.Planted) []string {
	want := map[string]bool{}
	for _, p := range planted {
		want[plantedLine(p.Code, p.Subject, p.Impact)] = true
	}
	var wrong []string
	for _, f := range found {
		line := plantedLine(f.Code, f.Subject, view.OptionalAmount(f.Impact).String())
		if !want[line] {
			wrong = append(wrong, "found, not planted: "+line)
		}
		delete(want, line)
	}
	for _, p := range planted {
		if line := plantedLine(p.Code, p.Subject, p.Impact); want[line] {
			wrong = append(wrong, "planted, not found: "+line)
		}
	}
	return wrong
}

func plantedLine(code, subject, impact string) string {
	if impact == "" {
		impact = "no impact"
	}
	return code + " " + subject + " " + impact
}

// standing lists the cases that are pending, open or reopened.
func standing(ctx context.Context, l *store.Ledger) ([]ledger.Finding, error) {
	var found []ledger.Finding
	filter := results.FindingFilter{States: []ledger.State{ledger.Pending, ledger.Opened, ledger.Reopened}}
	err := l.Findings(ctx, filter, func(f *ledger.Finding) error {
		found = append(found, *f)
		return nil
	})
	return found, err
}
