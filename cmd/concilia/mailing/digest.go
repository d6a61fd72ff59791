package mailing

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"concilia/cmd/concilia/console"
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
	var today *caseview.Today
	var banks bankview.BankConciliations
	err := source.Snapshot(ctx, func(at console.Source) (err error) {
		if today, err = at.Today(ctx, accounts, lang); err == nil && len(c.Banks) > 0 {
			banks, err = at.Banks(ctx, accounts, "")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	w := newDigestWriter(c, lang)
	subject := w.writeSubject(today)
	if isUpdate {
		subject = w.lookUpText("mail.update", "subject", subject)
	}
	return mail.Write(subject, w.writePage(today, banks))
}

func (w *digestWriter) lookUpText(id string, values ...any) string {
	return words.Text(w.lang, id, values...)
}

func (w *digestWriter) formatReais(a ledger.Amount) string {
	return "R$\u00a0" + view.SpellReais(a, w.lang)
}

// linkTo is an address of the console; empty where it has none.
func (w *digestWriter) linkTo(path string, query ...string) string {
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
	subject := w.lookUpText("mail.subject", "day", day, "verdict", w.nameVerdict(t.Verdict))
	if n := t.Opened.Cases; n > 0 {
		subject += " · " + w.lookUpText("mail.subject_new", "n", n)
	}
	return subject
}

func (w *digestWriter) nameVerdict(v ledger.Verdict) string {
	if v == "" {
		v = ledger.Incomplete
	}
	return w.lookUpText("verdicts." + string(v))
}

// writePage is the first page in the order in which the console shows it.
func (w *digestWriter) writePage(t *caseview.Today, banks bankview.BankConciliations) *mail.Page {
	p := &mail.Page{
		Language: w.lang, Good: t.Figures.Missing() == 0,
		Title:    w.lookUpText("mail.title", "day", view.SpellDate(t.AsOf, w.lang), "verdict", w.nameVerdict(t.Verdict)),
		Headline: w.lookUpText("desk.nothing_missing"),
		Foot:     w.lookUpText("mail.foot", "index", w.index),
	}
	for i, row := range caseview.FigureRows(t.Figures) {
		switch {
		case i > 0:
			p.Lines = append(p.Lines, w.lookUpText("figures."+row.ID)+": "+w.formatReais(row.Amount))
		case row.Amount != 0:
			p.Headline = w.lookUpText("figures."+row.ID) + ": " + w.formatReais(row.Amount)
		}
	}
	if t.ActsSince > 0 {
		p.Lines = append(p.Lines, w.lookUpText("mail.acts_since", "n", t.ActsSince))
	}
	if t.FilesWait > 0 {
		p.Lines = append(p.Lines, w.lookUpText("desk.files_wait", "n", t.FilesWait))
	}
	if n := len(t.NotJudged); n > 0 {
		p.Lines = append(p.Lines, w.lookUpText("desk.not_judged", "n", n)+".")
	}
	p.Sections = appendFilled(p.Sections, w.listWithheld(t))
	p.Sections = append(p.Sections, w.listNew(t))
	p.Sections = appendFilled(p.Sections, w.listFollowUps(t), w.listCash(t), w.listAccounts(t), w.listBanks(banks), w.listCauses(t))
	if w.base != "" {
		p.Links = []mail.Link{{Text: w.lookUpText("mail.open_console"), Address: w.linkTo("/")}, {Text: w.lookUpText("mail.open_files"), Address: w.linkTo("/files")}}
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

// listWithheld are the reports that a critical case withholds.
func (w *digestWriter) listWithheld(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.lookUpText("mail.withheld")}
	for _, of := range t.Withheld {
		s.Rows = append(s.Rows, mail.Row{
			Text: w.lookUpText("desk.account") + " " + of.Account.String() + ": " + w.lookUpText("kinds."+of.Kind),
			Note: w.lookUpText("mail.withheld_by", "rule", caseview.RuleTitle(of.Code, w.lang)),
			Link: w.linkTo("/cases", "account", of.Account.String(), "code", of.Code),
		})
	}
	return s
}

// noteCase is what a list says of a case besides its sentence and amount, in the order in which the console's lists have it.
func (w *digestWriter) noteCase(row *caseview.CaseRow) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch {
	case row.NSU != "":
		add(w.lookUpText("desk.nsu") + " " + row.NSU)
		if row.Auth != "" {
			add(w.lookUpText("desk.auth", "auth", row.Auth))
		}
	case row.SlipName != "":
		add(w.lookUpText("desk.slip_named", "name", row.SlipName))
	case row.Slip != "":
		add(w.lookUpText("desk.slip", "id", row.Slip[:min(len(row.Slip), 8)]))
	}
	if row.Due != 0 {
		add(w.lookUpText("desk.due") + " " + view.SpellDate(row.Due, w.lang))
	}
	add(row.Owner)
	add(w.lookUpText("desk.account") + " " + row.Account.String())
	add(row.Code)
	return strings.Join(parts, " · ")
}

// formatImpact is the amount of a case; empty for one that has none.
func (w *digestWriter) formatImpact(row *caseview.CaseRow) string {
	if !row.Impact.OK {
		return ""
	}
	return w.formatReais(row.Impact.V)
}

// addReais is an amount behind a text; nothing for none.
func (w *digestWriter) addReais(a ledger.Amount) string {
	if a == 0 {
		return ""
	}
	return " · " + w.formatReais(a)
}

func (w *digestWriter) listNew(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.lookUpText("desk.new_cases")}
	if t.Since != 0 && t.Opened.Cases > 0 {
		s.Note = w.lookUpText("desk.new_since", "n", t.Opened.Cases, "day", view.SpellDate(t.Since, w.lang)) + w.addReais(t.Opened.Amount)
	}
	for i := range t.Opened.Rows {
		row := &t.Opened.Rows[i]
		s.Rows = append(s.Rows, mail.Row{Text: row.Sentence, Note: w.noteCase(row), Amount: w.formatImpact(row), Link: w.linkTo("/cases/" + row.Case.Case)})
	}
	var after []string
	if len(s.Rows) == 0 {
		after = append(after, w.lookUpText("desk.nothing_new"))
	}
	if more := t.Opened.Cases - len(s.Rows); more > 0 {
		after = append(after, w.lookUpText("mail.more", "n", more))
	}
	if t.Resolved.Cases > 0 {
		after = append(after, w.lookUpText("desk.resolved_since", "n", t.Resolved.Cases)+w.addReais(t.Resolved.Amount))
	}
	s.After = strings.Join(after, " ")
	return s
}

func (w *digestWriter) listFollowUps(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.lookUpText("desk.follow_ups")}
	for i := range t.FollowUps[:min(len(t.FollowUps), followUpsShown)] {
		c := &t.FollowUps[i]
		note := view.SpellDate(c.FollowUp, w.lang)
		if c.Reference != "" {
			note += " · " + c.Reference
		}
		s.Rows = append(s.Rows, mail.Row{Text: c.Sentence, Note: note, Amount: w.formatReais(ledger.Amount(c.Open)), Link: w.linkTo("/cases/" + c.Case)})
	}
	if more := len(t.FollowUps) - len(s.Rows); more > 0 {
		s.After = w.lookUpText("mail.more", "n", more)
	}
	return s
}

