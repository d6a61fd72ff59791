package page

import (
	"slices"

	"concilia/export"
	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/table"
)

// describeVerdictToday returns, for the page of a period, the scope of its verdict and today's verdict over all periods; empty for
// a state.
func describeVerdictToday(j *export.Job) string {
	if j.Basis == report.ByAsOf {
		return ""
	}
	id := "page.verdict_of_period"
	if report.IsWholeMonth(j.Period) {
		id = "page.verdict_of_month"
	}
	return j.Text(id, "today", j.Captions().VerdictWords(j.Facts.Verdict))
}

// listAccounts returns the accounts of a set over all of them, worst verdict first, then by number.
func listAccounts(j *export.Job, of []export.AccountFacts) []html.Account {
	accounts := slices.Clone(of)
	slices.SortStableFunc(accounts, func(a, b export.AccountFacts) int {
		switch {
		case a.Verdict == b.Verdict:
			return int(a.Account) - int(b.Account)
		case a.Verdict.Worse(b.Verdict) == a.Verdict:
			return -1
		}
		return 1
	})
	var out []html.Account
	for _, a := range accounts {
		line := html.Account{Number: a.Account.String(), Name: a.Name, Level: html.LevelOf(a.Verdict), Verdict: j.Captions().VerdictWords(a.Verdict), To: linkToAccount(j, a.Account)}
		for i, w := range a.Withheld {
			if i > 0 {
				line.Note += ", "
			}
			line.Note += kindlist.Words(w.Kind, j.Language) + " (" + w.Code + ")"
		}
		if a.NoSlips != "" {
			line.Note = kindlist.Words(report.SlipsKind, j.Language) + " (" + a.NoSlips + ")"
		}
		out = append(out, line)
	}
	return out
}

// listBanks returns the bank accounts as the page shows them.
func listBanks(j *export.Job) []html.Bank {
	if j.Basis != report.ByCredit && j.Basis != report.ByAsOf {
		return nil
	}
	var out []html.Bank
	for i := range j.Facts.Banks {
		b := &j.Facts.Banks[i]
		shown := html.Bank{Name: b.Bank, Proven: b.Proven, Received: b.Received}
		if b.Frontier != 0 {
			shown.Day = table.DateText(b.Frontier, j.Language)
		}
		out = append(out, shown)
	}
	return out
}
