package main

import (
	"fmt"
	"net"
	"strings"

	"concilia/cmd/sandbox/world"
)

// banner is what the program says when it serves: first what a configuration needs, a "name: value" a line, then what
// an integrator wants to know.
type banner struct {
	base      string // address
	options   options
	world     *world.World
	onboarded int // clients
}

// baseURL is the address to reach a listener at from this machine: one that listens on every address is no address to
// call, so it is called by the machine's own name.
func baseURL(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	return "http://" + a.String()
}

// format is all of it, to be written at once.
func (s banner) format() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sandbox: listening on %s\n", s.base)
	fmt.Fprintf(&b, "gateway_url: %s/gateway\nintegration_url: %s/integration\nuser_name: %s\n", s.base, s.base, s.options.user)
	if s.options.password != "" { // it was generated: nobody else knows it
		fmt.Fprintf(&b, "password: %s\n", s.options.password)
	}
	if s.options.state != "" {
		fmt.Fprintf(&b, "state: %s (%d onboarded)\n", s.options.state, s.onboarded)
	}
	for _, a := range s.world.Accounts() {
		fmt.Fprintf(&b, "account: %d %s\n", a.Number, a.Name)
	}
	from, to := s.world.Days()
	fmt.Fprintf(&b, "sales: %s to %s, seed %d\n", from, to, s.options.world.Seed)
	fmt.Fprintf(&b, "business clock: %s\n", s.world.Now().Format("2006-01-02 15:04 -0700"))
	fmt.Fprintf(&b, "description: %s/openapi.json\n", s.base)
	fmt.Fprintf(&b, "clock, faults, deliveries and what is planted: under %s/sandbox/, see --help\n", s.base)
	b.WriteString("Ctrl-C ends it.\n")
	return b.String()
}
