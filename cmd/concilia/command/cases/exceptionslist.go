package cases

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// caseList are the flags of a list of cases.
type caseList struct {
	exceptionFilter
	people, order        string // people: the assignee, or none
	reference, nsu, auth string
	owner, amount        string
	dueFrom, dueTo       command.DateFlag
	followUp             command.DateFlag
	isNew                bool // only what opened in the last night
}

func newExceptionsList(inv *command.Invocation) *cobra.Command {
	var o caseList
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list unresolved cases, the most expensive first",
		Long: `list prints the cases that are neither resolved nor closed, unless --state names those: over all configured accounts the largest impact
first, lost or in excess, with the day it is due, its age in days, who takes the next step, and what is wrong in one sentence. Below them
stand the figures of the cases listed, and how many the ledger has of accounts that the configuration does not name. With --json it prints one object per line, also with what was claimed.

Exit status: 0 listed, whatever was found; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listExceptions(cmd.Context(), inv, &o) },
	}
	o.addFlags(cmd.Flags())
	o.addListFlags(cmd.Flags())
	return cmd
}

func (o *caseList) addListFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.order, "sort", string(caselog.ByImpact), "order by impact, age, code, severity, due, state or subject")
	flags.StringVar(&o.people, "assignee", "", "only cases of this `NAME`; none: of nobody")
	flags.StringVar(&o.owner, "owner", "", "only cases whose next step is this one's: service, shop, finance, contract")
	flags.StringVar(&o.reference, "reference", "", "only cases with this `REF` of a claim")
	flags.StringVar(&o.amount, "amount", "", "only cases with this impact in reais, lost or gained, to the cent")
	flags.BoolVar(&o.isNew, "new", false, "only cases that opened since the night before the last")
	flags.StringVar(&o.nsu, "nsu", "", "only cases of the sales with this NSU")
	flags.StringVar(&o.auth, "auth", "", "only cases of the sales with this authorization")
	flags.Var(&o.dueFrom, "due-from", "only cases due on this day or later, YYYY-MM-DD")
	flags.Var(&o.dueTo, "due-to", "only cases due on this day or before, YYYY-MM-DD")
	flags.Var(&o.followUp, "follow-up", "only claims to be asked about on this day or before, YYYY-MM-DD")
}

// check refuses flags that choose nothing for sure, before any ledger is opened.
func (o *caseList) check() error {
	if known := caselog.FindingOrders(); !slices.Contains(known, caselog.FindingOrder(o.order)) {
		return exit.NewUsageError("error.flag_value", "hint.orders", "flag", "--sort", "value", o.order, "names", joinNames(known))
	}
	if known := catalogue.OwnerKeys(); o.owner != "" && !slices.Contains(known, o.owner) { // nothing found would read as nothing wrong
		return exit.NewUsageError("error.flag_value", "hint.owners", "flag", "--owner", "value", o.owner, "names", strings.Join(known, ", "))
	}
	if o.dueFrom.Date != 0 && o.dueTo.Date != 0 && o.dueTo.Date < o.dueFrom.Date {
		return exit.NewUsageError("error.due_backwards", "hint.due_backwards", "from", o.dueFrom.Date, "to", o.dueTo.Date)
	}
	if _, err := ledger.ParseAmount(o.amount); o.amount != "" && err != nil {
		return exit.NewUsageError("error.no_amount", "hint.amount", "flag", "--amount", "value", o.amount)
	}
	return nil
}

// choosesCase is what the ledger cannot choose by; claim is nil of a case that was never claimed.
func (o *caseList) choosesCase(f *ledger.Finding, claim *casework.Claim) bool {
	rest := console.CaseFilter{
		Owner: o.owner, Assignee: o.people, Reference: o.reference, NSU: o.nsu, Auth: o.auth, DueFrom: o.dueFrom.Date, DueTo: o.dueTo.Date,
		FollowUp: o.followUp.Date,
	}
	if amount, err := ledger.ParseAmount(o.amount); err == nil {
		rest.Amount = ledger.Some(amount.Abs())
	}
	return desk.MatchesFilter(&rest, f, claim)
}

func listExceptions(ctx context.Context, inv *command.Invocation, o *caseList) error {
	if err := o.check(); err != nil {
		return err
	}
	filter, err := o.buildFilter()
	if err != nil {
		return err
	}
	return inv.WithCasework(ctx, func(d *casework.Handler) error {
		if err := refuseUnknownAccounts(ctx, d, filter.Accounts); err != nil {
			return err
		}
		filter.OpenedBy, filter.Order = o.openedByDay(d.Today), caselog.FindingOrder(o.order)
		if len(filter.States) == 0 {
			filter.States = ledger.UnresolvedStates()
		}
		var others caselog.OtherCases
		if len(filter.Accounts) == 0 {
			var err error
			if others, err = d.Ledger.CasesOfOthers(ctx, d.Accounts); err != nil {
				return err
			}
			filter.Accounts = d.Accounts
		}
		page, lines := &caseview.Cases{Language: string(inv.Language), Others: others}, view.NewLines(inv.Stdout)
		voice := catalogue.Voice{Language: string(inv.Language), Service: d.Service}
		claims, err := desk.ClaimsByCase(ctx, d.Ledger, filter.Accounts, voice)
		if err != nil {
			return err
		}
		opened := map[string]reports.CaseChange{}
		if o.isNew {
			if opened, _, err = desk.NewCases(ctx, d.Ledger, filter.Accounts); err != nil {
				return err
			}
		}
		sums, err := desk.NewFigureSums(ctx, d.Ledger, filter.Accounts)
		if err != nil {
			return err
		}
		err = d.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
			_, isNew := opened[f.Case]
			switch claim := claims[f.Case]; {
			case o.isNew && !isNew, !o.choosesCase(f, claim):
				return nil
			case inv.JSON:
				return lines.Add(caseview.ListedCaseOf(f, claim, d.Today, voice))
			}
			page.All = append(page.All, caseview.CaseRowOf(f, voice, d.Today))
			return sums.Add(f)
		})
		if err != nil || inv.JSON {
			return err
		}
		page.Figures = sums.Figures
		return page.WriteText(inv.Stdout, inv.Language)
	})
}
