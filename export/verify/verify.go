package verify

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"concilia/export/manifest"
	"concilia/export/publish"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/store/ledger"
)

// Result is what CheckTree found below a path.
type Result struct {
	Sets          int
	Files         int // read and checked, manifests and done markers included
	Signed        int // manifests with a signature by the key
	Faults        []Fault
	OmittedFaults int                 // number of faults beyond those in Faults
	ActLogEnds    []RecordedActLogEnd // last acts of logs, to be compared with the ledger
	Revisions     []FoundRevision     // the revisions, to be compared with the ledger
}

// Fault is a problem of one file: what it is, and what it should be.
type Fault struct {
	File string // below the path that was verified
	Text words.Message
}

// String returns the fault on one line.
func (f Fault) String() string { return f.Message().String() }

// Message is the whole sentence, in no language yet.
func (f Fault) Message() words.Message {
	return words.NewMessage("verify_fault.of_file", "file", f.File, "what", f.Text)
}

// faultLimit is the maximum of faults that CheckTree returns.
const faultLimit = 200

// CheckTree re-checks published sets, offline: below a directory, or those in the directory of a file. Every set must
// be complete, every file must have the bytes it was published with, and agree with manifest and control. The error is
// for a path that cannot be read at all; everything else, a missing file too, is a fault.
//
// With a key every manifest must be signed with it. Without one, files that agree with each other may be anybody's.
func CheckTree(ctx context.Context, path string, key ed25519.PublicKey) (Result, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Result{}, err
	}
	faults := &faultList{root: path}
	v := &verifier{
		faultList: faults, movement: movementChain{faultList: faults}, key: key, revisions: make(map[string]map[int]*manifest.Manifest), listed: make(map[string]bool),
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
			return fs.SkipDir // a hidden one has files of a rendering that was killed
		case d.IsDir() && p != v.root && publish.IsArchiveFolder(p):
			return fs.SkipDir // it has copies of the files under their hashes
		case d.IsDir():
			return ctx.Err()
		}
		n, ok := manifest.ParseFileName(d.Name())
		if ok && n.Stem == "set" && n.Ext == "manifest.json" {
			manifests = append(manifests, p)
		}
		v.addTombstonePath(p)
		if !isHidden(d.Name()) {
			v.present = append(v.present, p)
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	for _, m := range manifests {
		if err := ctx.Err(); err != nil {
			return v.report, err
		}
		v.checkSet(ctx, m)
	}
	if err := ctx.Err(); err != nil {
		return v.report, err // the last file may have been read in part
	}
	v.checkChain() // after all controls are read, since each of them may cover a tombstone
	v.movement.checkOrder()
	v.checkStrays()
	v.checkLinks(ctx)
	if v.report.Sets == 0 {
		v.addFault(v.root, "verify_fault.no_set_is_published_here")
	}
	slices.SortFunc(v.report.Faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Text.String(), b.Text.String()))
	})
	if n := len(v.report.Faults); n > faultLimit {
		v.report.Faults, v.report.OmittedFaults = v.report.Faults[:faultLimit], n-faultLimit
	}
	return v.report, nil
}

// verifier is the state of one CheckTree.
type verifier struct {
	*faultList
	key               ed25519.PublicKey                     // nil: signatures are not checked
	present           []string                              // every file that is not hidden
	listed            map[string]bool                       // files that manifests list, and manifests
	revisions         map[string]map[int]*manifest.Manifest // by directory and set
	tombstonePaths    map[string][]string                   // paths of tombstones, by the prefix that they share with their manifest
	tombstoned        map[string]*tombstonedFiles           // files that tombstones name, by path of the manifest
	retirementRecords map[string][]retirementRecord         // lists of deleted files, by account
	lastStates        map[string]ledger.Date                // the last day with a state set here, by account
	movement          movementChain
}

// faultList is what CheckTree found so far.
type faultList struct {
	root   string
	flat   bool // root is the directory of one set, not a tree of them
	report Result
}

func (v *faultList) addFault(path, text string, values ...any) {
	v.report.Faults = append(v.report.Faults, Fault{File: v.relativePath(path), Text: words.NewMessage(text, values...)})
}

