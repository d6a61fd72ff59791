package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"concilia/store"
	"concilia/store/ledger"
)

// exceptionFilter are the flags that choose cases.
type exceptionFilter struct {
	codes, severities, states []string
	accounts                  []int64
	minImpact                 string
}

func newExceptions(g *globals) *cobra.Command {
	cmd := group(&cobra.Command{Use: "exceptions", Short: "the differences found, by case"})
	var o exceptionFilter
	list := &cobra.Command{
		Use:   "list",
		Short: "list the cases that stand, the gravest and dearest first",
		Long: `list prints the cases that stand: neither resolved nor closed, unless --state names those. With --json it prints
one object per line.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.listExceptions(cmd.Context(), &o) },
	}
	flags := list.Flags()
	flags.StringSliceVar(&o.codes, "code", nil, "only these `CODES`")
	flags.StringSliceVar(&o.severities, "severity", nil, "only these severities: C, E, W, I")
	flags.StringSliceVar(&o.states, "state", nil, "only these states: pending, open, reopened, resolved, …")
	flags.Int64SliceVar(&o.accounts, "account", nil, "only these accounts")
	flags.StringVar(&o.minImpact, "min-impact", "", "only an impact of at least so many reais, lost or gained")
	show := &cobra.Command{
		Use:   "show CASE…",
		Short: "show cases whole, with their history",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("concilia exceptions list names them", "exceptions show needs a case")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return g.showExceptions(cmd.Context(), args) },
	}
	cmd.AddCommand(list, show)
	return cmd
}

// filter checks the flags.
func (o *exceptionFilter) filter() (store.FindingFilter, error) {
	var f store.FindingFilter
	for _, a := range o.accounts {
		f.Accounts = append(f.Accounts, ledger.Account(a))
	}
	for _, c := range o.codes {
		f.Codes = append(f.Codes, strings.ToUpper(c))
	}
	for _, s := range o.severities {
		sev := ledger.Severity(strings.ToUpper(s))
		if sev.Rank() > ledger.Info.Rank() {
			return f, usage("severities are C, E, W, I", "--severity %q", s)
		}
		f.Severities = append(f.Severities, sev)
	}
	for _, s := range o.states {
		f.States = append(f.States, ledger.State(strings.ToLower(s)))
	}
	known := []ledger.State{
		ledger.Pending, ledger.Opened, ledger.Acknowledged, ledger.Disputed, ledger.Waived, ledger.Shadow, ledger.Resolved,
		ledger.Closed, ledger.Reopened,
	}
	for _, s := range f.States {
		if !slices.Contains(known, s) {
			return f, usage(fmt.Sprintf("states are %v", known), "--state %q", s)
		}
	}
	if len(f.States) == 0 {
		f.States = slices.DeleteFunc(known, func(s ledger.State) bool { return !s.Standing() })
	}
	if o.minImpact != "" {
		v, err := ledger.ParseAmount(o.minImpact)
		if err != nil {
			return f, usage("reais with a dot, such as 10.00", "--min-impact: %v", err)
		}
		f.MinImpact = v
	}
	return f, nil
}
