package banks

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/bankview"
	"concilia/config/problem"
	"concilia/jobs/bank/match"
	"concilia/jobs/othersides"
	"concilia/store"
	"concilia/store/ledger/banking"
)

// bankLines are the flags of bank lines.
type bankLines struct {
	bankPeriod
	all      bool
	payer    string
	statuses []string
	asOf     command.DateFlag
}

// bankStatuses are those that a row may have.
var bankStatuses = []match.Status{
	match.Credited, match.Waiting, match.Missing, match.NoStatement, match.Differs, match.Returned, match.Unexpected, match.DebitLine,
	match.Accepted,
}

func newBankLines(inv *command.Invocation) *cobra.Command {
	o := &bankLines{}
	cmd := &cobra.Command{
		Use:   "lines",
		Short: "hold what the service says it paid against what the bank says came",
		Long: `lines shows, of each payer of the bank accounts, what the service says it paid and the lines of the statements that are it.
Nothing is guessed: a line or group is used once, and only where no other could be meant. Statuses:

  credited      came to the cent, less the debits that are declared or known
  differs       came with another amount
  missing       the statement has its days whole, and not this
  waiting       may still come
  no_statement  no statement has its days whole
  returned      came, and the bank took it back
  unexpected    a credit of the payer that is nothing the service says it paid
  debit         a debit of the payer; without a match nothing explains it
  accepted      came with another amount, which a person accepted

The last line of each bank account says how much of what the service says it paid is proven, up to the last day before
which every day is settled. With --all it shows every line that is kept instead, of no payer too: booked ones, announced
ones, and those that vanished. Documents of persons in texts are masked.

With --json it prints one object per line:
  {"account","bank","bank_date","credit_date","payer","parts","items","expected","debits","credited","difference","lines","text",
   "shift_days","status","pass","match","explanation","subjects"}
with --all
  {"bank","day","amount","text","document","category","occurrence","version","state"}
with state booked, scheduled or vanished.

Exit status: 0 shown; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listBankLines(cmd.Context(), inv, o) },
	}
	o.addFlags(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.all, "all", false, "every line that is kept, as the bank states it")
	flags.StringVar(&o.payer, "payer", "", "the lines of one `PAYER`")
	flags.StringSliceVar(&o.statuses, "status", nil, "only rows of this `STATUS`; may be repeated")
	flags.Var(&o.asOf, "as-of", "the morning to tell from, YYYY-MM-DD (default today)")
	return cmd
}

func listBankLines(ctx context.Context, inv *command.Invocation, o *bankLines) error {
	p, err := command.OpenPeriodOf(o.from, o.to)
	if err != nil {
		return err
	}
	for _, s := range o.statuses {
		if !slices.Contains(bankStatuses, match.Status(s)) {
			return exit.NewUsageError("error.no_status", "hint.command", "name", problem.Shown(s), "command", "concilia bank lines --help")
		}
	}
	return withBanks(ctx, inv, o.bank, func(l *store.Ledger, accounts []keptBank) error {
		if o.all {
			out := bankview.NewBankLines(inv.Stdout, inv.JSON, inv.Language)
			for _, a := range accounts {
				if err := l.BankLines(ctx, a.Account, p, func(x *banking.Line) error { return out.Add(a.ID, x) }); err != nil {
					return err
				}
			}
			return nil
		}
		asOf, terms, err := bankTerms(inv, o.asOf)
		if err != nil {
			return err
		}
		var page bankview.BankConciliations
		for _, a := range accounts {
			matched, err := othersides.ConciliateBank(ctx, l, &a.settings, terms, asOf)
			if err != nil {
				return err
			}
			page = append(page, bankview.BankConciliationOf(matched))
		}
		page.Keep(p, o.payer, o.statuses)
		return command.WriteLines(inv, page.Rows(), page)
	})
}
