package cases

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/caseview"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// exceptionAct are the flags of an act on cases.
type exceptionAct struct {
	filter exceptionFilter
	req    casework.ActRequest
	until  command.DateFlag
	cap    string

	followUp command.DateFlag
	letter   string // path
}

// actWords are the help texts of each verb.
func actWords(v ledger.Verb) (short, long string) {
	switch v {
	case ledger.Ack:
		return "acknowledge cases: they no longer turn cron red", "ack acknowledges cases that are pending, open or reopened."
	case ledger.Assign:
		return "assign cases to somebody", "assign gives cases to somebody to handle; their state stays the same."
	case ledger.Dispute:
		return "claim cases from the operator", `dispute records that cases were claimed from the operator, the reference of the claim, what each was about then, and the
day to ask again.`
	case ledger.Answer:
		return "record what the operator answered to a claim", `answer records what the operator answered to cases that are disputed: accepted, refused, partial, or asks for more. They
stay disputed: only data resolve a case, and what was not paid is closed or waived.`
	case ledger.Waive:
		return "accept cases until a day, up to an amount", `waive accepts cases up to and including a day, as long as no more than the cap is at stake. Past the day or the cap a case
reopens by itself. A case that is not about an amount needs no cap.`
	case ledger.Close:
		return "close cases", `close closes cases. A case stays closed while its rule fires with the same numbers. It reopens when they change, or when
the rule fires again after it has passed.`
	}
	return "reopen cases", "reopen reopens cases that are closed, waived, acknowledged or disputed."
}

func newExceptionAct(inv *command.Invocation, v ledger.Verb) *cobra.Command {
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
				return exit.NewUsageError("error.cases_or_filter", "hint.cases_or_filter", "verb", v)
			case len(args) > 0 && chosen:
				return exit.NewUsageError("error.cases_and_filter", "hint.cases_and_filter", "verb", v)
			}
			o.req.Cases = args
			return actOnCases(cmd.Context(), inv, o)
		},
	}
	flags := cmd.Flags()
	o.filter.addFlags(flags)
	flags.StringVar(&o.req.Reason, "reason", "", "why, kept in the log and shown with the case")
	flags.StringVar(&o.req.Actor, "as", "", "who acts (default: the operating system's user)")
	flags.BoolVar(&o.req.DryRun, "dry-run", false, "show what would be done, and do nothing")
	switch v {
	case ledger.Assign:
		flags.StringVar(&o.req.Assignee, "to", "", "`NAME` of the person who gets the cases")
	case ledger.Dispute:
		flags.StringVar(&o.req.Reference, "reference", "", "`REF` under which the operator keeps the claim")
		flags.Var(&o.followUp, "follow-up", "the day to ask again, YYYY-MM-DD (default 10 business days on)")
		flags.StringVar(&o.letter, "letter", "", "`FILE` of the letter that claims them: its SHA-256 is kept")
	case ledger.Answer:
		flags.StringVar((*string)(&o.req.Reply), "reply", "", "what was answered: accepted, refused, partial or asks")
		flags.StringVar(&o.req.Reference, "reference", "", "`REF` of the claim, if the operator gave another")
		flags.Var(&o.followUp, "follow-up", "the day to ask again, YYYY-MM-DD")
	case ledger.Waive:
		flags.Var(&o.until, "until", "the last day, YYYY-MM-DD")
		flags.StringVar(&o.cap, "cap", "", "the most that may be at stake in each case, in reais")
	}
	return cmd
}

// hashFile is the SHA-256 of a file, in hex.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func actOnCases(ctx context.Context, inv *command.Invocation, o *exceptionAct) error {
	o.req.Until, o.req.FollowUp = o.until.Date, o.followUp.Date
	if o.letter != "" {
		var err error
		if o.req.Letter, err = hashFile(o.letter); err != nil {
			return exit.NewUsageError("error.flag_cause", "hint.letter_file", "flag", "--letter", "cause", exit.Cause(err))
		}
	}
	if o.cap != "" {
		v, err := ledger.ParseAmount(o.cap)
		if err != nil {
			return exit.NewUsageError("error.no_amount", "hint.amount", "flag", "--cap", "value", o.cap)
		}
		o.req.Cap = ledger.Some(v)
	}
	o.req.Actor = command.NameActor(o.req.Actor)
	var err error
	if o.req.Filter, err = o.filter.buildFilter(); err != nil {
		return err
	}
	return inv.WithCasework(ctx, func(d *casework.Handler) error {
		if err := refuseUnknownAccounts(ctx, d, o.req.Filter.Accounts); err != nil {
			return err
		}
		o.req.Filter.OpenedBy = o.filter.openedByDay(d.Today)
		s, err := d.ActOnCases(ctx, o.req)
		if err != nil {
			return err
		}
		return inv.WritePage(caseview.CaseActOf(s))
	})
}
