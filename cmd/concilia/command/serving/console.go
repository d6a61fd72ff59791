package serving

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/daemon"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/progress"
)

// DefaultListen is where the console listens when neither --listen nor console.listen says so.
const DefaultListen = "127.0.0.1:8480"

// NewConsole is the command console and those below it.
func NewConsole(inv *command.Invocation) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "console",
		Short: "serve the desk in the browser until stopped",
		Long: `console serves pages for people, in Portuguese and in English: what the last night came to, the cases with everything
known about each, the published files, the runs, what is complete, the catalogue of rules, the calendar and the handbook.
They show what the commands print, to the cent. Every address can be shared: filters stand in it.

serve serves the same at console.listen. Neither a night nor a notification waits for a page.

Without people (console.users_file or console.identity_header) it listens on this machine only, and shows without changing
anything. Beyond this machine it also needs TLS or a trusted proxy.

Exit status: 0 stopped by a signal; 40 configuration; 50 the address cannot be listened on; 2 usage.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveConsole(cmd.Context(), inv, listen) },
	}
	cmd.AddCommand(newConsoleUser(inv))
	cmd.Flags().StringVar(&listen, "listen", "", "host:port (default console.listen, else "+DefaultListen+")")
	return cmd
}

// serveConsole serves the console alone until ctx ends.
func serveConsole(ctx context.Context, inv *command.Invocation, listen string) error {
	c, err := inv.LoadConfig(0)
	if err != nil {
		return err
	}
	switch {
	case listen != "":
		if err := c.Console.CheckListen(listen); err != nil {
			return exit.NewUsageError("error.flag_value_cause", "hint.example", "flag", "--listen", "value", listen, "cause", err, "example", DefaultListen)
		}
		c.Console.Listen = listen
	case c.Console.Listen == "":
		c.Console.Listen = DefaultListen
	}
	logger := progress.NewLog(inv.Stderr, inv.Quiet, c.Log)
	d, err := daemon.OpenConsole(ctx, &inv.Process, c, logger)
	if err != nil {
		return err
	}
	fmt.Fprintln(inv.Stdout, d.Address())
	return d.Serve(ctx)
}
