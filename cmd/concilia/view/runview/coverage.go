package runview

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// CoverageDay is a day of a list.
type CoverageDay struct {
	Account ledger.Account    `json:"account"`
	Name    string            `json:"name"`
	Source  ledger.Source     `json:"source"`
	Day     ledger.Date       `json:"day"`
	State   casework.DayState `json:"state"`
	Since   string            `json:"since"`    // the first pull that proves the day
	SinceOn ledger.Date       `json:"since_on"` // its date
	Pull    string            `json:"pull"`     // the last one
	Began   view.Instant      `json:"began"`
	Failure string            `json:"failure"` // why the answer to that one was not complete
}

// Coverage is the days of every list.
type Coverage []casework.SourceCoverage

// Days are the days of all lists, one after another.
func (v Coverage) Days() []CoverageDay {
	var out []CoverageDay
	for i := range v {
		c := &v[i]
		for _, d := range c.Days {
			out = append(out, CoverageDay{
				Account: c.Account, Name: c.Name, Source: c.Source, Day: d.Day, State: d.State, Since: d.Since, SinceOn: d.SinceOn,
				Pull: d.Pull, Began: view.Instant{Time: d.Began}, Failure: d.Failure,
			})
		}
	}
	return out
}

// daySigns are how a day is drawn. The signs distinguish the states without the colours.
var daySigns = map[casework.DayState]struct {
	sign  string
	color text.Color
}{
	casework.DayComplete: {"#", text.FgGreen}, casework.DayPartial: {"~", text.FgYellow}, casework.DayMissing: {"x", text.FgRed},
}

// WriteText draws a calendar of each list, a month a row; colours go to terminals only.
func (v Coverage) WriteText(w io.Writer, l view.Language) error {
	f, file := w.(*os.File)
	c := calendarDrawing{l: l, colors: file && term.IsTerminal(int(f.Fd()))}
	for i := range v {
		c.drawList(&v[i])
	}
	c.printf("%s\n", words.Text(l, "coverage_text.legend", "complete", c.signOf(casework.DayComplete), "partial", c.signOf(casework.DayPartial), "missing", c.signOf(casework.DayMissing)))
	_, err := io.WriteString(w, c.b.String())
	return err
}

type calendarDrawing struct {
	b      strings.Builder
	l      view.Language
	colors bool
}

func (c *calendarDrawing) printf(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

func (c *calendarDrawing) signOf(s casework.DayState) string {
	m := daySigns[s]
	if c.colors {
		return m.color.EscapeSeq() + m.sign + text.Reset.EscapeSeq()
	}
	return m.sign
}

// drawList draws one list of an account.
func (c *calendarDrawing) drawList(list *casework.SourceCoverage) {
	name := list.Account.String()
	if list.Name != "" {
		name += " " + list.Name
	}
	days := list.Days
	l := c.l
	title := words.Text(l, "coverage_text.list", "account", name, "list", words.Label(l, "source", string(list.Source)), "from", l.FormatDay(days[0].Day), "to", l.FormatDay(days[len(days)-1].Day))
	view.DrawDays(&c.b, l, title, len(days), func(i int) (day ledger.Date, sign string) { return days[i].Day, c.signOf(days[i].State) })
	c.b.WriteString(words.Text(l, "coverage_text.sums", "complete", list.Complete, "partial", list.Partial, "missing", list.Missing))
	if list.FirstGap != 0 {
		c.b.WriteString("; " + words.Text(l, "coverage_text.first_gap", "day", l.FormatDay(list.FirstGap)))
	}
	c.b.WriteString("\n\n")
}
