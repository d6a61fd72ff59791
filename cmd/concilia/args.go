package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/exit"
	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// noArgs refuses words after a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasParent() {
		return exit.Usagef(cmd.CommandPath()+" --help", "%s takes no argument, not %q", cmd.CommandPath(), args[0])
	}
	hint := "concilia --help lists the commands"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return exit.Usagef(hint, "there is no command %q", args[0])
}

// exactArgs refuses a command line without exactly n arguments, which are named what.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return exit.Usagef(cmd.UseLine(), "%s needs %s", cmd.CommandPath(), what)
		case len(args) > n:
			return exit.Usagef(cmd.UseLine(), "%s takes %s alone, not %q too", cmd.CommandPath(), what, args[n])
		}
		return nil
	}
}

// commandGroup is a command that only holds others.
func commandGroup(cmd *cobra.Command) *cobra.Command {
	cmd.Args = noArgs
	cmd.RunE = func(c *cobra.Command, _ []string) error {
		return exit.Usagef(c.CommandPath()+" --help", "%s needs one of its commands", c.CommandPath())
	}
	return cmd
}

// dateFlag is a date on the command line; the zero value is not given.
type dateFlag struct{ ledger.Date }

// Set, Type and String make it a flag.
func (d *dateFlag) Set(s string) error {
	v, err := ledger.ParseDate(s)
	if err == nil {
		d.Date = v
	}
	return err
}

func (d *dateFlag) Type() string { return "DATE" }

// accountFlag adds --account, which may be repeated.
func accountFlag(flags *pflag.FlagSet, numbers *[]int64) {
	flags.Int64SliceVar(numbers, "account", nil, "account `N`; may be repeated (default all)")
	flags.Lookup("account").DefValue = "" // help would show the empty list as a default
}

// asOfFlags adds --as-of and its synonym --date.
func asOfFlags(cmd *cobra.Command, d *dateFlag) {
	cmd.Flags().Var(d, "as-of", "the morning to evaluate from, YYYY-MM-DD (default today)")
	cmd.Flags().Var(d, "date", "the same as --as-of")
}

// asOf chooses the morning to evaluate from: the flag, else today; never a day to come, nor one outside the calendars.
func (d dateFlag) asOf(today ledger.Date) (ledger.Date, error) {
	day := d.Date
	switch {
	case day == 0:
		day = today
	case day > today:
		return 0, exit.Usagef("give a day up to today", "--as-of %s lies after today, %s", d.Date, today)
	}
	if err := calendar.CheckDate(day); err != nil {
		return 0, exit.NewInputError("as-of", err)
	}
	return day, nil
}

// setWorkerDate is asOf before anything is opened, into day.
func (d *dateFlag) setWorkerDate(day *ledger.Date) func(*jobs.Worker) error {
	return func(w *jobs.Worker) (err error) {
		*day, err = d.asOf(w.Today())
		return err
	}
}

// periodOf settles --from and --to, both required.
func periodOf(from, to dateFlag) (ledger.Period, error) {
	if from.Date == 0 || to.Date == 0 {
		return ledger.Period{}, exit.Usagef("for example --from 2026-11-01 --to 2026-11-30", "--from and --to are both needed")
	}
	p := ledger.Period{From: from.Date, To: to.Date}
	if err := p.Valid(); err != nil {
		return p, exit.Usagef("--from is the first day, --to the last", "%v", err)
	}
	return p, nil
}
