package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/exit"
	"concilia/config"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/runs"
)

func newCompletion(inv *command.Invocation) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print a script that completes commands, flags and their values",
		Long: `completion prints a script for a shell. With it the tab key completes commands, flags and their values: kinds, formats,
bases, codes of rules, states, the accounts of the configuration, and the ids of cases and runs.

  source <(concilia completion bash)                 # this shell; needs bash-completion
  concilia completion bash > /etc/bash_completion.d/concilia
  concilia completion zsh > "${fpath[1]}/_concilia"
  concilia completion fish > ~/.config/fish/completions/concilia.fish
  concilia completion powershell | Out-String | Invoke-Expression

Exit status: 0 printed; 2 usage, or an unsupported shell.`,
		ValidArgs: shells,
		Args:      command.ExactArgs(1, "argument.a_shell"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(inv.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(inv.Stdout)
			case "fish":
				return root.GenFishCompletion(inv.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(inv.Stdout)
			}
			return exit.NewUsageError("error.no_completion", "hint.shells", "shell", args[0], "shells", strings.Join(shells, ", "))
		},
	}
}

// completer gives the values a flag may have, perhaps each with a tab and a word about it.
type completer func() []string

// completersOfFlags are the flags, by name, whose values are few and known. It opens no ledger.
func completersOfFlags(inv *command.Invocation) map[string]completer {
	return map[string]completer{
		"kind": func() []string { return stringsOf(kindlist.Known()) },
		"format": func() []string {
			return stringsOf(append(report.Formats(), report.Beancount, report.HLedger, report.Dominio))
		},
		"basis":    basisNames,
		"code":     ruleCodes,
		"severity": fixedWords("C\tcritical", "E\terror", "W\twarning", "I\tinformation"),
		"state":    func() []string { return stringsOf(ledger.States()) },
		"status":   fixedWords("open", "received", "blocked", "cancelled", "chargeback", "paid", "failed"),
		"brand":    fixedWords("visa", "mastercard", "elo", "amex", "hipercard"),
		"product":  fixedWords("credit", "debit", "voucher"),
		"source":   fixedWords("cards", "slips"),
		"lang":     fixedWords("pt-BR", "en"),
		"owner":    catalogue.OwnerKeys,
		"sort":     fixedWords("impact", "age", "code", "severity", "due", "state", "subject"),
		"account":  func() []string { return accountNumbers(inv) },
		// Of one command alone, whose flag of that name means something else.
		"claims list --state": func() []string { return stringsOf(casework.ClaimStates()) },
		"reply":               func() []string { return stringsOf(ledger.Replies()) },
		"runs list --kind":    func() []string { return stringsOf(ledger.RunKinds()) },
	}
}

// completeFlags lets the shell complete the values of flags, on every command that has them.
func completeFlags(inv *command.Invocation, root *cobra.Command) {
	values := completersOfFlags(inv)
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			_, path, _ := strings.Cut(c.CommandPath(), " ")
			known, ok := values[path+" --"+f.Name]
			if !ok {
				known, ok = values[f.Name]
			}
			if !ok {
				return
			}
			_ = c.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
				return inList(begun, known(), strings.HasSuffix(f.Value.Type(), "Slice")), cobra.ShellCompDirectiveNoFileComp
			})
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	_ = root.MarkPersistentFlagFilename("config", "yaml", "yml")
	if show, rest, err := root.Find([]string{"rules", "show"}); err == nil && len(rest) == 0 {
		show.ValidArgs = ruleCodes()
	}
	completeIDs(inv, root)
}

// completeIDs lets the shell complete the ids of cases and runs where commands take them.
func completeIDs(inv *command.Invocation, root *cobra.Command) {
	for _, c := range []struct {
		parent string // empty: the command itself
		names  []string
		most   int // arguments; 0: any number
		of     func(ctx context.Context, l *store.Ledger) ([]string, error)
	}{
		{"", []string{"explain"}, 0, caseIDs},
		{"exceptions", append([]string{"show"}, stringsOf(ledger.CaseVerbs())...), 0, caseIDs},
		{"runs", []string{"show"}, 1, runIDs},
		{"runs", []string{"diff"}, 2, runIDs},
	} {
		for _, name := range c.names {
			path := []string{c.parent, name}
			if c.parent == "" {
				path = path[1:]
			}
			cmd, rest, err := root.Find(path)
			if err != nil || len(rest) > 0 {
				continue
			}
			cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				if c.most > 0 && len(args) >= c.most {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return inList(begun, idsInLedger(inv, c.of), false), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
			}
		}
	}
}

// The bounds of ids to complete: a tab key must not wait long, nor fill the screen.
const (
	idTime = 2 * time.Second
	mostID = 200
)

// idsInLedger are ids that the ledger holds; none where it cannot be read in time, for a tab key has nowhere to say so.
func idsInLedger(inv *command.Invocation, read func(context.Context, *store.Ledger) ([]string, error)) (ids []string) {
	ctx, stop := context.WithTimeout(context.Background(), idTime)
	defer stop()
	err := inv.WithKeptLedger(ctx, func(_ *config.Config, l *store.Ledger, _ ledger.Date) (err error) {
		ids, err = read(ctx, l)
		return err
	})
	if err != nil {
		return nil
	}
	return ids
}

// caseIDs are the unresolved cases, largest first, each with its code.
func caseIDs(ctx context.Context, l *store.Ledger) (ids []string, err error) {
	err = l.Findings(ctx, caselog.FindingFilter{States: ledger.UnresolvedStates(), Order: caselog.ByImpact}, func(f *ledger.Finding) error {
		if len(ids) < mostID {
			ids = append(ids, f.Case+"\t"+f.Code)
		}
		return nil
	})
	return ids, err
}

// runIDs are the latest runs, each with its kind and as-of.
func runIDs(ctx context.Context, l *store.Ledger) ([]string, error) {
	last, err := l.Runs(ctx, runs.RunFilter{Limit: mostID})
	ids := make([]string, len(last))
	for i, r := range last {
		ids[i] = r.ID + "\t" + string(r.Kind) + " " + r.AsOf.String()
	}
	return ids, err
}

// inList gives the words that go on from what is begun: from its last word in a list, since those flags take words with
// commas between.
func inList(begun string, known []string, many bool) []string {
	before := ""
	if at := strings.LastIndexByte(begun, ','); many && at >= 0 {
		before, begun = begun[:at+1], begun[at+1:]
	}
	var out []string
	for _, word := range known {
		if strings.HasPrefix(word, begun) {
			out = append(out, before+word)
		}
	}
	return out
}

func fixedWords(words ...string) completer { return func() []string { return words } }

func stringsOf[T ~string](in []T) []string {
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}

func basisNames() []string {
	return stringsOf([]report.Basis{report.ByOperation, report.ByForecast, report.ByPayment, report.ByCredit, report.ByAsOf, report.ByMovement})
}

func ruleCodes() []string {
	var out []string
	for _, r := range catalogue.Whole() {
		out = append(out, r.Code)
	}
	return out
}

// accountNumbers are the configured accounts; a configuration with problems has none to offer.
func accountNumbers(inv *command.Invocation) []string {
	c, err := config.LoadOffline(inv.ConfigPath, inv.Lookup)
	if err != nil {
		return nil
	}
	var out []string
	for _, a := range c.Accounts {
		out = append(out, strconv.FormatInt(a.Number, 10)+"\t"+a.Name)
	}
	return out
}
