package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"concilia/jobs/casework"
	"concilia/store/ledger"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// dayMarks is how a day is drawn. The marks tell the states apart without the colours.
var dayMarks = map[casework.DayState]struct {
	mark  string
	color text.Color
}{
	casework.DayComplete: {"#", text.FgGreen}, casework.DayPartial: {"~", text.FgYellow}, casework.DayMissing: {"x", text.FgRed},
}

// printCoverage draws a calendar of each source; colours go to terminals only.
func printCoverage(w io.Writer, all []casework.SourceCoverage) error {
	f, file := w.(*os.File)
	p := coveragePage{colors: file && term.IsTerminal(int(f.Fd()))}
	for _, c := range all {
		p.source(&c)
	}
	p.printf("%s complete  %s partial: asked for, but not answered whole after the day had ended  %s missing: never asked for\n",
		p.mark(casework.DayComplete), p.mark(casework.DayPartial), p.mark(casework.DayMissing))
	_, err := io.WriteString(w, p.b.String())
	return err
}

type coveragePage struct {
	b      strings.Builder
	colors bool
}

func (p *coveragePage) printf(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *coveragePage) mark(s casework.DayState) string {
	m := dayMarks[s]
	if p.colors {
		return m.color.EscapeSeq() + m.mark + text.Reset.EscapeSeq()
	}
	return m.mark
}

// source draws one list of an account, a month a row.
func (p *coveragePage) source(c *casework.SourceCoverage) {
	name := c.Account.String()
	if c.Name != "" {
		name += " " + c.Name
	}
	first, last := c.Days[0].Day, c.Days[len(c.Days)-1].Day
	p.printf("account %s, %s, %s to %s\n", name, c.Source, first, last)
	p.printf("         1234567 10        20        30\n")
	for at := 0; at < len(c.Days); {
		month := c.Days[at].Day.MonthStart()
		p.printf("%s  %s", month.String()[:7], strings.Repeat(" ", c.Days[at].Day.Day()-1))
		for ; at < len(c.Days) && c.Days[at].Day.MonthStart() == month; at++ {
			p.b.WriteString(p.mark(c.Days[at].State))
		}
		p.b.WriteByte('\n')
	}
	p.printf("%d complete, %d partial, %d missing", c.Complete, c.Partial, c.Missing)
	if c.FirstGap != 0 {
		p.printf("; first gap %s", c.FirstGap)
	}
	p.b.WriteString("\n\n")
}

// coverageLine is a day as coverage --json prints it.
type coverageLine struct {
	Account ledger.Account    `json:"account"`
	Name    string            `json:"name"`
	Source  ledger.Source     `json:"source"`
	Day     ledger.Date       `json:"day"`
	State   casework.DayState `json:"state"`
	Since   string            `json:"since"`
	SinceOn string            `json:"since_on"`
	Pull    string            `json:"pull"`
	Began   string            `json:"began"`
	Failure string            `json:"failure"`
}

func printCoverageLines(w io.Writer, all []casework.SourceCoverage) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, c := range all {
		for _, d := range c.Days {
			line := coverageLine{
				Account: c.Account, Name: c.Name, Source: c.Source, Day: d.Day, State: d.State, Since: d.Since, SinceOn: d.SinceOn.String(),
				Pull: d.Pull, Failure: d.Failure,
			}
			if !d.Began.IsZero() {
				line.Began = d.Began.UTC().Format(time.RFC3339)
			}
			if err := encoder.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}
