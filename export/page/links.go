package page

import (
	"net/url"
	"strings"

	"concilia/export"
	"concilia/export/html"
	"concilia/export/index"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/store/ledger"
)

// isInIndexes reports whether the indexes of the target have the set: they have no extract.
func isInIndexes(j *export.Job) bool { return !j.Extract }

// linkToIndex is the place of a table of the set in the index of its account; empty for a set that is in none.
func linkToIndex(j *export.Job, table string) string {
	if !isInIndexes(j) {
		return ""
	}
	return accountIndex + "#" + table + "_" + manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical())
}

// The indexes as seen from the folder of a set: that of its account, and that of all accounts.
const (
	accountIndex = "../../index.html"
	targetIndex  = "../../../index.html"
)

// listLinks returns the links below a page: the day before and the month of a state, the files of the account, and all accounts.
func listLinks(j *export.Job) []html.Link {
	if !isInIndexes(j) {
		return nil
	}
	var out []html.Link
	if j.Basis == report.ByAsOf {
		yesterday := ledger.Period{From: j.AsOf - 1, To: j.AsOf - 1}
		month := ledger.Period{From: yesterday.From.MonthStart(), To: yesterday.From.MonthEnd()}
		out = append(out,
			html.Link{Text: j.Text("page.day_before"), To: accountIndex + "#" + manifest.SetName(j.Account, report.ByAsOf, yesterday, "")},
			html.Link{Text: j.Text("page.month_of_the_day"), To: accountIndex + "#" + manifest.SetName(j.Account, report.ByOperation, month, "")},
		)
	}
	own := manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical())
	return append(out,
		html.Link{Text: j.Text("page.files_of_the_set"), To: accountIndex + "#" + own},
		html.Link{Text: j.Text("page.all_accounts"), To: targetIndex},
	)
}

// linkToAccount is the place of an account's own set in its index, from the page over all accounts.
func linkToAccount(j *export.Job, a ledger.Account) string {
	if !isInIndexes(j) {
		return ""
	}
	return "../../../" + index.FileName(a.String()) + "#" + manifest.SetName(a.String(), j.Basis, j.Period, j.Filter.Canonical())
}

// linkToConsole is the page of a case, a sale or a slip in the console; empty without the console's address, or without a subject.
func linkToConsole(j *export.Job, subject string) string {
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
	subject = strings.TrimPrefix(subject, asof.RecoveryAnchor)
	return strings.TrimRight(j.ConsoleURL, "/") + "/" + kind + "/" + url.PathEscape(subject)
}

// editionPattern returns what pages show in place of the revision, or of the digest of an extract, neither of which they contain.
func editionPattern(j *export.Job) string {
	if j.Extract {
		return manifest.ExtractPrefix + "*"
	}
	return "_r*"
}
