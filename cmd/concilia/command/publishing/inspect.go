package publishing

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/export/cnab"
)

// NewInspect is the command inspect.
func NewInspect(inv *command.Invocation) *cobra.Command {
	var summary bool
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "explain a CNAB 240 file column by column",
		Long: `inspect explains a CNAB 240 retorno or extrato, ours or a bank's: every record column by column, names and
documents masked, then the totals and every fault with its line, field and columns.

Exit status: 0 clean; 20 faults found; 50 unreadable; 2 usage.`,
		Args: command.ExactArgs(1, "argument.a_file"),
		RunE: func(_ *cobra.Command, args []string) error { return inspectFile(inv, args[0], summary) },
	}
	cmd.Flags().BoolVar(&summary, "summary", false, "print only totals and faults")
	return cmd
}

func inspectFile(inv *command.Invocation, path string, summary bool) error {
	f, err := os.Open(path)
	if err != nil {
		return exit.ExplainUnreadable(err)
	}
	defer f.Close()
	out := inv.Stdout
	if inv.JSON {
		out = io.Discard
	}
	report, err := cnab.Inspect(f, out, cnab.InspectOptions{Summary: summary, Language: string(inv.Language)})
	if err != nil {
		return exit.ExplainUnreadable(err)
	}
	if err := inv.WritePage(view.InspectionOf(path, &report)); err != nil {
		return err
	}
	if !report.OK() {
		return exit.Status(exit.Breaks)
	}
	return nil
}
