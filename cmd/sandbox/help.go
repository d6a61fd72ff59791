package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"strings"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

const usage = `sandbox serves the payment service of the interface document over seeded data.

Usage: sandbox [options]
       sandbox client add --cnpj … --legal-name … --contact … --ip … [options]
       sandbox client addresses --cnpj … --ip … [options]
`

const sandboxPathsHelp = `
The password comes from --password-file or SANDBOX_PASSWORD; without either one is
generated and printed.

Paths of its own, which need no token:
  GET    /openapi.json         the description of everything served
  GET    /sandbox/health       whether it is up
  GET    /sandbox/planted      the differences a worker must find as of the business clock
  GET    /sandbox/banks        the bank accounts, and what is planted in their statements
  GET    /sandbox/banks/ID/statement   a download; ?format=ofx, cnab or csv, from= to=
  GET    /sandbox/clock        the business clock
  POST   /sandbox/clock        {"now":"2026-11-18T09:00:00Z"} or {"advance_days":1}
  POST   /sandbox/pay          {"subject":"card:…"}: what was planted to stay unpaid is paid
  GET    /sandbox/deliveries   notifications; ?account= state= after= limit= wait=10s
  GET    /sandbox/faults       faults armed and fired
  POST   /sandbox/faults       {"endpoint":"search","kind":"503","count":2}
  DELETE /sandbox/faults       disarms them
`

// helpGroups are the options in the order of the help; a test checks that every option is in one group.
var helpGroups = []struct {
	title string
	names string
}{
	{"Serving", "addr user password-file user-ip trusted-proxy token-lifetime search-token state"},
	{"Data", "seed accounts days days-ahead as-of plant reading sales-dir bank-grain bank-together bank-quirks"},
	{"Notifications", "access-key check-urls journal retry-first retry-factor retry-cap retry-window answer-timeout delivery-workers"},
	{"Faults by chance", "fault-rate fault-seed"},
}

// printHelp writes the help of the serving command.
func printHelp(w io.Writer, f *flag.FlagSet) {
	fmt.Fprint(w, usage)
	for _, g := range helpGroups {
		fmt.Fprintf(w, "\n%s:\n", g.title)
		for name := range strings.FieldsSeq(g.names) {
			printOption(w, f.Lookup(name))
		}
	}
	fmt.Fprint(w, interpretationHelp(), sandboxPathsHelp)
	fmt.Fprintf(w, "\nFaults to arm, with count (-1 without end) and after (requests to let pass), at one of\n  %s:\n",
		strings.Join(service.FaultEndpoints(), ", "))
	for _, k := range service.FaultKinds() {
		fmt.Fprintf(w, "  %-15s %s\n", k.Name, k.Does)
	}
}

// printOption writes one option with its default, unless that is nothing or its text names it.
func printOption(w io.Writer, o *flag.Flag) {
	placeholder, text := flag.UnquoteUsage(o)
	name := "--" + o.Name
	if placeholder != "" {
		name += " " + placeholder
	}
	switch {
	case o.DefValue == "true":
		text += "; --" + o.Name + "=false does not"
	case o.DefValue != "" && o.DefValue != "0" && o.DefValue != "false" && !strings.Contains(text, "default"):
		text += " (default " + o.DefValue + ")"
	}
	fmt.Fprintf(w, "  %-24s %s\n", name, text)
}

// banner is the text printed when the program begins to serve: first the values that a configuration needs, one
// "name: value" a line, then information for integrators.
type banner struct {
	base      string // address
	options   options
	world     *world.World
	onboarded int // clients
}

// baseURL is the URL of a listener from this machine: localhost for one that listens on every address.
func baseURL(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + a.String()
}

// formatBanner is all of it, to be written at once.
func (s banner) formatBanner() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sandbox: listening on %s\n", s.base)
	fmt.Fprintf(&b, "gateway_url: %s/gateway\nintegration_url: %s/integration\nuser_name: %s\n", s.base, s.base, s.options.user)
	if s.options.password != "" { // it was generated
		fmt.Fprintf(&b, "password: %s\n", s.options.password)
	}
	if s.options.state != "" {
		fmt.Fprintf(&b, "state: %s (%d onboarded)\n", s.options.state, s.onboarded)
	}
	for _, a := range s.world.Accounts() {
		fmt.Fprintf(&b, "account: %d %s\n", a.Number, a.Name)
	}
	if s.options.salesDir != "" {
		for _, store := range s.world.Stores() {
			fmt.Fprintf(&b, "store: %s\n", describeStore(&store, s.options.salesDir))
		}
	}
	from, to := s.world.Days()
	fmt.Fprintf(&b, "sales: %s to %s, seed %d\n", from, to, s.options.world.Seed)
	fmt.Fprintf(&b, "business clock: %s\n", s.world.Now().Format("2006-01-02 15:04 -0700"))
	fmt.Fprintf(&b, "description: %s/openapi.json\n", s.base)
	fmt.Fprintf(&b, "clock, faults, deliveries and what is planted: under %s/sandbox/, see --help\n", s.base)
	b.WriteString("Ctrl-C ends it.\n")
	return b.String()
}
