package setpublish

import (
	"path"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs/publish"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/published"
)

// Outcome is what the publications of one run, or of one request, came to. Each method of a Publisher that takes it adds to it.
type Outcome struct {
	Run  string          // the run's id: a revision that it made before it was killed counts as made by it; empty: there is no record
	Sums *source.RunSums // what the ledger summed as of the run so far

	Files    []FileSummary     // current files, those that the run made among them; nil: nothing was to be published
	Movement []MovementSummary // sets of the movement that were published
	Retired  []FileSummary     // published files that were deleted because they were past their retention
	Away     int               // published sets whose files are no longer on the target
	// Unpublished is why sets could not be published, one error per set.
	Unpublished []error
	// Gone: the target, or the archive, cannot be used.
	Gone bool
	// Sets are the revisions that the run made or found current.
	Sets []ledger.RunReportSet
	// WrittenTotals are the totals of the accounts' sets that were published or found unchanged, by the rows of their files.
	WrittenTotals report.Totals

	targetError error // why the target is unreachable; sets are archived and wait meanwhile
}

// FileSummary is one published file; New is false if it existed with the same content.
type FileSummary struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"`
	Kind     string `json:"kind"`
	Format   string `json:"format"`
	Revision *int   `json:"revision,omitempty"` // nil: an extract has none
	New      bool   `json:"new"`
}

// noteSet notes for the record that the run made a revision, or found it current. A revision that the same run made
// before it was killed counts as made by it.
func (out *Outcome) noteSet(kept *published.Set, fresh bool) {
	set := ledger.RunReportSet{
		Account: kept.Account, Basis: kept.Basis, Period: kept.Period, Filter: kept.Filter, Revision: kept.Revision,
		New: fresh || kept.Run == out.Run,
	}
	for i := range out.Sets {
		had := &out.Sets[i]
		if had.Account == set.Account && had.Basis == set.Basis && had.Period == set.Period && had.Filter == set.Filter &&
			had.Revision == set.Revision {
			had.New = had.New || set.New
			return
		}
	}
	out.Sets = append(out.Sets, set)
}

// noteArchiveError notes that the archive cannot be used. What was reconciled is kept, and the next run publishes what
// is missing.
func (out *Outcome) noteArchiveError(err error) bool {
	if !publish.IsArchiveError(err) {
		return false
	}
	if !slices.ContainsFunc(out.Unpublished, publish.IsArchiveError) {
		out.Unpublished = append(out.Unpublished, err)
	}
	out.Gone = true
	return true
}

// noteUnreachable notes that the place that files were to be copied to takes nothing.
func (out *Outcome) noteUnreachable(to *publish.Publisher, err error) bool {
	if err == nil || to.Unreachable == nil || !to.Unreachable(err) {
		return false
	}
	out.Unpublished, out.Gone = append(out.Unpublished, err), true
	return true
}

// noteTargetGone notes, once, that the target is unreachable or full.
func (out *Outcome) noteTargetGone(err error) {
	if out.targetError = err; err != nil && !out.Gone {
		out.Gone, out.Unpublished = true, append(out.Unpublished, words.NewFault("publish_fault.waits", "", "cause", err))
	}
}

// noteFiles lists the files of a revision that is current below place, or was made now and does not wait for the target.
func (out *Outcome) noteFiles(place string, kept *published.Set, fresh bool) {
	if kept == nil {
		return
	}
	if out.noteSet(kept, fresh); fresh && kept.Waiting {
		return
	}
	for _, f := range kept.Files {
		out.Files = append(out.Files, newFileSummary(place, f, fresh))
	}
}

// newFileSummary is a file that was published below place.
func newFileSummary(place string, f published.File, fresh bool) FileSummary {
	return FileSummary{
		Path: joinPlace(place, f.Path), SHA256: f.SHA256, Kind: f.Kind, Format: f.Format, Revision: &f.Revision,
		New: fresh,
	}
}

// joinPlace returns a published name below the target as people see it: a path, or a URL without its query.
func joinPlace(place, name string) string {
	if !strings.Contains(place, "://") {
		return path.Join(place, name)
	}
	place, _, _ = strings.Cut(place, "?")
	return strings.TrimRight(place, "/") + "/" + name
}
