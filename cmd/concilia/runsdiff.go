package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"concilia/jobs/casework"
	"concilia/store/ledger"
	"concilia/store/reports"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

func newRunsDiff(g *globals) *cobra.Command {
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
		Args: exactly(2, "two runs"),
		RunE: func(cmd *cobra.Command, args []string) error { return g.diffRuns(cmd.Context(), args[0], args[1]) },
	}
}

func (g *globals) diffRuns(ctx context.Context, a, b string) error {
	w, done, err := g.wire(ctx, wantKept)
	if err != nil {
		return err
	}
	defer done()
	from, err := runNamed(ctx, w.Ledger, a)
	if err != nil {
		return err
	}
	to, err := runNamed(ctx, w.Ledger, b)
	if err != nil {
		return err
	}
	d, err := viewer(w).CompareRuns(ctx, from, to)
	if err != nil {
		return err
	}
	if g.json {
		encoder := json.NewEncoder(g.stdout)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(diffOf(d))
	}
	return printDiff(g.stdout, d)
}

// printDiff tells people what changed.
func printDiff(w io.Writer, d *casework.RunDiff) error {
	for i, r := range []*ledger.Run{d.From, d.To} {
		state := string(r.Verdict)
		if !r.Finished() {
			state = "did not end"
		}
		fmt.Fprintf(w, "%-10s %s: %s, as of %s%s\n", []string{"from", "to"}[i], r.ID, r.Kind, r.AsOf, strings.TrimSuffix(": "+state, ": "))
	}
	p := d.Pulled
	fmt.Fprintf(w, "rows       %s new, %s changed, %s vanished, %s quarantined\n", count(p.New), count(p.Changed), count(p.Vanished), count(p.Quarantined))
	periods := make([]string, len(d.Periods))
	for i, p := range d.Periods {
		periods[i] = p.String()
	}
	fmt.Fprintf(w, "totals     R$, by operation day, %s\n", strings.Join(periods, ", "))
	printSumChanges(w, d.Sums)
	printGroups(w, &d.Cases)
	for _, doc := range d.Documents {
		fmt.Fprintf(w, "document   %s: %s, was %s\n", doc.Name, shortHash(doc.After), shortHash(doc.Before))
	}
	if len(d.Documents) == 0 {
		fmt.Fprintln(w, "documents  the same")
	}
	for _, s := range d.Sets {
		set := ledger.RunReportSet{Account: s.Account, Basis: s.Basis, Period: s.Period, Filter: s.Filter, Revision: s.Revision, New: true}
		fmt.Fprintf(w, "set        %s, %s\n", strings.TrimSuffix(setText(&set), ": new"), some(int64(len(s.Files)), "file"))
	}
	if len(d.Sets) == 0 {
		fmt.Fprintln(w, "sets       no new revision")
	}
	return nil
}

// printSumChanges is the totals that moved, and those that a night is asked for first whether they did or not.
func printSumChanges(w io.Writer, sums []casework.SumChange) {
	always := []string{"cards.gross", "cards.net_expected", "cards.received", "cards.difference"}
	t := newTable(w)
	t.AppendHeader(table.Row{"", "before", "after", "change"})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, Align: text.AlignRight}, {Number: 3, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight},
	})
	for _, s := range sums {
		if s.Before != s.After || slices.Contains(always, s.Name) {
			t.AppendRow(table.Row{"  " + strings.ReplaceAll(s.Name, "_", " "), reais(s.Before), reais(s.After), signed(s.After - s.Before)})
		}
	}
	t.Render()
}

// signed is a change in reais.
func signed(a ledger.Amount) string {
	if a > 0 {
		return "+" + reais(a)
	}
	return reais(a)
}

func printGroups(w io.Writer, c *casework.CaseChanges) {
	for _, group := range []struct {
		name string
		g    *casework.CaseGroup
	}{{"opened", &c.Opened}, {"resolved", &c.Resolved}, {"closed", &c.Closed}, {"changed", &c.Changed}} {
		amount := "R$ " + reais(group.g.Amount)
		if group.name == "changed" {
			amount = "R$ " + signed(group.g.Amount)
		}
		fmt.Fprintf(w, "%-10s %s, %s\n", group.name, some(group.g.Cases, "case"), amount)
		for _, x := range group.g.Top {
			fmt.Fprintf(w, "  %s %12s  %s %s\n", x.Case, impactChange(&x), x.Code, x.Subject)
		}
		if more := group.g.Cases - int64(len(group.g.Top)); more > 0 {
			fmt.Fprintf(w, "  and %s more\n", count(more))
		}
	}
	if c.StateChanged+c.OpenedAndEnded > 0 {
		fmt.Fprintf(w, "besides    %s in another state at the same impact, %s that came and went\n", some(c.StateChanged, "case"), count(c.OpenedAndEnded))
	}
}

// impactChange is what a case comes to now, or came to before it was over, or by how much it changed.
func impactChange(c *reports.CaseChange) string {
	switch {
	case c.Before.IsUnresolved() && c.After.IsUnresolved():
		return signed(c.Impact.V - c.ImpactBefore.V)
	case c.After.IsUnresolved():
		return reais(c.Impact.V)
	}
	return reais(c.ImpactBefore.V)
}

// shortHash is the beginning of a hash, enough to tell two apart.
func shortHash(h string) string {
	if h == "" {
		return "none"
	}
	return h[:min(len(h), 12)]
}
