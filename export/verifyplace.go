package export

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

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
