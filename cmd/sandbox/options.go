package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
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
	salesDir      string // folder in which vendas is written; empty: none
	world         world.Options
}

// parseOptions parses the command line; the error joins all its problems.
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
	if g := o.world.Bank.Grain; g != "" && !slices.Contains(world.BankGrains(), g) {
		errs = append(errs, fmt.Errorf("--bank-grain %q: want %s", g, strings.Join(world.BankGrains(), ", ")))
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

// rawOptions are options that are parsed further after the flag package.
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
	f.StringVar(&o.salesDir, "sales-dir", "", "`folder` in which vendas is written: what each store's own system says was sold (default none)")
	f.DurationVar(&o.tokenLifetime, "token-lifetime", time.Hour, "how long a token is good")
	f.Var(&given.userIPs, "user-ip", "`address` or range --user may come from, repeatable (default loopback)")
	f.StringVar(&o.state, "state", "", stateUsage)
	f.Var(&given.proxies, "trusted-proxy", "`range` of proxies whose X-Forwarded-For is believed, repeatable (default none)")
	f.BoolVar(&o.checkURLs, "check-urls", true, "refuse a subscription whose URL takes no connection")
	f.StringVar(&o.accessKey, "access-key", "", "`text` of the Access-Key header of notifications (default sandbox-access-key)")
	f.IntVar(&given.daysAhead, "days-ahead", 0, "operation `days` from --as-of on whose sales show up as the business clock moves (default none)")
	f.StringVar(&o.world.Bank.Grain, "bank-grain", "", "what one credit at the bank is `of`: day, brand, brand_product or slip (default day of every second account, brand of the others)")
	f.BoolVar(&o.world.Bank.Together, "bank-together", false, "pay all accounts into one bank account, a credit for all of them")
	f.BoolVar(&o.world.Bank.Quirks, "bank-quirks", false, "spell statements in the odd ways of banks")
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

// isFlagSet reports whether a flag was given, even with its default value.
func isFlagSet(f *flag.FlagSet, name string) bool {
	found := false
	f.Visit(func(one *flag.Flag) { found = found || one.Name == name })
	return found
}

// interpretationNames are the names and values of --reading: how the service interprets what the interface document
// leaves open. The default of each comes first.
var interpretationNames = []struct {
	name, values string
	set          func(*world.Interpretation, string) error
}{
	{"rates", "percent, fraction", func(r *world.Interpretation, v string) error { r.Rates = v; return nil }},
	{"received-net-of-splits", "false, true", func(r *world.Interpretation, v string) error { return setBool(&r.ReceivedNetOfSplits, v) }},
	{"anticipation", "simple, compound, flat", func(r *world.Interpretation, v string) error { r.Anticipation = v; return nil }},
	{"anticipation-base", "net_of_mdr, gross, net_of_fees", func(r *world.Interpretation, v string) error { r.AnticipationBase = v; return nil }},
	{"fees", "spread, first", func(r *world.Interpretation, v string) error { r.Fees = v; return nil }},
	{"mdr-rounding", "installment, sale", func(r *world.Interpretation, v string) error { r.MDRRounding = v; return nil }},
	{"day-cut", "America/Sao_Paulo, UTC", func(r *world.Interpretation, v string) error { r.DayCut = v; return nil }},
	{"forecast", "business_day, raw", func(r *world.Interpretation, v string) error { r.Forecast = v; return nil }},
	{"installment-zero", "false, true", func(r *world.Interpretation, v string) error { return setBool(&r.InstallmentZero, v) }},
	{"split-base", "net, gross", func(r *world.Interpretation, v string) error { r.SplitBase = v; return nil }},
	{"slip-penalty", "percent, fixed", func(r *world.Interpretation, v string) error { r.SlipPenalty = v; return nil }},
	{"slip-interest", "monthly, daily, daily_fixed", func(r *world.Interpretation, v string) error { r.SlipInterest = v; return nil }},
}

func setBool(v *bool, text string) error {
	b, err := strconv.ParseBool(text)
	*v = b
	return err
}

// interpretationFlag is the flag --reading, which is given once for each interpretation.
type interpretationFlag struct{ to *world.Interpretation }

// String is what the flag package shows as default: none.
func (r interpretationFlag) String() string { return "" }

// Set sets one name=value; the error lists the names and values.
func (r interpretationFlag) Set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	for _, known := range interpretationNames {
		if known.name != name {
			continue
		}
		for one := range strings.SplitSeq(known.values, ", ") {
			if one == value {
				return known.set(r.to, value)
			}
		}
		return fmt.Errorf("want %s=%s", name, strings.ReplaceAll(known.values, ", ", "|"))
	}
	var names []string
	for _, known := range interpretationNames {
		names = append(names, known.name)
	}
	return fmt.Errorf("want one of %s", strings.Join(names, ", "))
}

