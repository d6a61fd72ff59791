package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/user"
	"strings"

	"concilia/jobs/casework"
	"concilia/store/ledger"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
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
		if g.json {
			return json.NewEncoder(g.stdout).Encode(actedOf(s))
		}
		return g.printAct(s)
	})
}

// acted is what an act did, as JSON.
type acted struct {
	*casework.ActSummary
	Impact string      `json:"impact"`
	Excess string      `json:"excess"`
	Cases  []actedCase `json:"cases"`
}

type actedCase struct {
	Case    string `json:"case"`
	Code    string `json:"code"`
	Account int64  `json:"account"`
	Subject string `json:"subject"`
	From    string `json:"from"`
	To      string `json:"to"`
	Impact  string `json:"impact"`
	Outcome string `json:"outcome"`
	Act     int64  `json:"act,omitempty"`
	Partner string `json:"partner,omitempty"`
}

func actedOf(s *casework.ActSummary) acted {
	out := acted{ActSummary: s, Impact: s.Impact.String(), Excess: s.Excess.String(), Cases: []actedCase{}}
	for _, c := range s.Cases {
		out.Cases = append(out.Cases, actedCase{
			Case: c.Case, Code: c.Code, Account: int64(c.Account), Subject: c.Subject, From: string(c.From), To: string(c.To),
			Impact: impactText(c.Impact), Outcome: c.Outcome, Act: c.Act, Partner: c.Partner.Actor,
		})
	}
	return out
}

func (g *globals) printAct(s *casework.ActSummary) error {
	t := newTable(g.stdout)
	t.AppendHeader(table.Row{"case", "code", "from", "to", "impact R$", "subject"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 5, Align: text.AlignRight}})
	for _, c := range s.Cases {
		to := string(c.To)
		if c.To == c.From && c.Outcome != "done" {
			to = c.Outcome
		}
		t.AppendRow(table.Row{c.Case, c.Code, c.From, to, impactText(c.Impact), c.Subject})
	}
	if len(s.Cases) > 0 {
		t.Render()
	}
	line := fmt.Sprintf("%s by %s: %s, impact R$ %s, in excess R$ %s", s.Verb, s.Actor, things(s.Count, "case", "cases"), reais(s.Impact), reais(s.Excess))
	if s.DryRun {
		line += "; dry run, nothing was kept"
	}
	if s.Proposed > 0 {
		line += fmt.Sprintf("\n%d proposed: done when another person repeats the act within 7 days", s.Proposed)
	}
	if s.Waiting > 0 {
		line += fmt.Sprintf("\n%d wait: proposed by %s before, another person has to repeat the act", s.Waiting, s.Actor)
	}
	_, err := fmt.Fprintln(g.stdout, line)
	return err
}
