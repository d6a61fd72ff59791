package main

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"concilia/export"
	"concilia/export/table"
	"concilia/jobs"
	"concilia/store/ledger"
)

// printRun tells people what a run came to: on a few lines, the last of which, with --quiet the only one, says all of it.
func (g *globals) printRun(s *jobs.Summary) error {
	if !g.quiet || s.Record == nil {
		if err := printSummary(g.stdout, s); err != nil || s.Record == nil {
			return err
		}
	}
	_, err := fmt.Fprintln(g.stdout, runLine(s))
	return err
}

// runLine is a run on one line, fit for the mail of cron: what is not there is left out.
func runLine(s *jobs.Summary) string {
	r := s.Record
	said := []string{}
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if s.Verdict != "" {
		say("%s", s.Verdict)
	}
	say("%s", some(int64(len(r.Accounts)), "account"))
	if r.Asked.Windows > 0 {
		say("%s%s", some(r.Asked.Windows, "window"), among(part{r.Asked.Failed, "failed"}))
	}
	if s.Pulled != nil {
		p := s.Pulled
		say("%s%s", some(p.Rows, "row"), among(part{p.New, "new"}, part{p.Changed, "changed"}, part{p.Vanished, "vanished"}, part{p.Quarantined, "unreadable"}))
	}
	if s.Figures != nil {
		say("%s", casesText(r))
	}
	if s.Files != nil {
		var fresh int64
		for _, f := range s.Files {
			if f.New {
				fresh++
			}
		}
		say("%s%s", some(int64(len(s.Files)), "file"), among(part{fresh, "new"}))
	}
	if s.Away > 0 {
		say("%s no longer at reports.out", some(int64(s.Away), "set"))
	}
	if n := len(s.Unpublished); n > 0 {
		say("%d not published", n)
	}
	say("%s", shortly(r.Took()))
	say("run %s", r.ID)
	kind := ""
	if r.Kind != ledger.Nightly {
		kind = " " + string(r.Kind)
	}
	return fmt.Sprintf("concilia %s%s: %s", s.AsOf, kind, strings.Join(said, ", "))
}

// casesText is the figures of a run, and its unresolved cases.
func casesText(r *ledger.Run) string {
	return figuresText(r.Figures) + ", " + some(r.Cases.Unresolved(), "case") +
		among(part{r.Cases.New, "new"}, part{r.Cases.Resolved, "resolved"})
}

// figuresText is the figures on one line, as every command prints them.
func figuresText(f ledger.Figures) string { return export.FiguresText(f, table.English, reais) }

// part is a number of things that are told only if there are any.
type part struct {
	n    int64
	what string
}

// among is a list of parts in brackets, empty when there is nothing to tell.
func among(parts ...part) string {
	var told []string
	for _, p := range parts {
		if p.n > 0 {
			told = append(told, count(p.n)+" "+p.what)
		}
	}
	if len(told) == 0 {
		return ""
	}
	return " (" + strings.Join(told, ", ") + ")"
}

// some counts things whose name takes an s when they are several.
func some(n int64, thing string) string { return things(int(n), thing, thing+"s") }

// shortly is a time that something took, to a tenth of a second, from a minute on to the second.
func shortly(d time.Duration) string {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
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
