package upkeep

import (
	"errors"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/export/words"
	"concilia/jobs"
)

// NewConfig is the command config and those below it.
func NewConfig(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{Use: "config", Short: "check the configuration, or print an example"})
	cmd.AddCommand(&cobra.Command{
		Use:   "check",
		Short: "name every problem of the configuration and the files it names",
		Long: `check reads the configuration and the contract, mapping, profile, register and orders it names, and lists every
problem with key, line, value and what would be right. It warns of world-readable secrets, and of environment variables
that begin with CONCILIA_ and set no key. It opens no ledger and does not call the service.

Exit status: 0 nothing wrong; 40 problems; 2 usage.`,
		Args: command.NoArgs,
		RunE: func(*cobra.Command, []string) error { return checkConfig(inv) },
	}, newConfigExample(inv))
	return cmd
}

func checkConfig(inv *command.Invocation) error {
	c, err := config.Load(inv.ConfigPath, inv.Lookup)
	if err != nil {
		return err
	}
	w := &jobs.Worker{}
	if _, _, err := inv.BusinessClock(c); err != nil {
		return err
	}
	var wrong []error
	if w.Accounts, err = wire.ConfiguredAccounts(c); err != nil {
		wrong = append(wrong, err)
	}
	if err := wire.LoadAgreements(c, w); err != nil {
		wrong = append(wrong, err)
	}
	if _, err := wire.ScheduleEntries(c); err != nil {
		wrong = append(wrong, err)
	}
	if _, err := wire.NewClient(c, inv.Wall); err != nil {
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	warnings := append([]words.Message{}, c.Warnings()...)
	if inv.Environ != nil {
		warnings = append(warnings, config.FindUnknownVariables(inv.ConfigPath, inv.Lookup, inv.Environ())...)
	}
	return inv.WritePage(&view.ConfigCheck{Hash: c.Hash(), OK: true, Warnings: warnings, Path: inv.ConfigPath, Accounts: len(c.Accounts)})
}

func newConfigExample(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "example",
		Short: "print a commented configuration with every key and its default",
		Long: `example prints a configuration file with every key, its default, and an explanation in one line. Required keys are
empty, and config check names them:

  concilia config example > concilia.yaml
  concilia config check

Every key has an environment variable, which overrides the file: service.timeout is CONCILIA_SERVICE_TIMEOUT. The
configuration is read when a command starts. No signal makes serve or worker reload it: restart them after a change. The
jobs that serve starts read it anew, except schedule, webhook, metrics and log; the TLS certificate of webhook.cert_file
is reloaded when its files change.

Exit status: 0 printed; 2 usage.`,
		Args: command.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return inv.WritePage(view.ConfigExample{Text: config.Example()})
		},
	}
}
