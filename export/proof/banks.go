package proof

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/export"
	"concilia/export/control"
	"concilia/store/ledger"
)

// The ends of the bridge of a bank account.
const (
	bankReceived = "received"
	bankBooked   = "booked"
)

// listBanks lists, for each bank account, up to when its days are settled, what is proven, and the bridge of each month with what
// it leaves.
func listBanks(c *control.Writer, job *export.Job) {
	for i := range job.Facts.Banks {
		b := &job.Facts.Banks[i]
		c.AddText(b.Bank, "verdict", string(b.Verdict))
		if b.Frontier != 0 {
			c.AddDate(b.Bank, "settled_to", b.Frontier)
		}
		if b.Voided > 0 {
			c.AddCount(b.Bank, "voided_acts", b.Voided)
		}
		c.AddMoney(b.Bank, bankReceived, b.Received, control.Note{})
		c.AddMoney(b.Bank, "proven", b.Proven, control.Note{})
		for _, state := range slices.Sorted(maps.Keys(b.States)) {
			c.AddCount(b.Bank, "day_"+string(state), b.States[state])
		}
		listBankReading(c, b)
		listBankBridge(c, b)
	}
}

// listBankReading lists what statements were read, which of their lines belong to no payer, what takes no part, how the payers pay, and what each
// pass matched.
func listBankReading(c *control.Writer, b *export.BankFacts) {
	c.AddCount(b.Bank, "statements_read", b.Read.Files)
	c.AddCount(b.Bank, "other_lines", b.Other)
	for _, n := range []struct {
		measure string
		count   int64
	}{{"early_items", b.Early}, {"undated_items", b.Undated}, {"scheduled_lines", b.Scheduled}} {
		c.AddCount(b.Bank, n.measure, n.count)
	}
	for reading := range strings.Lines(b.Readings) {
		payer, how, _ := strings.Cut(strings.TrimSuffix(reading, "\n"), ": ")
		c.AddText(b.Bank+" "+payer, "reading", how)
	}
	if b.Read.BalanceRows > 0 {
		c.AddCount(b.Bank, "balance_rows", b.Read.BalanceRows)
	}
	if b.Read.Blocked > 0 {
		c.AddCount(b.Bank, "blocked_rows", b.Read.Blocked)
	}
	for _, p := range b.Passes {
		item := fmt.Sprintf("%s pass %d", b.Bank, p.Pass)
		c.AddCount(item, "pass_matches", p.Matches)
		c.AddMoney(item, "pass_expected", p.Expected, control.Note{})
		c.AddMoney(item, "pass_credited", p.Credited, control.Note{})
	}
}

func listBankBridge(c *control.Writer, b *export.BankFacts) {
	months := map[ledger.Date]map[string]ledger.Amount{}
	for _, l := range b.Bridge {
		if months[l.Month] == nil {
			months[l.Month] = map[string]ledger.Amount{}
		}
		months[l.Month][l.Line] = l.Amount
	}
	for _, month := range slices.Sorted(maps.Keys(months)) {
		lines := months[month]
		item := b.Bank + " " + month.String()[:7]
		rest := lines[bankReceived] - lines[bankBooked]
		c.AddMoney(item, bankReceived, lines[bankReceived], control.Note{})
		for _, line := range slices.Sorted(maps.Keys(lines)) {
			if line != bankReceived && line != bankBooked {
				c.AddMoney(item, line, lines[line], control.Note{})
				rest -= lines[line]
			}
		}
		c.AddResidual(item, bankBooked, lines[bankBooked], rest, control.Note{})
	}
}
