package mailing

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/bankview"
	"concilia/cmd/concilia/view/caseview"
	"concilia/config"
	"concilia/export/mail"
	"concilia/export/words"
	"concilia/store/ledger"
)

// The most rows that a part of a digest shows.
const (
	accountsShown  = 20
	followUpsShown = 10
	daysShown      = 7
)

// digestWriter writes the first page as a mail, in a language.
type digestWriter struct {
	lang  string
	base  string // console.public_url without a slash behind it; empty: without links
	index string // where the page that leads to all files is
}

func newDigestWriter(c *config.Config, lang string) *digestWriter {
	w := &digestWriter{lang: lang, base: strings.TrimSuffix(c.Console.PublicURL, "/"), index: c.Reports.Target()}
	if strings.Contains(w.index, "://") {
		w.index = strings.TrimSuffix(w.index, "/") + "/index.html"
	} else if whole, err := filepath.Abs(w.index); err == nil {
		w.index = filepath.Join(whole, "index.html")
	}
	return w
}

// WriteDigest writes the first page of some accounts, or of all where none is named, as a mail.
func WriteDigest(ctx context.Context, source *desk.Source, c *config.Config, accounts []ledger.Account, lang string, isUpdate bool) (*mail.Message, error) {
	today, err := source.Today(ctx, accounts, lang)
	if err != nil {
		return nil, err
	}
	var banks bankview.BankConciliations
	if len(c.Banks) > 0 {
		if banks, err = source.Banks(ctx, accounts, ""); err != nil {
			return nil, err
		}
	}
	w := newDigestWriter(c, lang)
	subject := w.writeSubject(today)
	if isUpdate {
		subject = w.text("mail.update", "subject", subject)
	}
	return mail.Write(subject, w.writePage(today, banks))
}

func (w *digestWriter) text(id string, values ...any) string {
	return words.Text(w.lang, id, values...)
}

func (w *digestWriter) reais(a ledger.Amount) string { return "R$\u00a0" + view.SpellReais(a, w.lang) }

// link is an address of the console; empty where it has none.
func (w *digestWriter) link(path string, query ...string) string {
	if w.base == "" {
		return ""
	}
	values := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return w.base + path
}

// writeSubject is the day, its verdict and how many cases are new: no amount, since subjects are shown where bodies are not.
func (w *digestWriter) writeSubject(t *caseview.Today) string {
	day := view.SpellDate(t.AsOf, w.lang)
	if w.lang == "en" {
		day = day[len("2026-"):]
	} else {
		day = day[:len("18/11")]
	}
	subject := w.text("mail.subject", "day", day, "verdict", w.verdict(t.Verdict))
	if n := t.Opened.Cases; n > 0 {
		subject += " · " + w.text("mail.subject_new", "n", n)
	}
	return subject
}

func (w *digestWriter) verdict(v ledger.Verdict) string {
	if v == "" {
		v = ledger.Incomplete
	}
	return w.text("verdicts." + string(v))
}

// writePage is the first page in the order in which the console shows it.
func (w *digestWriter) writePage(t *caseview.Today, banks bankview.BankConciliations) *mail.Page {
	p := &mail.Page{
		Language: w.lang, Good: t.Figures.Missing() == 0,
		Title:    w.text("mail.title", "day", view.SpellDate(t.AsOf, w.lang), "verdict", w.verdict(t.Verdict)),
		Headline: w.text("desk.nothing_missing"),
		Foot:     w.text("mail.foot", "index", w.index),
	}
	for i, row := range caseview.FigureRows(t.Figures) {
		switch {
		case i > 0:
			p.Lines = append(p.Lines, w.text("figures."+row.ID)+": "+w.reais(row.Amount))
		case row.Amount != 0:
			p.Headline = w.text("figures."+row.ID) + ": " + w.reais(row.Amount)
		}
	}
	if t.FilesWait > 0 {
		p.Lines = append(p.Lines, w.text("desk.files_wait", "n", t.FilesWait))
	}
	p.Sections = append(p.Sections, w.listNew(t))
	p.Sections = appendFilled(p.Sections, w.listFollowUps(t), w.listCash(t), w.listAccounts(t), w.listBanks(banks), w.listCauses(t))
	if w.base != "" {
		p.Links = []mail.Link{{Text: w.text("mail.open_console"), Address: w.link("/")}, {Text: w.text("mail.open_files"), Address: w.link("/files")}}
	}
	return p
}

// appendFilled appends the sections that have rows.
func appendFilled(to []mail.Section, more ...mail.Section) []mail.Section {
	for _, s := range more {
		if len(s.Rows) > 0 {
			to = append(to, s)
		}
	}
	return to
}

