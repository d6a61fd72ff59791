package cases

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// exceptionFilter are the flags that choose cases.
type exceptionFilter struct {
	codes, severities, states, brands, products []string
	accounts                                    []int64
	minImpact                                   string
	age                                         int
}

// addFlags adds the filter to a command.
func (o *exceptionFilter) addFlags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&o.codes, "code", nil, "only these `CODES`")
	flags.StringSliceVar(&o.severities, "severity", nil, "only these severities: C, E, W, I")
	flags.StringSliceVar(&o.states, "state", nil, "only these states: pending, open, reopened, resolved, …")
	command.AddAccountFlag(flags, &o.accounts)
	flags.StringVar(&o.minImpact, "min-impact", "", "only cases with an impact of at least this many reais, lost or gained")
	flags.IntVar(&o.age, "age", 0, "only cases open for at least this many `DAYS`")
	flags.StringSliceVar(&o.brands, "brand", nil, "only these brands: visa, mastercard, elo, amex, hipercard")
	flags.StringSliceVar(&o.products, "product", nil, "only these products: credit, debit, voucher")
}

// exceptionFilterNames are the flags of exceptionFilter.
func exceptionFilterNames() []string {
	return []string{"code", "severity", "state", "account", "min-impact", "age", "brand", "product"}
}

// NewExceptions is the command exceptions and those below it.
func NewExceptions(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{
		Use:   "exceptions",
		Short: "list the differences found, and act on them",
		Long: `exceptions lists the differences found, shows each with its history, and records what people do about them. A case
keeps its id from night to night. Only data resolve it. People acknowledge it (ack), assign it, claim it from the operator
(dispute), accept it for a time (waive), close it or reopen it. Every act goes into a tamper-evident log.`,
	})
	cmd.AddCommand(newExceptionsList(inv), newExceptionsShow(inv))
	for _, v := range ledger.CaseVerbs() {
		cmd.AddCommand(newExceptionAct(inv, v))
	}
	return cmd
}

// buildFilter checks the flags, before any ledger is opened. Without --state it chooses in every state; the age is openedByDay's.
func (o *exceptionFilter) buildFilter() (caselog.FindingFilter, error) {
	var f caselog.FindingFilter
	for _, a := range o.accounts {
		f.Accounts = append(f.Accounts, ledger.Account(a))
	}
	for _, c := range o.codes {
		code := strings.ToUpper(c)
		if _, known := catalogue.Find(code); !known { // nothing found would read as nothing wrong
			return f, exit.NewUsageError("error.no_rule", "hint.rules_listed", "name", c)
		}
		f.Codes = append(f.Codes, code)
	}
	for _, b := range o.brands {
		// Mapped brands are in lower case; others are kept as they were sent.
		f.Brands = append(f.Brands, b, strings.ToLower(b))
	}
	for _, p := range o.products {
		f.Products = append(f.Products, ledger.Product(p), ledger.Product(strings.ToLower(p)))
	}
	for _, s := range o.severities {
		sev := ledger.Severity(strings.ToUpper(s))
		if sev.Rank() > ledger.Info.Rank() {
			return f, exit.NewUsageError("error.flag_value", "hint.severities", "flag", "--severity", "value", s)
		}
		f.Severities = append(f.Severities, sev)
	}
	for _, s := range o.states {
		state := ledger.State(strings.ToLower(s))
		if !slices.Contains(ledger.States(), state) {
			return f, exit.NewUsageError("error.flag_value", "hint.states", "flag", "--state", "value", s, "names", joinNames(ledger.States()))
		}
		f.States = append(f.States, state)
	}
	if o.minImpact != "" {
		v, err := ledger.ParseAmount(o.minImpact)
		if err != nil || v < 0 {
			return f, exit.NewUsageError("error.no_amount", "hint.amount", "flag", "--min-impact", "value", o.minImpact)
		}
		f.MinImpact = v
	}
	if o.age < 0 {
		return f, exit.NewUsageError("error.flag_value", "hint.age", "flag", "--age", "value", o.age)
	}
	return f, nil
}

// refuseUnknownAccounts refuses accounts that neither the configuration nor a case has: nothing found would read as nothing wrong.
func refuseUnknownAccounts(ctx context.Context, d *casework.Handler, accounts []ledger.Account) error {
	for _, account := range accounts {
		known := slices.Contains(d.Accounts, account)
		if known {
			continue
		}
		err := d.Ledger.Findings(ctx, caselog.FindingFilter{Accounts: []ledger.Account{account}}, func(*ledger.Finding) error {
			known = true
			return nil
		})
		if err != nil {
			return err
		}
		if !known {
			return exit.NewUsageError("error.no_account_nor_case", "hint.accounts_listed", "account", account)
		}
	}
	return nil
}

// openedByDay is the day by which a case had opened that is at least --age days old; 0 without --age.
func (o *exceptionFilter) openedByDay(today ledger.Date) ledger.Date {
	if o.age == 0 {
		return 0
	}
	return today - ledger.Date(o.age)
}

// joinNames names what a flag takes, for a hint.
func joinNames[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}
