package export

import (
	"concilia/export/report"
	"concilia/store/ledger"
)

// CardRows is what the card rows of one account leave to its set: a set of several accounts of the same run, basis, period and
// filter takes it, so that rows are read once for both.
type CardRows struct {
	Summary *report.CardSummary
	verdict ledger.Verdict
	hasRows bool
}

// keepCardRows keeps what the card rows of the set's one account left, for Result.CardRows.
func (r *rendering) keepCardRows() {
	if r.job.Account == AllAccounts {
		return
	}
	r.result.CardRows = &CardRows{Summary: r.summary.CardSummary()}
	if c := r.causes; c != nil {
		r.result.CardRows.hasRows = len(c.rowsRead) > 0
		for _, v := range c.verdicts {
			r.result.CardRows.verdict = r.result.CardRows.verdict.Worse(v)
		}
	}
}

// addCardRows takes what the rows of Job.CardRows left.
func (r *rendering) addCardRows() {
	for account, rows := range r.job.CardRows {
		r.summary.AddCardSummary(rows.Summary)
		if c := r.causes; c != nil && rows.hasRows {
			c.rowsRead[accountSide{account, ledger.Cards.Side()}] = true
			c.verdicts[account] = c.verdicts[account].Worse(rows.verdict)
		}
	}
}
