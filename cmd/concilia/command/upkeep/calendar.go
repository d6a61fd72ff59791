package upkeep

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/config/problem"
	"concilia/jobs/calendar"
)

// NewCalendar is the command calendar.
func NewCalendar(inv *command.Invocation) *cobra.Command {
	var account int64
	cmd := &cobra.Command{
		Use:   "calendar YEAR",
		Short: "show the days of a year that are not business days, and why",
		Long: `calendar prints the days of a year that are not business days, in both calendars: settles, for days on which payments
settle between banks, and counter, for days on which branches are open too. Each day names what closes or opens it: a law
or resolution, the configuration, or the account's own days. Identity, version and hash are those that runs record.

With --account it includes the account's local days, without it only days common to all accounts. Saturdays and Sundays
are only counted; with --json each is listed. Without a configuration file it shows the computed days.

Exit status: 0 printed; 2 usage, a year outside the calendar, or an account that is not configured; 40 configuration.`,
		Args: command.ExactArgs(1, "argument.a_year"),
		RunE: func(_ *cobra.Command, args []string) error { return showCalendar(inv, args[0], account) },
	}
	cmd.Flags().Int64Var(&account, "account", 0, "with the local days of this account")
	return cmd
}

func showCalendar(inv *command.Invocation, text string, account int64) error {
	year, err := strconv.Atoi(text)
	if err != nil || year < calendar.FirstYear || year > calendar.LastYear {
		return exit.NewUsageError("error.no_year", "hint.years", "year", problem.Shown(text), "first", calendar.FirstYear, "last", calendar.LastYear)
	}
	c, err := configuredCalendar(inv, account)
	if err != nil {
		return err
	}
	return inv.WritePage(view.CalendarYearOf(c, account, year))
}

// configuredCalendar is the calendar of an account, or of all when it is 0. Without a configuration it is the
// computed one.
func configuredCalendar(inv *command.Invocation, account int64) (*calendar.Calendar, error) {
	if _, err := os.Stat(inv.ConfigPath); errors.Is(err, fs.ErrNotExist) && account == 0 && inv.ConfigPath == command.DefaultConfig {
		return calendar.New(calendar.Options{})
	}
	c, err := config.LoadOffline(inv.ConfigPath, inv.Lookup)
	if err != nil {
		return nil, err
	}
	if account == 0 {
		return wire.CalendarOf(c, nil)
	}
	for i := range c.Accounts {
		if c.Accounts[i].Number == account {
			return wire.CalendarOf(c, &c.Accounts[i])
		}
	}
	return nil, exit.NewUsageError("error.no_account", "hint.accounts_in", "account", account, "path", inv.ConfigPath)
}
