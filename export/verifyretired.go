package export

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/store/ledger"
)

// takenAway are the files of a revision that were past their days, and the revision's manifest.
type takenAway struct {
	manifest *Manifest
	gone     map[string]string // SHA-256 by name
	missing  []string          // those of them that are not there
	stones   []*stoneFound
}

// stoneFound is a tombstone of a manifest.
type stoneFound struct {
	path, name string
	on         ledger.Date
	gone       map[string]string // SHA-256 by name
}

// Found is a revision that Verify read. Whoever has its ledger holds it against what the ledger keeps of it.
type Found struct {
	Manifest *Manifest
	File     string   // of the manifest, below the path that was verified
	Missing  []string // files that a tombstone says were taken away
}

// note keeps what is told of a revision when all of them are read. An extract stands in no row of revisions.
func (v *verifier) note(path string, m *Manifest, c *contents) {
	if m.Extract {
		return
	}
	v.report.Found = append(v.report.Found, Found{Manifest: m, File: v.below(path), Missing: v.taken[path].missing})
	if m.Basis == report.ByAsOf {
		v.states[m.Account] = max(v.states[m.Account], m.To)
	}
	if w, tells := c.vouches(); tells {
		v.vouching[m.Account] = append(v.vouching[m.Account], w)
	}
}

// retired reads the tombstones that stand beside a manifest. Each has to be of that manifest and of its files.
func (v *verifier) retired(path, sum string, m *Manifest) *takenAway {
	t := &takenAway{manifest: m, gone: make(map[string]string)}
	listed := make(map[string]string)
	for _, f := range m.Files {
		listed[f.Path] = f.SHA256
	}
	for _, stone := range v.stones[strings.TrimSuffix(path, ".manifest.json")] {
		v.listed[stone] = true
		v.report.Files++
		body, err := os.ReadFile(stone)
		if err != nil {
			v.fault(stone, "%v", err)
			continue
		}
		of, gone, err := readTombstone(string(body))
		switch {
		case err != nil:
			v.fault(stone, "%v", err)
			continue
		case of != sum:
			v.fault(stone, "is of a manifest with SHA-256 %s, not of %s", of, m.name())
			continue
		}
		for _, name := range sortedKeys(gone) {
			if listed[name] != gone[name] {
				v.fault(stone, "%s went with SHA-256 %s, its manifest says %q", name, gone[name], listed[name])
				continue
			}
			t.gone[name] = gone[name]
		}
		day := stonePattern.FindStringSubmatch(filepath.Base(stone))[2]
		on, err := ledger.ParseDate(day[:4] + "-" + day[4:6] + "-" + day[6:])
		if err != nil {
			v.fault(stone, "%v", err)
		}
		t.stones = append(t.stones, &stoneFound{path: stone, name: filepath.Base(stone), on: on, gone: gone})
	}
	return t
}

// stone notes a tombstone by the path that it shares with its manifest.
func (v *verifier) stone(path string) {
	m := stonePattern.FindStringSubmatch(filepath.Base(path))
	if m != nil {
		key := filepath.Join(filepath.Dir(path), "set_"+m[1])
		v.stones[key] = append(v.stones[key], path)
	}
}

// replaced checks that what went of a period was replaced: what stands of it always stays. The state of a day is replaced
// by that of another, which stands elsewhere.
func (v *verifier) replaced(path string, t *takenAway, revisions map[int]*Manifest) {
	v.vouched(t)
	if m := t.manifest; m.Basis == report.ByAsOf {
		// A directory of its own may have been copied without those of later days; a whole tree has the last one.
		month := filepath.ToSlash(filepath.Dir(v.below(path)))
		if len(t.missing) > 0 && v.states[m.Account] <= m.To && monthPattern.MatchString(month) {
			v.fault(path, "%d files were taken away, and no later state of account %s is here: the last one stays", len(t.missing), m.Account)
		}
		return
	}
	for _, name := range t.missing {
		n, _ := parseFileName(name)
		later := false
		for revision, m := range revisions {
			later = later || revision > n.revision && slices.ContainsFunc(m.Files, func(f File) bool {
				o, ok := parseFileName(f.Path)
				return ok && o.whole() == n.whole() && o.ext == n.ext
			})
		}
		if !later {
			v.fault(filepath.Join(filepath.Dir(path), name), "missing: it was taken away, and no later revision has one: what stands of a period stays")
		}
	}
}
