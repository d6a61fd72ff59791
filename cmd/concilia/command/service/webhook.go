package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/config"
	"concilia/export/words"
	"concilia/jobs/api"
	"concilia/store/ledger"
)

// askHelp ends the help of every webhook command.
const askHelp = `

Exit status: 0 done; 2 usage; 40 configuration, refused credentials, or the service answer no; 50 the service did not
answer as it should; 130 interrupted.`

// NewWebhook is the command webhook and those below it.
func NewWebhook(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{Use: "webhook", Short: "manage where the service sends its notifications, and the credential they carry"})
	cmd.AddCommand(newSubscribe(inv), newShow(inv), newUnsubscribe(inv), newCredential(inv))
	return cmd
}

func newSubscribe(inv *command.Invocation) *cobra.Command {
	var numbers []int64
	var address string
	cmd := &cobra.Command{
		Use:   "subscribe",
		Short: "have the service send an account's notifications here",
		Long: `subscribe registers, for each account, webhook.public_url followed by /notifications/ and the account's number as the
address of its notifications, together with the Basic credential if webhook.basic_user is configured. The service may
check that the address is reachable: start the receiver first.` + askHelp,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return subscribeAccounts(cmd.Context(), inv, numbers, address)
		},
	}
	command.AddAccountFlag(cmd.Flags(), &numbers)
	cmd.Flags().StringVar(&address, "url", "", "another `URL` for the one account named")
	return cmd
}

func newShow(inv *command.Invocation) *cobra.Command {
	var numbers []int64
	cmd := &cobra.Command{
		Use:   "show",
		Short: "show where an account's notifications go",
		Long:  "show asks the service where it sends the notifications of each account, and says whether that is the configured address." + askHelp,
		Args:  command.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return showSubscriptions(cmd.Context(), inv, numbers) },
	}
	command.AddAccountFlag(cmd.Flags(), &numbers)
	return cmd
}

func newUnsubscribe(inv *command.Invocation) *cobra.Command {
	var numbers []int64
	cmd := &cobra.Command{
		Use:   "unsubscribe",
		Short: "have the service stop an account's notifications",
		Long:  "unsubscribe removes the address of each account's notifications: the service sends no more of them." + askHelp,
		Args:  command.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return unsubscribeAccounts(cmd.Context(), inv, numbers) },
	}
	command.AddAccountFlag(cmd.Flags(), &numbers)
	return cmd
}

func subscribeAccounts(ctx context.Context, inv *command.Invocation, numbers []int64, address string) error {
	if address != "" {
		if err := checkURL(address); err != nil {
			return err
		}
	}
	client, c, err := inv.OpenClient()
	if err != nil {
		return err
	}
	chosen, err := chooseNumbers(c, numbers)
	switch {
	case err != nil:
		return err
	case address == "" && c.Webhook.PublicURL == "":
		return exit.NewInputError("webhook.public_url", words.NewFault("error.no_public_url", ""))
	case address != "" && len(chosen) != 1:
		return exit.NewUsageError("error.url_of_one", "hint.url_of_one")
	}
	basic := api.BasicCredential{User: c.Webhook.BasicUser, Password: c.Webhook.BasicPassword.Reveal()}
	return askEach(inv, chosen, "hint.subscribe_address", func(n int64) (view.Subscription, error) {
		want := address
		if want == "" {
			want = c.Webhook.AccountURL(n)
		}
		answer, err := client.Subscribe(ctx, ledger.Account(n), want, basic)
		if err == nil && answer != "" && answer != want {
			fmt.Fprintln(inv.Stderr, words.Text(inv.Language, "webhook_text.differs", "account", n, "want", want, "answer", answer))
			want = answer
		}
		return view.Subscription{Account: n, URL: &want}, err
	})
}

func showSubscriptions(ctx context.Context, inv *command.Invocation, numbers []int64) error {
	return askSubscriptions(inv, numbers, func(client *api.Client, c *config.Config, n int64) (view.Subscription, error) {
		answer, err := client.ReadSubscription(ctx, ledger.Account(n))
		s := view.Subscription{Account: n, URL: optionalText(answer), Expected: c.Webhook.AccountURL(n)}
		if s.Expected != "" {
			same := answer == s.Expected
			s.Matches = &same
		}
		return s, err
	})
}

func unsubscribeAccounts(ctx context.Context, inv *command.Invocation, numbers []int64) error {
	return askSubscriptions(inv, numbers, func(client *api.Client, _ *config.Config, n int64) (view.Subscription, error) {
		answer, err := client.Unsubscribe(ctx, ledger.Account(n))
		return view.Subscription{Account: n, Removed: answer}, err
	})
}

