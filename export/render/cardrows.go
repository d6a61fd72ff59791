package render

import (
	"concilia/export"
	"concilia/export/manifest"
)

// keepCardRows sets Result.CardRows of a set of one account, after the last card row.
func (r *rendering) keepCardRows() {
	if r.Job.Account == manifest.AllAccounts {
		return
	}
	r.Result.CardRows = &export.CardRows{Summary: r.Summary.CardSummary()}
	r.causes.FillCardRows(r.Result.CardRows)
}

// addCardRows adds the results in Job.CardRows to the summary and the verdicts.
func (r *rendering) addCardRows() {
	for account, rows := range r.Job.CardRows {
		r.Summary.AddCardSummary(rows.Summary)
		r.causes.AddCardRows(account, rows)
	}
}
