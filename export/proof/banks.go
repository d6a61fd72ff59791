package proof

import (
	"maps"
	"slices"

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
func (p *Proof) listBanks(c *control.Writer) {
	for i := range p.job.Facts.Banks {
		b := &p.job.Facts.Banks[i]
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
		listBankBridge(c, b)
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
