package export

import (
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// The rows of control that say where a log of acts ended: what was published is out of the reach of whoever can write
// to the ledger, so that an end that was cut off shows.
const (
	actsItem   = "acts " // and the account
	actsNumber = "last_act"
	actsHash   = "last_act_hash"
)

// actsOf lists where the logs ended when the set was rendered.
func (p *proof) actsOf(c *controlWriter) {
	for _, end := range p.job.Facts.Acts {
		item := actsItem + end.Account.String()
		c.count(item, actsNumber, end.Number)
		if end.Number > 0 {
			c.hash(item, actsHash, end.Hash)
		}
	}
}

// End is where a log of acts ended when a set was rendered, as its control says.
type End struct {
	ledger.ActLogEnd
	Set  string // account of the set: its digits, or AllAccounts
	Run  string // that rendered it
	File string // its manifest, below the path that was verified
}

// ends are those that the control of a set names.
func (c *contents) ends() []End {
	var out []End
	for _, r := range c.proof {
		account, ok := strings.CutPrefix(r.item, actsItem)
		n, err := strconv.ParseInt(account, 10, 64)
		if r.section != "run" || !ok || err != nil {
			continue
		}
		switch r.measure {
		case actsNumber:
			end := End{Set: c.manifest.Account, Run: c.manifest.Run}
			end.Account = ledger.Account(n)
			// A number that is none is one that no log has.
			if end.Number, err = strconv.ParseInt(r.value, 10, 64); err != nil {
				end.Number = -1
			}
			out = append(out, end)
		case actsHash:
			if len(out) > 0 && out[len(out)-1].Account == ledger.Account(n) {
				out[len(out)-1].Hash = r.value
			}
		}
	}
	return out
}