func (w *digestWriter) listNew(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.text("desk.new_cases")}
	if t.Since != 0 && t.Opened.Cases > 0 {
		s.Note = w.text("desk.new_since", "n", t.Opened.Cases, "day", view.SpellDate(t.Since, w.lang), "amount", view.SpellReais(t.Opened.Amount, w.lang))
	}
	for i := range t.Opened.Rows {
		row := &t.Opened.Rows[i]
		note := row.Code
		if row.Owner != "" {
			note = row.Owner + " · " + note
		}
		s.Rows = append(s.Rows, mail.Row{Text: row.Sentence, Note: note, Amount: w.reais(row.Impact.V), Link: w.link("/cases/" + row.Case.Case)})
	}
	var after []string
	if len(s.Rows) == 0 {
		after = append(after, w.text("desk.nothing_new"))
	}
	if more := t.Opened.Cases - len(s.Rows); more > 0 {
		after = append(after, w.text("mail.more", "n", more))
	}
	if t.Resolved.Cases > 0 {
		after = append(after, w.text("desk.resolved_since", "n", t.Resolved.Cases, "amount", view.SpellReais(t.Resolved.Amount, w.lang)))
	}
	s.After = strings.Join(after, " ")
	return s
}

func (w *digestWriter) listFollowUps(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.text("desk.follow_ups")}
	for i := range t.FollowUps[:min(len(t.FollowUps), followUpsShown)] {
		c := &t.FollowUps[i]
		note := view.SpellDate(c.FollowUp, w.lang)
		if c.Reference != "" {
			note += " · " + c.Reference
		}
		s.Rows = append(s.Rows, mail.Row{Text: c.Sentence, Note: note, Amount: w.reais(ledger.Amount(c.Open)), Link: w.link("/cases/" + c.Case)})
	}
	if more := len(t.FollowUps) - len(s.Rows); more > 0 {
		s.After = w.text("mail.more", "n", more)
	}
	return s
}

func (w *digestWriter) listCash(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.text("mail.cash")}
	if t.Cash == nil {
		return s
	}
	add := func(text string, a ledger.Amount) { s.Rows = append(s.Rows, mail.Row{Text: text, Amount: w.reais(a)}) }
	add(w.text("desk.received_lately"), t.Cash.Received)
	due := t.Cash.On(t.Cash.AsOf)
	add(w.text("desk.due_today"), due.Expected)
	if t.Cash.Blocked != 0 {
		add(w.text("desk.blocked"), t.Cash.Blocked)
	}
	for _, d := range t.Cash.Next(daysShown) {
		add(view.SpellDate(d.Day, w.lang), d.Expected)
	}
	return s
}

func (w *digestWriter) listAccounts(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.text("desk.accounts"), Note: w.text("figures.missing")}
	for i := range t.Accounts[:min(len(t.Accounts), accountsShown)] {
		a := &t.Accounts[i]
		coverage := w.text("desk.complete")
		if a.Complete != a.Days {
			coverage = w.text("desk.days_complete", "complete", a.Complete, "days", a.Days)
		}
		s.Rows = append(s.Rows, mail.Row{
			Text: strings.TrimSpace(a.Account.String() + " " + a.Name), Note: w.verdict(a.Verdict) + " · " + w.text("desk.coverage") + ": " + coverage,
			Amount: w.reais(a.Figures.Missing()), Link: w.link("/cases", "account", a.Account.String()),
		})
	}
	if more := len(t.Accounts) - len(s.Rows); more > 0 {
		s.After = w.text("mail.more", "n", more)
	}
	return s
}

func (w *digestWriter) listBanks(all bankview.BankConciliations) mail.Section {
	s := mail.Section{Title: w.text("desk.bank")}
	for i := range all {
		b := all[i]
		note := w.text("desk.bank_no_day")
		if b.Frontier != 0 {
			note = w.text("desk.bank_proven", "proven", view.SpellReais(b.Proven, w.lang), "received", view.SpellReais(b.Received, w.lang), "day", view.SpellDate(b.Frontier, w.lang))
		}
		s.Rows = append(s.Rows, mail.Row{Text: b.Bank, Note: note, Link: w.link("/bank/" + url.PathEscape(b.Bank))})
	}
	return s
}

func (w *digestWriter) listCauses(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.text("desk.causes")}
	for i := range t.Causes {
		c := &t.Causes[i]
		note := c.Next
		if c.Owner != "" {
			note = c.Owner + " · " + note
		}
		s.Rows = append(s.Rows, mail.Row{
			Text: c.Title + " (" + w.text("desk.cases_n", "n", c.Cases) + ")", Note: note, Amount: w.reais(c.Amount), Link: w.link("/cases", "code", c.Code),
		})
	}
	return s
}
