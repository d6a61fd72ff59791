package cases

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/config/problem"
	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// periodAct are the flags of an act on a month.
type periodAct struct {
	req      casework.PeriodRequest
	accounts []int64
}

// NewPeriod is the command period and those below it.
func NewPeriod(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{
		Use:   "period",
		Short: "close months, so that their reports no longer change, and reopen them",
		Long: `period closes a month on a basis, or reopens it. A closed month is what was reported: run publishes it no more. What the
service changes in it afterwards is a case SRC_CHANGED_AFTER_CLOSE, stands in the summary of the month it was first seen
in as an adjustment, and is listed by report --kind restatement. Every act goes into a log that nobody changes unseen.`,
	})
	cmd.AddCommand(newPeriodAct(inv, ledger.ClosePeriod), newPeriodAct(inv, ledger.ReopenPeriod))
	return cmd
}

func newPeriodAct(inv *command.Invocation, v ledger.Verb) *cobra.Command {
	o := &periodAct{req: casework.PeriodRequest{Verb: v}}
	name := strings.TrimPrefix(string(v), "period ")
	short := "close a month as it was published last"
	long := `close closes a month on a basis, for every configured account unless --account names some. Where reports.formats has edi, it first
publishes the month's set with its EDI files, which nights leave out (reports.edi.month_sets). It closes the latest revision of the
set: there must be one, the month must have ended, and the account must have been reconciled since then, with a verdict other than
incomplete. Closing a closed month changes nothing.`
	if v == ledger.ReopenPeriod {
		short = "reopen the latest closed month"
		long = `reopen reopens the latest closed month of a basis, for every configured account unless --account names some. The next
run publishes its changes if it is the previous month; report publishes any month.`
	}
	cmd := &cobra.Command{
		Use:   name + " YYYY-MM --reason TEXT",
		Short: short,
		Long: long + `

The act is done for every account or for none. --dry-run shows what would be done. If four_eyes lists period, the act is
only proposed, and done when another person repeats it within 7 days.

Exit status: 0 done, proposed, or nothing to do; 2 usage, or a month that can't be closed or reopened, with what to do;
40 configuration; 50 ledger or target unreachable; 60 another run publishes.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.NewUsageError("error.period_month", "hint.example", "verb", name, "example", "concilia period "+name+" 2026-09 --reason …")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.req.Month, err = ledger.ParseMonth(args[0]); err != nil {
				return exit.NewUsageError("error.no_month", "hint.example", "month", problem.Shown(args[0]), "example", "2026-09")
			}
			return changePeriod(cmd.Context(), inv, o)
		},
	}
	flags := cmd.Flags()
	command.AddAccountFlag(flags, &o.accounts)
	flags.StringVar(&o.req.Basis, "basis", string(report.ByCredit), "the basis whose month it is: operation or credit")
	flags.StringVar(&o.req.Reason, "reason", "", "why, kept in the log")
	flags.StringVar(&o.req.Actor, "as", "", "who acts (default: the operating system's user)")
	flags.BoolVar(&o.req.DryRun, "dry-run", false, "show what would be done, and do nothing")
	return cmd
}

func changePeriod(ctx context.Context, inv *command.Invocation, o *periodAct) error {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return err
	}
	if o.req.Accounts, err = periodAccounts(c, o.accounts); err != nil {
		return err
	}
	o.req.Actor = command.NameActor(o.req.Actor)
	return inv.WithCasework(ctx, func(d *casework.Handler) error {
		d.PublishMonths = wire.MonthPublisher(&inv.Process, c)
		s, err := d.ChangePeriod(ctx, o.req)
		if err != nil {
			return err
		}
		return inv.WritePage(caseview.PeriodActOf(s))
	})
}

// periodAccounts are the accounts named, or all that are configured.
func periodAccounts(c *config.Config, named []int64) ([]ledger.Account, error) {
	var known, out []ledger.Account
	for _, a := range c.Accounts {
		known = append(known, ledger.Account(a.Number))
	}
	if len(named) == 0 {
		return known, nil
	}
	for _, n := range named {
		if !slices.Contains(known, ledger.Account(n)) {
			return nil, exit.NewUsageError("error.no_account", "hint.accounts_are", "account", n, "accounts", fmt.Sprint(known))
		}
		out = append(out, ledger.Account(n))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
