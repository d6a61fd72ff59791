package export

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/store/ledger"
)

// tombstonedFiles are the files of a revision that its tombstones name.
type tombstonedFiles struct {
	manifest   *Manifest
	retired    map[string]string // SHA-256 by name
	missing    []string          // of them, files that are not there
	tombstones []*tombstone
}

// tombstone lists the files of a manifest that were deleted on a day.
type tombstone struct {
	path, name string
	on         ledger.Date
	retired    map[string]string // SHA-256 by name
}

// FoundRevision is a revision that Verify read, to be compared with the ledger's record of it.
type FoundRevision struct {
	Manifest *Manifest
	File     string   // of the manifest, below the path that was verified
	Missing  []string // files that a tombstone says were taken away
}

// recordRevision keeps what is checked after all revisions are read. An extract has no row in the ledger's revisions.
func (v *verifier) recordRevision(path string, m *Manifest, c *setContents) {
	if m.Extract {
		return
	}
	v.report.Revisions = append(v.report.Revisions, FoundRevision{Manifest: m, File: v.relativePath(path), Missing: v.tombstoned[path].missing})
	if m.Basis == report.ByAsOf {
		v.lastStates[m.Account] = max(v.lastStates[m.Account], m.To)
	}
	if w, ok := c.retirementRecord(); ok {
		v.retirementRecords[m.Account] = append(v.retirementRecords[m.Account], w)
	}
}

// readTombstones reads the tombstones next to a manifest, and checks that each is of that manifest and of its files.
func (v *verifier) readTombstones(ctx context.Context, path, sum string, m *Manifest) *tombstonedFiles {
	t := &tombstonedFiles{manifest: m, retired: make(map[string]string)}
	listed := make(map[string]string)
	for _, f := range m.Files {
		listed[f.Path] = f.SHA256
	}
	for _, tombstonePath := range v.tombstonePaths[strings.TrimSuffix(path, ".manifest.json")] {
		v.listed[tombstonePath] = true
		v.report.Files++
		body, err := readSmallFile(ctx, tombstonePath, maxManifest)
		if err != nil {
			v.addFault(tombstonePath, "%v", err)
			continue
		}
		of, retired, err := readTombstone(string(body))
		switch {
		case err != nil:
			v.addFault(tombstonePath, "%v", err)
			continue
		case of != sum:
			v.addFault(tombstonePath, "is of a manifest with SHA-256 %s, not of %s", of, m.manifestName())
			continue
		}
		for _, name := range sortedKeys(retired) {
			if listed[name] != retired[name] {
				v.addFault(tombstonePath, "%s went with SHA-256 %s, its manifest says %q", name, retired[name], listed[name])
				continue
			}
			t.retired[name] = retired[name]
		}
		day := tombstonePattern.FindStringSubmatch(filepath.Base(tombstonePath))[2]
		on, err := ledger.ParseDate(day[:4] + "-" + day[4:6] + "-" + day[6:])
		if err != nil {
			v.addFault(tombstonePath, "%v", err)
		}
		t.tombstones = append(t.tombstones, &tombstone{path: tombstonePath, name: filepath.Base(tombstonePath), on: on, retired: retired})
	}
	return t
}

// addTombstonePath keeps the path of a tombstone under the prefix that it shares with its manifest.
func (v *verifier) addTombstonePath(path string) {
	m := tombstonePattern.FindStringSubmatch(filepath.Base(path))
	if m != nil {
		key := filepath.Join(filepath.Dir(path), "set_"+m[1])
		v.tombstonePaths[key] = append(v.tombstonePaths[key], path)
	}
}

// checkReplaced checks that each deleted file of a period was replaced by a later revision, since the current files are never
// deleted. The state of a day is replaced by the state of a later day, in another set.
func (v *verifier) checkReplaced(path string, t *tombstonedFiles, revisions map[int]*Manifest) {
	v.checkRetiredByLedger(t)
	if m := t.manifest; m.Basis == report.ByAsOf {
		// A single directory may have been copied without later days; a whole tree has the last day.
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

// RetiredFiles are the files of an account's sets that were deleted since its previous state set, from the ledger's records.
// The control of a state set lists them, so that Verify finds a forged tombstone without the ledger: the manifest has the hash
// of control, and the done marker has that of the manifest.
type RetiredFiles struct {
	// Since is the day of the previous state set. Files deleted on it or later, and before this set's day, are listed. 0: none
	// are listed, and no tombstone can be checked by this set.
	Since ledger.Date
	Files map[string]string // SHA-256 by name
}

// The measures of the rows of control that list deleted files, in section files of its own file.
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

// retirementRecord is the list of deleted files in the control of a state set, and the days it covers.
type retirementRecord struct {
	controlName string // file name of the control
	days        ledger.Period
	retired     map[string]string // SHA-256 by name
}

// retirementRecord reads the deleted files from the control of a state set; ok is false if it lists none.
func (c *setContents) retirementRecord() (v retirementRecord, ok bool) {
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
			v.days, ok = ledger.Period{From: since, To: m.To - 1}, err == nil && m.Basis == report.ByAsOf && m.Filter == ""
		}
	}
	return v, ok
}

// checkRetiredByLedger checks missing files against the controls of state sets: a control that covers the day of a file's
// tombstone has to list the file. Deletions since the last state set, or of an account without a state set here, are recorded
// in the ledger only. A file may have two tombstones if a run was killed before it recorded the first; either is enough.
func (v *verifier) checkRetiredByLedger(t *tombstonedFiles) {
	for _, name := range t.missing {
		var unrecorded *tombstone
		control := ""
		for _, s := range t.tombstones {
			if s.retired[name] == "" {
				continue
			}
			known, by := v.isRecorded(t.manifest.Account, name, s)
			if known || by == "" {
				unrecorded = nil
				break
			}
			unrecorded, control = s, by
		}
		if unrecorded != nil {
			v.addFault(unrecorded.path, "says that %s was taken away, and %s, which lists what was until its day, does not: no retention did", name, control)
		}
	}
}

// isRecorded reports whether a control of the account lists the file; if not, by is the control that covers its tombstone's day.
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
