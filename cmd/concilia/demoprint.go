package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/jobs"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// demoShown is how many differences the demo tells one by one.
const demoShown = 3

// printStory is the night in sentences that a person can repeat, and whose parts add up: cards, slips, the figures, and the
// largest cases.
func (g *globals) printStory(s *jobs.Summary, found []ledger.Finding) {
	out := g.stdout
	days := fmt.Sprintf("from %s to %s", s.Period.From, min(s.Period.To, s.AsOf-1))
	if t := s.Totals; t != nil && t.Cards != nil {
		c := t.Cards
		fmt.Fprintf(out, "\nFor the card sales %s the service owes R$ %s: received R$ %s, not due yet R$ %s, overdue R$ %s, blocked R$ %s, difference R$ %s.\n",
			days, view.FormatReais(c.NetContract), view.FormatReais(c.Received), view.FormatReais(c.NotDue), view.FormatReais(c.Overdue), view.FormatReais(c.Blocked), view.FormatReais(c.Difference))
	}
	if t := s.Totals; t != nil && t.Slips != nil {
		b := t.Slips
		fmt.Fprintf(out, "On the slips issued %s payers paid R$ %s: credited R$ %s, not due yet R$ %s, overdue R$ %s.\n",
			days, view.FormatReais(b.Paid), view.FormatReais(b.Credited), view.FormatReais(b.NotCredited), view.FormatReais(b.CreditOverdue))
	}
	if s.Record != nil {
		fmt.Fprintf(out, "As of %s: %s, %s. The largest:\n", s.AsOf, view.FormatFigures(s.Record.Figures), view.Plural(len(found), "case", "cases"))
	}
	slices.SortStableFunc(found, func(a, b ledger.Finding) int {
		return cmp.Or(cmp.Compare(b.Impact.V, a.Impact.V), cmp.Compare(a.Case, b.Case))
	})
	for _, f := range found[:min(demoShown, len(found))] {
		fmt.Fprintf(out, "  R$ %9s  %s\n", view.FormatReais(f.Impact.V), catalogue.Explain(f, "en"))
	}
}

// printDemo tells finance what was found, in five lines a person can repeat, and what to open.
func (g *globals) printDemo(
	s *jobs.Summary, found []ledger.Finding, planted int, wrong []string, dir string, took time.Duration,
) error {
	if g.json {
		if err := json.NewEncoder(g.stdout).Encode(s); err != nil {
			return err
		}
		for _, line := range wrong {
			fmt.Fprintln(g.stderr, "concilia:", line)
		}
		return nil
	}
	out := g.stdout
	g.printStory(s, found)
	if len(wrong) == 0 {
		fmt.Fprintf(out, "\nAll %d planted differences were found, and nothing else. The night took %s.\n",
			planted, took.Round(100*time.Millisecond))
	} else {
		fmt.Fprintf(out, "\nWhat was found is not what was planted:\n  %s\n", strings.Join(wrong, "\n  "))
	}
	fmt.Fprintf(out, "\nOpen:\n")
	for _, want := range []struct{ format, set string }{{"html", "_all_asof_"}, {"xlsx", "_1001_operation_"}, {"edi", "_1001_operation_"}} {
		for _, f := range s.Files {
			if f.Format == want.format && strings.Contains(f.Path, want.set) {
				fmt.Fprintf(out, "  %s\n", f.Path)
				break
			}
		}
	}
	for _, more := range []string{
		"--config " + dir + "/concilia.yaml exceptions list", "verify " + dir,
	} {
		fmt.Fprintf(out, "  concilia %s\n", more)
	}
	return nil
}
