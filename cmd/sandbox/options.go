package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// options is the command line, parsed.
type options struct {
	addr          string
	user          string
	password      string // empty: generate one and print it
	searchToken   string
	tokenLifetime time.Duration
	userAddresses []netip.Prefix // none: loopback
	state         string         // file of clients and subscriptions; empty: memory
	proxies       []netip.Prefix
	checkURLs     bool
	accessKey     string
	deliveries    service.DeliveryOptions
	journal       string // file of deliveries; empty: memory
	faults        service.FaultOptions
	world         world.Options
}

// parseOptions reads the command line; every problem of it is told at once.
// --help goes to stdout and is flag.ErrHelp.
func parseOptions(args []string, stdout io.Writer) (options, error) {
	o := options{}
	f := newFlags("sandbox")
	given := o.addFlags(f)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			printHelp(stdout, f)
		}
		return o, err
	}

	var errs []error
	var err error
	if f.NArg() > 0 {
		errs = append(errs, fmt.Errorf("unexpected argument %q", f.Arg(0)))
	}
	if o.world.AsOf, err = world.ParseDate(given.asOf); err != nil {
		errs = append(errs, fmt.Errorf("--as-of: %w", err))
	}
	if o.world.Days < 1 {
		errs = append(errs, fmt.Errorf("--days %d: want at least 1", o.world.Days))
	}
	if given.accounts < 1 || given.accounts > maxAccounts {
		errs = append(errs, fmt.Errorf("--accounts %d: want 1 to %d", given.accounts, maxAccounts))
	} else {
		o.world.Accounts = world.Shops(given.accounts)
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
	o.userAddresses = parseAddresses("--user-ip", given.userIPs, &errs)
	o.proxies = parseAddresses("--trusted-proxy", given.proxies, &errs)
	if strings.ContainsFunc(o.accessKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		errs = append(errs, errors.New("--access-key: want visible ASCII without spaces"))
	}
	if !isFlagSet(f, "state") {
		o.state = existingStateFile()
	}
	if err := o.checkBehaviour(f); err != nil {
		errs = append(errs, err)
	}
	if given.daysAhead < 0 || given.daysAhead > 3660 {
		errs = append(errs, fmt.Errorf("--days-ahead %d: want 0 to 3660", given.daysAhead))
	} else if given.daysAhead > 0 {
		o.world.To = o.world.AsOf + world.Date(given.daysAhead) - 1
	}
	if o.password, err = readPassword(given.passwordFile); err != nil {
		errs = append(errs, err)
	} else if len([]rune(o.password)) > 256 {
		errs = append(errs, errors.New("password: more than 256 characters"))
	}
	return o, errors.Join(errs...)
}

// maxAccounts bounds --accounts: each draws some 1,000 installments for 60 days.
const maxAccounts = 1000

// rawOptions are options that say something only after another look.
type rawOptions struct {
	asOf, passwordFile string
	daysAhead          int
	accounts           int
	userIPs, proxies   repeatedFlag
}

// addFlags adds every option of the serving command.
func (o *options) addFlags(f *flag.FlagSet) *rawOptions {
	given := &rawOptions{}
	f.StringVar(&o.addr, "addr", "127.0.0.1:8090", "`host:port` to listen on; port 0 picks a free one")
	f.Uint64Var(&o.world.Seed, "seed", 1, "`number` everything is drawn from")
	f.IntVar(&o.world.Days, "days", 60, "operation `days`, ending the day before --as-of")
	f.IntVar(&given.accounts, "accounts", 2, "`number` of accounts, from 1001 on, every second one with splits")
	f.StringVar(&given.asOf, "as-of", "2026-11-18", "`date` the business clock starts on, in the morning")
	f.StringVar(&o.user, "user", "demo", "`name` that may log in, up to 30 characters")
	f.StringVar(&given.passwordFile, "password-file", "", "`file` holding the password, up to 256 characters")
	f.StringVar(&o.searchToken, "search-token", "integration", "`login` whose token the transaction search takes: integration or gateway")
	f.BoolVar(&o.world.Plant, "plant", true, "plant differences")
	f.DurationVar(&o.tokenLifetime, "token-lifetime", time.Hour, "how long a token is good")
	f.Var(&given.userIPs, "user-ip", "`address` or range --user may come from, repeatable (default loopback)")
	f.StringVar(&o.state, "state", "", stateUsage)
	f.Var(&given.proxies, "trusted-proxy", "`range` of proxies whose X-Forwarded-For is believed, repeatable (default none)")
	f.BoolVar(&o.checkURLs, "check-urls", true, "refuse a subscription whose URL takes no connection")
	f.StringVar(&o.accessKey, "access-key", "", "`text` of the Access-Key header of notifications (default sandbox-access-key)")
	f.IntVar(&given.daysAhead, "days-ahead", 0, "operation `days` from --as-of on whose sales show up as the business clock moves (default none)")
	o.addBehaviourFlags(f)
	return given
}

// newFlags is an empty set of flags that prints nothing: what is wrong it returns, and help is for the asking.
func newFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// repeatedFlag is a flag that may be given more than once.
type repeatedFlag []string

// String is what the flag package shows as default: none.
func (t *repeatedFlag) String() string { return "" }

// Set takes one more.
func (t *repeatedFlag) Set(s string) error {
	*t = append(*t, s)
	return nil
}

// parseAddresses reads the addresses of a flag.
func parseAddresses(name string, given repeatedFlag, errs *[]error) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range given {
		p, err := service.ParseAddress(text)
		if err != nil {
			*errs = append(*errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		list = append(list, p)
	}
	return list
}

// isFlagSet tells whether a flag was given, were it with its default.
func isFlagSet(f *flag.FlagSet, name string) bool {
	found := false
	f.Visit(func(one *flag.Flag) { found = found || one.Name == name })
	return found
}