// interpretationHelp lists the values of --reading for the usage text.
func interpretationHelp() string {
	var b strings.Builder
	b.WriteString("\nReadings, each with its values, the default first:\n")
	for _, r := range interpretationNames {
		fmt.Fprintf(&b, "  %-23s %s\n", r.name, r.values)
	}
	return b.String()
}

// addBehaviourFlags adds the options of the service's behaviour: interpretations, deliveries and faults.
func (o *options) addBehaviourFlags(f *flag.FlagSet) {
	f.Var(interpretationFlag{&o.world.Interpretation}, "reading", "`name=value` of what the interface document leaves open, repeatable; see below")
	f.StringVar(&o.journal, "journal", "", "`file` deliveries are remembered in over restarts (default the state file's name and .deliveries; without a state file, memory)")
	f.DurationVar(&o.deliveries.FirstDelay, "retry-first", 30*time.Second, "wait after a delivery's first failed attempt")
	f.Float64Var(&o.deliveries.Factor, "retry-factor", 2, "`times` each further wait is longer")
	f.DurationVar(&o.deliveries.Cap, "retry-cap", time.Hour, "longest wait between attempts")
	f.DurationVar(&o.deliveries.Window, "retry-window", 72*time.Hour, "how long after the change a delivery is given up")
	f.DurationVar(&o.deliveries.Timeout, "answer-timeout", 30*time.Second, "how long a receiver may take to answer")
	f.IntVar(&o.deliveries.Workers, "delivery-workers", 8, "deliveries under way, a `number`, at once")
	f.Float64Var(&o.faults.Rate, "fault-rate", 0, "`share` of requests that fail by chance, 0 to 1 (default none)")
	f.Uint64Var(&o.faults.Seed, "fault-seed", 1, "`number` the chance is drawn from")
}

// checkBehaviour checks what behaviour added; journal names are settled here too.
func (o *options) checkBehaviour(f *flag.FlagSet) error {
	var errs []error
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"--retry-first", o.deliveries.FirstDelay},
		{"--retry-cap", o.deliveries.Cap},
		{"--retry-window", o.deliveries.Window},
		{"--answer-timeout", o.deliveries.Timeout},
	} {
		if d.value <= 0 {
			errs = append(errs, fmt.Errorf("%s %s: want more than 0", d.name, d.value))
		}
	}
	// Written so that what is not a number is refused as well.
	if !(o.deliveries.Factor >= 1 && o.deliveries.Factor <= 1000) {
		errs = append(errs, fmt.Errorf("--retry-factor %g: want 1 to 1000", o.deliveries.Factor))
	}
	if o.deliveries.Workers < 1 || o.deliveries.Workers > 1000 {
		errs = append(errs, fmt.Errorf("--delivery-workers %d: want 1 to 1000", o.deliveries.Workers))
	}
	if !(o.faults.Rate >= 0 && o.faults.Rate <= 1) {
		errs = append(errs, fmt.Errorf("--fault-rate %g: want 0 to 1", o.faults.Rate))
	}
	if o.state != "" && !isFlagSet(f, "journal") {
		o.journal = o.state + ".deliveries"
	}
	return errors.Join(errs...)
}

// openJournal opens the deliveries' file, if there is to be one.
func (o *options) openJournal() error {
	if o.journal == "" {
		return nil
	}
	var err error
	o.deliveries.Journal, err = service.OpenJournal(o.journal)
	return err
}
