package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/config"
	"concilia/export/report"
	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

func newCompletion(g *globals) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print a script that completes commands, flags and their values",
		Long: `completion prints a script for a shell. With it the tab key completes commands, flags and their values: kinds, formats,
bases, codes of rules, states, and the accounts of the configuration.

  source <(concilia completion bash)                 # this shell; needs bash-completion
  concilia completion bash > /etc/bash_completion.d/concilia
  concilia completion zsh > "${fpath[1]}/_concilia"
  concilia completion fish > ~/.config/fish/completions/concilia.fish
  concilia completion powershell | Out-String | Invoke-Expression

Exit status: 0 printed; 2 usage, or an unsupported shell.`,
		ValidArgs: shells,
		Args:      exactArgs(1, "a shell"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(g.stdout, true)
			case "zsh":
				return root.GenZshCompletion(g.stdout)
			case "fish":
				return root.GenFishCompletion(g.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(g.stdout)
			}
			return usageErrorf("shells are "+strings.Join(shells, ", "), "there is no completion for %q", args[0])
		},
	}
}

// completer gives the values a flag may have, perhaps each with a tab and a word about it.
type completer func() []string

// completersOfFlags are the flags, by name, whose values are few and known. It opens no ledger: a tab key must not wait.
func (g *globals) completersOfFlags() map[string]completer {
	return map[string]completer{
		"kind":     func() []string { return stringsOf(report.Kinds()) },
		"format":   func() []string { return stringsOf(report.Formats()) },
		"basis":    basisNames,
		"code":     ruleCodes,
		"severity": fixedWords("C\tcritical", "E\terror", "W\twarning", "I\tinformation"),
		"state":    func() []string { return stringsOf(caseStates()) },
		"status":   fixedWords("open", "received", "blocked", "cancelled", "chargeback", "paid", "failed"),
		"brand":    fixedWords("visa", "mastercard", "elo", "amex", "hipercard"),
		"product":  fixedWords("credit", "debit", "voucher"),
		"source":   fixedWords("cards", "slips"),
		"lang":     fixedWords("pt-BR", "en"),
		"sort":     fixedWords("impact", "age", "code", "severity", "due", "state", "subject"),
		"account":  g.accountNumbers,
		// Of one command alone, whose flag of that name means something else.
		"claims list --state": func() []string { return stringsOf(casework.ClaimStates()) },
		"reply":               func() []string { return stringsOf(ledger.Replies()) },
		"runs list --kind":    func() []string { return stringsOf(ledger.RunKinds()) },
	}
}

// completeFlags lets the shell complete the values of flags, on every command that has them.
func (g *globals) completeFlags(root *cobra.Command) {
	values := g.completersOfFlags()
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
	return stringsOf([]report.Basis{report.ByOperation, report.ByForecast, report.ByPayment, report.ByCredit, report.ByAsOf})
}

func ruleCodes() []string {
	var out []string
	for _, r := range catalogue.All() {
		out = append(out, r.Code)
	}
	return out
}

// accountNumbers are the configured accounts; a configuration with problems has none to offer.
func (g *globals) accountNumbers() []string {
	c, err := config.LoadOffline(g.config, g.lookup)
	if err != nil {
		return nil
	}
	var out []string
	for _, a := range c.Accounts {
		out = append(out, strconv.FormatInt(a.Number, 10)+"\t"+a.Name)
	}
	return out
}
