package banks

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/config/problem"
	"concilia/export/words"
	"concilia/jobs"
	jobsbank "concilia/jobs/bank"
	"concilia/store"
	"concilia/store/bank"
	"concilia/store/ledger"
)

// NewBank is the command bank and those below it.
func NewBank(inv *command.Invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bank",
		Short: "take in statements of the bank, and see what they prove",
		Long: `bank keeps the statements of the bank accounts of banks: line by line, whatever downloads overlap, and with them which
days the bank's own balances prove.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBankImport(inv), newBankList(inv), newBankLines(inv), newBankShow(inv), newBankCoverage(inv), newBankMatch(inv), newBankUnmatch(inv))
	return cmd
}

// bankAccounts are the configured bank accounts, or the one named.
func bankAccounts(inv *command.Invocation, only string) (*config.Config, []jobsbank.Account, error) {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return nil, nil, err
	}
	if len(c.Banks) == 0 {
		return nil, nil, problem.List{c.Problem("banks", "", words.NewMessage("problem.missing", "want", words.NewMessage("want.banks")))}
	}
	all, err := wire.BanksOf(c, "")
	if err != nil || only == "" {
		return c, all, err
	}
	var ids []string
	for i := range all {
		if all[i].ID == only {
			return c, all[i : i+1], nil
		}
		ids = append(ids, all[i].ID)
	}
	return nil, nil, exit.NewUsageError("error.no_bank_account", "hint.bank_accounts", "name", problem.Shown(only), "names", strings.Join(ids, ", "))
}

// keptBank is a configured bank account with its home in the ledger.
type keptBank struct {
	bank.Account
	settings jobsbank.Account
}

// withBanks opens the ledger that is there for the bank accounts configured, or the one named.
func withBanks(ctx context.Context, inv *command.Invocation, only string, fn func(*store.Ledger, []keptBank) error) error {
	c, accounts, err := bankAccounts(inv, only)
	if err != nil {
		return err
	}
	l, err := inv.OpenKept(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	kept := make([]keptBank, len(accounts))
	for i, a := range accounts {
		home, _, err := l.HomeOf(ctx, a.ID, a.Accounts[0])
		if err != nil {
			return err
		}
		kept[i] = keptBank{bank.Account{Home: home, ID: a.ID}, a}
	}
	return fn(l, kept)
}

// bankPeriod are the flags of bank lines and bank coverage.
type bankPeriod struct {
	bank     string
	from, to command.DateFlag
}

func (o *bankPeriod) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.bank, "bank", "", "the `ID` of one bank account (default: all)")
	flags.Var(&o.from, "from", "first day, YYYY-MM-DD (default the first shown)")
	flags.Var(&o.to, "to", "last day, YYYY-MM-DD (default the last shown)")
}

// bankTerms are the documents by which both sides are read, and the day as of which they are shown.
func bankTerms(inv *command.Invocation, flag command.DateFlag) (ledger.Date, jobsbank.Terms, error) {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return 0, jobsbank.Terms{}, err
	}
	w := &jobs.Worker{}
	if err := wire.LoadAgreements(c, w); err != nil {
		return 0, jobsbank.Terms{}, err
	}
	days, err := wire.CalendarOf(c, nil)
	if err != nil {
		return 0, jobsbank.Terms{}, err
	}
	now, _, err := inv.BusinessClock(c)
	if err != nil {
		return 0, jobsbank.Terms{}, err
	}
	asOf, err := flag.AsOf(ledger.DateOf(now(), c.Location()))
	w.BankCalendar = days
	return asOf, w.OtherSides().BankTerms(), err
}
