package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/export/cnab"
)

func newInspect(g *globals) *cobra.Command {
	var summary bool
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "explain a CNAB 240 file column by column",
		Long: `inspect explains a CNAB 240 retorno or extrato, ours or a bank's: every record column by column, names and
documents masked, then the totals and every fault with its line, field and columns.

Exit status: 0 clean; 20 faults found; 50 unreadable; 2 usage.`,
		Args: exactArgs(1, "a file"),
		RunE: func(_ *cobra.Command, args []string) error { return g.inspectFile(args[0], summary) },
	}
	cmd.Flags().BoolVar(&summary, "summary", false, "print only totals and faults")
	return cmd
}

func (g *globals) inspectFile(path string, summary bool) error {
	f, err := os.Open(path)
	if err != nil {
		return exit.ExplainUnreadable(err)
	}
	defer f.Close()
	out := g.stdout
	if g.json {
		out = io.Discard
	}
	report, err := cnab.Inspect(f, out, cnab.InspectOptions{Summary: summary})
	if err != nil {
		return exit.ExplainUnreadable(err)
	}
	if err := g.writePage(view.InspectionOf(path, &report)); err != nil {
		return err
	}
	if !report.OK() {
		return exit.Status(exit.Breaks)
	}
	return nil
}
