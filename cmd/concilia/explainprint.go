package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"concilia/jobs/explain"
	"concilia/jobs/rules"
)

// pageWidth is that of a page, in characters: it prints, and goes into a mail.
const pageWidth = 80

// explanationWords are the words of the page by language; the second is Portuguese.
var explanationWords = map[string][2]string{
	"case": {"Case", "Caso"}, "account": {"Account", "Conta"}, "subject": {"Subject", "Objeto"}, "happened": {"WHAT HAPPENED", "O QUE ACONTECEU"},
	"sums": {"THE FIGURES", "OS VALORES"}, "formula": {"Formula", "Cálculo"}, "expected": {"Expected", "Esperado"}, "actual": {"Found", "Encontrado"},
	"difference": {"Difference", "Diferença"}, "lost": {"Impact: missing", "Impacto: falta"}, "gained": {"Impact: in excess", "Impacto: a mais"},
	"exposure": {"at stake, not lost", "em risco, não perdido"}, "explained": {"Counted in", "Contado em"}, "record": {"THE RECORD", "O REGISTRO"},
	"versions": {"VERSIONS", "VERSÕES"}, "first": {"first seen", "visto pela primeira vez"}, "gone": {"shown no longer after this", "deixou de ser mostrado depois"},
	"changed": {"changed (not shown)", "alterado (não exibido)"}, "contract": {"CONTRACT IN FORCE", "CONTRATO VIGENTE"}, "line": {"Line", "Linha"},
	"valid": {"Valid from", "Vigente desde"}, "until": {"until", "até"}, "document": {"Document", "Documento"}, "days": {"CALENDAR", "CALENDÁRIO"},
	"business": {"business day", "dia útil"}, "closed": {"no business day", "dia não útil"}, "counter": {"banks settle, branches closed", "há liquidação, agências fechadas"},
	"weekend": {"weekend", "fim de semana"}, "othercal": {"by a calendar that is not the one in force now", "por um calendário que não é o vigente"},
	"evidence": {"EVIDENCE", "EVIDÊNCIAS"}, "rows": {"rows", "linhas"}, "row": {"row", "linha"}, "kept": {"body kept: concilia evidence show", "corpo guardado: concilia evidence show"},
	"past": {"body not kept; its hash is", "corpo não guardado; fica o hash"}, "related": {"RELATED CASES", "CASOS RELACIONADOS"}, "history": {"HISTORY", "HISTÓRICO"},
	"settles": {"WHAT WOULD CLOSE IT", "O QUE ENCERRA O CASO"}, "opened": {"Open since", "Aberto desde"}, "incomplete": {"incomplete", "incompleta"},
	"next": {"NEXT STEP", "PRÓXIMO PASSO"},
}

// portugueseStates are the states of cases, and what people do, as a page in Portuguese calls them.
var portugueseStates = map[string]string{
	"pending": "pendente", "open": "aberto", "acknowledged": "reconhecido", "disputed": "contestado", "waived": "dispensado", "shadow": "em observação",
	"resolved": "resolvido", "closed": "encerrado", "reopened": "reaberto",
}

// explanationPage is a page in the making.
type explanationPage struct {
	b    strings.Builder
	lang string
}

// printExplanation lays an explanation out as a page of text.
func printExplanation(w io.Writer, e *explain.Page) error {
	p := &explanationPage{lang: e.Language}
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

func (p *explanationPage) word(key string) string {
	w := explanationWords[key]
	if p.lang == "pt-BR" {
		return w[1]
	}
	return w[0]
}

func (p *explanationPage) state(s string) string {
	if t, ok := portugueseStates[s]; ok && p.lang == "pt-BR" {
		return t
	}
	return s
}

// spell writes amounts and dates as the language does.
func (p *explanationPage) spell(s string) string { return rules.Spell(s, p.lang) }

func (p *explanationPage) at(t time.Time) string {
	if p.lang == "pt-BR" {
		return t.Format("02/01/2006 15:04:05") + " UTC"
	}
	return t.Format("2006-01-02 15:04:05") + " UTC"
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

func (p *explanationPage) head(e *explain.Page) {
	p.b.WriteString(strings.Repeat("=", pageWidth) + "\n")
	fmt.Fprintf(&p.b, "%s %s   %s   %s   %s\n", p.word("case"), e.Case, e.Code, e.Severity, p.state(e.State))
	p.b.WriteString(strings.Repeat("=", pageWidth) + "\n")
	p.row(p.word("account"), strings.TrimSpace(e.Account.String()+" "+e.AccountName))
	p.row(p.word("subject"), e.Subject)
	if e.Opened != "" {
		p.row(p.word("opened"), p.spell(e.Opened))
	}
	p.section("happened")
	p.text(2, strings.TrimSuffix(e.Title, ".")+".")
	p.text(2, e.Sentence)
}

func (p *explanationPage) figures(e *explain.Page) {
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
	if value == "" || !rules.InPercent(code) {
		return p.spell(value)
	}
	return rules.SpellRate(value, p.lang)
}

func (p *explanationPage) record(e *explain.Page) {
	if len(e.Record) > 0 {
		p.section("record")
		for _, m := range e.Record {
			const column = 39
			pad := max(1, column-len(m.Name))
			p.b.WriteString("  " + m.Name + strings.Repeat(" ", pad) + p.spell(m.Value) + "\n")
		}
	}
	if len(e.Versions) == 0 {
		return
	}
	p.section("versions")
	for _, v := range e.Versions {
		fmt.Fprintf(&p.b, "  %s v%d  %s\n    %s\n", v.Of, v.Version, p.at(v.Began), v.Pull)
		if v.Version == 1 {
			p.text(4, p.word("first"))
		}
		for _, c := range v.Changes {
			if c.Hidden {
				p.text(4, c.Name+": "+p.word("changed"))
				continue
			}
			p.text(4, c.Name+": "+orDash(p.spell(c.Before))+" → "+orDash(p.spell(c.After)))
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
