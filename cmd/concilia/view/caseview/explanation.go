package caseview

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/jobs/explain"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// pageWidth is that of a page, in characters: it prints, and goes into a mail.
const pageWidth = 80

// explanation is a page of text in the making.
type explanation struct {
	b    strings.Builder
	lang string
	zone *time.Location // of the instants
}

// Explanation is everything about a case: in JSON as it was gathered, in text on one page in its language.
type Explanation struct {
	*explain.CasePage
	Zone *time.Location `json:"-"` // of the instants in text
}

// WriteText writes the page.
func (v Explanation) WriteText(w io.Writer, _ view.Language) error {
	e := v.CasePage
	p := &explanation{lang: e.Language, zone: v.Zone}
	p.writeHead(e)
	p.writeFigures(e)
	p.writeRecord(e)
	p.writeVersions(e)
	p.writeContract(e)
	p.writeCalendar(e)
	p.writeEvidence(e)
	p.writeDeposits("case.deposit", e.Deposits)
	p.writeRelated(e)
	p.writeHistory(e)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// spellForLanguage writes amounts and dates as the language does.
func (p *explanation) spellForLanguage(s string) string { return catalogue.Spell(s, p.lang) }

// spellInstant writes an instant as the language does, in the zone of the page.
func (p *explanation) spellInstant(t time.Time) string {
	if p.lang == "pt-BR" {
		return t.In(p.zone).Format("02/01/2006 15:04:05 -07:00")
	}
	return t.In(p.zone).Format("2006-01-02 15:04:05 -07:00")
}

// lookUpText is a text of the page in its language.
func (p *explanation) lookUpText(id string, values ...any) string {
	return words.Text(p.lang, id, values...)
}

func (p *explanation) startSection(id string) { fmt.Fprintf(&p.b, "\n%s\n", p.lookUpText(id)) }

// writeParagraph writes a paragraph behind an indent, broken at the width of the page.
func (p *explanation) writeParagraph(indent int, s string) {
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

// writeRow writes a name and its value.
func (p *explanation) writeRow(name, value string) {
	if value == "" {
		return
	}
	const column = 22
	pad := max(1, column-utf8.RuneCountInString(name))
	p.b.WriteString("  " + name + strings.Repeat(" ", pad) + value + "\n")
}

func (p *explanation) writeHead(e *explain.CasePage) {
	p.b.WriteString(strings.Repeat("=", pageWidth) + "\n")
	fmt.Fprintf(&p.b, "%s %s   %s   %s   %s\n", p.lookUpText("case.case"), e.Case, e.Code, e.Severity, p.lookUpLabel("case_state", e.State))
	p.b.WriteString(strings.Repeat("=", pageWidth) + "\n")
	p.writeRow(p.lookUpText("case.account"), strings.TrimSpace(e.Account.String()+" "+e.AccountName))
	p.writeRow(p.lookUpText("case.subject"), e.Subject)
	if e.Opened != "" {
		p.writeRow(p.lookUpText("case.open_since"), p.spellForLanguage(e.Opened))
	}
	p.writeRow(p.lookUpText("case.dispute_reference"), e.Reference)
	p.startSection("case.what_happened")
	p.writeParagraph(2, strings.TrimSuffix(e.Title, ".")+".")
	p.writeParagraph(2, e.Sentence)
}

func (p *explanation) writeFigures(e *explain.CasePage) {
	if e.Formula == "" && e.Expected == "" && e.Actual == "" && e.Impact == "" && e.ExplainedBy == "" {
		return // the rule is about no figures
	}
	p.startSection("case.figures")
	if e.Formula != "" {
		p.writeParagraph(2, e.Formula)
	}
	p.writeRow(p.lookUpText("case.expected"), p.spellFigure(e.Code, e.Expected))
	p.writeRow(p.lookUpText("case.found"), p.spellFigure(e.Code, e.Actual))
	p.writeRow(p.lookUpText("case.difference"), p.spellForLanguage(e.Difference))
	if e.Impact != "" {
		name, amount := p.lookUpText("case.impact_missing"), e.Impact
		if strings.HasPrefix(amount, "-") {
			name, amount = p.lookUpText("case.impact_excess"), amount[1:]
		}
		text := "R$ " + p.spellForLanguage(amount)
		if e.Exposure {
			text += " (" + p.lookUpText("case.at_stake") + ")"
		}
		p.writeRow(name, text)
	}
	p.writeRow(p.lookUpText("case.counted_in"), e.ExplainedBy)
}

// spellFigure is a value that a case expected or found: rates bear their sign.
func (p *explanation) spellFigure(code, value string) string {
	if value == "" || !catalogue.InPercent(code) {
		return p.spellForLanguage(value)
	}
	return catalogue.SpellRate(value, p.lang)
}

func (p *explanation) writeRecord(e *explain.CasePage) {
	if len(e.Record) > 0 {
		p.startSection("case.record")
		for _, m := range e.Record {
			const column = 39
			name := p.nameMember(m.Name)
			pad := max(1, column-utf8.RuneCountInString(name))
			p.b.WriteString("  " + name + strings.Repeat(" ", pad) + p.spellMember(m.Name, m.Value) + "\n")
		}
	}
}

func (p *explanation) writeVersions(e *explain.CasePage) {
	if len(e.Versions) == 0 {
		return
	}
	p.startSection("case.versions")
	for _, v := range e.Versions {
		fmt.Fprintf(&p.b, "  %s v%d  %s\n    %s\n", p.nameVersion(v.Of), v.Version, p.spellInstant(v.Began), v.Pull)
		if v.Version == 1 {
			p.writeParagraph(4, p.lookUpText("case.first_seen"))
		}
		for _, c := range v.Changes {
			if c.Hidden {
				p.writeParagraph(4, p.nameMember(c.Name)+": "+p.lookUpText("case.changed_not_shown"))
				continue
			}
			p.writeParagraph(4, p.nameMember(c.Name)+": "+orDash(p.spellValue(c.Before))+" → "+orDash(p.spellValue(c.After)))
		}
		if v.Vanished {
			p.writeParagraph(4, p.lookUpText("case.no_longer_shown"))
		}
	}
}

// orDash is the text, or a dash for none.
func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func (p *explanation) writeContract(e *explain.CasePage) {
	c := e.Contract
	if c == nil {
		return
	}
	p.startSection("case.contract_in_force")
	p.writeRow(p.lookUpText("case.contract_line"), c.Line)
	valid := p.spellForLanguage(c.ValidFrom.String())
	if c.ValidTo != "" {
		valid = p.lookUpText("case.valid_until", "from", valid, "until", p.spellForLanguage(c.ValidTo))
	}
	p.writeRow(p.lookUpText("case.valid_from"), valid)
	for _, m := range c.Terms {
		number, unit, _ := strings.Cut(m.Value, " ")
		value := strings.TrimSpace(p.spellValue(number) + " " + p.lookUpLabel("record_value", unit))
		if unit == "%" {
			value = catalogue.SpellRate(number, p.lang)
		}
		p.writeRow(p.nameMember(m.Name), value)
	}
	p.writeRow(p.lookUpText("case.document"), "SHA-256")
	p.writeParagraph(4, c.SHA256)
}

func (p *explanation) writeCalendar(e *explain.CasePage) {
	if e.Calendar == "" {
		return
	}
	p.startSection("case.calendar")
	if e.OtherCalendar {
		p.writeParagraph(2, p.lookUpText("case.other_calendar"))
	}
	for _, d := range e.Days {
		what := p.lookUpText("case.business_day")
		switch {
		case !d.Settles:
			what = p.lookUpText("case.no_business_day")
		case !d.Counter:
			what = p.lookUpText("case.branches_closed")
		}
		why := ""
		switch {
		case d.Name != "" || d.Source != "":
			why = ": " + strings.Trim(d.Name+", "+p.lookUpLabel("holiday_source", d.Source), ", ")
		case !d.Settles:
			why = ": " + p.lookUpText("case.weekend")
		}
		p.writeParagraph(2, p.spellForLanguage(d.Day.String())+"  "+what+why)
	}
	p.writeParagraph(2, "SHA-256 "+e.Calendar)
}

func (p *explanation) writeEvidence(e *explain.CasePage) {
	if len(e.Evidence) == 0 {
		return
	}
	p.startSection("case.evidence")
	for _, v := range e.Evidence {
		fmt.Fprintf(&p.b, "  %s\n", v.Pull)
		days := p.spellForLanguage(v.From)
		if v.To != v.From {
			days += ".." + p.spellForLanguage(v.To)
		}
		state := p.lookUpText("case.rows", "n", v.Rows)
		if !v.Complete {
			state = p.lookUpText("case.incomplete")
		}
		fmt.Fprintf(&p.b, "    %s %s, %s, %s\n", p.lookUpLabel("source", v.Source), days, p.spellInstant(v.Began), state)
		if v.SHA256 != "" {
			fmt.Fprintf(&p.b, "    SHA-256 %s\n", v.SHA256)
			what := p.lookUpText("case.body_not_kept")
			if v.Kept {
				what = p.lookUpText("case.body_kept")
			}
			fmt.Fprintf(&p.b, "    %s\n", what)
		}
	}
}

func (p *explanation) writeRelated(e *explain.CasePage) {
	if len(e.Related) > 0 {
		p.startSection("case.related_cases")
		for _, r := range e.Related {
			fmt.Fprintf(&p.b, "  %s  %s  %s\n", r.Case, r.Code, p.lookUpLabel("case_state", r.State))
			p.writeParagraph(4, r.Sentence)
		}
	}
}

func (p *explanation) writeHistory(e *explain.CasePage) {
	p.startSection("case.history")
	for _, h := range e.History {
		line := p.spellForLanguage(h.AsOf.String()) + "  " + p.lookUpLabel("case_state", h.State)
		for _, part := range []struct{ name, value string }{{p.lookUpText("case.expected"), h.Expected}, {p.lookUpText("case.found"), h.Actual}} {
			if part.value != "" {
				line += ", " + strings.ToLower(part.name) + " " + p.spellFigure(e.Code, part.value)
			}
		}
		if amount, inFavour := strings.CutPrefix(h.Impact, "-"); inFavour {
			line += ", -R$ " + p.spellForLanguage(amount)
		} else if h.Impact != "" {
			line += ", R$ " + p.spellForLanguage(h.Impact)
		}
		p.writeParagraph(2, line)
	}
	for _, a := range e.Acts {
		p.writeParagraph(2, p.spellInstant(a.At)+"  "+p.describeAct(&a))
	}
	if e.Next != "" {
		p.startSection("case.next_step")
		p.writeParagraph(2, e.Owner)
		p.writeParagraph(2, e.Next)
	}
	if e.Settles != "" {
		p.startSection("case.what_would_close_it")
		p.writeParagraph(2, e.Settles)
	}
}

// describeAct is what a person did: the verb, how far it came where it is not done, what it was given, who and why.
func (p *explanation) describeAct(a *explain.LoggedAct) string {
	text := p.lookUpLabel("act", a.Verb)
	if a.Stage != string(ledger.Done) {
		text += " (" + p.lookUpLabel("act_stage", a.Stage) + ")"
	}
	text += describeParameters(p.lang, a.Parameters) + ", " + a.Actor
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text
}

// describeParameters is what an act was given, a name with its value after a comma each.
func describeParameters(lang string, parameters map[string]string) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		value := parameters[name]
		if name == "reply" {
			value = words.Label(lang, "claim_reply", value)
		}
		text += ", " + words.Label(lang, "act_parameter", name) + " " + catalogue.Spell(value, lang)
	}
	return text
}

