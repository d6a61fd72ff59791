package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

func (g *globals) showExceptions(ctx context.Context, names []string) error {
	return g.withDesk(ctx, func(d *casework.Handler) error {
		ids, err := d.ResolveCases(ctx, names)
		if err != nil {
			return err
		}
		for _, id := range ids {
			f, err := d.Ledger.FindingByCase(ctx, id)
			if err != nil {
				return err
			}
			past, err := history(ctx, d.Ledger, f)
			if err != nil {
				return err
			}
			if !g.json {
				g.printCase(f, past)
				continue
			}
			encoder := json.NewEncoder(g.stdout)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(wholeException(f, past)); err != nil {
				return err
			}
		}
		return nil
	})
}

// moment is one line of a case's history: a change, by a run or by an act, or an act that is only proposed.
type moment struct {
	event *results.FindingEvent // nil: the act changed nothing
	act   *ledger.Act           // nil: a run
}

// history gives what became of a case, oldest first.
func history(ctx context.Context, l *store.Ledger, f *ledger.Finding) ([]moment, error) {
	events, err := l.FindingEvents(ctx, f.Case)
	if err != nil {
		return nil, err
	}
	acts, err := l.Acts(ctx, results.ActFilter{Accounts: []ledger.Account{f.Account}, Subjects: []string{f.Case}})
	if err != nil {
		return nil, err
	}
	var out []moment
	next := 0
	// before adds the acts that changed nothing and stand before act number, or before what a run did after run.
	before := func(stands func(*ledger.Act) bool) {
		for ; next < len(acts) && stands(&acts[next]); next++ {
			out = append(out, moment{act: &acts[next]})
		}
	}
	for i := range events {
		e := &events[i]
		if e.Act == 0 {
			before(func(a *ledger.Act) bool { return a.Stage == ledger.Proposed && a.Run < e.Run })
			out = append(out, moment{event: e})
			continue
		}
		before(func(a *ledger.Act) bool { return a.Number < e.Act })
		m := moment{event: e}
		if next < len(acts) && acts[next].Number == e.Act {
			m.act = &acts[next]
			next++
		}
		out = append(out, m)
	}
	before(func(*ledger.Act) bool { return true })
	return out, nil
}

// stateText is the state with what a person made of it.
func stateText(f *ledger.Finding) string {
	switch {
	case f.ClosedAs == ledger.AgedOut:
		return string(f.State) + " (aged out)"
	case f.State == ledger.Waived && f.WaivedCap.OK:
		return fmt.Sprintf("%s until %s, up to R$ %s", f.State, f.WaivedUntil, catalogue.Spell(f.WaivedCap.V.String(), "en"))
	case f.State == ledger.Waived:
		return fmt.Sprintf("%s until %s", f.State, f.WaivedUntil)
	}
	return string(f.State)
}

func (g *globals) printCase(f *ledger.Finding, past []moment) {
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(g.stdout, "  %-13s %s\n", name, value)
		}
	}
	fmt.Fprintf(g.stdout, "case %s  %s  %s  %s\n", f.Case, f.Code, f.Severity, stateText(f))
	row("", catalogue.Explain(*f, "en"))
	row("", catalogue.Explain(*f, "pt-BR"))
	row("account", f.Account.String())
	row("subject", f.Subject)
	row("expected", catalogue.Spell(f.Expected.String(), "en"))
	row("actual", catalogue.Spell(f.Actual.String(), "en"))
	row("impact R$", catalogue.Spell(impactText(f.Impact), "en"))
	row("explained by", f.ExplainedBy)
	row("related", strings.Join(f.Related, ", "))
	row("breaks on", f.BreakOn.String())
	row("first seen", f.FirstSeen.String())
	row("opened", f.OpenedOn.String())
	row("contract", f.ContractLine)
	row("assignee", f.Assignee)
	row("reference", f.Reference)
	row("comment", f.Comment)
	for _, m := range past {
		row("history", m.String())
	}
	fmt.Fprintln(g.stdout)
}