func (w *digestWriter) listCash(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.lookUpText("mail.cash")}
	if t.Cash == nil {
		return s
	}
	add := func(text string, a ledger.Amount) {
		s.Rows = append(s.Rows, mail.Row{Text: text, Amount: w.formatReais(a)})
	}
	add(w.lookUpText("desk.received_lately"), t.Cash.Received)
	due := t.Cash.On(t.Cash.AsOf)
	add(w.lookUpText("desk.due_today"), due.Expected)
	if t.Cash.Blocked != 0 {
		add(w.lookUpText("desk.blocked"), t.Cash.Blocked)
	}
	for _, d := range t.Cash.Next(daysShown) {
		add(view.SpellDate(d.Day, w.lang), d.Expected)
	}
	return s
}

func (w *digestWriter) listAccounts(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.lookUpText("desk.accounts"), Note: w.lookUpText("figures.missing")}
	for i := range t.Accounts[:min(len(t.Accounts), accountsShown)] {
		a := &t.Accounts[i]
		coverage := w.lookUpText("desk.complete")
		if a.Complete != a.Days {
			coverage = w.lookUpText("desk.days_complete", "complete", a.Complete, "days", a.Days)
		}
		s.Rows = append(s.Rows, mail.Row{
			Text: strings.TrimSpace(a.Account.String() + " " + a.Name), Note: w.nameVerdict(a.Verdict) + " · " + w.lookUpText("desk.coverage") + ": " + coverage,
			Amount: w.formatReais(a.Figures.Missing()), Link: w.linkTo("/cases", "account", a.Account.String()),
		})
	}
	if more := len(t.Accounts) - len(s.Rows); more > 0 {
		s.After = w.lookUpText("mail.more", "n", more)
	}
	return s
}

func (w *digestWriter) listBanks(all bankview.BankConciliations) mail.Section {
	s := mail.Section{Title: w.lookUpText("desk.bank")}
	for i := range all {
		b := all[i]
		note := w.lookUpText("desk.bank_no_day")
		if b.Frontier != 0 {
			note = w.lookUpText("desk.bank_proven", "proven", view.SpellReais(b.Proven, w.lang), "received", view.SpellReais(b.Received, w.lang), "day", view.SpellDate(b.Frontier, w.lang))
		}
		s.Rows = append(s.Rows, mail.Row{Text: b.Bank, Note: note, Link: w.linkTo("/bank/" + url.PathEscape(b.Bank))})
	}
	return s
}

func (w *digestWriter) listCauses(t *caseview.Today) mail.Section {
	s := mail.Section{Title: w.lookUpText("desk.causes")}
	for i := range t.Causes {
		c := &t.Causes[i]
		note := c.Next
		if c.Owner != "" {
			note = c.Owner + " · " + note
		}
		link := w.linkTo("/cases", "code", c.Code)
		if c.Case != "" {
			link = w.linkTo("/cases/" + c.Case)
		}
		s.Rows = append(s.Rows, mail.Row{
			Text: c.Title + " (" + w.lookUpText("desk.cases_n", "n", c.Cases) + ")", Note: note, Amount: w.formatReais(c.Amount), Link: link,
		})
	}
	return s
}
