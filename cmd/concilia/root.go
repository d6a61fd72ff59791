package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
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

// globals are what every command has.
type globals struct {
	wire.Process
	stdout io.Writer
	// exact is standard output without escapes, for what is not text of ours.
	exact io.Writer
	// environ are all variables, NAME=value, to find those that no setting has; nil: unknown.
	environ func() []string
	json    bool
	lang    string // --lang
}

// newGlobals takes what comes from outside.
func newGlobals(env environment) *globals {
	return &globals{
		Process: wire.Process{Stderr: env.stderr, Lookup: env.lookup, Wall: env.wall, BuildID: env.buildID},
		stdout:  env.stdout, exact: env.exact, environ: env.environ,
	}
}

// defaultConfig is the configuration file of a command that names none.
const defaultConfig = "concilia.yaml"

// run is the whole program: it returns the exit code.
func run(ctx context.Context, env environment) int {
	out := &checkedOutput{to: env.stdout}
	escaped, warnings := view.NewEscapingWriter(out), view.NewEscapingWriter(env.stderr)
	env.stdout, env.stderr, env.exact = escaped, warnings, out
	root := newRoot(env)
	root.SetArgs(env.args)
	err := root.ExecuteContext(ctx)
	_ = escaped.Flush() // out remembers what failed
	err = out.resultOf(err)
	if ctx.Err() != nil && err != nil && exit.CodeOf(err) == exit.Internal {
		err = fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	var code exit.Status
	if err != nil && !errors.As(err, &code) {
		fmt.Fprintf(env.stderr, "concilia: %v\n", err)
		if h := exit.HintOf(err); h != "" {
			fmt.Fprintf(env.stderr, "hint: %s\n", h)
		}
	}
	return exit.CodeOf(err)
}

func newRoot(env environment) *cobra.Command {
	g := newGlobals(env)
	root := &cobra.Command{
		Use:   "concilia",
		Short: "tells whether the payment service paid what it owed",
		Long: `concilia pulls card installments and bank slips from the payment service into a local ledger, works out what
should have been received, names every difference in reais, and publishes settlement reports that prove themselves.

Try it:  concilia demo
` + exit.Help,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              noArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			g.Parameters = parametersOf(cmd)
			g.Command = strings.TrimPrefix(cmd.CommandPath(), "concilia ")
			return g.chooseLanguage()
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	path := defaultConfig
	if v, ok := env.lookup("CONCILIA_CONFIG"); ok && v != "" {
		path = v
	}
	flags := root.PersistentFlags()
	flags.StringVar(&g.ConfigPath, "config", path, "configuration file (environment: CONCILIA_CONFIG)")
	flags.BoolVar(&g.json, "json", false, "print results as JSON")
	flags.BoolVar(&g.Quiet, "quiet", false, "print no progress, and only one line for a run")
	flags.StringVar(&g.lang, "lang", "", "language of what people read, pt-BR or en; progress and logs are English (default: by the configuration's language, else by the environment)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.Usagef(cmd.CommandPath()+" --help", "%v", err)
	})
	root.AddCommand(
		newDemo(g), newRun(g), newBackfill(g), newPlan(g), newPull(g), newCoverage(g), newReconcile(g), newReport(g),
		newServe(g), newConsole(g), newWorker(g), newMail(g),
		newSchedule(g), newRuns(g), newStatus(g),
		newExceptions(g), newPeriod(g), newFind(g), newExplain(g), newClaims(g), newRules(g), newCalibrate(g), newEvidence(g),
		newSimulate(g), newWebhook(g), newBank(g), newMovement(g), newSales(g),
		newVerify(g), newKeygen(g), newInspect(g),
		newMigrate(g), newLedger(g), newCalendar(g), newConfig(g), newVersion(g),
		newCompletion(g), newMan(g),
	)
	root.SetHelpCommand(newHelp(g))
	g.speakHelp(root)
	g.completeFlags(root)
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
