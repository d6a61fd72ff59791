package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"concilia/config"
)

func newConfigExample(g *globals) *cobra.Command {
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
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if g.json {
				return json.NewEncoder(g.stdout).Encode(map[string]string{"example": config.Example()})
			}
			_, err := fmt.Fprint(g.stdout, config.Example())
			return err
		},
	}
}
