package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"concilia/config"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

func newCalendar(g *globals) *cobra.Command {
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
		Args: exactly(1, "a year"),
		RunE: func(_ *cobra.Command, args []string) error { return g.showCalendar(args[0], account) },
	}
	cmd.Flags().Int64Var(&account, "account", 0, "with the local days of this account")
	return cmd
}

// calendarDay is a day in calendar --json: settles and counter say whether it is a business day there.
type calendarDay struct {
	Date    ledger.Date `json:"date"`
	Weekday string      `json:"weekday"`
	Settles bool        `json:"settles"`
	Counter bool        `json:"counter"`
	Name    string      `json:"name"`
	Source  string      `json:"source"`
}

// calendarYear is calendar --json.
type calendarYear struct {
	ID           string         `json:"id"`
	Version      string         `json:"version"`
	Hash         string         `json:"hash"`
	Account      int64          `json:"account,omitempty"`
	Year         int            `json:"year"`
	BusinessDays map[string]int `json:"business_days"`
	Days         []calendarDay  `json:"days"`
}

func (g *globals) showCalendar(text string, account int64) error {
	year, err := strconv.Atoi(text)
	if err != nil || year < calendar.FirstYear || year > calendar.LastYear {
		return usage(fmt.Sprintf("give a year from %d to %d", calendar.FirstYear, calendar.LastYear), "the calendar knows no year %.20q", text)
	}
	c, err := g.configuredCalendar(account)
	if err != nil {
		return err
	}
	y := yearOf(c, year)
	y.Account = account
	if g.json {
		return json.NewEncoder(g.stdout).Encode(y)
	}
	return g.printCalendar(y)
}

// configuredCalendar is the calendar of an account, or of all when it is 0. Who has no configuration yet sees the
// computed days.
func (g *globals) configuredCalendar(account int64) (*calendar.Calendar, error) {
	if _, err := os.Stat(g.config); errors.Is(err, fs.ErrNotExist) && account == 0 && g.config == defaultConfig {
		return calendar.New(calendar.Options{})
	}
	c, err := config.LoadOffline(g.config, g.lookup)
	if err != nil {
		return nil, err
	}
	if account == 0 {
		return calendarOf(c, nil)
	}
	for i := range c.Accounts {
		if c.Accounts[i].Number == account {
			return calendarOf(c, &c.Accounts[i])
		}
	}
	return nil, usage("name one of accounts in "+g.config, "account %d is not configured", account)
}

// yearOf gathers the days of a year: those that are closed, and those that were opened.
func yearOf(c *calendar.Calendar, year int) *calendarYear {
	y := &calendarYear{
		ID: calendar.ID, Version: calendar.Version, Hash: c.Hash(), Year: year, Days: []calendarDay{},
		BusinessDays: map[string]int{calendar.Settles.String(): 0, calendar.Counter.String(): 0},
	}
	named := map[ledger.Date]calendar.Day{}
	for _, d := range c.NamedDays(year) {
		named[d.Date] = d
	}
	for d := ledger.NewDate(year, 1, 1); d.Year() == year; d++ {
		day := calendarDay{Date: d, Weekday: d.Weekday().String(), Settles: c.IsBusinessDay(calendar.Settles, d), Counter: c.IsBusinessDay(calendar.Counter, d), Source: weekend}
		if day.Settles {
			y.BusinessDays[calendar.Settles.String()]++
		}
		if day.Counter {
			y.BusinessDays[calendar.Counter.String()]++
		}
		n, special := named[d]
		if special {
			day.Name, day.Source = n.Name, n.Source
		}
		if special || !day.Settles {
			y.Days = append(y.Days, day)
		}
	}
	return y
}

// weekend is the source of a Saturday or Sunday that is nothing besides.
const weekend = "weekend"

func (g *globals) printCalendar(y *calendarYear) error {
	t := newTable(g.stdout)
	t.AppendHeader(table.Row{"date", "weekday", "settles", "counter", "source", "name"})
	weekends := 0
	for _, d := range y.Days {
		if d.Source == weekend {
			weekends++
			continue
		}
		t.AppendRow(table.Row{d.Date.String(), d.Weekday, openOrClosed(d.Settles), openOrClosed(d.Counter), d.Source, d.Name})
	}
	t.Render()
	_, err := fmt.Fprintf(g.stdout, "\nand %d more Saturdays and Sundays, closed in both\nbusiness days of %d: settles %d, counter %d\ncalendar %s version %s, SHA-256 %s\n",
		weekends, y.Year, y.BusinessDays[calendar.Settles.String()], y.BusinessDays[calendar.Counter.String()], y.ID, y.Version, y.Hash)
	return err
}

func openOrClosed(open bool) string {
	if open {
		return "open"
	}
	return "closed"
}
