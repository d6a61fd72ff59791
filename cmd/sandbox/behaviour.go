package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// interpretationNames are the choices of --reading: how the service answers what the interface document leaves
// open. The default of each comes first.
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

// interpretationFlag is the flag that takes them one by one.
type interpretationFlag struct{ to *world.Interpretation }

// String is what the flag package shows as default: none.
func (r interpretationFlag) String() string { return "" }

// Set takes one name=value; what the names and values are is said in the error.
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

// interpretationHelp lists the readings for the usage text.
func interpretationHelp() string {
	var b strings.Builder
	b.WriteString("\nReadings, each with its values, the default first:\n")
	for _, r := range interpretationNames {
		fmt.Fprintf(&b, "  %-23s %s\n", r.name, r.values)
	}
	return b.String()
}

// addBehaviourFlags adds the options of how the service behaves: readings, deliveries and faults.
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
