package nights

import (
	"context"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/progress"
	"concilia/cmd/concilia/wire"
	"concilia/store/ledger"
)

// pullOptions are the flags of pull.
type pullOptions struct {
	from, to command.DateFlag
	accounts []int64
	source   string
}

// NewPull is the command pull.
func NewPull(inv *command.Invocation) *cobra.Command {
	var o pullOptions
	cmd := &cobra.Command{
		Use:   "pull --from DATE --to DATE",
		Short: "pull a range of days without applying the rules",
		Long: `pull asks the service for a range of days, one day at a time, and keeps the answers. It judges nothing: the rules
run with reconcile or in the next night.

Exit status: 0 everything was pulled; 30 a window failed; 50 nothing could be pulled; 2 usage; 40 configuration or
refused credentials; 60 another run holds the lock; 130 interrupted.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), inv) },
	}
	flags := cmd.Flags()
	flags.Var(&o.from, "from", "first day, YYYY-MM-DD")
	flags.Var(&o.to, "to", "last day, YYYY-MM-DD")
	command.AddAccountFlag(flags, &o.accounts)
	flags.StringVar(&o.source, "source", "", "cards or slips (default both)")
	return cmd
}

func (o *pullOptions) run(ctx context.Context, inv *command.Invocation) error {
	period, err := command.PeriodOf(o.from, o.to)
	if err != nil {
		return err
	}
	sources, err := sourcesOf(o.source)
	if err != nil {
		return err
	}
	w, done, err := inv.WireWorker(ctx, wire.WantService)
	if err != nil {
		return inv.ConcludeOrFail(ctx, nil, err, 0)
	}
	defer done()
	if err := command.ChooseAccounts(w, o.accounts); err != nil {
		return err
	}
	if today := w.Today(); period.From > today {
		return exit.NewUsageError("error.after_today", "hint.up_to_today", "flag", "--from", "day", period.From, "today", today)
	}
	s, err := w.PullRange(ctx, period, sources)
	progress.RecordExitOf(ctx, w, err)
	return inv.ConcludeOrFail(ctx, s, err, w.Today())
}

// sourcesOf are the lists behind --source.
func sourcesOf(name string) ([]ledger.Source, error) {
	switch name {
	case "":
		return append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...), nil
	case "cards":
		return []ledger.Source{ledger.Cards}, nil
	case "slips":
		return ledger.SlipLists(), nil
	}
	return nil, exit.NewUsageError("error.flag_value", "hint.sources", "flag", "--source", "value", name)
}
