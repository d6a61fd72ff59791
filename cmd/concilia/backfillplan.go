package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/jobs"
)

// show prints what a backfill would ask for. Where there is no ledger everything is to be asked for, and none is made.
func (o *backfillOptions) show(ctx context.Context, g *globals) error {
	c, err := g.load(0)
	if err != nil {
		return err
	}
	w := &jobs.Worker{Zone: c.Location()}
	if w.Now, _, err = g.clock(c); err != nil {
		return err
	}
	if w.Accounts, err = accounts(c); err != nil {
		return err
	}
	if err := o.settle(w); err != nil {
		return err
	}
	if absent(c.Ledger.DSN.Reveal()) == nil {
		if w.Ledger, err = g.openKept(ctx, c); err != nil {
			return err
		}
		defer func() { _ = w.Ledger.Close() }() // nothing was written
	}
	lists, err := w.PlanBackfill(ctx, o.request)
	if err != nil {
		return err
	}
	if g.json {
		lines := json.NewEncoder(g.stdout)
		for _, l := range lists {
			if err := lines.Encode(l); err != nil {
				return err
			}
		}
		return nil
	}
	return g.printBackfill(lists, cmp.Or(o.rate, c.Service.RequestsPerSecond), o)
}

func (g *globals) printBackfill(lists []jobs.BackfillList, rate float64, o *backfillOptions) error {
	t := newTable(g.stdout)
	t.AppendHeader(table.Row{"account", "list", "days", "complete", "calls", "windows"})
	days, least, most := 0, 0, 0
	for _, l := range lists {
		days, least, most = days+l.Days, least+len(l.Windows), most+l.Most
		t.AppendRow(table.Row{l.Account, l.Source, l.Days, l.Complete, between(len(l.Windows), l.Most), shownWindows(l.Windows)})
	}
	t.Render()
	takes := pacedFor(least, rate).String()
	if longest := pacedFor(most, rate).String(); longest != takes {
		takes += " to " + longest
	}
	calls := between(least, most) + " calls"
	if most == 1 {
		calls = "1 call"
	}
	fmt.Fprintf(g.stdout, "\n%s to ask for, %s: at %g a second %s\n", things(days, "day", "days"), calls, rate, takes)
	_, err := fmt.Fprintf(g.stdout, "then the rules judge as of %s; nothing was asked, nothing written\n", o.day)
	return err
}

func between(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// shownWindows names the first windows, newest first.
func shownWindows(windows []jobs.BackfillRange) string {
	const most = 4
	var b strings.Builder
	for i, p := range windows {
		if i == most {
			fmt.Fprintf(&b, ", and %d more down to %s", len(windows)-most, windows[len(windows)-1].From)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.From.String())
		if p.To != p.From {
			b.WriteString(".." + p.To.String())
		}
	}
	return b.String()
}
