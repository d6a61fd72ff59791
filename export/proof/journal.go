package proof

import (
	"concilia/export"
	"concilia/export/control"
	"concilia/store/ledger/bookkeeping"
)

// listJournal lists what each role had, was debited and credited, and has, by the rows: what the entries have more is nothing.
func listJournal(c *control.Writer, job *export.Job) {
	j := job.Journal
	if j == nil {
		return
	}
	if !j.Chained {
		c.AddCount("set", "number", int64(j.Set))
	}
	c.AddText("set", "method", string(j.Chart.Method))
	c.AddText("set", "grain", string(j.Chart.Grain))
	var all export.JournalBalance
	for _, role := range bookkeeping.Roles() {
		var b export.JournalBalance
		used := false
		for i := range j.Balances {
			if o := &j.Balances[i]; o.Role == role {
				used = true
				b.Add(o)
			}
		}
		if !used {
			continue
		}
		all.Add(&b)
		item := string(role)
		if role.HasBalance() && (!j.Chained || j.First) {
			c.AddMoney(item, "opening", b.Opening, control.Note{})
		}
		c.AddMoney(item, "debits", b.Debits, control.Note{})
		c.AddMoney(item, "credits", b.Credits, control.Note{})
		if b.SkippedDebits != 0 || b.SkippedCredits != 0 {
			c.AddMoney(item, "skipped debits", b.SkippedDebits, control.Note{})
			c.AddMoney(item, "skipped credits", b.SkippedCredits, control.Note{})
		}
		if b.Role = role; role.HasBalance() && !j.Chained {
			c.AddResidual(item, "closing", b.Closing, b.Residual(), control.Note{})
		}
	}
	c.AddResidual("all", "debits", all.Debits, all.Debits-all.Credits, control.Note{})
	listTies(c, j.Ties)
}

// listTies lists what ties the journal with reports: of each the residual is next to the report's figure.
func listTies(c *control.Writer, ties []export.JournalTie) {
	for i := range ties {
		t := &ties[i]
		last := len(t.Lines) - 1
		for n, l := range t.Lines {
			switch {
			case n == last:
				c.AddResidual(t.Item, l.Measure, l.Amount, t.Residual, control.Note{})
			case n == 0 || l.Amount != 0:
				c.AddMoney(t.Item, l.Measure, l.Amount, control.Note{})
			}
		}
	}
}
