package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"concilia/export/words"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// demoOptions are the flags of demo.
type demoOptions struct {
	dir    string
	days   int
	seed   uint64
	asOf   dateFlag
	nights int
	serve  bool
	// banks is set where statements of the bank are written and taken in, too.
	banks bool
	// sales is set where the stores' own sales are written and taken in, too.
	sales bool
}

func newDemo(g *globals) *cobra.Command {
	o := demoOptions{asOf: dateFlag{ledger.NewDate(2026, time.November, 18)}}
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
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), g) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.dir, "dir", "concilia-demo", "folder for ledger and reports")
	flags.IntVar(&o.days, "days", 60, "operation days, ending the day before --as-of")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the generated data")
	flags.Var(&o.asOf, "as-of", "the morning to evaluate from, YYYY-MM-DD")
	flags.BoolVar(&o.banks, "banks", true, "write statements of the bank, with differences of their own, and take them in")
	flags.BoolVar(&o.sales, "sales", true, "write what the stores say they sold, with differences of its own, and take it in")
	flags.IntVar(&o.nights, "nights", 1, "mornings, the first of them --as-of")
	flags.BoolVar(&o.serve, "serve", false, "open the desk in the browser afterwards")
	return cmd
}

func (o *demoOptions) run(ctx context.Context, g *globals) error {
	switch {
	case o.days < 1 || o.days > 400:
		return exit.Usagef("--days takes 1 to 400", "--days %d", o.days)
	case o.nights < 1 || o.nights > mostNights:
		return exit.Usagef(fmt.Sprintf("--nights takes 1 to %d", mostNights), "--nights %d", o.nights)
	}
	asOf, err := world.ParseDate(o.asOf.String())
	if err != nil {
		return err
	}
	w, err := world.New(world.Options{Seed: o.seed, Days: o.days, AsOf: asOf, To: asOf + world.Date(o.nights) - 2, Plant: true})
	if err != nil {
		return fmt.Errorf("drawing the sandbox's data: %w", err)
	}
	m := &mornings{world: w, password: rand.Text(), clock: &demoClock{wall: g.Wall}, nights: o.nights}
	base, stop, err := serveSandbox(w, m.password, m.clock.now)
	if err != nil {
		return err
	}
	defer stop()
	m.demoFiles = demoFiles{dir: o.dir, base: base, since: o.asOf.Date - ledger.Date(o.days), eve: o.asOf.Date - 1, contract: contractText(w), desk: o.serve}
	if o.banks {
		m.banks = w.Banks()
	}
	if o.sales {
		m.stores = w.Stores()
	}
	if err := m.writeFiles(o.describe()); err != nil {
		return err
	}
	m.globals = *g
	m.ConfigPath, m.Wall, m.Lookup = m.filePath("concilia.yaml"), m.clock.now, m.lookupEnvironment
	wrong, err := m.liveThem(ctx)
	if err != nil {
		return err
	}
	m.reportFailures(m.summary)
	if len(wrong) > 0 || len(m.summary.Unpublished) > 0 {
		return exit.Status(exit.Internal)
	}
	if o.serve {
		return m.serveDesk(ctx)
	}
	return nil
}

// describe says what data the demo has. A folder keeps one demo.
func (o *demoOptions) describe() string {
	what := fmt.Sprintf("seed %d, %s, as of %s", o.seed, view.English.Count(int64(o.days), "day"), o.asOf)
	if o.nights > 1 {
		what += fmt.Sprintf(", %d nights", o.nights)
	}
	if !o.banks {
		what += ", no banks"
	}
	if !o.sales {
		what += ", no stores"
	}
	return what
}

// demoNight takes in what the stores exported and runs the night as the run command does, and lists the cases that stand after it.
func (m *mornings) demoNight(ctx context.Context, asOf ledger.Date) (*jobs.Summary, []ledger.Finding, error) {
	worker, closeAll, err := m.WireWorker(ctx, wire.WantService|wire.WantTarget)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll()
	if err := m.takeInSales(ctx, worker); err != nil {
		return nil, nil, err
	}
	s, err := worker.Night(ctx, asOf)
	if err != nil {
		return nil, nil, err
	}
	found, err := listStanding(ctx, worker.Ledger)
	return s, found, err
}

