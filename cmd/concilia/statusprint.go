package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"concilia/jobs/casework"
)

// statusScreen is the page as text: a name, and what there is to say of it, a line each.
type statusScreen struct{ b strings.Builder }

// line adds a line; an empty name goes on with the one before.
func (s *statusScreen) line(name, format string, args ...any) {
	fmt.Fprintf(&s.b, "%-14s %s\n", name, fmt.Sprintf(format, args...))
}

func (p *statusPage) print(w io.Writer) error {
	s := &statusScreen{}
	s.line("now", "%s, as of %s", localTime(p.Now, p.zone), p.AsOf)
	if len(p.Cases) > 0 || p.LastNightly != nil {
		s.line("figures", "%s", figuresText(p.Figures))
	}
	p.nights(s)
	p.coverage(s)
	p.cases(s)
	p.schedule(s)
	p.waits(s)
	if len(p.Leases) == 0 {
		s.line("held", "no account: nothing runs")
	}
	for i, h := range p.Leases {
		s.line(firstOf(i, "held"), "account %s by run %s since %s, process %d on %s", h.Account, h.Run, localTime(h.Since, p.zone), h.Process, h.Host)
	}
	s.line("ledger", "%s, %s", p.Ledger, bytesText(p.Size))
	_, err := io.WriteString(w, s.b.String())
	return err
}

func (p *statusPage) nights(s *statusScreen) {
	if r := p.LastNightly; r == nil {
		s.line("last night", "none has ended")
	} else {
		s.line("last night", "as of %s: %s (exit %d), ended %s after %s", r.AsOf, r.Verdict, r.ExitCode, localTime(r.Ended, p.zone), shortly(r.Took()))
		if r.Evaluated() {
			s.line("", "%s, %s", some(r.Pulled.Rows, "row"), some(r.Cases.Unresolved(), "case")+among(part{r.Cases.New, "new"}, part{r.Cases.Resolved, "resolved"}))
		}
		s.line("", "run %s", r.ID)
	}
	if r := p.Unfinished; r != nil {
		became := "was killed: the next night of that morning takes it up"
		switch {
		case p.Running:
			became = "goes on"
		case r.ExitCode != exitOK:
			became = stateStopped + stoppedText(r.ExitCode)
		}
		s.line("this night", "as of %s, begun %s, %s", r.AsOf, localTime(r.Began, p.zone), became)
		s.line("", "run %s", r.ID)
	}
}

// coverage tells of every list that has a gap, and of the others together.
func (p *statusPage) coverage(s *statusScreen) {
	name, days := "coverage", 0
	whole := 0
	for i := range p.Coverage {
		c := &p.Coverage[i]
		days = max(days, len(c.Days))
		if c.FirstGap == 0 {
			whole++
			continue
		}
		s.line(name, "account %s, %s: %d of %s complete, %d partial, %d missing; first gap %s", c.Account, c.Source, c.Complete,
			some(int64(len(c.Days)), "day"), c.Partial, c.Missing, c.FirstGap)
		name = ""
	}
	switch {
	case len(p.Coverage) == 0:
		s.line(name, "no day answered for has ended")
	case whole == len(p.Coverage):
		s.line(name, "every day is complete: %s, up to %s", some(int64(whole), "list"), some(int64(days), "day"))
	case whole > 0:
		s.line(name, "%s of %d complete", some(int64(whole), "list"), len(p.Coverage))
	}
}

func (p *statusPage) cases(s *statusScreen) {
	if len(p.Cases) == 0 {
		s.line("cases", "none")
	}
	for i, c := range p.Cases {
		s.line(firstOf(i, "cases"), "%s %s: %s", c.Severity, c.State, count(c.Cases))
	}
	if f := p.Oldest; f != nil {
		impact := ""
		if f.Impact.OK {
			impact = ", R$ " + reais(f.Impact.V)
		}
		s.line("oldest case", "%s, open for %s since %s: %s%s", f.Case, some(int64(p.ageOf(f)), "day"), f.OpenedOn, f.Code, impact)
		s.line("", "%s", f.Subject)
	}
}

func (p *statusPage) schedule(s *statusScreen) {
	if p.ticks == nil {
		s.line("schedule", "none is configured: cron or a timer starts concilia run")
		return
	}
	for i, t := range p.ticks.Last {
		s.line(firstOf(i, "last ticks"), "%s %s: %s", t.Slot, t.Job, strings.TrimSuffix(t.State+", "+t.Why, ", "))
	}
	for i, t := range p.ticks.Next {
		s.line(firstOf(i, "next tick"), "%s %s, in %s", t.Slot, t.Job, inWords(t.in))
	}
}

func (p *statusPage) waits(s *statusScreen) {
	s.line("notifications", "%s", p.waiting(p.Inbox, "in the inbox"))
	s.line("", "%s", p.waiting(p.NotLinked, "without the installment it tells of"))
	if len(p.Outbox) == 0 {
		s.line("outbox", "nothing waits for the target")
		return
	}
	files, oldest := 0, p.Outbox[0].AsOf
	for _, set := range p.Outbox {
		files += len(set.Files)
		oldest = min(oldest, set.AsOf)
	}
	s.line("outbox", "%s with %s wait for the target, the oldest since %s", some(int64(len(p.Outbox)), "set"), some(int64(files), "file"), oldest)
}

func (p *statusPage) waiting(w casework.WaitingItems, where string) string {
	if w.Count == 0 {
		return "none " + where
	}
	return fmt.Sprintf("%s %s, the oldest for %s", count(w.Count), where, ageText(p.Now.Sub(w.Oldest)))
}

// ageText is how old something is, in its largest unit.
func ageText(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return some(int64(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return some(int64(d/time.Hour), "hour")
	}
	return some(int64(d/(24*time.Hour)), "day")
}

// firstOf is the name of a list's first line.
func firstOf(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}

// bytesText is a size for people.
func bytesText(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	unit, tenths := 0, n*10
	for tenths >= 10240 && unit < len(units)-1 {
		tenths, unit = tenths/1024, unit+1
	}
	if unit == 0 {
		return count(n) + " bytes"
	}
	return fmt.Sprintf("%d.%d %s", tenths/10, tenths%10, units[unit])
}
