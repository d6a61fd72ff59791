package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/store/ledger"
)

// tombstonedFiles are the files of a revision that its tombstones name.
type tombstonedFiles struct {
	manifest   *manifest.Manifest
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

// FoundRevision is a revision that CheckTree read, to be compared with the ledger's record of it.
type FoundRevision struct {
	Manifest *manifest.Manifest
	File     string   // of the manifest, below the path that was verified
	Missing  []string // files that a tombstone says were taken away
}

// recordRevision keeps what is checked after all revisions are read. An extract has no row in the ledger's revisions.
func (v *verifier) recordRevision(path string, m *manifest.Manifest, c *setContents) {
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
func (v *verifier) readTombstones(ctx context.Context, path, sum string, m *manifest.Manifest) *tombstonedFiles {
	t := &tombstonedFiles{manifest: m, retired: make(map[string]string)}
	listed := make(map[string]string)
	for _, f := range m.Files {
		listed[f.Path] = f.SHA256
	}
	for _, tombstonePath := range v.tombstonePaths[strings.TrimSuffix(path, ".manifest.json")] {
		v.listed[tombstonePath] = true
		v.report.Files++
		body, err := manifest.ReadSmallFile(ctx, tombstonePath, manifest.SizeLimit)
		if err != nil {
			v.addError(tombstonePath, err)
			continue
		}
		of, retired, err := manifest.ReadTombstone(string(body))
		switch {
		case err != nil:
			v.addError(tombstonePath, err)
			continue
		case of != sum:
			v.addFault(tombstonePath, "verify_fault.is_of_a_manifest_with", "of", of, "manifest_name", m.ManifestName())
			continue
		}
		for _, name := range sortedKeys(retired) {
			if listed[name] != retired[name] {
				v.addFault(tombstonePath, "verify_fault.went_with_sha_256_its", "name", name, "retired", retired[name], "listed", fmt.Sprintf("%q", listed[name]))
				continue
			}
			t.retired[name] = retired[name]
		}
		day := manifest.TombstonePattern.FindStringSubmatch(filepath.Base(tombstonePath))[2]
		on, err := ledger.ParseDate(day[:4] + "-" + day[4:6] + "-" + day[6:])
		if err != nil {
			v.addError(tombstonePath, err)
		}
		t.tombstones = append(t.tombstones, &tombstone{path: tombstonePath, name: filepath.Base(tombstonePath), on: on, retired: retired})
	}
	return t
}

// addTombstonePath keeps the path of a tombstone under the prefix that it shares with its manifest.
func (v *verifier) addTombstonePath(path string) {
	m := manifest.TombstonePattern.FindStringSubmatch(filepath.Base(path))
	if m != nil {
		key := filepath.Join(filepath.Dir(path), "set_"+m[1])
		v.tombstonePaths[key] = append(v.tombstonePaths[key], path)
	}
}

// checkReplaced checks that each deleted file of a period was replaced by a later revision, since the current files are never
// deleted. The state of a day is replaced by the state of a later day, in another set; of the movement nothing is replaced, and a later set
// has to follow.
func (v *verifier) checkReplaced(path string, t *tombstonedFiles, revisions map[int]*manifest.Manifest) {
	v.checkRetiredByLedger(t)
	if m := t.manifest; m.Basis == report.ByAsOf {
		// A single directory may have been copied without later days; a whole tree has the last day.
		month := filepath.ToSlash(filepath.Dir(v.relativePath(path)))
		if len(t.missing) > 0 && v.lastStates[m.Account] <= m.To && monthPattern.MatchString(month) {
			v.addFault(path, "verify_fault.files_were_taken_away_and", "missing", len(t.missing), "account", m.Account)
		}
		return
	}
	if t.manifest.Basis == report.ByMovement {
		if len(t.missing) > 0 && !v.flat && !v.movement.hasLater(t.manifest) {
			v.addFault(path, "verify_fault.files_were_taken_away_and_2", "missing", len(t.missing), "account", t.manifest.Account)
		}
		return
	}
	for _, name := range t.missing {
		n, _ := manifest.ParseFileName(name)
		later := false
		for revision, m := range revisions {
			later = later || revision > n.Revision && slices.ContainsFunc(m.Files, func(f manifest.File) bool {
				o, ok := manifest.ParseFileName(f.Path)
				return ok && o.StemWithoutPart() == n.StemWithoutPart() && o.Ext == n.Ext
			})
		}
		if !later {
			v.addFault(filepath.Join(filepath.Dir(path), name), "verify_fault.missing_it_was_taken_away")
		}
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
		controlName: m.FileName(report.ControlTable.ID, report.CSV.Extension()),
		retired:     make(map[string]string),
	}
	for _, r := range c.controlRows {
		switch {
		case r.section != "files":
		case r.measure == control.MeasureRetired:
			v.retired[r.item] = r.value
		case r.measure == control.MeasureRetiredSince:
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
			v.addFault(unrecorded.path, "verify_fault.says_that_was_taken_away", "name", name, "value", control)
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
