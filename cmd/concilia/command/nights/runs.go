package nights

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/wire"
	"concilia/export/report"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// runsShown is how many runs are listed by default.
const runsShown = 20

// NewRuns is the command runs and those below it.
func NewRuns(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{
		Use:   "runs",
		Short: "list runs, show their records, and compare two of them",
		Long: `runs reads the records of runs. A record is written when the run begins and completed when it ends, and never changed
after that. A run that was killed and continued has one record, and its step times are those of all its processes.`,
	})
	cmd.AddCommand(newRunsList(inv), newRunsShow(inv), newRunsDiff(inv))
	return cmd
}

// runsExit ends the help of the commands about runs.
const runsExit = `

Exit status: 0 shown, whatever the runs came to; 2 usage, or no such run; 40 configuration; 50 ledger unreachable; 130
interrupted.`

// runShape is what --json prints of a run.
const runShape = `
  {"run","kind","trigger","parameters","as_of","clock","previous","state","began","ended","seconds","taken_up",
   "verdict","exit_code","accounts":[{"account","verdict"}],
   "asked":{"windows","failed","retries","bytes"},
   "pulled":{"requests","rows","new","changed","same","vanished","quarantined"},
   "totals":{"cards":{…},"slips":{…}},
   "cases":{"new","persisting","resolved"},
   "figures":{"missing","lost","late","at_risk","claimed","waived","excess"},
   "steps":[{"step","seconds"}],"engine","documents":{NAME: SHA-256},
   "sets":[{"account","basis","from","to","filter","revision","new"}]}`

func newRunsList(inv *command.Invocation) *cobra.Command {
	var kinds []string
	var from, to command.DateFlag
	limit := runsShown
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the runs, latest first",
		Long: `list prints the runs, latest first. The state of a run is ended; running while its process lives; stopped if the process
gave up, with its exit code; or killed otherwise. The next night of the same morning continues a stopped or killed one. A
check that has not ended is begun, since it holds no lease that would tell whether its process lives.

With --json it prints one object per line:` + runShape + `
Members that do not apply to a run are absent; times are UTC, amounts exact strings, totals as the run itself printed them.
Cases are those neither resolved nor closed; figures are what they come to: missing is lost and late together, what is at risk is
due later, what is claimed or waived a person has taken up, and excess is never subtracted.` + runsExit,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f := runs.RunFilter{AsOf: ledger.Period{From: from.Date, To: to.Date}, Limit: limit}
			for _, k := range kinds {
				if !slices.Contains(ledger.RunKinds(), ledger.RunKind(k)) {
					return exit.NewUsageError("error.flag_value", "hint.run_kinds", "flag", "--kind", "value", k, "names", report.JoinNames(ledger.RunKinds()))
				}
				f.Kinds = append(f.Kinds, ledger.RunKind(k))
			}
			if limit < 0 {
				return exit.NewUsageError("error.flag_value", "hint.zero_is_all", "flag", "--limit", "value", limit)
			}
			if from.Date != 0 && to.Date != 0 && to.Date < from.Date {
				return exit.NewUsageError("error.period_backwards", "hint.from_then_to", "from", from, "to", to)
			}
			return listRuns(cmd.Context(), inv, f)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&kinds, "kind", nil, "only these `kinds`: nightly, pull, backfill, reconcile, report, check")
	flags.IntVar(&limit, "limit", runsShown, "at most this many; 0 is all")
	flags.Var(&from, "from", "only as of this morning or later, YYYY-MM-DD")
	flags.Var(&to, "to", "only as of this morning or earlier, YYYY-MM-DD")
	return cmd
}

func newRunsShow(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "show RUN",
		Short: "show the complete record of a run",
		Long: `show prints the record of a run: its trigger and parameters, what it asked and got, the outcomes of its rules, the cases,
what it published, and how long each step took. RUN is an id, a unique prefix of one, or last.

With --json it prints the object of runs list and, beside it, the outcomes of every rule on every account, and the files:` + `
  {…,"rules":[{"account","code","eligible","evaluated","fired","within_tolerance",
              "skipped":{"no_input","unmapped","shadow","window","not_evaluable"}}],
   "files":[{"path","sha256","kind","format","revision","new"}],
   "left":["which worker left files to others, and why"]}` + runsExit,
		Args: command.ExactArgs(1, "argument.a_run"),
		RunE: func(cmd *cobra.Command, args []string) error { return showRun(cmd.Context(), inv, args[0]) },
	}
}

func listRuns(ctx context.Context, inv *command.Invocation, f runs.RunFilter) error {
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	page, err := desk.ReadRuns(ctx, w, f)
	if err != nil {
		return err
	}
	return command.WriteLines(inv, page.All, page)
}

func showRun(ctx context.Context, inv *command.Invocation, name string) error {
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	page, err := desk.ReadRun(ctx, w, name)
	if err != nil {
		return err
	}
	return inv.WritePage(page)
}

func newRunsDiff(inv *command.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "show what changed between two runs, in reais and cases",
		Long: `diff shows what changed from run A to the later run B: rows, totals, cases, documents that differ by their hash, and the
revisions published. It compares what the ledger knew and believed when each of them had reconciled, over the operation
months that a night of either would publish. A and B are ids, unique prefixes of one, or last.

With --json it prints one object:
  {"from","to","accounts":[N],"pulled":{"rows","new","changed","same","vanished","quarantined"},
   "periods":[{"from","to"}],"totals":[{"name","before","after","change"}],
   "cases":{"opened":GROUP,"resolved":GROUP,"closed":GROUP,"changed":GROUP,"other_state":N,"came_and_went":N},
   "documents":[{"name","before","after"}],
   "sets":[{"account","basis","from","to","filter","revision","files":[{"path","sha256","kind","format"}]}]}
GROUP is {"cases","amount","top":[{"account","case","code","subject","severity","state_before","state","impact_before","impact"}]};
amount is the sum of the impacts, for "changed" of their differences; top lists the five largest.` + runsExit,
		Args: command.ExactArgs(2, "argument.two_runs"),
		RunE: func(cmd *cobra.Command, args []string) error { return diffRuns(cmd.Context(), inv, args[0], args[1]) },
	}
}

func diffRuns(ctx context.Context, inv *command.Invocation, a, b string) error {
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	page, err := desk.CompareRuns(ctx, w, nil, a, b)
	if err != nil {
		return err
	}
	return inv.WritePage(page)
}
