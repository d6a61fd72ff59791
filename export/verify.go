package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"concilia/export/publish"
	"concilia/store/ledger"
)

// VerifyResult is what Verify found below a path.
type VerifyResult struct {
	Sets          int
	Files         int // read and checked, manifests and marks included
	Faults        []Fault
	OmittedFaults int                 // faults beyond those that are told
	ActLogEnds    []RecordedActLogEnd // where logs of acts ended, for who has the ledger at hand
	Revisions     []FoundRevision     // the revisions, for the same
}

// Fault is what is wrong with one file: what it should be, and what it is.
type Fault struct {
	File string // below the path that was verified
	Text string
}

// String is the fault on one line.
func (f Fault) String() string { return f.File + ": " + f.Text }

// faultLimit is how many faults are told whole; a share full of faults is told in a page.
const faultLimit = 200

// Verify re-checks published sets, offline: below a directory, or those in the directory of a file. Every set must
// be done and whole, every file must have the bytes it was published with, and say what manifest and control say of
// it. The error is for a path that cannot be read at all; everything else, a missing file too, is a fault.
func Verify(ctx context.Context, path string) (VerifyResult, error) {
	info, err := os.Stat(path)
	if err != nil {
		return VerifyResult{}, err
	}
	v := &verifier{
		root: path, revisions: make(map[string]map[int]*Manifest), listed: make(map[string]bool),
		tombstonePaths: make(map[string][]string), tombstoned: make(map[string]*tombstonedFiles),
		retirementRecords: make(map[string][]retirementRecord), lastStates: make(map[string]ledger.Date),
	}
	if !info.IsDir() {
		v.root, v.flat = filepath.Dir(path), true
	}
	var manifests []string
	err = filepath.WalkDir(v.root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != v.root && (v.flat || isHidden(d.Name())):
			return fs.SkipDir // a hidden one holds what was on its way when a rendering was killed
		case d.IsDir() && p != v.root && publish.IsArchiveFolder(p):
			return fs.SkipDir // it holds the files once more, by their hashes
		case d.IsDir():
			return ctx.Err()
		}
		n, ok := parseFileName(d.Name())
		if ok && n.stem == "set" && n.ext == "manifest.json" {
			manifests = append(manifests, p)
		}
		v.addTombstonePath(p)
		if !isHidden(d.Name()) {
			v.present = append(v.present, p)
		}
		return nil
	})
	if err != nil {
		return VerifyResult{}, err
	}
	for _, m := range manifests {
		if err := ctx.Err(); err != nil {
			return v.report, err
		}
		v.checkSet(m)
	}
	v.checkChain() // when all controls are read: any of them may tell of a tombstone
	v.checkStrays()
	if v.report.Sets == 0 {
		v.addFault(v.root, "no set is published here: nothing was verified")
	}
	slices.SortFunc(v.report.Faults, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Text, b.Text)) })
	if n := len(v.report.Faults); n > faultLimit {
		v.report.Faults, v.report.OmittedFaults = v.report.Faults[:faultLimit], n-faultLimit
	}
	return v.report, nil
}

// verifier is one Verify.
type verifier struct {
	root              string
	flat              bool
	report            VerifyResult
	present           []string                      // every file that is not hidden
	listed            map[string]bool               // what manifests list, and they themselves
	revisions         map[string]map[int]*Manifest  // by directory and set
	tombstonePaths    map[string][]string           // tombstones, by what their paths share with their manifest's
	tombstoned        map[string]*tombstonedFiles   // what is past its days, by manifest
	retirementRecords map[string][]retirementRecord // state sets that tell of tombstones, by account
	lastStates        map[string]ledger.Date        // the last day with a state set here, by account
}

