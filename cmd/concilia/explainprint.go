package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"concilia/jobs/casework"
	"concilia/jobs/rules/catalogue"
)

// pageWidth is that of a page, in characters: it prints, and goes into a mail.
const pageWidth = 80

// explanationPage is a page in the making.
type explanationPage struct {
	b    strings.Builder
	lang string
	zone *time.Location // of the instants
}

// printExplanation lays an explanation out as a page of text, with its instants in the zone.
func printExplanation(w io.Writer, e *casework.CasePage, zone *time.Location) error {
	p := &explanationPage{lang: e.Language, zone: zone}
	p.head(e)
	p.figures(e)
	p.record(e)
	p.contract(e)
	p.calendar(e)
	p.evidence(e)
	p.life(e)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// spell writes amounts and dates as the language does.
func (p *explanationPage) spell(s string) string { return catalogue.Spell(s, p.lang) }

func (p *explanationPage) at(t time.Time) string {
	if p.lang == "pt-BR" {
		return t.In(p.zone).Format("02/01/2006 15:04:05 -07:00")
	}
	return t.In(p.zone).Format("2006-01-02 15:04:05 -07:00")
}

func (p *explanationPage) section(key string) { fmt.Fprintf(&p.b, "\n%s\n", p.word(key)) }

// text writes a paragraph behind an indent, broken at the width of the page.
func (p *explanationPage) text(indent int, s string) {
	column := 0
	for _, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			p.b.WriteString(strings.Repeat(" ", indent))
			column = indent
		case column+1+n > pageWidth:
			p.b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			p.b.WriteByte(' ')
			column++
		}
		p.b.WriteString(word)
		column += n
	}
	p.b.WriteByte('\n')
}

// row writes a name and a value beside it.
func (p *explanationPage) row(name, value string) {
	if value == "" {
		return
	}
	const column = 22
	pad := max(1, column-utf8.RuneCountInString(name))
	p.b.WriteString("  " + name + strings.Repeat(" ", pad) + value + "\n")
}

func (p *explanationPage) head(e *casework.CasePage) {
	p.b.WriteString(strings.Repeat("=", pageWidth) + "\n")
	fmt.Fprintf(&p.b, "%s %s   %s   %s   %s\n", p.word("case"), e.Case, e.Code, e.Severity, p.state(e.State))
	p.b.WriteString(strings.Repeat("=", pageWidth) + "\n")
	p.row(p.word("account"), strings.TrimSpace(e.Account.String()+" "+e.AccountName))
	p.row(p.word("subject"), e.Subject)
	if e.Opened != "" {
		p.row(p.word("opened"), p.spell(e.Opened))
	}
	p.row(p.word("reference"), e.Reference)
	p.section("happened")
	p.text(2, strings.TrimSuffix(e.Title, ".")+".")
	p.text(2, e.Sentence)
}

func (p *explanationPage) figures(e *casework.CasePage) {
	if e.Formula == "" && e.Expected == "" && e.Actual == "" && e.Impact == "" && e.ExplainedBy == "" {
		return // the rule is about no figures
	}
	p.section("sums")
	if e.Formula != "" {
		p.text(2, e.Formula)
	}
	p.row(p.word("expected"), p.figure(e.Code, e.Expected))
	p.row(p.word("actual"), p.figure(e.Code, e.Actual))
	p.row(p.word("difference"), p.spell(e.Difference))
	if e.Impact != "" {
		name, amount := p.word("lost"), e.Impact
		if strings.HasPrefix(amount, "-") {
			name, amount = p.word("gained"), amount[1:]
		}
		text := "R$ " + p.spell(amount)
		if e.Exposure {
			text += " (" + p.word("exposure") + ")"
		}
		p.row(name, text)
	}
	p.row(p.word("explained"), e.ExplainedBy)
}

// figure is a value that a case expected or found: rates bear their sign.
func (p *explanationPage) figure(code, value string) string {
	if value == "" || !catalogue.InPercent(code) {
		return p.spell(value)
	}
	return catalogue.SpellRate(value, p.lang)
}

func (p *explanationPage) record(e *casework.CasePage) {
	if len(e.Record) > 0 {
		p.section("record")
		for _, m := range e.Record {
			const column = 39
			name := p.member(m.Name)
			pad := max(1, column-utf8.RuneCountInString(name))
			p.b.WriteString("  " + name + strings.Repeat(" ", pad) + p.value(m.Value) + "\n")
		}
	}
	if len(e.Versions) == 0 {
		return
	}
	p.section("versions")
	for _, v := range e.Versions {
		fmt.Fprintf(&p.b, "  %s v%d  %s\n    %s\n", p.versionOf(v.Of), v.Version, p.at(v.Began), v.Pull)
		if v.Version == 1 {
			p.text(4, p.word("first"))
		}
		for _, c := range v.Changes {
			if c.Hidden {
				p.text(4, p.member(c.Name)+": "+p.word("changed"))
				continue
			}
			p.text(4, p.member(c.Name)+": "+orDash(p.value(c.Before))+" → "+orDash(p.value(c.After)))
		}
		if v.Vanished {
			p.text(4, p.word("gone"))
		}
	}
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
