package console

import (
	"slices"
	"strings"

	"concilia/cmd/concilia/console/people"
)

// route is a page: how it is asked for, its name in menu and metrics, and who answers.
type route struct {
	pattern string
	page    string
	do      func(*visit) error
	needs   people.Role // that a person has to have; empty: reader
	open    bool        // to who is not signed in
	menu    string      // text of its entry in the menu; empty: it has none
	rarer   bool        // a narrow screen has that entry at the end of the page
	under   string      // page whose entry in the menu is marked for it
	banks   bool        // only where bank accounts are configured
	stores  bool        // only where stores are configured
	sends   bool        // a file, whose bytes go out as they are read; what the ledger says of it is no part of a page
	keeps   bool        // a form that comes without a session is shown again, filled, after signing in
}

// role is what a person has to have.
func (r *route) role() people.Role {
	if r.needs == "" {
		return people.Reader
	}
	return r.needs
}

// routes are all pages: those of the menu in its order.
func routes() []route {
	return slices.Concat(
		caseRoutes(), actRoutes(), slipRoutes(), moneyRoutes(), monthActRoutes(), letterRoutes(), bankRoutes(), storeRoutes(), fileRoutes(), runRoutes(),
		handbookRoutes(), findRoutes(), signInRoutes(),
	)
}

// menuEntry is a page of the menu.
type menuEntry struct {
	Path, Text string
	On         bool // it is shown, or a page under it
	Rarer      bool // a narrow screen has it at the end of the page
}

// listMenu is the menu of a visit.
func (v *visit) listMenu() (out []menuEntry) {
	for _, r := range routes() {
		if r.menu != "" && v.c.servesRoute(&r) {
			_, path, _ := cutPattern(r.pattern)
			out = append(out, menuEntry{strings.TrimSuffix(path, "{$}"), v.text(r.menu), r.page == v.page || r.page == v.under, r.rarer})
		}
	}
	return out
}

// servesRoute reports whether a page is there with what is configured.
func (c *Console) servesRoute(r *route) bool {
	return (c.HasBanks || !r.banks) && (c.HasStores || !r.stores)
}

// cutPattern is the method and the path of a pattern.
func cutPattern(pattern string) (method, path string, ok bool) { return strings.Cut(pattern, " ") }
