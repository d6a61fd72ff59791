package console

import (
	"net/url"
	"slices"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/store/ledger"
)

// itemLink is the page of the sale, slip or row of a bank account that a subject names; that of an installment or a split is its sale's.
func (c *Console) itemLink(text string) string {
	subject, ok := ledger.ParseSubject(text)
	if !ok {
		return ""
	}
	switch subject.Kind {
	case "slip":
		return c.Prefix + "/slips/" + url.PathEscape(text)
	case "sale", "card", "split":
		return c.Prefix + "/sales/" + url.PathEscape(text)
	case "group", "bank":
		if c.HasBanks && len(subject.Parts) > 0 {
			return c.Prefix + "/bank/" + url.PathEscape(subject.Parts[0]) + "/" + url.PathEscape(text)
		}
	case "own":
		if c.HasStores {
			return c.Prefix + "/own/" + url.PathEscape(text)
		}
	}
	return ""
}

// nameItemLink says where itemLink leads.
func nameItemLink(v *visit, subject string) string {
	switch kind, _, _ := strings.Cut(subject, ":"); kind {
	case "slip":
		return v.text("desk.see_slip")
	case "group", "bank":
		return v.text("desk.see_deposit")
	case "own":
		return v.text("desk.see_own")
	}
	return v.text("desk.see_sale")
}

// nameSubject is what people call the thing that a subject names: a sale by its numbers, a slip by the reference or nosso número that
// slips has for its id, a case about a month or a day by that. Empty: it has no other name than the subject.
func nameSubject(lang, text string, slips map[string]string) string {
	subject, ok := ledger.ParseSubject(text)
	if !ok {
		return ""
	}
	at := func(i int) string { return subject.Parts[i] }
	day := func(i int) string { return spellDay(at(i), lang) }
	switch n := len(subject.Parts); {
	case subject.Kind == "slip" && n == 1 && slips[at(0)] != "":
		return words.Text(lang, "desk.slip_named", "name", slips[at(0)])
	case subject.Kind == "slip" && n == 1:
		return words.Text(lang, "desk.slip", "id", at(0)[:min(len(at(0)), 8)])
	case subject.Kind == "group" && n >= 2:
		return words.Text(lang, "desk.group_named", "day", day(1))
	case subject.Kind == "bank" && n >= 3:
		if amount, err := ledger.ParseAmount(at(2)); err == nil {
			return words.Text(lang, "desk.line_named", "day", day(1), "amount", view.SpellReais(amount, lang))
		}
	case subject.Kind == "month" && n >= 1:
		if first, err := ledger.ParseDate(at(0) + "-01"); err == nil {
			return words.Text(lang, "desk.month_named", "month", spellMonth(first, lang))
		}
	case subject.Kind == "day":
		if i := slices.IndexFunc(subject.Parts, func(part string) bool { _, err := ledger.ParseDate(part); return err == nil }); i >= 0 {
			return words.Text(lang, "desk.day_named", "day", day(i))
		}
	case subject.Kind == "own" && n >= 2:
		return words.Text(lang, "desk.own_named", "sale", at(1), "store", at(0))
	}
	key, number, ok := subject.SaleKey()
	if !ok {
		return ""
	}
	name := words.Text(lang, "desk.nsu") + " " + key.NSU
	if key.Auth != "" {
		name += " · " + words.Text(lang, "desk.auth", "auth", key.Auth)
	}
	if number > 0 {
		name += " · " + words.Text(lang, "desk.installment", "number", number)
	}
	return name
}
