package main

import (
	"context"
	"os/user"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/jobs/casework"
	"concilia/store/ledger"

	"github.com/spf13/cobra"
)

// exceptionAct are the flags of an act on cases.
type exceptionAct struct {
	filter exceptionFilter
	req    casework.ActRequest
	until  dateFlag
	cap    string
}

// actWords is what the help says of each verb.
func actWords(v ledger.Verb) (short, long string) {
	switch v {
	case ledger.Ack:
		return "acknowledge cases: they no longer turn cron red", "ack acknowledges cases that are pending, open or reopened."
	case ledger.Assign:
		return "assign cases to somebody", "assign gives cases to somebody to handle; their state stays the same."
	case ledger.Dispute:
		return "claim cases from the operator", "dispute records that cases were claimed from the operator, and the reference of the claim."
	case ledger.Waive:
		return "accept cases until a day, up to an amount", `waive accepts cases up to and including a day, as long as no more than the cap is at stake. Past the day or the cap a case
reopens by itself. A case that is not about an amount needs no cap.`
	case ledger.Close:
		return "close cases", `close closes cases. A case stays closed while its rule fires with the same numbers. It reopens when they change, or when
the rule fires again after it has passed.`
	}
	return "reopen cases", "reopen reopens cases that are closed, waived, acknowledged or disputed."
}

func newExceptionAct(g *globals, v ledger.Verb) *cobra.Command {
	o := &exceptionAct{req: casework.ActRequest{Verb: v}}
	short, long := actWords(v)
	cmd := &cobra.Command{
		Use:   string(v) + " CASE… | " + string(v) + " --code CODE…",
		Short: short,
		Long: long + `

Name the cases by their id, or six or more leading digits of it, or select them by flags as in exceptions list; without
--state a filter selects the states that the act applies to. The act is done on every case or on none. --dry-run shows
what would be done. If four_eyes lists the act it is only proposed, and done when another person repeats it with the same
details within 7 days.

Exit status: 0 done, proposed, or nothing to do; 2 usage, or cases in another state; 40 configuration; 50 ledger
unreachable.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := false
			for _, name := range exceptionFilterNames() {
				chosen = chosen || cmd.Flags().Changed(name)
			}
			switch {
			case len(args) == 0 && !chosen:
				return usage("name cases, or choose them with --code, --severity, --account …; --dry-run tells which", "exceptions %s needs cases or a filter", v)
			case len(args) > 0 && chosen:
				return usage("either name the cases or choose them", "exceptions %s takes cases or a filter, not both", v)
			}
			o.req.Cases = args
			return g.act(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	o.filter.flags(flags)
	flags.StringVar(&o.req.Reason, "reason", "", "why, kept in the log and shown with the case")
	flags.StringVar(&o.req.Actor, "as", "", "who acts (default: the operating system's user)")
	flags.BoolVar(&o.req.DryRun, "dry-run", false, "show what would be done, and do nothing")
	switch v {
	case ledger.Assign:
		flags.StringVar(&o.req.Assignee, "to", "", "`NAME` of the person who gets the cases")
	case ledger.Dispute:
		flags.StringVar(&o.req.Reference, "reference", "", "`REF` under which the operator keeps the claim")
	case ledger.Waive:
		flags.Var(&o.until, "until", "the last day, YYYY-MM-DD")
		flags.StringVar(&o.cap, "cap", "", "the most that may be at stake in each case, in reais")
	}
	return cmd
}

func (g *globals) act(ctx context.Context, o *exceptionAct) error {
	o.req.Until = o.until.Date
	if o.cap != "" {
		v, err := ledger.ParseAmount(o.cap)
		if err != nil {
			return usage("reais with a dot, such as 10.00", "--cap: %v", err)
		}
		o.req.Cap = ledger.Some(v)
	}
	if o.req.Actor = strings.TrimSpace(o.req.Actor); o.req.Actor == "" {
		// Without a name of the system the request itself asks for --as.
		if u, err := user.Current(); err == nil {
			o.req.Actor = u.Username
		}
	}
	var err error
	if o.req.Filter, err = o.filter.filter(); err != nil {
		return err
	}
	return g.withDesk(ctx, func(d *casework.Handler) error {
		o.req.Filter.OpenedBy = o.filter.openedBy(d.Today)
		s, err := d.ActOnCases(ctx, o.req)
		if err != nil {
			return err
		}
		return g.show(view.CaseActOf(s))
	})
}
