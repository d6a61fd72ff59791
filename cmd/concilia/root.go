package main

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/command/banks"
	"concilia/cmd/concilia/command/cases"
	"concilia/cmd/concilia/command/nights"
	"concilia/cmd/concilia/command/publishing"
	"concilia/cmd/concilia/command/service"
	"concilia/cmd/concilia/command/serving"
	"concilia/cmd/concilia/command/stores"
	"concilia/cmd/concilia/command/upkeep"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/export/words"
)

// environment is everything the program takes from outside, so that tests can hand in their own.
type environment struct {
	args   []string
	stdout io.Writer
	stderr io.Writer
	// exact is standard output without escapes, for what is not text of ours; run sets it.
	exact  io.Writer
	lookup func(string) (string, bool)
	// environ are all variables, NAME=value, to find those that no setting has; nil: unknown.
	environ func() []string
	wall    func() time.Time
	buildID string // of this program; empty: unknown
}

// newInvocation takes what comes from outside.
func newInvocation(env environment) *command.Invocation {
	return &command.Invocation{
		Process: wire.Process{Stderr: env.stderr, Lookup: env.lookup, Wall: env.wall, BuildID: env.buildID},
		Stdout:  env.stdout, Exact: env.exact, Environ: env.environ,
	}
}

// run is the whole program: it returns the exit code.
func run(ctx context.Context, env environment) int {
	out := &checkedOutput{to: env.stdout}
	escaped, warnings := view.NewEscapingWriter(out), view.NewEscapingWriter(env.stderr)
	env.stdout, env.stderr, env.exact = escaped, warnings, out
	inv := newInvocation(env)
	root := newRootOf(inv, env)
	root.SetArgs(env.args)
	err := root.ExecuteContext(ctx)
	_ = escaped.Flush() // out remembers what failed
	err = out.resultOf(err)
	if ctx.Err() != nil && err != nil && exit.CodeOf(err) == exit.Internal {
		err = words.NewFault("error.interrupted", "", "cause", context.Cause(ctx))
	}
	var code exit.Status
	if err != nil && !errors.As(err, &code) {
		exit.Print(env.stderr, err, inv.LanguageOfError(env.args))
	}
	return exit.CodeOf(err)
}

// newRoot is the whole command line.
func newRoot(env environment) *cobra.Command { return newRootOf(newInvocation(env), env) }

func newRootOf(inv *command.Invocation, env environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "concilia",
		Short: "tells whether the payment service paid what it owed",
		Long: `concilia pulls card installments and bank slips from the payment service into a local ledger, works out what
should have been received, names every difference in reais, and publishes settlement reports that prove themselves.

Try it:  concilia demo
` + exit.Help,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              command.NoArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			inv.Parameters = parametersOf(cmd)
			inv.Command = strings.TrimPrefix(cmd.CommandPath(), "concilia ")
			return inv.ChooseLanguage()
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	path := command.DefaultConfig
	if v, ok := env.lookup("CONCILIA_CONFIG"); ok && v != "" {
		path = v
	}
	flags := root.PersistentFlags()
	flags.StringVar(&inv.ConfigPath, "config", path, "configuration file (environment: CONCILIA_CONFIG)")
	flags.BoolVar(&inv.JSON, "json", false, "print results as JSON")
	flags.BoolVar(&inv.Quiet, "quiet", false, "print no progress, and only one line for a run")
	flags.StringVar(&inv.Lang, "lang", "", "language of what people read, pt-BR or en; logs are English (default: by the configuration's language, else by the environment)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return command.ExplainFlag(cmd, err)
	})
	root.AddCommand(
		nights.NewRun(inv), nights.NewBackfill(inv), nights.NewPlan(inv), nights.NewPull(inv), nights.NewCoverage(inv), nights.NewReconcile(inv),
		nights.NewSchedule(inv), nights.NewRuns(inv), nights.NewStatus(inv),
		cases.NewExceptions(inv), cases.NewClaims(inv), cases.NewPeriod(inv), cases.NewFind(inv), cases.NewExplain(inv), cases.NewEvidence(inv),
		cases.NewRules(inv), cases.NewCalibrate(inv),
		banks.NewBank(inv), stores.NewSales(inv),
		publishing.NewReport(inv), publishing.NewMovement(inv), publishing.NewVerify(inv), publishing.NewInspect(inv),
		serving.NewServe(inv), serving.NewWorker(inv), serving.NewConsole(inv), serving.NewMail(inv),
		service.NewWebhook(inv), service.NewSimulate(inv),
		upkeep.NewConfig(inv), upkeep.NewCalendar(inv), upkeep.NewKeygen(inv), upkeep.NewMigrate(inv), upkeep.NewLedger(inv), upkeep.NewVersion(inv),
		newDemo(inv), newCompletion(inv), newMan(inv),
	)
	root.SetHelpCommand(newHelp(inv))
	speakHelp(inv, root)
	completeFlags(inv, root)
	return root
}

// parametersOf are the flags of its own that a command was given, as a record keeps them: never a password.
func parametersOf(cmd *cobra.Command) map[string]string {
	var given map[string]string
	own := cmd.LocalNonPersistentFlags()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if own.Lookup(f.Name) == nil {
			return
		}
		text := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			text = strings.Join(list.GetSlice(), ",")
		}
		if u, err := url.Parse(text); err == nil && u.User != nil {
			text = u.Redacted()
		}
		if given == nil {
			given = map[string]string{}
		}
		given[f.Name] = text
	})
	return given
}
