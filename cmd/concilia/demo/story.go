package demo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/runview"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// shownCases is how many differences the demo lists one by one.
const shownCases = 2

// printStory is the night in sentences that a person can repeat, and whose parts add up: cards, slips, the figures, and the
// largest cases.
func (d *Demo) printStory(s *jobs.Summary, found []ledger.Finding) {
	out := d.out
	l, reais := d.Language, d.Language.FormatReais
	from, to := view.SpellDate(s.Period.From, string(l)), view.SpellDate(min(s.Period.To, s.AsOf-1), string(l))
	if t := s.Totals; t != nil && t.Cards != nil {
		c := t.Cards
		fmt.Fprintln(out, "\n"+words.Text(l, "demo.cards", "from", from, "to", to, "owed", reais(c.NetContract), "received", reais(c.Received),
			"not_due", reais(c.NotDue), "overdue", reais(c.Overdue), "blocked", reais(c.Blocked), "difference", reais(c.Difference)))
	}
	if t := s.Totals; t != nil && t.Slips != nil {
		b := t.Slips
		fmt.Fprintln(out, words.Text(l, "demo.slips", "from", from, "to", to, "paid", reais(b.Paid), "credited", reais(b.Credited),
			"not_due", reais(b.NotCredited), "overdue", reais(b.CreditOverdue)))
	}
	if len(s.Banks) > 0 {
		fmt.Fprintf(out, "%s.\n", runview.FormatBanksProof(l, s.Banks))
	}
	if len(s.Sales) > 0 {
		fmt.Fprintln(out, runview.FormatStores(l, s.Sales))
	}
	if s.Record != nil {
		fmt.Fprintln(out, words.Text(l, "demo.figures", "day", view.SpellDate(s.AsOf, string(l)), "figures", l.FormatFigures(s.Record.Figures),
			"cases", l.Count(int64(len(found)), "case")))
	}
	slices.SortStableFunc(found, func(a, b ledger.Finding) int {
		return cmp.Or(cmp.Compare(b.Impact.V, a.Impact.V), cmp.Compare(a.Case, b.Case))
	})
	for _, f := range found[:min(shownCases, len(found))] {
		fmt.Fprintf(out, "  R$ %9s  %s\n", reais(f.Impact.V), catalogue.Voice{Language: string(l)}.Explain(f))
	}
}

// printFindings prints what was found, in five lines, and which files to open.
func (d *Demo) printFindings(
	s *jobs.Summary, found []ledger.Finding, planted int, wrong []string, dir, what string, took time.Duration,
) error {
	if d.json {
		if err := view.Write(d.out, true, d.Language, runview.Summary{Summary: s}); err != nil {
			return err
		}
		for _, line := range wrong {
			fmt.Fprintln(d.Stderr, "concilia:", line)
		}
		return nil
	}
	out := d.out
	d.printStory(s, found)
	if len(wrong) == 0 {
		fmt.Fprintln(out, "\n"+words.Text(d.Language, "demo.all_found", "count", planted, "what", what, "took", d.Language.FormatDuration(took)))
	} else {
		fmt.Fprintf(out, "\n%s\n  %s\n", words.Text(d.Language, "demo.not_all_found"), strings.Join(wrong, "\n  "))
	}
	fmt.Fprintln(out, "\n"+words.Text(d.Language, "demo.open"))
	for _, want := range []struct{ format, set string }{{"html", "_all_asof_"}, {"xlsx", "_1001_operation_"}, {"edi", "_1001_movement_"}, {"beancount", "_1001_movement_"}} {
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
