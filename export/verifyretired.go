package export

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/store/ledger"
)

// tombstonedFiles are the files of a revision that were past their days, and the revision's manifest.
type tombstonedFiles struct {
	manifest   *Manifest
	retired    map[string]string // SHA-256 by name
	missing    []string          // those of them that are not there
	tombstones []*tombstone
}

// tombstone is a tombstone of a manifest.
type tombstone struct {
	path, name string
	on         ledger.Date
	retired    map[string]string // SHA-256 by name
}

// FoundRevision is a revision that Verify read. Whoever has its ledger holds it against what the ledger keeps of it.
type FoundRevision struct {
	Manifest *Manifest
	File     string   // of the manifest, below the path that was verified
	Missing  []string // files that a tombstone says were taken away
}

// recordRevision keeps what is told of a revision when all of them are read. An extract stands in no row of revisions.
func (v *verifier) recordRevision(path string, m *Manifest, c *setContents) {
	if m.Extract {
		return
	}
	v.report.Revisions = append(v.report.Revisions, FoundRevision{Manifest: m, File: v.relativePath(path), Missing: v.tombstoned[path].missing})
	if m.Basis == report.ByAsOf {
		v.lastStates[m.Account] = max(v.lastStates[m.Account], m.To)
	}
	if w, tells := c.retirementRecord(); tells {
		v.retirementRecords[m.Account] = append(v.retirementRecords[m.Account], w)
	}
}

// readTombstones reads the tombstones that stand beside a manifest. Each has to be of that manifest and of its files.
func (v *verifier) readTombstones(path, sum string, m *Manifest) *tombstonedFiles {
	t := &tombstonedFiles{manifest: m, retired: make(map[string]string)}
	listed := make(map[string]string)
	for _, f := range m.Files {
		listed[f.Path] = f.SHA256
	}
	for _, stone := range v.tombstonePaths[strings.TrimSuffix(path, ".manifest.json")] {
		v.listed[stone] = true
		v.report.Files++
		body, err := os.ReadFile(stone)
		if err != nil {
			v.addFault(stone, "%v", err)
			continue
		}
		of, gone, err := readTombstone(string(body))
		switch {
		case err != nil:
			v.addFault(stone, "%v", err)
			continue
		case of != sum:
			v.addFault(stone, "is of a manifest with SHA-256 %s, not of %s", of, m.manifestName())
			continue
		}
		for _, name := range sortedKeys(gone) {
			if listed[name] != gone[name] {
				v.addFault(stone, "%s went with SHA-256 %s, its manifest says %q", name, gone[name], listed[name])
				continue
			}
			t.retired[name] = gone[name]
		}
		day := tombstonePattern.FindStringSubmatch(filepath.Base(stone))[2]
		on, err := ledger.ParseDate(day[:4] + "-" + day[4:6] + "-" + day[6:])
		if err != nil {
			v.addFault(stone, "%v", err)
		}
		t.tombstones = append(t.tombstones, &tombstone{path: stone, name: filepath.Base(stone), on: on, retired: gone})
	}
	return t
}

// addTombstonePath notes a tombstone by the path that it shares with its manifest.
func (v *verifier) addTombstonePath(path string) {
	m := tombstonePattern.FindStringSubmatch(filepath.Base(path))
	if m != nil {
		key := filepath.Join(filepath.Dir(path), "set_"+m[1])
		v.tombstonePaths[key] = append(v.tombstonePaths[key], path)
	}
}

// checkReplaced checks that what went of a period was replaced: what stands of it always stays. The state of a day is replaced
// by that of another, which stands elsewhere.
func (v *verifier) checkReplaced(path string, t *tombstonedFiles, revisions map[int]*Manifest) {
	v.checkRetiredByLedger(t)
	if m := t.manifest; m.Basis == report.ByAsOf {
		// A directory of its own may have been copied without those of later days; a whole tree has the last one.
		month := filepath.ToSlash(filepath.Dir(v.relativePath(path)))
		if len(t.missing) > 0 && v.lastStates[m.Account] <= m.To && monthPattern.MatchString(month) {
			v.addFault(path, "%d files were taken away, and no later state of account %s is here: the last one stays", len(t.missing), m.Account)
		}
		return
	}
	for _, name := range t.missing {
		n, _ := parseFileName(name)
		later := false
		for revision, m := range revisions {
			later = later || revision > n.revision && slices.ContainsFunc(m.Files, func(f File) bool {
				o, ok := parseFileName(f.Path)
				return ok && o.stemWithoutPart() == n.stemWithoutPart() && o.ext == n.ext
			})
		}
		if !later {
			v.addFault(filepath.Join(filepath.Dir(path), name), "missing: it was taken away, and no later revision has one: what stands of a period stays")
		}
	}
}

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