func (v *verifier) addFault(path, format string, args ...any) {
	v.report.Faults = append(v.report.Faults, Fault{File: v.relativePath(path), Text: strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ")})
}

// relativePath names a path by what of it is below the root.
func (v *verifier) relativePath(path string) string {
	if rel, err := filepath.Rel(v.root, path); err == nil {
		return rel
	}
	return path
}

// checkSet checks one revision of a set, or an extract.
func (v *verifier) checkSet(path string) {
	v.report.Sets++
	v.report.Files++
	v.listed[path] = true
	m, sum, err := readManifest(path)
	if err != nil {
		v.addFault(path, "%v", err)
		return
	}
	dir := filepath.Dir(path)
	away := v.readTombstones(path, sum, m)
	v.tombstoned[path] = away
	v.checkDone(filepath.Join(dir, m.doneName()), sum, path, len(away.retired) > 0)
	if m.Revision != nil {
		key := filepath.Join(dir, m.Set)
		if v.revisions[key] == nil {
			v.revisions[key] = make(map[int]*Manifest)
		}
		v.revisions[key][*m.Revision] = m
	}
	v.checkPlace(path, m)
	c := newSetContents(m)
	for i := range m.Files {
		v.checkFile(dir, &m.Files[i], c, away)
	}
	v.checkControl(dir, c)
	v.recordRevision(path, m, c)
	for _, end := range c.actLogEnds() {
		end.File = v.relativePath(path)
		v.report.ActLogEnds = append(v.report.ActLogEnds, end)
	}
}

// checkDone checks the mark that ends a set; one of which files were taken away has none.
func (v *verifier) checkDone(path, sum, manifest string, away bool) {
	v.listed[path] = true
	body, err := os.ReadFile(path)
	if away && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if errors.Is(err, fs.ErrNotExist) {
		v.addFault(path, "missing: the set was never finished")
		return
	}
	v.report.Files++
	want := DoneText(sum, manifest)
	if err != nil {
		v.addFault(path, "%v", err)
	} else if string(body) != want {
		v.addFault(path, "says %.100q, should say %q: it or the manifest was changed", body, want)
	}
}

// checkFile checks one listed file: that it is there, its bytes, and what they say.
func (v *verifier) checkFile(dir string, f *File, c *setContents, away *tombstonedFiles) {
	path := filepath.Join(dir, filepath.Base(f.Path))
	v.listed[path] = true
	name, ok := parseFileName(f.Path)
	if !ok || name.edition != c.manifest.edition() {
		v.addFault(path, "listed by %s, and its name is not of that set and revision", c.manifest.manifestName())
		return
	}
	sum, size, err := hashFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && away.retired[f.Path] != "":
		away.missing = append(away.missing, f.Path)
		return
	case errors.Is(err, fs.ErrNotExist):
		v.addFault(path, "missing: %s lists it with SHA-256 %s", c.manifest.manifestName(), f.SHA256)
		return
	case err != nil:
		v.addFault(path, "%v", err)
		return
	case sum != f.SHA256:
		v.addFault(path, "SHA-256 is %s, should be %s", sum, f.SHA256)
	case size != f.Bytes:
		v.addFault(path, "%d bytes, should be %d", size, f.Bytes)
	}
	v.report.Files++
	rows, sums, err := c.readFile(path, name, f)
	switch {
	case err != nil:
		v.addFault(path, "%v", err)
		return
	case rows != f.Rows:
		v.addFault(path, "%d rows, should be %d", rows, f.Rows)
	}
	for _, id := range sortedKeys(sums, f.Sums) {
		if sums[id] != f.Sums[id] {
			v.addFault(path, "sum of %s is %q, should be %q", id, sums[id], f.Sums[id])
		}
	}
}

func sortedKeys(maps ...map[string]string) []string {
	var keys []string
	for _, m := range maps {
		for k := range m {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// isHidden says whether a name is out of sight: of a file that is not whole yet, of a directory of such files, or of the
// lock that an office program puts beside a workbook while it is open.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") }

// setFilePattern begins the names of the files of sets, and of what was copied from them.
var setFilePattern = regexp.MustCompile(`^[a-z]+(-[a-z]+)*(-\d+)?_(\d+|all)_[a-z]+_\d{8}_\d{8}`)

// checkStrays are files that no manifest lists: those that are named after a set, wherever they are, and any report beside
// a set, which readers of the directory would take for one of it.
func (v *verifier) checkStrays() {
	beside := make(map[string]bool)
	for path := range v.listed {
		beside[filepath.Dir(path)] = true
	}
	for _, path := range v.present {
		if v.listed[path] {
			continue
		}
		report := slices.Contains([]string{".csv", ".jsonl", ".xlsx", ".html", ".ret"}, strings.ToLower(filepath.Ext(path)))
		if setFilePattern.MatchString(filepath.Base(path)) || report && beside[filepath.Dir(path)] {
			v.report.Files++
			v.addFault(path, "listed by no manifest")
		}
	}
}

// monthPattern ends the path of a directory that a target made.
var monthPattern = regexp.MustCompile(`(^|/)((\d+|all)/\d{4}/\d{2})$`)

// checkPlace checks that a set stands in its own account and month. A directory that is no account's month is a copy
// somebody made: it may be anywhere.
func (v *verifier) checkPlace(path string, m *Manifest) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return
	}
	at := monthPattern.FindStringSubmatch(filepath.ToSlash(dir))
	if want := Dir(m.Account, m.Period()); at != nil && at[2] != want {
		v.addFault(path, "stands in %s, should be in %s", at[2], want)
	}
}

// checkChain checks that every revision but the first replaces one that is there.
func (v *verifier) checkChain() {
	for key, revisions := range v.revisions {
		for n, m := range revisions {
			path := filepath.Join(filepath.Dir(key), m.manifestName())
			if away := v.tombstoned[path]; away != nil {
				v.checkReplaced(path, away, revisions)
			}
			switch {
			case n == 0 && m.Supersedes != nil:
				v.addFault(path, "revision 0 supersedes %d, should supersede nothing", *m.Supersedes)
			case n > 0 && m.Supersedes == nil:
				v.addFault(path, "revision %d supersedes nothing", n)
			case n > 0 && *m.Supersedes != n-1:
				v.addFault(path, "revision %d supersedes %d, should supersede %d", n, *m.Supersedes, n-1)
			case n > 0 && revisions[n-1] == nil:
				v.addFault(path, "supersedes revision %d, whose manifest is not here", n-1)
			}
		}
	}
}
