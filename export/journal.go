package export

import (
	"encoding/json"
	"fmt"

	"concilia/export/journal"
	"concilia/export/report"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// Journal is what a set of the journal shows besides its entries.
type Journal struct {
	Chart *journal.Chart
	// Set is the last set of the movement whose entries count.
	Set      int
	Balances []JournalBalance
	Ties     []JournalTie // with reports; of a period
	// Chained marks the journal in a set of the movement, which has the entries of that set alone, in formats of its own. First says
	// that no set before it has a journal.
	Chained, First bool
	Formats        []report.Format // if chained; else those of the job
}

// JournalBalance is what the journal has of a role and a brand. Skipped are the entries that the merchant's own system makes: they are
// in the balances and in no file.
type JournalBalance struct {
	journal.Balance
	SkippedDebits, SkippedCredits ledger.Amount
}

// JournalTie is a figure of the journal held against that of a report. The first line is the journal's and the last one the report's;
// those between explain the difference.
type JournalTie struct {
	Item  string
	Lines []JournalTieLine
	// Residual is what is left: zero.
	Residual ledger.Amount
}

// JournalTieLine is an amount of a tie.
type JournalTieLine struct {
	Measure string
	Amount  ledger.Amount
}

// contentDigest covers what files show that is in no row. A chart of maps is written in order of its keys.
func (j *Journal) contentDigest() string {
	text, err := json.Marshal(struct {
		Chart    *journal.Chart
		Balances []JournalBalance
		Ties     []JournalTie
	}{j.Chart, j.Balances, j.Ties})
	if err != nil {
		return err.Error() // no such value is in it
	}
	return DigestOf(map[string]string{"journal": string(text)})
}

// Residual is what the entries have in excess of the rows: zero.
func (b *JournalBalance) Residual() ledger.Amount {
	if !b.Role.HasBalance() {
		return 0
	}
	return b.Opening + b.Debits + b.SkippedDebits - b.Credits - b.SkippedCredits - b.Closing
}

// Add adds another balance.
func (b *JournalBalance) Add(o *JournalBalance) {
	b.Opening += o.Opening
	b.Debits += o.Debits
	b.Credits += o.Credits
	b.Closing += o.Closing
	b.SkippedDebits += o.SkippedDebits
	b.SkippedCredits += o.SkippedCredits
}

// NewHead is what files begin and end with: the balances of what is in them.
func (j *Journal) NewHead(job *Job) *journal.Head {
	h := &journal.Head{Document: string(job.Block.Document), Period: job.Period, Chained: j.Chained, First: j.First}
	if j.Chained {
		h.Period.From = job.Movement.From
	}
	h.Account = accountNumber(job.Account)
	for i := range j.Balances {
		b := j.Balances[i].Balance
		b.Closing -= j.Balances[i].SkippedDebits - j.Balances[i].SkippedCredits
		h.Balances = append(h.Balances, b)
	}
	return h
}

func accountNumber(text string) (a ledger.Account) {
	_, _ = fmt.Sscan(text, &a)
	return a
}

// IsOwnCSV reports whether the office has a file of its own in place of the table of a kind in a format.
func (j *Job) IsOwnCSV(k report.Kind, f report.Format) bool {
	return k == report.JournalKind && f == report.CSV && j.Journal != nil && j.Journal.Chart.HasOwnCSV()
}

// BookAccount is the account that a line of an entry is on.
func (j *Job) BookAccount(e *bookkeeping.Entry, r bookkeeping.Role) (code, path string) {
	a := j.Journal.Chart.AccountOf(e.Account, e.Brand, r)
	return a.Code, a.Path
}
