package console

import "strings"

// route is a page: how it is asked for, its name in menu and metrics, and who answers.
type route struct {
	pattern string
	page    string
	do      func(*visit) error
}

// routes are all pages.
func (c *Console) routes() []route {
	return []route{
		{"GET /{$}", "today", showToday},
		{"GET /cases", "cases", showCases},
		{"GET /cases/{case}", "case", showCase},
		{"GET /files", "files", showFiles},
		{"GET /files/{sha256}/{name}", "file", sendFile},
		{"GET /index.html", "files", leadToFiles},
		{"GET /runs", "runs", showRuns},
		{"GET /runs/{run}", "run", showRun},
		{"GET /runs/{run}/progress", "progress", sendProgress},
		{"GET /runs/{from}/{to}", "diff", showDiff},
		{"GET /coverage", "coverage", showCoverage},
		{"GET /rules", "rules", showRules},
		{"GET /rules/{code}", "rule", showRule},
		{"GET /calendar", "calendar", leadToCalendar},
		{"GET /calendar/{year}", "calendar", showCalendar},
		{"GET /handbook", "handbook", showHandbook},
		{"GET /handbook/{topic}", "topic", showTopic},
		{"GET /me", "me", showMe},
		{"POST /me", "me", changeMe},
	}
}

// cutPattern is the method and the path of a pattern.
func cutPattern(pattern string) (method, path string, ok bool) { return strings.Cut(pattern, " ") }
