package command

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// DateFlag is a date on the command line; the zero value is not given.
type DateFlag struct{ ledger.Date }

// Set reads a date, YYYY-MM-DD.
func (d *DateFlag) Set(s string) error {
	v, err := ledger.ParseDate(s)
	if err == nil {
		d.Date = v
	}
	return err
}

// Type is what help calls the value.
func (d *DateFlag) Type() string { return "DATE" }

// AsOf chooses the morning to evaluate from: the flag, else today; never a day to come, nor one outside the calendars.
func (d DateFlag) AsOf(today ledger.Date) (ledger.Date, error) {
	day := d.Date
	switch {
	case day == 0:
		day = today
	case day > today:
		return 0, exit.NewUsageError("error.after_today", "hint.up_to_today", "flag", "--as-of", "day", d.Date, "today", today)
	}
	if err := calendar.CheckDate(day); err != nil {
		return 0, exit.NewInputError("as-of", err)
	}
	return day, nil
}

// SetWorkerDate returns what puts AsOf into day before a worker opens anything.
func (d *DateFlag) SetWorkerDate(day *ledger.Date) func(*jobs.Worker) error {
	return func(w *jobs.Worker) (err error) {
		*day, err = d.AsOf(w.Today())
		return err
	}
}

// AddAsOfFlags adds --as-of and its synonym --date.
func AddAsOfFlags(cmd *cobra.Command, d *DateFlag) {
	cmd.Flags().Var(d, "as-of", "the morning to evaluate from, YYYY-MM-DD (default today)")
	cmd.Flags().Var(d, "date", "the same as --as-of")
}

// PeriodOf settles --from and --to, both required.
func PeriodOf(from, to DateFlag) (ledger.Period, error) {
	if from.Date == 0 || to.Date == 0 {
		return ledger.Period{}, exit.NewUsageError("error.both_days", "hint.both_days")
	}
	p := ledger.Period{From: from.Date, To: to.Date}
	if err := p.Valid(); err != nil {
		return p, exit.NewUsageError("error.period_backwards", "hint.from_then_to", "from", from, "to", to)
	}
	return p, nil
}

// OpenPeriodOf settles --from and --to where neither is required: what is not given is the first or the last of all dates.
func OpenPeriodOf(from, to DateFlag) (ledger.Period, error) {
	p := ledger.Period{From: max(1, from.Date), To: ledger.NewDate(9999, 12, 31)}
	if to.Date != 0 {
		p.To = to.Date
	}
	if p.To < p.From {
		return p, exit.NewUsageError("error.period_backwards", "hint.from_then_to", "from", from, "to", to)
	}
	return p, nil
}

// AddAccountFlag adds --account, which may be repeated.
func AddAccountFlag(flags *pflag.FlagSet, numbers *[]int64) {
	flags.Int64SliceVar(numbers, "account", nil, "account `N`; may be repeated (default all)")
	flags.Lookup("account").DefValue = "" // help would show the empty list as a default
}

// ChooseAccounts narrows the worker to the accounts of --account; none named is all.
func ChooseAccounts(w *jobs.Worker, numbers []int64) error {
	if len(numbers) == 0 {
		return nil
	}
	var kept []jobs.Account
	for _, n := range numbers {
		found := false
		for _, a := range w.Accounts {
			if int64(a.Number) == n {
				kept, found = append(kept, a), true
			}
		}
		if !found {
			return exit.NewUsageError("error.no_account", "hint.accounts_listed", "account", n)
		}
	}
	w.AllAccounts = len(kept) == len(w.Accounts)
	w.Accounts = kept
	return nil
}

// NameActor is who acts: the name given with --as, else the operating system's user; empty where the system knows no users.
func NameActor(given string) string { return cmp.Or(strings.TrimSpace(given), wire.CurrentPerson()) }

// LeastHash is how many digits of its hash name a statement of a bank at least.
const LeastHash = 8
