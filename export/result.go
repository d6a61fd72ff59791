package export

import (
	"context"
	"maps"
	"slices"
	"strings"

	"concilia/export/control"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// Target is where a set is published.
type Target struct {
	// Staging is a directory for files that are not proven yet, on the target's file system if possible.
	Staging string
	// Publisher makes them visible.
	Publisher Publisher
	// Numbers reserves and looks up numbers of EDI files and slips. It may be nil if the set has neither.
	Numbers Numbers
}

// Publisher makes files visible below a target. Names are slash paths.
type Publisher interface {
	// Put copies the local file to name, whole or not at all: a reader never sees a part of it. Putting the same bytes
	// again does nothing; it may refuse others.
	Put(ctx context.Context, name, local string) error
	// Read returns the whole of a small file below the target, or an error that is fs.ErrNotExist.
	Read(ctx context.Context, name string) ([]byte, error)
}

// CurrentRevision is the highest published revision of a set, and the fingerprints that Render returned with it. They are
// digests of its parts, which the next rendering compares to find what changed; their names are internal.
type CurrentRevision struct {
	Revision     int
	Fingerprints map[string]string
	// Digest is that of the content. It decides for a revision without fingerprints, which was taken back from the archive.
	Digest string
}

// Result is what Render did with a set.
type Result struct {
	Set          string
	Revision     int
	Unchanged    bool // nothing was written: the published revision has everything requested, or the extract exists
	Supersedes   *int
	Why          []string         // reasons of a new revision, in the words of the manifest
	Reasons      []RevisionReason // the same, for files for people
	Digest       string
	Fingerprints map[string]string // for the next rendering, as Standing
	Dir          string            // of the files, below the target
	Files        []manifest.File   // written now, in order of publication
	Manifest     string            // name of the manifest
	Totals       report.Totals
	Residuals    []report.Identity
	// CardRows are the results of the card rows of a set of one account with a summary; nil otherwise.
	CardRows *CardRows
	// Days are what the sale days of the set left, in order, if that was asked for and can be used by the next rendering; else nil.
	Days []KeptDay
}

// CardRows are the results of the card rows of one account. A set of several accounts of the same run, basis, period and filter
// uses them, so that rows are read once for both.
type CardRows struct {
	Summary *report.CardSummary
	Verdict ledger.Verdict // the worst that the rows leave
	HasRows bool
}

// FingerprintVerdict is the one fingerprint of a revision that is compared with nothing: its verdict.
const FingerprintVerdict = "verdict"

// RevisionReason is one reason of a new revision. What is a table, a file or a document of the set; empty of the first.
type RevisionReason struct{ Change, What string }

// The changes that make a revision.
const (
	ReasonFirst   = "first"
	ReasonAdded   = "added"
	ReasonChanged = "changed"
)

// String returns the reason in the words of manifests and control.
func (r RevisionReason) String() string { return strings.TrimSpace(r.What + " " + r.Change) }

// InWords returns the reason in Portuguese.
func (r RevisionReason) InWords() string {
	return words.Text(table.Portuguese, "revision."+r.Change, "what", control.ItemWords("run", r.What))
}

// ReasonsOf lists, in order, what differs in the fingerprints of a revision from those of the one before it.
func ReasonsOf(old, now map[string]string) []RevisionReason {
	var why []RevisionReason
	for _, kind := range []string{"table:", "part:", "file:"} {
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if len(name) < len(kind) || name[:len(kind)] != kind || now[name] == old[name] {
				continue
			}
			what := name[len(kind):]
			switch {
			case old[name] == "" && kind != "part:":
				why = append(why, RevisionReason{Change: ReasonAdded, What: what})
			case kind == "file:" && len(why) > 0: // follows from the reasons above
			default:
				why = append(why, RevisionReason{Change: ReasonChanged, What: what})
			}
		}
	}
	return why
}

// SetReasons sets the reasons of a new revision, for manifest and people.
func (r *Result) SetReasons(reasons ...RevisionReason) {
	r.Reasons, r.Why = reasons, nil
	for _, one := range reasons {
		r.Why = append(r.Why, one.String())
	}
}
