package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"concilia/jobs"
	"concilia/store/ledger"
)

// ended prints what a run came to, or that it came to nothing: with --json there is an object either way, but for a
// wrong command line or configuration.
func (g *globals) ended(s *jobs.Summary, err error, asOf ledger.Date) error {
	if err == nil {
		return g.conclude(s)
	}
	if code := exitCode(err); g.json && code != exitUsage && code != exitConfig {
		_ = json.NewEncoder(g.stdout).Encode(jobs.Summary{AsOf: asOf, Verdict: ledger.Incomplete}) // err is what matters
	}
	return err
}

// conclude prints what a run came to, and ends with its exit code.
func (g *globals) conclude(s *jobs.Summary) error {
	var err error
	if g.json {
		err = json.NewEncoder(g.stdout).Encode(s)
	} else {
		err = g.printRun(s)
	}
	g.complain(s)
	if err != nil {
		return err
	}
	if code := s.ExitCode(); code != exitOK {
		return codeError(code)
	}
	return nil
}

// maxComplaints bounds how many failures a run names one by one.
const maxComplaints = 10

// complain names on standard error what could not be pulled or published.
func (g *globals) complain(s *jobs.Summary) {
	if s.Windows > 0 && len(s.FailedWindows) == s.Windows {
		err := s.Outage
		if err == nil {
			err = errors.New(s.FailedWindows[0].Failure)
		}
		fmt.Fprintf(g.stderr, "concilia: nothing could be pulled: %v\n", err)
		if h := hint(err); h != "" {
			fmt.Fprintf(g.stderr, "hint: %s\n", h)
		}
		return
	}
	for i, p := range s.FailedWindows {
		if i == maxComplaints {
			fmt.Fprintf(g.stderr, "concilia: and %s failed\n", things(len(s.FailedWindows)-i, "more window", "more windows"))
			break
		}
		fmt.Fprintf(g.stderr, "concilia: %s %s of account %s was not pulled: %s\n",
			p.Window.Source, p.Window.Period.From, p.Window.Account, p.Failure)
	}
	for _, err := range s.Unpublished {
		// What followed from the first fault says nothing new.
		first, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(g.stderr, "concilia: not published: %s\n", first)
		if h := hint(err); h != "" {
			fmt.Fprintf(g.stderr, "hint: %s\n", h)
		}
	}
	if s.Left > 0 {
		fmt.Fprintln(g.stderr, "hint: the same command goes on with what is left")
	}
	if n := len(s.FailedWindows); n > 0 {
		fmt.Fprintln(g.stderr, "hint: run again later: what was pulled is kept, and only the missing days are asked for first")
	}
}

// printSummary is a run on a few lines.
func printSummary(w io.Writer, s *jobs.Summary) error {
	line := fmt.Sprintf("run %s as of %s", s.Run, s.AsOf)
	if s.Verdict != "" {
		line += ": " + string(s.Verdict)
	}
	fmt.Fprintln(w, line)
	if p := s.Pulled; p != nil {
		fmt.Fprintf(w, "pulled    %s, %s: %d new, %d changed, %d same, %d vanished, %d quarantined\n",
			things(int(p.Requests), "request", "requests"), things(int(p.Rows), "row", "rows"), p.New, p.Changed, p.Same, p.Vanished, p.Quarantined)
	}
	if s.Left > 0 {
		fmt.Fprintf(w, "left      %s planned for another time\n", things(s.Left, "day is", "days are"))
	}
	for _, a := range s.Accounts {
		withheld := ""
		if len(a.Withheld) > 0 {
			withheld = fmt.Sprintf("; withheld: %v", a.Withheld)
		}
		fmt.Fprintf(w, "account   %s: %s%s\n", a.Account, a.Verdict, withheld)
	}
	if t := s.Totals; t != nil && t.Cards != nil {
		c := t.Cards
		fmt.Fprintf(w, "cards     owed R$ %s, received R$ %s, not due R$ %s, overdue R$ %s, blocked R$ %s, difference R$ %s\n",
			reais(c.NetContract), reais(c.Received), reais(c.NotDue), reais(c.Overdue), reais(c.Blocked), reais(c.Difference))
	}
	if t := s.Totals; t != nil && t.Slips != nil {
		b := t.Slips
		confirm := ""
		if b.ChargesToConfirm != 0 {
			confirm = ", charges to confirm R$ " + reais(b.ChargesToConfirm)
		}
		fmt.Fprintf(w, "slips     issued R$ %s, paid R$ %s, credited R$ %s, overdue R$ %s, difference R$ %s%s\n",
			reais(b.Issued), reais(b.Paid), reais(b.Credited), reais(b.Overdue), reais(b.Difference), confirm)
	}
	if s.Findings != nil {
		fmt.Fprintf(w, "findings  %s\n", tally(s.Findings, s.NewFindings))
	}
	if s.Files != nil {
		fresh := 0
		for _, f := range s.Files {
			if f.New {
				fresh++
			}
		}
		fmt.Fprintf(w, "files     %d new, %s\n", fresh, things(len(s.Files)-fresh, "stands as it was", "stand as they were"))
	}
	if n := len(s.Retired); n > 0 {
		fmt.Fprintf(w, "retention %s away\n", things(n, "file past its days is taken", "files past their days are taken"))
	}
	return nil
}

// tally is the number of cases, of those first seen tonight, and of codes.
func tally(all, fresh map[string]int) string {
	sum := func(m map[string]int) (n int) {
		for _, v := range m {
			n += v
		}
		return n
	}
	if len(all) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s of %s, %d first seen now", things(sum(all), "case", "cases"), things(len(all), "code", "codes"), sum(fresh))
}
