package export

import (
	"maps"
	"slices"

	"concilia/export/control"
	"concilia/export/html"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// BankFacts are what a run concluded of a bank account, for the period of a set.
type BankFacts struct {
	ledger.BankStanding
	// Proven of Received came to the cent: of what the service says it paid with bank days up to the frontier, in the period or, of a
	// state, ever since.
	Proven, Received ledger.Amount
	Bridge           []ledger.BankBridgeAmount // of the months of the period
	States           map[ledger.BankDayState]int64
}

// The ends of the bridge of a bank account.
const (
	bankReceived = "received"
	bankBooked   = "booked"
)

// listBanks lists, for each bank account, up to when its days are settled, what is proven, and the bridge of each month with what
// it leaves.
func (p *setProof) listBanks(c *control.Writer) {
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
		b.listBridge(c)
	}
}

func (b *BankFacts) listBridge(c *control.Writer) {
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

// pageBanks are the bank accounts as the page shows them.
func (r *rendering) pageBanks() []html.Bank {
	if r.job.Basis != report.ByCredit && r.job.Basis != report.ByAsOf {
		return nil
	}
	var out []html.Bank
	for i := range r.job.Facts.Banks {
		b := &r.job.Facts.Banks[i]
		shown := html.Bank{Name: b.Bank, Proven: b.Proven, Received: b.Received}
		if b.Frontier != 0 {
			shown.Day = table.DateText(b.Frontier, r.job.Language)
		}
		out = append(out, shown)
	}
	return out
}
