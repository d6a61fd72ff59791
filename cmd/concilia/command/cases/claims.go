package cases

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view/caseview"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/ledger"
)

// NewClaims is the command claims and those below it.
func NewClaims(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{
		Use:   "claims",
		Short: "claim from the operator, and list what came of it",
		Long: `claims writes the letters that claim cases from the operator, and lists the cases that were claimed from the operator (concilia exceptions dispute), what was answered (concilia
exceptions answer), and what came back.`,
	})
	cmd.AddCommand(newClaimsList(inv), newClaimsLetter(inv))
	return cmd
}

func newClaimsList(inv *command.Invocation) *cobra.Command {
	var accounts []int64
	var states []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the claims with what was recovered, given up and is open",
		Long: `list prints a line for each claim: what was claimed is what was recovered, what is open and what was given up together. A
claim is claimed, then answered; it is recovered when the data show the money, and given up when a person closes or waives
what remains. With --json it prints one object per line.

Exit status: 0 listed, whatever there is; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listClaims(cmd.Context(), inv, accounts, states) },
	}
	command.AddAccountFlag(cmd.Flags(), &accounts)
	cmd.Flags().StringSliceVar(&states, "state", nil, "only these states: claimed, answered, recovered, given_up")
	return cmd
}

func listClaims(ctx context.Context, inv *command.Invocation, numbers []int64, states []string) error {
	var wanted []casework.ClaimState
	for _, s := range states {
		state := casework.ClaimState(strings.ToLower(s))
		if !slices.Contains(casework.ClaimStates(), state) {
			return exit.NewUsageError("error.flag_value", "hint.states", "flag", "--state", "value", s, "names", joinNames(casework.ClaimStates()))
		}
		wanted = append(wanted, state)
	}
	return inv.WithKeptLedger(ctx, func(c *config.Config, l *store.Ledger, _ ledger.Date) error {
		accounts, err := wire.AccountNumbers(c, numbers)
		if err != nil {
			return err
		}
		claims, err := casework.ListClaims(ctx, l, casework.ClaimFilter{Accounts: accounts, States: wanted}, catalogue.Voice{Language: string(inv.Language), Service: c.Service.Name})
		if err != nil {
			return err
		}
		page := caseview.ClaimsOf(claims, string(inv.Language))
		return command.WriteLines(inv, page.All, page)
	})
}
