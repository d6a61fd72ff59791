package publish

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"concilia/export/manifest"
	"concilia/store/published"
)

// CurrentRevisions returns the revisions of a set, the last first, that have a file which no later revision replaced.
func CurrentRevisions(all []*published.Set) []*published.Set {
	var out []*published.Set
	current := CurrentFiles(all)
	for _, kept := range all {
		if slices.ContainsFunc(current, func(f published.File) bool { return f.Revision == kept.Revision }) {
			out = append(out, kept)
		}
	}
	return out
}

// CurrentFiles returns the files of a set's revisions, the last first, that no later revision replaced.
func CurrentFiles(all []*published.Set) (out []published.File) {
	replaced := map[string]int{} // file name to the revision that replaced it
	for _, kept := range all {
		for _, f := range kept.Files {
			name := nameWithoutRevision(f)
			if _, ok := replaced[name]; !ok {
				replaced[name] = kept.Revision
			}
			if replaced[name] == kept.Revision { // another part of a file is of the same revision
				out = append(out, f)
			}
		}
	}
	return out
}

// nameWithoutRevision returns a file's name without its revision and, of an EDI file, its part. The file of the next
// revision with the same name replaces it.
func nameWithoutRevision(f published.File) string {
	return strings.Replace(manifest.WithoutPart(path.Base(f.Path)), "_r"+strconv.Itoa(f.Revision)+".", ".", 1)
}
