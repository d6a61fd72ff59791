package export

import (
	"net/url"
	"strings"

	"concilia/export/html"
	"concilia/export/index"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/store/ledger"
)

// A page of a set links to places in the indexes of its target and never to files, so that its bytes depend on no other revision.

// inIndexes reports whether the indexes of the target have the set: they have no extract.
func (j *Job) inIndexes() bool { return !j.Extract }

// linkToIndex is the place of a table of the set in the index of its account; empty for a set that is in none.
func (r *rendering) linkToIndex(table string) string {
	j := r.job
	if !j.inIndexes() {
		return ""
	}
	return accountIndex + "#" + table + "_" + manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical())
}

// The indexes as seen from the folder of a set: that of its account, and that of all accounts.
const (
	accountIndex = "../../index.html"
	targetIndex  = "../../../index.html"
)

// pageLinks are the links below a page: the day before and the month of a state, the files of the account, and all accounts.
func (r *rendering) pageLinks() []html.Link {
	j := r.job
	if !j.inIndexes() {
		return nil
	}
	var out []html.Link
	if j.Basis == report.ByAsOf {
		yesterday := ledger.Period{From: j.AsOf - 1, To: j.AsOf - 1}
		month := ledger.Period{From: yesterday.From.MonthStart(), To: yesterday.From.MonthEnd()}
		out = append(out,
			html.Link{Text: r.lookUpText("page.day_before"), To: accountIndex + "#" + manifest.SetName(j.Account, report.ByAsOf, yesterday, "")},
			html.Link{Text: r.lookUpText("page.month_of_the_day"), To: accountIndex + "#" + manifest.SetName(j.Account, report.ByOperation, month, "")},
		)
	}
	own := manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical())
	return append(out,
		html.Link{Text: r.lookUpText("page.files_of_the_set"), To: accountIndex + "#" + own},
		html.Link{Text: r.lookUpText("page.all_accounts"), To: targetIndex},
	)
}

// linkToAccount is the place of an account's own set in its index, from the page over all accounts.
func (j *Job) linkToAccount(a ledger.Account) string {
	if !j.inIndexes() {
		return ""
	}
	return "../../../" + index.FileName(a.String()) + "#" + manifest.SetName(a.String(), j.Basis, j.Period, j.Filter.Canonical())
}

// linkToConsole is the page of a case, a sale or a slip in the console; empty without the console's address, or without a subject.
func (j *Job) linkToConsole(subject string) string {
	if j.ConsoleURL == "" || subject == "" {
		return ""
	}
	kind := "cases"
	switch name, _, _ := strings.Cut(subject, ":"); name {
	case "card", "sale":
		kind = "sales"
	case "slip":
		kind = "slips"
	}
	subject = strings.TrimPrefix(subject, report.RecoveryAnchor)
	return strings.TrimRight(j.ConsoleURL, "/") + "/" + kind + "/" + url.PathEscape(subject)
}
