package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
)

func newRules(g *globals) *cobra.Command {
	cmd := group(&cobra.Command{Use: "rules", Short: "show the catalogue of rules"})
	cmd.AddCommand(
		&cobra.Command{
			Use:   "list",
			Short: "list every rule, a line each",
			Long: `list prints every rule with its severity, what it needs and when it fires; with --json one object per line.

Exit status: 0 listed; 2 usage.`,
			Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return g.listRules() },
		},
		&cobra.Command{
			Use:   "show CODE",
			Short: "show one rule: sentence, formula, tolerance, who owns the impact",
			Long: `show describes one rule: sentence, formula, tolerance, who owns the impact.

Exit status: 0 shown; 2 usage, or no such rule.`,
			Args: exactly(1, "a code"),
			RunE: func(_ *cobra.Command, args []string) error {
				text := catalogue.Show(strings.ToUpper(args[0]))
				if text == "" {
					return usage("concilia rules list names them", "there is no rule %q", args[0])
				}
				if g.json {
					return json.NewEncoder(g.stdout).Encode(map[string]string{"code": strings.ToUpper(args[0]), "text": text})
				}
				_, err := fmt.Fprint(g.stdout, text)
				return err
			},
		},
	)
	return cmd
}

// ruleLine is one rule in rules list --json.
type ruleLine struct {
	Code      string          `json:"code"`
	Version   int             `json:"version"`
	Severity  string          `json:"severity"`
	Subjects  []rules.Subject `json:"subjects"`
	Needs     []rules.Need    `json:"needs"`
	Tier      rules.Tier      `json:"tier"`
	Tolerance string          `json:"tolerance"`
	Sentence  string          `json:"sentence"`
}

func (g *globals) listRules() error {
	t := newTable(g.stdout)
	t.AppendHeader(table.Row{"code", "sev", "tier", "needs", "fires when"})
	encoder := json.NewEncoder(g.stdout)
	for _, r := range catalogue.All() {
		if g.json {
			line := ruleLine{
				Code: r.Code, Version: r.Version, Severity: string(r.Severity), Subjects: r.Subjects(), Needs: r.Needs, Tier: r.Tier,
				Tolerance: r.Default.String(), Sentence: catalogue.DescribeTrigger(r.Code),
			}
			if err := encoder.Encode(line); err != nil {
				return err
			}
			continue
		}
		needs := strings.Trim(fmt.Sprint(r.Needs), "[]")
		t.AppendRow(table.Row{r.Code, r.Severity, r.Tier, needs, catalogue.DescribeTrigger(r.Code)})
	}
	if !g.json {
		t.Render()
	}
	return nil
}
