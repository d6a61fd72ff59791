package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/view"
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
}

// globals are the flags of every command.
type globals struct {
	environment
	config string
	json   bool
	quiet  bool
	daemon *zerolog.Logger // of serve and worker; nil: a person reads the output
	meters *meters         // of serve and worker; nil: nothing is counted
	// parameters are the flags of the command that were given, for the run record.
	parameters map[string]string
	rate       float64 // requests a second, in place of the configured; 0: as configured
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
	if ctx.Err() != nil && err != nil && exitCode(err) == exitInternal {
		err = fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	var code codeError
	if err != nil && !errors.As(err, &code) {
		fmt.Fprintf(env.stderr, "concilia: %v\n", err)
		if h := hintOf(err); h != "" {
			fmt.Fprintf(env.stderr, "hint: %s\n", h)
		}
	}
	return exitCode(err)
}

func newRoot(env environment) *cobra.Command {
	g := &globals{environment: env}
	root := &cobra.Command{
		Use:   "concilia",
		Short: "tells whether the payment service paid what it owed",
		Long: `concilia pulls card installments and bank slips from the payment service into a local ledger, works out what
should have been received, names every difference in reais, and publishes settlement reports that prove themselves.

Try it:  concilia demo
` + exitHelp,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              noArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRun:  func(cmd *cobra.Command, _ []string) { g.parameters = parametersOf(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	path := defaultConfig
	if v, ok := env.lookup("CONCILIA_CONFIG"); ok && v != "" {
		path = v
	}
	flags := root.PersistentFlags()
	flags.StringVar(&g.config, "config", path, "configuration file (environment: CONCILIA_CONFIG)")
	flags.BoolVar(&g.json, "json", false, "print results as JSON")
	flags.BoolVar(&g.quiet, "quiet", false, "print no progress, and only one line for a run")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageErrorf(cmd.CommandPath()+" --help", "%v", err)
	})
	root.AddCommand(
		newDemo(g), newRun(g), newBackfill(g), newPlan(g), newPull(g), newCoverage(g), newReconcile(g), newReport(g),
		newServe(g), newConsole(g), newWorker(g),
		newSchedule(g), newRuns(g), newStatus(g),
		newExceptions(g), newPeriod(g), newFind(g), newExplain(g), newClaims(g), newRules(g), newCalibrate(g), newEvidence(g),
		newSimulate(g), newWebhook(g), newBank(g),
		newVerify(g), newKeygen(g), newInspect(g),
		newMigrate(g), newLedger(g), newCalendar(g), newConfig(g), newVersion(g),
		newCompletion(g), newMan(g),
	)
	root.SetHelpCommand(newHelp(g))
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
