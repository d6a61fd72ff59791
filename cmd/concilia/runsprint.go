package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"concilia/export"
	exporttable "concilia/export/table"
	"concilia/store/ledger"
)

// printRuns lists runs, a line each.
func printRuns(w io.Writer, runs []*ledger.Run, live map[string]bool, zone *time.Location) error {
	if len(runs) == 0 {
		_, err := fmt.Fprintln(w, "no run")
		return err
	}
	t := newTable(w)
	header := table.Row{"run", "kind", "as of", "began", "took", "verdict", "exit", "rows", "new", "cases", "missing R$"}
	figures := figuresBeside(runs)
	for _, name := range figures {
		header = append(header, strings.ToLower(export.FigureName(name, exporttable.English))+" R$")
	}
	t.AppendHeader(header)
	right := []table.ColumnConfig{{Number: 5, Align: text.AlignRight}}
	for n := 7; n <= len(header); n++ {
		right = append(right, table.ColumnConfig{Number: n, Align: text.AlignRight})
	}
	t.SetColumnConfigs(right)
	for _, r := range runs {
		row := table.Row{r.ID, r.Kind, r.AsOf, localTime(r.Began, zone)}
		if !r.Finished() {
			if row = append(row, "", stateOf(r, live)); row[len(row)-1] == stateStopped {
				row = append(row, r.ExitCode)
			}
			t.AppendRow(row)
			continue
		}
		row = append(row, shortly(r.Took()), r.Verdict, r.ExitCode, count(r.Pulled.Rows), count(r.Pulled.New))
		if r.Evaluated() {
			row = append(row, count(r.Cases.Unresolved()), reais(r.Figures.Missing()))
			for _, name := range figures {
				row = append(row, reais(r.Figures.AmountOf(name)))
			}
		}
		t.AppendRow(row)
	}
	t.Render()
	return nil
}

// figuresBeside are the figures that the list of runs has beside what is missing: those that any of them has, and always what is
// at risk and in excess.
func figuresBeside(runs []*ledger.Run) []ledger.Figure {
	var all ledger.Figures
	for _, r := range runs {
		all.Claimed, all.Waived = max(all.Claimed, r.Figures.Claimed), max(all.Waived, r.Figures.Waived)
	}
	return slices.DeleteFunc(export.FiguresShown(&all), func(name ledger.Figure) bool {
		return name == ledger.FigureLost || name == ledger.FigureLate
	})
}

// stoppedText is what a run stopped with that did not come to its end.
func stoppedText(code int) string { return fmt.Sprintf(" with exit %d: %s", code, meaning(code)) }

// localTime is an instant on the configured clock.
func localTime(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02 15:04:05")
}

