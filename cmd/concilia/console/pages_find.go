package console

import (
	"context"
	"net/url"
	"slices"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/jobs/explain"
	"concilia/jobs/find"
	"concilia/store/ledger"
)

// ItemSource answers about what was searched for, and everything about a sale or slip.
type ItemSource interface {
	// Find finds what was typed; wrong says why the words cannot be read, in the language. A document is a payer's, too, to who sees
	// payers.
	Find(ctx context.Context, accounts []ledger.Account, seesPayers bool, text, lang string) (found *view.Found, wrong string, err error)
	// Item is everything about a sale or slip by its subject, with the payer in the clear to who sees payers, as far as slips are configured
	// to show them.
	Item(ctx context.Context, subject string, seesPayers bool, lang string) (*caseview.Item, error)
}

func findRoutes() []route {
	return []route{
		{pattern: "GET /find", page: "find", do: showFound},
		{pattern: "GET /sales/{subject}", page: "item", do: showItem},
		{pattern: "GET /slips/{subject}", page: "item", do: showItem, under: "slips"},
	}
}

// findPage is what was found of some words.
type findPage struct {
	*view.Found // nil: nothing was asked for
	Text        string
	Wrong       string
	Links       []string // of the hits
}

// showFound finds what was typed. One exact hit leads straight to it.
func showFound(v *visit) error {
	page := &findPage{Text: newFields(v.r.URL.Query(), v.lang).text("q")}
	if page.Text == "" {
		return v.render("find", v.text("desk.find"), page)
	}
	found, wrong, err := v.source.Find(v.r.Context(), v.accounts(), v.person.Payers, page.Text, v.lang)
	if err != nil {
		return err
	}
	if wrong != "" {
		page.Wrong = wrong
		return v.renderAs(400, "find", v.text("desk.find"), page)
	}
	page.Found = found
	for i := range found.Hits {
		page.Links = append(page.Links, linkOfHit(&found.Hits[i]))
	}
	if len(found.Hits) == 1 && found.Total <= 1 && !found.TooMany {
		return v.redirect(page.Links[0])
	}
	return v.render("find", v.text("desk.find"), page)
}

// linkOfHit is the page of a case, sale or slip.
func linkOfHit(h *find.Hit) string {
	switch h.Kind {
	case find.CaseHit:
		return "/cases/" + url.PathEscape(h.Case)
	case find.SlipHit:
		return "/slips/" + url.PathEscape(h.Subject)
	case find.OwnHit:
		return "/own/" + url.PathEscape(h.Subject)
	}
	return "/sales/" + url.PathEscape(h.Subject)
}

// itemPage is everything about a sale or slip, in the words of the language.
type itemPage struct {
	caseview.Item
	Say *caseview.Speller
}

// seenDeposits are those of bank accounts of which the person may see every account.
func seenDeposits(v *visit, all []explain.ItemDeposit) []explain.ItemDeposit {
	return slices.DeleteFunc(all, func(d explain.ItemDeposit) bool {
		return slices.ContainsFunc(d.Accounts, func(a ledger.Account) bool { return !v.maySee(a.String()) })
	})
}

// showItem is everything about a sale or slip.
func showItem(v *visit) error {
	item, err := v.source.Item(v.r.Context(), v.r.PathValue("subject"), v.person.Payers, v.lang)
	if err != nil {
		return err
	}
	if !v.maySee(item.Account.String()) {
		return ErrNotFound
	}
	item.Deposits = seenDeposits(v, item.Deposits)
	if len(item.Stores) > 0 {
		seen, err := v.source.StoreIDs(v.r.Context(), v.accounts(), nil)
		if err != nil {
			return err
		}
		item.Stores = slices.DeleteFunc(item.Stores, func(s explain.ItemStore) bool { return !slices.Contains(seen, s.Store) || s.Subject == "" })
	}
	title := v.text("desk.one_sale") + " " + nameSubject(v.lang, item.Subject, nil)
	if parsed, ok := ledger.ParseSubject(item.Subject); ok && parsed.Kind == "slip" {
		title = nameSubject(v.lang, item.Subject, map[string]string{parsed.Parts[0]: item.SlipName()})
	}
	return v.render("item", title, &itemPage{*item, item.NewSpeller()})
}
