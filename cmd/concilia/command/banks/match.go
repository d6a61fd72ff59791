package banks

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/bankview"
	jobsbank "concilia/jobs/bank"
	"concilia/jobs/casework"
	"concilia/jobs/othersides"
	"concilia/store"
	"concilia/store/ledger"
)

// bankAct are the flags of bank match and bank unmatch.
type bankAct struct {
	req    casework.DepositRequest
	named  jobsbank.Named
	bank   string
	accept string
	asOf   command.DateFlag
}

func newBankMatch(inv *command.Invocation) *cobra.Command {
	o := &bankAct{req: casework.DepositRequest{Verb: ledger.MatchDeposit}}
	cmd := &cobra.Command{
		Use:   "match --line LINE… --group GROUP… --reason TEXT",
		Short: "say that lines of the bank are what the service says it paid",
		Long: `match holds lines of a statement, of a payer or of none, to be groups that the service says it paid. Each is named by its subject
in bank lines --json, or by a piece of it that no other has. Both sides must come to the same to the cent, less the debits that are
named with them; else --accept states the exact difference, which then counts as accepted and is no case.

It comes before anything that is matched by itself, and holds until unmatch, or until one of its sides changes or vanishes: then
it is void, and the summary of the run says so. It is an act: the log keeps who, when and why. If four_eyes lists match it is only
proposed, and done when another person repeats it within 7 days. It takes effect with the next run or reconcile.

With --json it prints one object:
  {"verb","bank","match","groups","lines","debits","expected","debited","credited","difference","actor","dry_run","outcome","act",
   "partner"}
with outcome done, proposed, waiting, or standing where it was done before.

Exit status: 0 done, proposed, or nothing to do; 2 usage, or sides that do not fit; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return actOnDeposit(cmd.Context(), inv, o, "") },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.named.Lines, "line", nil, "a `LINE` of the statement; may be repeated")
	flags.StringArrayVar(&o.named.Groups, "group", nil, "a `GROUP` that the service says it paid; may be repeated")
	flags.StringArrayVar(&o.named.Debits, "debit", nil, "the `NAME` of a declared or known debit kept from it; may be repeated")
	flags.StringVar(&o.accept, "accept", "", "the `AMOUNT` that is accepted as not coming; below zero: as coming in excess")
	o.addFlags(cmd)
	return cmd
}

func newBankUnmatch(inv *command.Invocation) *cobra.Command {
	o := &bankAct{req: casework.DepositRequest{Verb: ledger.UnmatchDeposit}}
	cmd := &cobra.Command{
		Use:   "unmatch MATCH --reason TEXT",
		Short: "take a match apart",
		Long: `unmatch takes a match apart, whoever made it: what no person matches again is never joined so any more. It is named as in bank lines
--json, or by a piece that no other has. It is an act like bank match, which see.

With --json it prints the object of bank match.

Exit status: 0 done, proposed, or nothing to do; 2 usage, or not exactly one match has the piece; 40 configuration; 50 ledger
unreachable.`,
		Args: command.ExactArgs(1, "argument.a_match"),
		RunE: func(cmd *cobra.Command, args []string) error { return actOnDeposit(cmd.Context(), inv, o, args[0]) },
	}
	o.addFlags(cmd)
	return cmd
}

func (o *bankAct) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.bank, "bank", "", "the `ID` of the bank account (default: the one that has what is named)")
	flags.StringVar(&o.req.Reason, "reason", "", "why, kept in the log")
	flags.StringVar(&o.req.Actor, "as", "", "who acts (default: the operating system's user)")
	flags.BoolVar(&o.req.DryRun, "dry-run", false, "show what would be done, and do nothing")
	flags.Var(&o.asOf, "as-of", "the morning to tell from, YYYY-MM-DD (default today)")
}

// actOnDeposit carries an act out on what is named; match is the one to take apart.
func actOnDeposit(ctx context.Context, inv *command.Invocation, o *bankAct, match string) error {
	asOf, terms, err := bankTerms(inv, o.asOf)
	if err != nil {
		return err
	}
	if o.accept != "" {
		if o.req.Accept.V, err = ledger.ParseAmount(o.accept); err != nil {
			return exit.NewUsageError("error.no_amount", "hint.amount", "flag", "--accept", "value", o.accept)
		}
		o.req.Accept.OK = true
	}
	o.req.Actor = command.NameActor(o.req.Actor)
	return withBanks(ctx, inv, o.bank, func(l *store.Ledger, accounts []keptBank) error {
		sides, err := o.chooseSides(ctx, l, accounts, terms, asOf, match)
		if err != nil {
			return err
		}
		o.req.Sides = *sides
		return inv.WithCasework(ctx, func(d *casework.Handler) error {
			done, err := d.ActOnDeposit(ctx, &o.req)
			if err != nil {
				return err
			}
			return inv.WritePage(bankview.BankActOf(&o.req, done))
		})
	})
}

// chooseSides finds what is named in the only bank account that has it.
func (o *bankAct) chooseSides(
	ctx context.Context, l *store.Ledger, accounts []keptBank, terms jobsbank.Terms, asOf ledger.Date, match string,
) (found *jobsbank.Sides, err error) {
	var wrong *jobsbank.NamingError
	several := false
	for i := range accounts {
		a := &accounts[i]
		matched, err := othersides.ConciliateForActs(ctx, l, &a.settings, terms, asOf)
		if err != nil {
			return nil, err
		}
		var sides *jobsbank.Sides
		if o.req.Verb == ledger.UnmatchDeposit {
			sides, err = matched.FindMatch(match)
		} else {
			sides, err = matched.FindSides(o.named)
		}
		switch {
		case errors.As(err, &wrong):
			continue
		case err != nil:
			return nil, err
		}
		several = several || found != nil
		found, o.req.Home, o.req.Bank, o.req.Voided = sides, a.Home, a.ID, matched.Voided
	}
	switch {
	case several:
		return nil, exit.NewUsageError("error.several_banks", "hint.which_bank")
	case found == nil:
		return nil, exit.NewUsageError("error.cause", "hint.bank_lines_listed", "cause", wrong)
	}
	return found, nil
}
