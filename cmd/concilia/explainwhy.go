package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/jobs/casework"
	"concilia/store/ledger"
)

func (p *explanationPage) contract(e *casework.CasePage) {
	c := e.Contract
	if c == nil {
		return
	}
	p.section("contract")
	p.row(p.word("line"), c.Line)
	valid := p.spell(c.ValidFrom.String())
	if c.ValidTo != "" {
		valid += " " + p.word("until") + " " + p.spell(c.ValidTo)
	}
	p.row(p.word("valid"), valid)
	for _, m := range c.Terms {
		number, unit, _ := strings.Cut(m.Value, " ")
		p.row(p.member(m.Name), strings.TrimSpace(p.value(number)+" "+p.translate(portugueseValues, unit)))
	}
	p.row(p.word("document"), "SHA-256")
	p.text(4, c.SHA256)
}

func (p *explanationPage) calendar(e *casework.CasePage) {
	if e.Calendar == "" {
		return
	}
	p.section("days")
	if e.OtherCalendar {
		p.text(2, p.word("othercal"))
	}
	for _, d := range e.Days {
		what := p.word("business")
		switch {
		case !d.Settles:
			what = p.word("closed")
		case !d.Counter:
			what = p.word("counter")
		}
		why := ""
		switch {
		case d.Name != "" || d.Source != "":
			why = ": " + strings.Trim(d.Name+", "+p.law(d.Source), ", ")
		case !d.Settles:
			why = ": " + p.word("weekend")
		}
		p.text(2, p.spell(d.Day.String())+"  "+what+why)
	}
	p.text(2, "SHA-256 "+e.Calendar)
}

// law spells what makes a day none as the language does.
func (p *explanationPage) law(source string) string {
	if p.lang != "pt-BR" {
		return source
	}
	return strings.NewReplacer("Law ", "Lei ", "CMN Resolution ", "Resolução CMN ").Replace(source)
}

func (p *explanationPage) evidence(e *casework.CasePage) {
	if len(e.Evidence) == 0 {
		return
	}
	p.section("evidence")
	for _, v := range e.Evidence {
		fmt.Fprintf(&p.b, "  %s\n", v.Pull)
		days := p.spell(v.From)
		if v.To != v.From {
			days += ".." + p.spell(v.To)
		}
		state := fmt.Sprintf("%d %s", v.Rows, p.word("rows"))
		if v.Rows == 1 {
			state = "1 " + p.word("row")
		}
		if !v.Complete {
			state = p.word("incomplete")
		}
		fmt.Fprintf(&p.b, "    %s %s, %s, %s\n", p.translate(portugueseSources, v.Source), days, p.at(v.Began), state)
		if v.SHA256 != "" {
			fmt.Fprintf(&p.b, "    SHA-256 %s\n", v.SHA256)
			what := "past"
			if v.Kept {
				what = "kept"
			}
			fmt.Fprintf(&p.b, "    %s\n", p.word(what))
		}
	}
}

func (p *explanationPage) life(e *casework.CasePage) {
	if len(e.Related) > 0 {
		p.section("related")
		for _, r := range e.Related {
			fmt.Fprintf(&p.b, "  %s  %s  %s\n", r.Case, r.Code, p.state(r.State))
			p.text(4, r.Sentence)
		}
	}
	p.section("history")
	for _, h := range e.History {
		line := p.spell(h.AsOf.String()) + "  " + p.state(h.State)
		for _, part := range [][2]string{{"expected", h.Expected}, {"actual", h.Actual}} {
			if part[1] != "" {
				line += ", " + strings.ToLower(p.word(part[0])) + " " + p.figure(e.Code, part[1])
			}
		}
		if h.Impact != "" {
			line += ", R$ " + p.spell(h.Impact)
		}
		p.text(2, line)
	}
	for _, a := range e.Acts {
		p.text(2, p.at(a.At)+"  "+p.actText(&a))
	}
	if e.Next != "" {
		p.section("next")
		p.text(2, e.Owner+": "+e.Next)
	}
	if e.Settles != "" {
		p.section("settles")
		p.text(2, e.Settles)
	}
}

// actText is what a person did: the verb, how far it came where it is not done, what it was given, who and why.
func (p *explanationPage) actText(a *casework.LoggedAct) string {
	text := p.translate(portugueseVerbs, a.Verb)
	if a.Stage != string(ledger.Done) {
		text += " (" + p.translate(portugueseStages, a.Stage) + ")"
	}
	for _, name := range slices.Sorted(maps.Keys(a.Parameters)) {
		text += ", " + p.translate(portugueseParameters, name) + " " + p.spell(a.Parameters[name])
	}
	text += ", " + a.Actor
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text
}