// serveSandbox serves the world on a free port of the loopback until stop is called.
func serveSandbox(w *world.World, password string, wall func() time.Time) (base string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("sandbox: %w", err)
	}
	answers := service.New(w, service.Options{Users: []service.User{{Name: demoUser, Password: password}}, Now: wall})
	server := &http.Server{
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Date", wall().UTC().Format(http.TimeFormat)) // workers hold their own clock against it
			answers.ServeHTTP(rw, r)
		}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() {
		_ = server.Close() // no request is left
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
			b = fmt.Appendf(b, "      - {brand: \"*\", product: %s, installments: %s, mdr: %s", r.Product, formatInstallments(r.From, r.To), r.MDR)
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

func formatInstallments(from, to int) string {
	if from == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

// comparePlanted lists, a line each, what was planted and not found, and what was found and not planted.
func comparePlanted(found []ledger.Finding, planted []world.Planted) []string {
	want := map[string]bool{}
	for _, p := range planted {
		want[plantedLine(p.Code, p.Subject, p.Impact)] = true
	}
	var wrong []string
	for _, f := range found {
		line := plantedLine(f.Code, f.Subject, view.OptionalAmount(f.Impact).String())
		if !want[line] && f.State != ledger.Closed {
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

// listStanding lists the cases that data have not resolved, whatever people did with them.
func listStanding(ctx context.Context, l *store.Ledger) ([]ledger.Finding, error) {
	var found []ledger.Finding
	states := slices.DeleteFunc(ledger.UnresolvedStates(), func(s ledger.State) bool { return s == ledger.Shadow })
	filter := caselog.FindingFilter{States: append(states, ledger.Closed)}
	err := l.Findings(ctx, filter, func(f *ledger.Finding) error {
		found = append(found, *f)
		return nil
	})
	return found, err
}

// demoUser logs in to the sandbox of the demo.
const demoUser = "demo"

// demoFiles is what the demo writes before the night begins: a configuration and a contract, as a user would.
type demoFiles struct {
	dir      string
	base     string // address of the sandbox
	since    ledger.Date
	eve      ledger.Date // of the first morning: the first day whose events are told
	contract string
	desk     bool // people sign in to a console
	banks    []world.BankAccount
	stores   []world.Store
}

func (d *demoFiles) filePath(name string) string { return filepath.Join(d.dir, name) }

// writeFiles lays the files out. A folder that holds a demo of other data is refused: its ledger would be at odds with this
// one's service.
func (d *demoFiles) writeFiles(what string) error {
	doneMarker := d.filePath("demo.txt")
	old, err := os.ReadFile(doneMarker)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if entries, _ := os.ReadDir(d.dir); len(entries) > 0 {
			return exit.Usagef("name a new folder with --dir", "%s is not empty and holds no demo", d.dir)
		}
	case err != nil:
		return err
	case string(old) != what+"\n":
		return exit.Usagef("remove it, or name another with --dir", "%s holds another demo: %.60s", d.dir, string(old))
	}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"demo.txt": what + "\n", "contract.yaml": d.contract, "concilia.yaml": d.configText(), "accounts.yaml": demoChart,
	} {
		if err := os.WriteFile(d.filePath(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// configText is the demo's configuration file.
func (d *demoFiles) configText() string {
	slash := filepath.ToSlash
	return fmt.Sprintf(`# Written by concilia demo. The ledger and the reports are found from the folder the demo was started in; the
# sandbox behind these addresses ended with it.
timezone: America/Sao_Paulo
ledger:
  dsn: sqlite:%s
service:
  gateway_url: %s/gateway
  integration_url: %s/integration
  user_name: %s
  requests_per_second: 1000
accounts:
  - number: 1001
    name: Loja Centro
    since: %s
    document: "11222333000181"
    bank: {code: "001", branch: "1234", branch_digit: "5", account: "567890", account_digit: "1", digit: "", agreement: "1234567", name: BANCO DO BRASIL}
  - number: 1002
    name: Loja Norte
    since: %s
    document: "11444777000161"
    bank: {code: "237", branch: "4321", branch_digit: "0", account: "98765", account_digit: "4", digit: "", agreement: "7654321", name: BRADESCO}
contract: contract.yaml
%sreports:
  out: %s
  formats: [csv, xlsx, edi, html]
movement: {from: %s, journal: [beancount, csv]}
journal: accounts.yaml
%s`, slash(d.filePath("concilia.db")), d.base, d.base, demoUser, d.since, d.since, d.banksText()+d.storesText(), slash(d.filePath("reports")), d.eve, d.deskText())
}

// demoShown is how many differences the demo lists one by one.
const demoShown = 2

// printStory is the night in sentences that a person can repeat, and whose parts add up: cards, slips, the figures, and the
// largest cases.
func (g *globals) printStory(s *jobs.Summary, found []ledger.Finding) {
	out := g.stdout
	l, reais := g.Language, g.Language.FormatReais
	from, to := view.SpellDate(s.Period.From, string(l)), view.SpellDate(min(s.Period.To, s.AsOf-1), string(l))
	if t := s.Totals; t != nil && t.Cards != nil {
		c := t.Cards
		fmt.Fprintln(out, "\n"+words.Text(l, "demo.cards", "from", from, "to", to, "owed", reais(c.NetContract), "received", reais(c.Received),
			"not_due", reais(c.NotDue), "overdue", reais(c.Overdue), "blocked", reais(c.Blocked), "difference", reais(c.Difference)))
	}
	if t := s.Totals; t != nil && t.Slips != nil {
		b := t.Slips
		fmt.Fprintln(out, words.Text(l, "demo.slips", "from", from, "to", to, "paid", reais(b.Paid), "credited", reais(b.Credited),
			"not_due", reais(b.NotCredited), "overdue", reais(b.CreditOverdue)))
	}
	if len(s.Banks) > 0 {
		fmt.Fprintf(out, "%s.\n", l.FormatBanksProof(s.Banks))
	}
	if len(s.Sales) > 0 {
		fmt.Fprintln(out, l.FormatStores(s.Sales))
	}
	if s.Record != nil {
		fmt.Fprintln(out, words.Text(l, "demo.figures", "day", view.SpellDate(s.AsOf, string(l)), "figures", l.FormatFigures(s.Record.Figures),
			"cases", l.Count(int64(len(found)), "case")))
	}
	slices.SortStableFunc(found, func(a, b ledger.Finding) int {
		return cmp.Or(cmp.Compare(b.Impact.V, a.Impact.V), cmp.Compare(a.Case, b.Case))
	})
	for _, f := range found[:min(demoShown, len(found))] {
		fmt.Fprintf(out, "  R$ %9s  %s\n", reais(f.Impact.V), catalogue.Voice{Language: string(l)}.Explain(f))
	}
}

// printDemo prints what was found, in five lines, and which files to open.
func (g *globals) printDemo(
	s *jobs.Summary, found []ledger.Finding, planted int, wrong []string, dir, what string, took time.Duration,
) error {
	if g.json {
		if err := g.writePage(view.Summary{Summary: s}); err != nil {
			return err
		}
		for _, line := range wrong {
			fmt.Fprintln(g.Stderr, "concilia:", line)
		}
		return nil
	}
	out := g.stdout
	g.printStory(s, found)
	if len(wrong) == 0 {
		fmt.Fprintln(out, "\n"+words.Text(g.Language, "demo.all_found", "count", planted, "what", what, "took", g.Language.FormatDuration(took)))
	} else {
		fmt.Fprintf(out, "\n%s\n  %s\n", words.Text(g.Language, "demo.not_all_found"), strings.Join(wrong, "\n  "))
	}
	fmt.Fprintln(out, "\n"+words.Text(g.Language, "demo.open"))
	for _, want := range []struct{ format, set string }{{"html", "_all_asof_"}, {"xlsx", "_1001_operation_"}, {"edi", "_1001_movement_"}, {"beancount", "_1001_movement_"}} {
		for _, f := range s.Files {
			if f.Format == want.format && strings.Contains(f.Path, want.set) {
				fmt.Fprintf(out, "  %s\n", f.Path)
				break
			}
		}
	}
	for _, more := range []string{
		"--config " + dir + "/concilia.yaml exceptions list", "verify " + dir,
	} {
		fmt.Fprintf(out, "  concilia %s\n", more)
	}
	return nil
}