// addError adds an error as a fault of a file.
func (v *faultList) addError(path string, err error) {
	v.addFault(path, "verify_fault.cause", "cause", oneLine{err})
}

// oneLine is an error whose parts are told one behind the other.
type oneLine struct{ error }

func (e oneLine) Error() string { return e.In("en") }

// In is Error in a language.
func (e oneLine) In(language string) string {
	return strings.ReplaceAll(words.TextOf(e.error, language), "\n", "; ")
}

// Unwrap is the error.
func (e oneLine) Unwrap() error { return e.error }

// relativePath returns a path relative to the root.
func (v *faultList) relativePath(path string) string {
	if rel, err := filepath.Rel(v.root, path); err == nil {
		return rel
	}
	return path
}

// checkSet checks one revision of a set, or an extract.
func (v *verifier) checkSet(ctx context.Context, path string) {
	v.report.Sets++
	v.report.Files++
	v.listed[path] = true
	v.checkSignature(ctx, path)
	m, sum, err := manifest.Read(ctx, path)
	if err != nil {
		v.addError(path, err)
		return
	}
	dir := filepath.Dir(path)
	away := v.readTombstones(ctx, path, sum, m)
	v.tombstoned[path] = away
	v.checkDone(ctx, filepath.Join(dir, m.DoneName()), sum, path, len(away.retired) > 0)
	if m.Revision != nil {
		key := filepath.Join(dir, m.Set)
		if v.revisions[key] == nil {
			v.revisions[key] = make(map[int]*manifest.Manifest)
		}
		v.revisions[key][*m.Revision] = m
	}
	v.checkPlace(path, m)
	c := newSetContents(m)
	for i := range m.Files {
		v.checkFile(ctx, dir, &m.Files[i], c, away)
	}
	v.checkControl(dir, c)
	v.recordRevision(path, m, c)
	v.movement.recordSet(path, sum, c, len(away.missing) == 0)
	for _, end := range c.actLogEnds() {
		end.File = v.relativePath(path)
		v.report.ActLogEnds = append(v.report.ActLogEnds, end)
	}
}

// maxDone bounds what is read as a done marker, which has one line.
const maxDone = 4 << 10

// checkDone checks the done marker of a set. A set with deleted files has none.
func (v *verifier) checkDone(ctx context.Context, path, sum, manifestPath string, away bool) {
	v.listed[path] = true
	body, err := manifest.ReadSmallFile(ctx, path, maxDone)
	if away && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if errors.Is(err, fs.ErrNotExist) {
		v.addFault(path, "verify_fault.missing_the_set_was_never")
		return
	}
	v.report.Files++
	want := manifest.DoneText(sum, manifestPath)
	if err != nil {
		v.addError(path, err)
	} else if string(body) != want {
		v.addFault(path, "verify_fault.says_should_say_it_or", "body", fmt.Sprintf("%.100q", body), "want", fmt.Sprintf("%q", want))
	}
}

// checkFile checks one listed file: that it exists, its hash and size, its rows and sums.
func (v *verifier) checkFile(ctx context.Context, dir string, f *manifest.File, c *setContents, away *tombstonedFiles) {
	path := filepath.Join(dir, filepath.Base(f.Path))
	v.listed[path] = true
	name, ok := manifest.ParseFileName(f.Path)
	if !ok || name.Edition != c.manifest.FormatEdition() {
		v.addFault(path, "verify_fault.listed_by_and_its_name", "manifest_name", c.manifest.ManifestName())
		return
	}
	sum, size, err := hashListed(ctx, path, f.Bytes)
	switch {
	case errors.Is(err, fs.ErrNotExist) && away.retired[f.Path] != "":
		away.missing = append(away.missing, f.Path)
		return
	case errors.Is(err, fs.ErrNotExist):
		v.addFault(path, "verify_fault.missing_lists_it_with_sha", "manifest_name", c.manifest.ManifestName(), "sum", f.SHA256)
		return
	case err != nil:
		v.addFault(path, "verify_fault.lists_it_with_bytes", "cause", oneLine{err}, "manifest_name", c.manifest.ManifestName(), "bytes", f.Bytes)
		return
	case sum != f.SHA256:
		v.addFault(path, "verify_fault.sha_256_is_should_be", "sum", sum, "want", f.SHA256)
	case size != f.Bytes:
		v.addFault(path, "verify_fault.bytes_should_be", "size", size, "want", f.Bytes)
	}
	v.report.Files++
	rows, sums, err := c.readFile(ctx, path, name, f)
	switch {
	case err != nil:
		v.addError(path, err)
		return
	case rows != f.Rows:
		v.addFault(path, "verify_fault.rows_should_be", "rows", rows, "want", f.Rows)
	}
	for _, id := range sortedKeys(sums, f.Sums) {
		if sums[id] != f.Sums[id] {
			v.addFault(path, "verify_fault.sum_of_is_should_be", "id", id, "sum", fmt.Sprintf("%q", sums[id]), "want", fmt.Sprintf("%q", f.Sums[id]))
		}
	}
}

