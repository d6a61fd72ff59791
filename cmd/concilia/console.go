package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/daemon"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/progress"
)

// defaultConsoleListen is where concilia console listens when neither --listen nor console.listen says so.
const defaultConsoleListen = "127.0.0.1:8480"

func newConsole(g *globals) *cobra.Command {
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
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.serveConsole(cmd.Context(), listen) },
	}
	cmd.AddCommand(newConsoleUser(g))
	cmd.Flags().StringVar(&listen, "listen", "", "host:port (default console.listen, else "+defaultConsoleListen+")")
	return cmd
}

// serveConsole serves the console alone until ctx ends.
func (g *globals) serveConsole(ctx context.Context, listen string) error {
	c, err := g.LoadConfig(0)
	if err != nil {
		return err
	}
	switch {
	case listen != "":
		if err := c.Console.CheckListen(listen); err != nil {
			return exit.Usagef("such as "+defaultConsoleListen, "--listen %s: %v", listen, err)
		}
		c.Console.Listen = listen
	case c.Console.Listen == "":
		c.Console.Listen = defaultConsoleListen
	}
	logger := progress.NewLog(g.Stderr, g.Quiet, c.Log)
	d, err := daemon.OpenConsole(ctx, &g.Process, c, logger)
	if err != nil {
		return err
	}
	fmt.Fprintln(g.stdout, d.Address())
	return d.Serve(ctx)
}
