package caseview

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/jobs/explain"
	"concilia/jobs/rules/catalogue"
)

// Item is everything about a sale or a slip: in JSON as it was gathered, in text on one page in its language.
type Item struct {
	*explain.ItemPage
	Zone *time.Location `json:"-"` // of the instants in text
}

// SlipName is what people call the slip: its reference, else its nosso número; empty where no list has shown one.
func (v Item) SlipName() string {
	for _, name := range []string{"referenceCode", "ourNumber"} {
		for _, m := range v.Header {
			if m.Name == name && m.Value != "" {
				return m.Value
			}
		}
	}
	return ""
}

// WriteText writes the page.
func (v Item) WriteText(w io.Writer, _ view.Language) error {
	p := &itemText{explanation: &explanation{lang: v.Language, zone: v.Zone}, ItemPage: v.ItemPage}
	p.writeTitle()
	p.writeSteps()
	p.writeDates()
	p.writeVersions(&explain.CasePage{Versions: v.Versions})
	p.writeEvidence(&explain.CasePage{Evidence: v.Evidence})
	p.writeNotifications()
	p.writeCases()
	p.writeDeposits("item.deposits", v.Deposits)
	p.writeStores()
	p.writeFiles()
	_, err := io.WriteString(w, p.b.String())
	return err
}

// itemText is the page about a sale or slip in the making, with the parts that it shares with the page about a case.
type itemText struct {
	*explanation
	*explain.ItemPage
}

func (p *itemText) writeTitle() {
	p.b.WriteString(strings.Repeat("=", pageWidth) + "\n" + p.Subject + "\n" + strings.Repeat("=", pageWidth) + "\n")
	p.writeRow(p.lookUpText("case.account"), strings.TrimSpace(p.Account.String()+" "+p.AccountName))
	for _, m := range p.Header {
		p.writeRow(p.nameMember(m.Name), p.spellMember(m.Name, m.Value))
	}
}

// writeSteps writes the cost: each installment's steps, then the totals of the sale.
func (p *itemText) writeSteps() {
	if len(p.Steps) == 0 {
		return
	}
	p.startSection("item.cost")
	t := view.NewTable(&p.b, 3, 4, 5, 6, 7)
	t.AppendHeader(table.Row{
		"  k", p.lookUpText("item.step"), p.lookUpText("item.charged"), "%", p.lookUpText("item.contract_pct"), p.lookUpText("item.due"),
		p.lookUpText("item.difference"), p.lookUpText("item.formula"),
	})
	last := -1
	for _, s := range p.Steps {
		number := ""
		if s.Installment != last {
			if number = fmt.Sprint(s.Installment); s.Installment == 0 {
				number = ""
				if len(p.Steps) > 0 && p.Steps[0].Installment != 0 {
					number = p.lookUpText("item.total")
				}
			}
			last = s.Installment
		}
		t.AppendRow(table.Row{
			"  " + number, p.lookUpText("item.step_" + s.Step), p.spellForLanguage(s.Charged), p.spellPercent(s.ChargedPct), p.spellPercent(s.ContractPct),
			p.spellForLanguage(s.Due), p.spellForLanguage(s.Difference), s.Formula,
		})
	}
	t.Render()
	for _, line := range p.contractLines() {
		p.writeRow(p.lookUpText("case.contract_line"), line)
	}
}

// contractLines are the lines of the contract that the steps rest on, each once.
func (p *itemText) contractLines() []string {
	var out []string
	for _, s := range p.Steps {
		if s.ContractLine != "" && (len(out) == 0 || out[len(out)-1] != s.ContractLine) {
			out = append(out, s.ContractLine)
		}
	}
	return out
}

func (p *itemText) spellPercent(rate string) string {
	if rate == "" {
		return ""
	}
	return strings.TrimRight(catalogue.SpellColumnRate(rate, p.lang), " %")
}

func (p *itemText) writeDates() {
	if len(p.Dates) == 0 {
		return
	}
	p.startSection("item.dates")
	for _, d := range p.Dates {
		name := p.lookUpText("item.date_" + d.Name)
		if d.Installment != 0 {
			name = fmt.Sprintf("%d · %s", d.Installment, name)
		}
		value := p.spellForLanguage(d.Date.String()) + "  " + p.lookUpText("item.reason_"+d.Reason)
		if d.Term != "" {
			value += " " + d.Term
		}
		const column = 32
		p.b.WriteString("  " + name + strings.Repeat(" ", max(1, column-utf8.RuneCountInString(name))) + value + "\n")
	}
}

func (p *itemText) writeNotifications() {
	if len(p.Notifications) == 0 {
		return
	}
	p.startSection("item.notifications")
	for _, n := range p.Notifications {
		p.writeParagraph(2, fmt.Sprintf("%d · %s  %s: %s → %s", n.Installment, p.spellForLanguage(n.Moment), n.Type, orDash(n.OldValue), orDash(n.NewValue)))
	}
}

func (p *itemText) writeCases() {
	if len(p.Cases) == 0 {
		return
	}
	p.startSection("item.cases")
	for _, c := range p.Cases {
		fmt.Fprintf(&p.b, "  %s  %s  %s\n", c.Case, c.Code, words.Label(p.lang, "case_state", c.State))
		p.writeParagraph(4, c.Sentence)
	}
}

// writeDeposits writes deposits at the bank: what was expected and came, and which statement has each of its lines.
func (p *explanation) writeDeposits(title string, all []explain.ItemDeposit) {
	if len(all) == 0 {
		return
	}
	p.startSection(title)
	l := view.Language(p.lang)
	for i := range all {
		d, number := &all[i], ""
		if d.Installment != 0 {
			number = fmt.Sprintf("%d · ", d.Installment)
		}
		p.writeParagraph(2, fmt.Sprintf("%s%s  %s  %s  %s (%s)", number, l.FormatDay(d.Day), d.Bank, words.Label(p.lang, "bank_status", d.Status),
			p.lookUpText("item.deposit_sums", "credited", catalogue.Spell(d.Credited, p.lang), "expected", catalogue.Spell(d.Expected, p.lang)), d.Deposit))
		for _, x := range d.Lines {
			p.writeParagraph(4, p.lookUpText("item.deposit_line", "amount", catalogue.Spell(x.Amount, p.lang), "day", l.FormatDay(x.Day), "file", x.File,
				"at", p.spellInstant(x.TakenAt)))
			p.writeParagraph(4, "SHA-256 "+x.SHA256)
		}
	}
}

func (p *itemText) writeStores() {
	if len(p.Stores) == 0 {
		return
	}
	p.startSection("item.stores")
	for _, s := range p.Stores {
		line := fmt.Sprintf("%s · %s", s.Store, words.Label(p.lang, "own_bucket", s.Bucket))
		if s.Level > 0 {
			line += " · " + words.Text(p.lang, "sales_text.level", "level", s.Level)
		}
		for _, subject := range []string{s.Subject, s.Service} {
			if subject != "" && subject != p.Subject {
				line += "  " + subject
			}
		}
		p.writeParagraph(2, line+"  "+words.Text(p.lang, "item.store_difference", "amount", p.spellForLanguage(s.Difference)))
	}
}

func (p *itemText) writeFiles() {
	if len(p.Files) == 0 {
		return
	}
	p.startSection("item.files")
	for _, f := range p.Files {
		p.b.WriteString("  " + f.Path + "\n")
	}
}
