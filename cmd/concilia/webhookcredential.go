package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"concilia/jobs/api"
)

func newCredential(g *globals) *cobra.Command {
	cmd := group(&cobra.Command{Use: "credential", Short: "the Basic credential that all notifications carry"})
	cmd.AddCommand(
		&cobra.Command{
			Use:   "set",
			Short: "register webhook.basic_user and its password with the service",
			Long: `set registers the configured Basic credential with the service, which then sends it with every notification. The service
keeps at most one and refuses a second: delete the old one first.` + askHelp,
			Args: noArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return g.setCredential(cmd.Context()) },
		},
		&cobra.Command{
			Use:   "delete",
			Short: "remove the Basic credential from the service",
			Long:  "delete removes the Basic credential that is registered with the service, whatever it is." + askHelp,
			Args:  noArgs,
			RunE:  func(cmd *cobra.Command, _ []string) error { return g.deleteCredential(cmd.Context()) },
		},
	)
	return cmd
}

func (g *globals) setCredential(ctx context.Context) error {
	client, c, err := g.client()
	if err != nil {
		return err
	}
	if c.Webhook.BasicUser == "" {
		return &inputError{"webhook.basic_user", errors.New("missing: the Basic pair to register, with webhook.basic_password_file")}
	}
	said, err := client.SetWebhookCredential(ctx, api.BasicCredential{User: c.Webhook.BasicUser, Password: c.Webhook.BasicPassword.Reveal()})
	if errors.Is(err, api.ErrOutcomeUnknown) {
		return &advised{judged(err, exitConfig, ""), "webhook credential delete, then set again: that is right whatever became of this"}
	}
	return g.told(said, judged(err, exitConfig, "there is one at most: webhook credential delete removes what is registered"))
}

func (g *globals) deleteCredential(ctx context.Context) error {
	client, _, err := g.client()
	if err != nil {
		return err
	}
	said, err := client.DeleteWebhookCredential(ctx)
	return g.told(said, judged(err, exitConfig, "perhaps none is registered"))
}

// told prints the service's own words for what was done.
func (g *globals) told(said string, err error) error {
	if err != nil {
		return err
	}
	if g.json {
		return json.NewEncoder(g.stdout).Encode(map[string]string{"message": said})
	}
	if said == "" {
		said = "done"
	}
	_, err = fmt.Fprintln(g.stdout, said)
	return err
}