// askSubscriptions puts one question for each account chosen.
func askSubscriptions(inv *command.Invocation, numbers []int64, ask func(*api.Client, *config.Config, int64) (view.Subscription, error)) error {
	client, c, err := inv.OpenClient()
	if err != nil {
		return err
	}
	chosen, err := chooseNumbers(c, numbers)
	if err != nil {
		return err
	}
	return askEach(inv, chosen, "hint.webhook_show", func(n int64) (view.Subscription, error) { return ask(client, c, n) })
}

// askEach asks for one account after another and prints what came of it. One that the service refuses does not keep
// the next from being asked; a service that is not there does.
func askEach(inv *command.Invocation, chosen []int64, hint string, ask func(int64) (view.Subscription, error)) error {
	var lines view.Subscriptions
	var errs []error
	for _, n := range chosen {
		s, err := ask(n)
		if err == nil {
			lines = append(lines, s)
			continue
		}
		errs = append(errs, exit.ExplainRefusal(err, exit.Config, hint))
		if !exit.IsRefusal(err) || api.IsRefused(err) {
			break
		}
	}
	return errors.Join(append([]error{command.WriteLines(inv, lines, lines)}, errs...)...)
}

// chooseNumbers are the accounts named, each once, which must be configured; none named is all that are.
func chooseNumbers(c *config.Config, numbers []int64) ([]int64, error) {
	var all, chosen []int64
	for _, a := range c.Accounts {
		all = append(all, a.Number)
	}
	for _, n := range numbers {
		if !slices.Contains(all, n) {
			return nil, exit.NewUsageError("error.no_account", "hint.accounts_listed", "account", n)
		}
		if !slices.Contains(chosen, n) {
			chosen = append(chosen, n)
		}
	}
	if len(numbers) == 0 {
		return all, nil
	}
	return chosen, nil
}

// checkURL checks --url. An address with a user in it is not repeated: it may have a password.
func checkURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.User != nil:
		return exit.NewUsageError("error.url_with_user", "hint.url_with_user")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "":
		return exit.NewUsageError("error.no_url", "hint.example", "address", address, "example", "--url https://host/notifications/1001")
	}
	return nil
}

// optionalText is nil for nothing.
func optionalText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func newCredential(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{Use: "credential", Short: "the Basic credential that all notifications carry"})
	cmd.AddCommand(
		&cobra.Command{
			Use:   "set",
			Short: "register webhook.basic_user and its password with the service",
			Long: `set registers the configured Basic credential with the service, which then sends it with every notification. The service
keeps at most one and refuses a second: delete the old one first.` + askHelp,
			Args: command.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return setCredential(cmd.Context(), inv) },
		},
		&cobra.Command{
			Use:   "delete",
			Short: "remove the Basic credential from the service",
			Long:  "delete removes the Basic credential that is registered with the service, whatever it is." + askHelp,
			Args:  command.NoArgs,
			RunE:  func(cmd *cobra.Command, _ []string) error { return deleteCredential(cmd.Context(), inv) },
		},
	)
	return cmd
}

func setCredential(ctx context.Context, inv *command.Invocation) error {
	client, c, err := inv.OpenClient()
	if err != nil {
		return err
	}
	if c.Webhook.BasicUser == "" {
		return exit.NewInputError("webhook.basic_user", words.NewFault("error.no_basic_pair", ""))
	}
	answer, err := client.SetWebhookCredential(ctx, api.BasicCredential{User: c.Webhook.BasicUser, Password: c.Webhook.BasicPassword.Reveal()})
	if errors.Is(err, api.ErrOutcomeUnknown) {
		return exit.WithHint(exit.ExplainRefusal(err, exit.Config, ""), "hint.credential_again")
	}
	return showAnswer(inv, answer, exit.ExplainRefusal(err, exit.Config, "hint.one_credential"))
}

func deleteCredential(ctx context.Context, inv *command.Invocation) error {
	client, _, err := inv.OpenClient()
	if err != nil {
		return err
	}
	answer, err := client.DeleteWebhookCredential(ctx)
	return showAnswer(inv, answer, exit.ExplainRefusal(err, exit.Config, "hint.no_credential"))
}

// showAnswer prints the service's own words for what was done.
func showAnswer(inv *command.Invocation, answer string, err error) error {
	if err != nil {
		return err
	}
	return inv.WritePage(view.ServiceAnswer{Message: answer})
}
