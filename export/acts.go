package export

import (
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// The rows of control that say where a log of acts ended: what was published is out of the reach of whoever can write
// to the ledger, so that an end that was cut off shows.
const (
	actLogItem         = "acts " // and the account
	measureLastAct     = "last_act"
	measureLastActHash = "last_act_hash"
)

// listActLogEnds lists where the logs ended when the set was rendered.
func (p *setProof) listActLogEnds(c *controlWriter) {
	for _, end := range p.job.Facts.Acts {
		item := actLogItem + end.Account.String()
		c.addCount(item, measureLastAct, end.Number)
		if end.Number > 0 {
			c.addHash(item, measureLastActHash, end.Hash)
		}
	}
}

// RecordedActLogEnd is where a log of acts ended when a set was rendered, as its control says.
type RecordedActLogEnd struct {
	ledger.ActLogEnd
	Set  string // account of the set: its digits, or AllAccounts
	Run  string // that rendered it
	File string // its manifest, below the path that was verified
}

// actLogEnds are those that the control of a set names.
func (c *setContents) actLogEnds() []RecordedActLogEnd {
	var out []RecordedActLogEnd
	for _, r := range c.controlRows {
		account, ok := strings.CutPrefix(r.item, actLogItem)
		n, err := strconv.ParseInt(account, 10, 64)
		if r.section != "run" || !ok || err != nil {
			continue
		}
		switch r.measure {
		case measureLastAct:
			end := RecordedActLogEnd{Set: c.manifest.Account, Run: c.manifest.Run}
			end.Account = ledger.Account(n)
			// A number that is none is one that no log has.
			if end.Number, err = strconv.ParseInt(r.value, 10, 64); err != nil {
				end.Number = -1
			}
			out = append(out, end)
		case measureLastActHash:
			if len(out) > 0 && out[len(out)-1].Account == ledger.Account(n) {
				out[len(out)-1].Hash = r.value
			}
		}
	}
	return out
}