// hashListed returns the SHA-256 and the size of a file that should have so many bytes; one with more is an error.
func hashListed(ctx context.Context, path string, bytes int64) (sum string, size int64, err error) {
	h := sha256.New()
	err = publish.ReadRegular(ctx, path, bytes, func(in io.Reader) (err error) {
		size, err = io.Copy(h, in)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), size, err
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

// isHidden reports whether a name is ignored: of an unfinished file, of a directory of such files, or of the lock file that an
// office program creates while a workbook is open.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") }

// setFilePattern matches the start of the names of files of sets, and of copies of them.
var setFilePattern = regexp.MustCompile(`^[a-z]+(-[a-z]+)*(-\d+)?_(\d+|all)_[a-z]+_\d{8}_\d{8}`)

// checkStrays adds a fault for each file that no manifest lists: files named after a set anywhere, and reports in the directory
// of a set, which would be mistaken for files of it.
func (v *verifier) checkStrays() {
	setFolders := make(map[string]bool)
	for path := range v.listed {
		setFolders[filepath.Dir(path)] = true
	}
	for _, path := range v.present {
		if v.listed[path] {
			continue
		}
		report := slices.Contains([]string{".csv", ".jsonl", ".xlsx", ".html", ".ret"}, strings.ToLower(filepath.Ext(path)))
		if setFilePattern.MatchString(filepath.Base(path)) || report && setFolders[filepath.Dir(path)] {
			v.report.Files++
			v.addFault(path, "verify_fault.listed_by_no_manifest")
		}
	}
}

// monthPattern matches the end of the path of a target's directory of sets.
var monthPattern = regexp.MustCompile(`(^|/)((\d+|all)/(movement/)?\d{4}/\d{2})$`)

// checkPlace checks that a set is in the directory of its account and month. Other directories are copies, which may have any
// name.
func (v *verifier) checkPlace(path string, m *manifest.Manifest) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return
	}
	at := monthPattern.FindStringSubmatch(filepath.ToSlash(dir))
	if want := manifest.SetDir(m.Account, m.Basis, m.Period()); at != nil && at[2] != want {
		v.addFault(path, "verify_fault.stands_in_should_be_in", "at", at[2], "want", want)
	}
}

// checkChain checks that every revision but the first supersedes the one before, and that this one exists.
func (v *verifier) checkChain() {
	for key, revisions := range v.revisions {
		for n, m := range revisions {
			path := filepath.Join(filepath.Dir(key), m.ManifestName())
			if away := v.tombstoned[path]; away != nil {
				v.checkReplaced(path, away, revisions)
			}
			switch {
			case m.Basis == report.ByMovement: // none supersedes another
			case n == 0 && m.Supersedes != nil:
				v.addFault(path, "verify_fault.revision_0_supersedes_should_supersede", "supersedes", *m.Supersedes)
			case n > 0 && m.Supersedes == nil:
				v.addFault(path, "verify_fault.revision_supersedes_nothing", "n", n)
			case n > 0 && *m.Supersedes != n-1:
				v.addFault(path, "verify_fault.revision_supersedes_should_supersede", "n", n, "supersedes", *m.Supersedes, "want", n-1)
			case n > 0 && revisions[n-1] == nil:
				v.addFault(path, "verify_fault.supersedes_revision_whose_manifest_is", "n", n-1)
			}
		}
	}
}
