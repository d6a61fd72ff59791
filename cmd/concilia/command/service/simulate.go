package service

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/store/ledger"
)

// NewSimulate is the command simulate.
func NewSimulate(inv *command.Invocation) *cobra.Command {
	var brand, net string
	cmd := &cobra.Command{
		Use:   "simulate --brand B --net AMOUNT",
		Short: "ask the service what to charge so that a net amount is received",
		Long: `simulate asks the service's settlement simulator what to charge a card of a brand so that a net amount is received,
one line for each number of installments. It keeps nothing.

Exit status: 0 answered; 2 usage, or a brand or amount that the service does not accept; 40 configuration or refused
credentials; 50 no valid answer from the service; 130 interrupted.`,
		Example: "  concilia simulate --brand visa --net 1000.00",
		Args:    command.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return simulateCharges(cmd.Context(), inv, brand, net) },
	}
	cmd.Flags().StringVar(&brand, "brand", "", "the card's `BRAND`: visa, mastercard, elo, amex, hipercard")
	cmd.Flags().StringVar(&net, "net", "", "the `AMOUNT` to receive in reais, such as 1000.00")
	return cmd
}

func simulateCharges(ctx context.Context, inv *command.Invocation, brand, net string) error {
	const example = "for example --brand visa --net 1000.00"
	// The service spells brands in lower case.
	if brand = strings.ToLower(strings.TrimSpace(brand)); brand == "" || net == "" {
		return exit.NewUsageError("error.brand_and_net", "hint.example", "example", example)
	}
	amount, err := ledger.ParseAmount(net)
	if err != nil || amount <= 0 {
		return exit.NewUsageError("error.net_amount", "hint.example", "amount", net, "example", example)
	}
	client, _, err := inv.OpenClient()
	if err != nil {
		return err
	}
	answer, err := client.SimulateSettlement(ctx, brand, amount)
	if err != nil {
		return exit.ExplainRefusal(err, exit.Usage, "hint.brands_of_service")
	}
	return inv.WritePage(view.SimulationOf(brand, amount, answer.Options))
}