// String is the moment on one line.
func (m moment) String() string {
	var b strings.Builder
	if e := m.event; e != nil {
		fmt.Fprintf(&b, "%s  %s", e.AsOf, stateText(&e.Finding))
		if e.Act == 0 {
			sep := "  "
			for _, v := range [...]struct{ name, text string }{
				{"expected", e.Finding.Expected.String()}, {"actual", e.Finding.Actual.String()}, {"impact", impactText(e.Finding.Impact)},
			} {
				if v.text != "" {
					b.WriteString(sep + v.name + " " + catalogue.Spell(v.text, "en"))
					sep = ", "
				}
			}
			return b.String()
		}
	}
	a := m.act
	if a == nil {
		return b.String() + fmt.Sprintf("  by act %d, which is not in the log: run concilia ledger check", m.event.Act)
	}
	at := a.At.Format("2006-01-02 15:04:05 MST")
	if m.event == nil {
		fmt.Fprintf(&b, "%s  %s %s", at[:len("2006-01-02")], a.Verb, a.Stage)
	} else {
		fmt.Fprintf(&b, "  %s", a.Verb)
	}
	fmt.Fprintf(&b, " by %s, act %d of %s", a.Actor, a.Number, at)
	if a.Confirms > 0 {
		fmt.Fprintf(&b, ", proposed in act %d", a.Confirms)
	}
	if a.Parameters != "{}" {
		fmt.Fprintf(&b, " %s", a.Parameters)
	}
	if a.Reason != "" {
		fmt.Fprintf(&b, ": %s", a.Reason)
	}
	return b.String()
}

// shownException is a case as exceptions show --json prints it.
type shownException struct {
	exception
	ClosedAs    string        `json:"closed_as"`
	Assignee    string        `json:"assignee"`
	Reference   string        `json:"reference"`
	Comment     string        `json:"comment"`
	WaivedUntil string        `json:"waived_until"`
	WaiverCap   string        `json:"waiver_cap"`
	History     []shownMoment `json:"history"`
}

type shownMoment struct {
	On       string          `json:"on"` // business day of a change; of an act that changed nothing, the UTC day
	State    string          `json:"state,omitempty"`
	Expected string          `json:"expected,omitempty"`
	Actual   string          `json:"actual,omitempty"`
	Impact   string          `json:"impact,omitempty"`
	Run      string          `json:"run,omitempty"`
	Act      int64           `json:"act,omitempty"`
	Verb     string          `json:"verb,omitempty"`
	Stage    string          `json:"stage,omitempty"`
	Actor    string          `json:"actor,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	At       string          `json:"at,omitempty"`
	Confirms int64           `json:"confirms,omitempty"`
	With     json.RawMessage `json:"with,omitempty"`
}

func wholeException(f *ledger.Finding, past []moment) shownException {
	out := shownException{
		exception: exceptionOf(f), ClosedAs: string(f.ClosedAs), Assignee: f.Assignee, Reference: f.Reference,
		Comment: f.Comment, WaivedUntil: f.WaivedUntil.String(), WaiverCap: impactText(f.WaivedCap), History: []shownMoment{},
	}
	for _, m := range past {
		var s shownMoment
		if e := m.event; e != nil {
			s = shownMoment{
				On: e.AsOf.String(), State: string(e.Finding.State), Expected: e.Finding.Expected.String(),
				Actual: e.Finding.Actual.String(), Impact: impactText(e.Finding.Impact), Run: e.Run, Act: e.Act,
			}
		}
		if a := m.act; a != nil {
			s.Act, s.Verb, s.Stage, s.Actor, s.Reason, s.Confirms = a.Number, string(a.Verb), string(a.Stage), a.Actor, a.Reason, a.Confirms
			s.At, s.With = a.At.Format(time.RFC3339Nano), json.RawMessage(a.Parameters)
			if s.On == "" {
				s.On = a.At.Format(time.DateOnly)
			}
		}
		out.History = append(out.History, s)
	}
	return out
}
