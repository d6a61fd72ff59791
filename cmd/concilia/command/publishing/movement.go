package publishing

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config/problem"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
	"concilia/store/published"
)

// NewMovement is the command movement and those below it.
func NewMovement(inv *command.Invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "movement",
		Short: "the movement of the day: what became known of titles, each event told once",
		Long: `movement shows what nights told ERPs, as they do where reports.formats has edi and movement.enabled does not say otherwise: sets of
files with every event that became known since the set before, each event once for ever.`,
	}
	cmd.AddCommand(newMovementList(inv), newMovementShow(inv))
	return cmd
}

// movementList are the flags of movement list.
type movementList struct {
	from, to command.DateFlag
	accounts []int64
}

func newMovementList(inv *command.Invocation) *cobra.Command {
	o := &movementList{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the sets of the movement",
		Long: `list shows the sets of the movement: the numbers of their EDI files (NSA), how many events each source has, the sums of the
events, and whether the set is published: yes, waiting for the target, or no, which the next run mends.

With --json it prints one object per line:
  {"account","set","as_of","revision","run","nsa","events":{"cards","slips"},"sums","published","manifest"}

Exit status: 0 shown; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), inv) },
	}
	flags := cmd.Flags()
	flags.Var(&o.from, "from", "first as-of, YYYY-MM-DD (default the first set's)")
	flags.Var(&o.to, "to", "last as-of, YYYY-MM-DD (default the last set's)")
	command.AddAccountFlag(flags, &o.accounts)
	return cmd
}

func (o *movementList) run(ctx context.Context, inv *command.Invocation) error {
	if o.from.Date != 0 && o.to.Date != 0 && o.to.Date < o.from.Date {
		return exit.NewUsageError("error.period_backwards", "hint.from_then_to", "from", o.from, "to", o.to)
	}
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	if err := command.ChooseAccounts(w, o.accounts); err != nil {
		return err
	}
	var all view.MovementSets
	for _, a := range w.Accounts {
		cuts, err := w.Ledger.Cuts(ctx, a.Number)
		if err != nil {
			return err
		}
		published, err := w.Ledger.SetsOf(ctx, a.Number.String())
		if err != nil {
			return err
		}
		all = append(all, view.MovementSetsOf(cuts, published)...)
	}
	all = slices.DeleteFunc(all, func(s view.MovementSet) bool {
		return s.AsOf < o.from.Date || o.to.Date != 0 && s.AsOf > o.to.Date
	})
	return command.WriteLines(inv, all, all)
}

func newMovementShow(inv *command.Invocation) *cobra.Command {
	var accounts []int64
	cmd := &cobra.Command{
		Use:   "show SUBJECT|EVENT|NSU",
		Short: "show every event of a title, and the file and record it is in",
		Long: `show tells what nights said of a title: every event in the order in which it was told, with the EDI file and the record that it
stands in, or why it is in none. A title is named by its subject, by one of its events, or by the NSU of its sale, which may be
that of several.

With --json it prints one object per line:
  {"account","set","event","type","subject","occurred_on","sent_on","title_number","closed","received","value","movement",
   "reason","file","nsa","lote","record","version"}
Parts that do not apply are absent.

Exit status: 0 shown; 2 usage, or nothing was told of such a title; 40 configuration; 50 ledger unreachable.`,
		Args: command.ExactArgs(1, "argument.subject_or_event"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return showMovement(cmd.Context(), inv, args[0], accounts)
		},
	}
	command.AddAccountFlag(cmd.Flags(), &accounts)
	return cmd
}

func showMovement(ctx context.Context, inv *command.Invocation, named string, accounts []int64) error {
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	if err := command.ChooseAccounts(w, accounts); err != nil {
		return err
	}
	var all view.MovementEvents
	for _, a := range w.Accounts {
		titles, err := titlesNamed(ctx, w, a.Number, named)
		if err != nil {
			return err
		}
		published, err := w.Ledger.SetsOf(ctx, a.Number.String())
		if err != nil {
			return err
		}
		for _, title := range titles {
			err := w.Ledger.EventsOf(ctx, a.Number, title, func(e *bookkeeping.Event) error {
				all = append(all, view.MovementEventOf(e, filesOfSet(published, e)))
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	if len(all) == 0 {
		return exit.NewUsageError("error.nothing_told", "hint.movement_listed", "name", problem.Shown(named))
	}
	return command.WriteLines(inv, all, all)
}

// titlesNamed are the titles of an account that a subject, an event or an NSU names.
func titlesNamed(ctx context.Context, w *jobs.Worker, a ledger.Account, named string) ([]string, error) {
	title, err := w.Ledger.TitleOfEvent(ctx, a, named)
	if err != nil || title != "" {
		return []string{title}, err
	}
	if s, ok := ledger.ParseSubject(named); ok {
		if s.Account != a {
			return nil, nil
		}
		return []string{named}, nil
	}
	return w.Ledger.TitlesOfNSU(ctx, a, named)
}

// filesOfSet are the files of the set that an event was published in.
func filesOfSet(sets []*published.Set, e *bookkeeping.Event) []published.File {
	for _, p := range sets {
		if p.Basis == string(report.ByMovement) && p.Period.To == e.Sent {
			if i := slices.IndexFunc(p.Files, func(f published.File) bool { return f.NSA != 0 && f.NSA == e.NSA }); i >= 0 {
				return p.Files
			}
		}
	}
	return nil
}