// printWhole is the record of a run on one page.
func printWhole(w io.Writer, r *ledger.Run, whole *wholeRecord, zone *time.Location) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s "+format+"\n", append([]any{name}, args...)...)
	}
	outcome := whole.State
	switch {
	case outcome == stateStopped:
		outcome += stoppedText(r.ExitCode)
	case r.Finished():
		outcome = strings.TrimPrefix(fmt.Sprintf("%s (exit %d)", r.Verdict, r.ExitCode), " ")
	}
	line("run", "%s: %s, as of %s: %s", r.ID, r.Kind, r.AsOf, outcome)
	line("begun by", "%s", r.Trigger)
	line("began", "%s", localTime(r.Began, zone))
	if r.Finished() {
		line("ended", "%s, after %s", localTime(r.Ended, zone), shortly(r.Took()))
	}
	if r.Resumed {
		line("taken up", "the process that began it was killed or stopped, and another one ended it")
	}
	if len(r.Parameters) > 0 {
		line("flags", "%s", flagsText(r.Parameters))
	}
	if r.Clock != "" {
		line("clock", "moved: CONCILIA_CLOCK=%s", r.Clock)
	}
	if r.Previous != "" {
		line("previous", "%s", r.Previous)
	}
	for _, a := range whole.Accounts {
		line("account", "%s", strings.TrimSuffix(fmt.Sprintf("%s: %s", a.Account, a.Verdict), ": "))
	}
	if a := whole.Asked; a != nil {
		line("asked", "%s%s, %s, %s, %s bytes", some(a.Windows, "window"), among(part{a.Failed, "failed"}),
			some(whole.Pulled.Requests, "request"), retries(a.Retries), count(a.Bytes))
	}
	if p := whole.Pulled; p != nil {
		line("pulled", "%s: %s new, %s changed, %s same, %s vanished, %s quarantined", some(p.Rows, "row"), count(p.New),
			count(p.Changed), count(p.Same), count(p.Vanished), count(p.Quarantined))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Sums)) {
		line("R$", "%-24s %16s", name, reais(r.Sums[name]))
	}
	if whole.Cases != nil {
		line("figures", "%s", figuresText(r.Figures))
		line("cases", "%s%s", some(r.Cases.Unresolved(), "case"), among(part{r.Cases.New, "new"}, part{r.Cases.Resolved, "resolved"}))
	}
	for _, s := range r.Steps {
		line("step", "%-24s %16s", s.Name, s.Took.Round(time.Millisecond))
	}
	for _, why := range whole.Left {
		line("left", "%s", why)
	}
	line("engine", "%s", r.ProgramVersion)
	for _, name := range slices.Sorted(maps.Keys(r.Documents)) {
		line("document", "%-24s %s", name, r.Documents[name])
	}
	for _, s := range r.Sets {
		line("set", "%s", setText(&s))
	}
	if n := len(whole.Files); n > 0 {
		line("files", "%s; with --json each with its SHA-256", count(int64(n)))
	}
	if _, err := io.WriteString(w, b.String()); err != nil || len(whole.Rules) == 0 {
		return err
	}
	fmt.Fprintln(w)
	printRules(w, whole.Rules)
	return nil
}

// printRules tells, over all accounts, of the rules that found something, let something pass within their tolerance, or
// could not be asked about everything; and how many others there are.
func printRules(w io.Writer, rules []recordRule) {
	sums := map[string]*ledger.RuleCounts{}
	for _, r := range rules {
		t := sums[r.Code]
		if t == nil {
			t = &ledger.RuleCounts{Code: r.Code}
			sums[r.Code] = t
		}
		t.Add(ledger.RuleCounts{Eligible: r.Eligible, Evaluated: r.Evaluated, Fired: r.Fired, Within: r.Within})
	}
	t := newTable(w)
	t.AppendHeader(table.Row{"rule", "eligible", "evaluated", "fired", "within tolerance", "not evaluated"})
	var right []table.ColumnConfig
	for n := 2; n <= 6; n++ {
		right = append(right, table.ColumnConfig{Number: n, Align: text.AlignRight})
	}
	t.SetColumnConfigs(right)
	var passed, idle int64
	for _, code := range slices.Sorted(maps.Keys(sums)) {
		s := sums[code]
		switch {
		case s.Eligible == 0:
			idle++
		case s.Fired == 0 && s.Within == 0 && s.Evaluated == s.Eligible:
			passed++
		default:
			t.AppendRow(table.Row{code, count(s.Eligible), count(s.Evaluated), count(s.Fired), count(s.Within), count(s.Eligible - s.Evaluated)})
		}
	}
	if t.Length() > 0 {
		t.Render()
	}
	fmt.Fprintf(w, "%s judged all they could and found nothing; %s had nothing to judge\n", some(passed, "other rule"), count(idle))
}

// flagsText is the flags of a command as they are written.
func flagsText(given map[string]string) string {
	words := make([]string, 0, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		words = append(words, "--"+name+" "+given[name])
	}
	return strings.Join(words, " ")
}

// setText is a revision of a set in the words of its files' names.
func setText(s *ledger.RunReportSet) string {
	words := []string{s.Account, s.Basis, s.Period.String()}
	if s.Filter != "" {
		words = append(words, s.Filter)
	}
	became := "stands as it was"
	if s.New {
		became = "new"
	}
	return fmt.Sprintf("%s r%d: %s", strings.Join(words, " "), s.Revision, became)
}

func retries(n int64) string {
	if n == 1 {
		return "1 retry"
	}
	return count(n) + " retries"
}
