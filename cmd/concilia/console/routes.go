package console

import "strings"

// route is a page: how it is asked for, its name in menu and metrics, and who answers.
type route struct {
	pattern string
	page    string
	do      func(*visit) error
	needs   Role // that a person has to have; empty: reader
	open    bool // to who is not signed in
	banks   bool // only where bank accounts are configured
	keeps   bool // a form that comes without a session is shown again, filled, after signing in
}

// role is what a person has to have.
func (r *route) role() Role {
	if r.needs == "" {
		return Reader
	}
	return r.needs
}

// routes are all pages.
func (c *Console) routes() []route {
	return []route{
		{pattern: "GET /{$}", page: "today", do: showToday},
		{pattern: "GET /cases", page: "cases", do: showCases},
		{pattern: "GET /cases/{case}", page: "case", do: showCase},
		{pattern: "POST /cases/act", page: "act", do: actOnCases, needs: Actor, keeps: true},
		{pattern: "GET /find", page: "find", do: showFound},
		{pattern: "GET /sales/{subject}", page: "item", do: showItem},
		{pattern: "GET /slips/{subject}", page: "item", do: showItem},
		{pattern: "GET /forecast", page: "forecast", do: showForecast},
		{pattern: "GET /months", page: "months", do: showMonths},
		{pattern: "GET /months/{month}", page: "month", do: showMonth},
		{pattern: "POST /months/{month}/act", page: "monthact", do: actOnMonth, needs: Manager},
		{pattern: "GET /bank", page: "bank", do: showBanks, banks: true},
		{pattern: "GET /bank/{id}", page: "bank", do: showBanks, banks: true},
		{pattern: "GET /bank/{id}/{subject}", page: "bankitem", do: showBankItem, banks: true},
		{pattern: "GET /claims", page: "claims", do: showClaims},
		{pattern: "GET /claims/letter", page: "letter", do: showLetter},
		{pattern: "GET /files", page: "files", do: showFiles},
		{pattern: "GET /files/{sha256}/{name}", page: "file", do: sendFile},
		{pattern: "GET /index.html", page: "files", do: leadToFiles},
		{pattern: "GET /runs", page: "runs", do: showRuns},
		{pattern: "GET /runs/{run}", page: "run", do: showRun},
		{pattern: "GET /runs/{run}/progress", page: "progress", do: sendProgress},
		{pattern: "GET /runs/{from}/{to}", page: "diff", do: showDiff},
		{pattern: "GET /coverage", page: "coverage", do: showCoverage},
		{pattern: "GET /rules", page: "rules", do: showRules},
		{pattern: "GET /rules/{code}", page: "rule", do: showRule},
		{pattern: "GET /calendar", page: "calendar", do: leadToCalendar},
		{pattern: "GET /calendar/{year}", page: "calendar", do: showCalendar},
		{pattern: "GET /handbook", page: "handbook", do: showHandbook},
		{pattern: "GET /handbook/{topic}", page: "topic", do: showTopic},
		{pattern: "GET /me", page: "me", do: showMe},
		{pattern: "POST /me", page: "me", do: changeMe},
		{pattern: "GET /login", page: "login", do: showLogin, open: true},
		{pattern: "POST /login", page: "login", do: signIn, open: true},
		{pattern: "POST /logout", page: "logout", do: signOut},
	}
}

// cutPattern is the method and the path of a pattern.
func cutPattern(pattern string) (method, path string, ok bool) { return strings.Cut(pattern, " ") }
