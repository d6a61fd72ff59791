package cases

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/jobs/find"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/ledger"
)

// findFlags are the flags of concilia find.
type findFlags struct {
	accounts []int64
	from, to command.DateFlag
	limit    int
}

// NewFind is the command find.
func NewFind(inv *command.Invocation) *cobra.Command {
	var o findFlags
	cmd := &cobra.Command{
		Use:   "find QUERY…",
		Short: "find sales, slips and cases by a number, an amount, a date or a card",
		Long: `find lists what the ledger knows of a number, an amount, a date or a name: the sales, slips and cases that have every word
of the query. The shape of a word says what it is:

  9d9d70                            a case, or a text
  331,38   'R$ 331,38'   331.38     a total, an installment, what was received, a slip or its payment: exactly
  18/11/2026   2026-11-18   18/11   the day of a sale, forecast, credit, due date or payment
  44, 47 or 48 digits               a slip by its bar code or digitable line, with dots and blanks or without
  a CPF or CNPJ                     a beneficiary of splits
  '*5843'   'final 5843'            the last four digits of a card
  anything else                     NSU, authorization, order, web payment, nosso número, reference of a slip, number
                                    of a title, protocol of a claim: whole, in capitals or not

A prefix decides: amount: date: slip: beneficiary: card: nsu: auth: order: ref: . Exact ids come first, then the latest day.
With --json it prints one object per line.

  concilia find nsu:123456 331,38
  concilia find 'final 5843' 18/11 --account 1001

Exit status: 0 looked up, whatever was found; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.NewUsageError("error.find_nothing", "hint.usage", "usage", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return findItems(cmd.Context(), inv, &o, strings.Join(args, " "))
		},
	}
	flags := cmd.Flags()
	command.AddAccountFlag(flags, &o.accounts)
	flags.Var(&o.from, "from", "only what is of this day or later, YYYY-MM-DD")
	flags.Var(&o.to, "to", "only what is of this day or earlier, YYYY-MM-DD")
	flags.IntVar(&o.limit, "limit", find.DefaultLimit, "at most this many hits, up to 500")
	return cmd
}

func findItems(ctx context.Context, inv *command.Invocation, o *findFlags, text string) error {
	if o.limit < 1 || o.limit > find.MaxLimit {
		return exit.NewUsageError("error.flag_value", "hint.find_limit", "flag", "--limit", "value", o.limit)
	}
	return inv.WithKeptLedger(ctx, func(c *config.Config, l *store.Ledger, today ledger.Date) error {
		query, err := parseQuery(text, today, string(inv.Language))
		if err != nil {
			return err
		}
		accounts, err := wire.AccountNumbers(c, o.accounts)
		if err != nil {
			return err
		}
		finder := &find.Finder{Ledger: l, Accounts: accounts, Voice: catalogue.Voice{Language: string(inv.Language), Service: c.Service.Name}}
		answer, err := finder.Find(ctx, find.Request{Query: query, From: o.from.Date, To: o.to.Date, Limit: o.limit})
		if err != nil {
			return err
		}
		since, err := desk.FirstDays(ctx, l, accounts)
		if err != nil {
			return err
		}
		return command.WriteLines(inv, answer.Hits, &view.Found{Answer: answer, Query: query, Since: since, Language: string(inv.Language)})
	})
}

// parseQuery reads what somebody looks for.
func parseQuery(text string, today ledger.Date, lang string) (*find.Query, error) {
	query, err := find.ParseQuery(text, today)
	var wrong *find.QueryError
	if errors.As(err, &wrong) {
		return nil, exit.NewUsageError("error.cause", "hint.find_help", "cause", wrong.Explain(lang))
	}
	return query, err
}
