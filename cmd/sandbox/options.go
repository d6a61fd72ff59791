package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"concilia/cmd/sandbox/world"
)

// options is the command line, parsed.
type options struct {
	addr          string
	user          string
	password      string // empty: generate one and print it
	searchToken   string
	tokenLifetime time.Duration
	world         world.Options
}

const usage = `sandbox serves the payment service of the interface document over seeded data.

Usage: sandbox [options]

Options:
`

const ownPaths = `
The password comes from --password-file or SANDBOX_PASSWORD; without either one is
generated and printed.

Paths of its own:
  GET  /sandbox/health     whether it is up
  GET  /sandbox/planted    the differences a worker must find as of the business clock
  GET  /sandbox/clock      the business clock
  POST /sandbox/clock      {"now":"2026-11-18T09:00:00Z"} or {"advance_days":1}
`

// parse reads the command line; every problem of it is told at once.
func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	f := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprint(stderr, usage)
		f.PrintDefaults()
		fmt.Fprint(stderr, ownPaths)
	}
	f.StringVar(&o.addr, "addr", "127.0.0.1:8090", "`host:port` to listen on; port 0 picks a free one")
	f.Uint64Var(&o.world.Seed, "seed", 1, "`number` everything is drawn from")
	f.IntVar(&o.world.Days, "days", 60, "operation `days`, ending the day before --as-of")
	asOf := f.String("as-of", "2026-11-18", "`date` the business clock starts on, in the morning")
	f.StringVar(&o.user, "user", "demo", "`name` that may log in, up to 30 characters")
	passwordFile := f.String("password-file", "", "`file` holding the password, up to 256 characters")
	f.StringVar(&o.searchToken, "search-token", "integration", "login whose token the transaction search takes: integration or gateway")
	f.BoolVar(&o.world.Plant, "plant", true, "plant differences")
	f.DurationVar(&o.tokenLifetime, "token-lifetime", time.Hour, "how long a token is good")
	if err := f.Parse(args); err != nil {
		return o, err
	}

	var errs []error
	var err error
	if f.NArg() > 0 {
		errs = append(errs, fmt.Errorf("unexpected argument %q", f.Arg(0)))
	}
	if o.world.AsOf, err = world.ParseDate(*asOf); err != nil {
		errs = append(errs, fmt.Errorf("--as-of: %w", err))
	}
	if o.world.Days < 1 {
		errs = append(errs, fmt.Errorf("--days %d: want at least 1", o.world.Days))
	}
	if o.searchToken != "integration" && o.searchToken != "gateway" {
		errs = append(errs, fmt.Errorf("--search-token %q: want integration or gateway", o.searchToken))
	}
	if o.tokenLifetime <= 0 {
		errs = append(errs, fmt.Errorf("--token-lifetime %s: want more than 0", o.tokenLifetime))
	}
	if n := len([]rune(o.user)); n < 1 || n > 30 {
		errs = append(errs, fmt.Errorf("--user: %d characters, want 1 to 30", n))
	}
	if o.password, err = readPassword(*passwordFile); err != nil {
		errs = append(errs, err)
	} else if len([]rune(o.password)) > 256 {
		errs = append(errs, errors.New("password: more than 256 characters"))
	}
	return o, errors.Join(errs...)
}