// lookUpLabel is the word for an id of ours, which in English is the id.
func (p *explanation) lookUpLabel(kind, id string) string { return words.Label(p.lang, kind, id) }

// spellValue spells amounts and dates as the language does, and translates values of ours.
func (p *explanation) spellValue(s string) string {
	return p.spellForLanguage(p.lookUpLabel("record_value", s))
}

// spellMember is spellValue of a member; what the file of a store says was sold how, and what became of it, are words of ours.
func (p *explanation) spellMember(name, value string) string {
	switch name {
	case "method", "status":
		return p.lookUpLabel("own_"+name, value)
	}
	return p.spellValue(value)
}

// nameMember names a member of a record: in English as the interface document does, in Portuguese in words. Behind it may stand
// the list that alone shows it so, before it the split that it is of.
func (p *explanation) nameMember(name string) string {
	name, list, ofList := strings.Cut(name, " (")
	split, of, inSplit := strings.Cut(name, "].")
	if inSplit {
		name = p.lookUpText("case.split_member", "number", strings.TrimPrefix(split, "splits["), "member", p.labelMember(of))
	} else {
		name = p.labelMember(name)
	}
	if ofList {
		name += " (" + p.lookUpLabel("source", strings.TrimSuffix(list, ")")) + ")"
	}
	return name
}

// labelMember is the label of a member: that of record_member where the page calls it otherwise than sentences do, or where it is no member
// of the service.
func (p *explanation) labelMember(name string) string {
	if label := p.lookUpLabel("record_member", name); label != name || p.lang == "en" {
		return label
	}
	return catalogue.NameMember(name)
}

// nameVersion names what a version is of: an installment by its number, or a list.
func (p *explanation) nameVersion(of string) string {
	if of != "" && strings.Trim(of, "0123456789") == "" {
		return p.lookUpText("case.installment", "number", of)
	}
	return p.lookUpLabel("source", of)
}
