package export

import (
	"maps"
	"slices"

	"concilia/export/report"
	"concilia/store/ledger"
)

// RetiredFiles is what was taken away of an account's sets since its state set before, by the ledger. The control of a state
// set tells it, so that a tombstone no ledger knows of is found out by whoever has the files alone: the manifest holds
// the hash of control, and the mark that of the manifest.
type RetiredFiles struct {
	// Since is the day of the state set before: what went on it or later, and before this set's day, is told. None: nothing
	// is told, and no tombstone can be held against the set.
	Since ledger.Date
	Files map[string]string // SHA-256 by name
}

// The measures of the rows of control that tell of what went, in section files of its own file.
const (
	measureRetired      = "retired"
	measureRetiredSince = "retired_since"
)

func (p *setProof) listRetired(c *controlWriter) {
	r := p.job.Facts.Retired
	if r.Since == 0 {
		return
	}
	c.addDate("set", measureRetiredSince, r.Since)
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		c.addHash(name, measureRetired, r.Files[name])
	}
}

// retirementRecord is a state set whose control tells what went in a span of days.
type retirementRecord struct {
	controlName string // its name
	days        ledger.Period
	retired     map[string]string // SHA-256 by name
}

// retirementRecord reads what the control of a state set tells of what went, if it does.
func (c *setContents) retirementRecord() (v retirementRecord, tells bool) {
	m := c.manifest
	v = retirementRecord{
		controlName: m.fileName(report.ControlTable.ID, report.CSV.Extension()),
		retired:     make(map[string]string),
	}
	for _, r := range c.controlRows {
		switch {
		case r.section != "files":
		case r.measure == measureRetired:
			v.retired[r.item] = r.value
		case r.measure == measureRetiredSince:
			since, err := ledger.ParseDate(r.value)
			v.days, tells = ledger.Period{From: since, To: m.To - 1}, err == nil && m.Basis == report.ByAsOf && m.Filter == ""
		}
	}
	return v, tells
}

// checkRetiredByLedger checks that the ledger took away what is missing: a control that tells of the day of a file's tombstone has to
// name the file. Of what went since the last state set, or of an account without any here, only the ledger can tell. One
// file may have two tombstones, when a night was killed before it remembered the first: either is enough.
func (v *verifier) checkRetiredByLedger(t *tombstonedFiles) {
	for _, name := range t.missing {
		var blamed *tombstone
		silent := ""
		for _, s := range t.tombstones {
			if s.retired[name] == "" {
				continue
			}
			known, by := v.isRecorded(t.manifest.Account, name, s)
			if known || by == "" {
				blamed = nil
				break
			}
			blamed, silent = s, by
		}
		if blamed != nil {
			v.addFault(blamed.path, "says that %s was taken away, and %s, which lists what was until its day, does not: no retention did", name, silent)
		}
	}
}

// isRecorded says whether a control of the account names the file, and else which one tells of the day of its tombstone.
func (v *verifier) isRecorded(account, name string, s *tombstone) (known bool, by string) {
	for _, w := range v.retirementRecords[account] {
		if w.retired[name] == s.retired[name] {
			return true, w.controlName
		}
		if w.days.From <= s.on && s.on <= w.days.To {
			by = w.controlName
		}
	}
	return false, by
}
