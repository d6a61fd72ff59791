package jobs

import (
	"fmt"
	"slices"

	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/jobs/casework"
	"concilia/jobs/othersides"
	"concilia/jobs/publish"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/published"
)

// The exit codes of a run that was not interrupted.
const (
	ExitOK         = 0
	ExitWarnings   = 10 // an open case of severity warning, or money not attributed
	ExitBreaks     = 20 // an open case of severity error
	ExitIncomplete = 30 // a critical finding, a failed window, a failed publication
	ExitNothing    = 50 // nothing could be pulled, or the target became unreachable
)

// ExitCode is the exit code of the run: the most serious one that applies.
func (s *Summary) ExitCode() int {
	switch {
	case s.Windows > 0 && len(s.FailedWindows) == s.Windows, s.Gone:
		return ExitNothing
	case len(s.FailedWindows) > 0, len(s.Unpublished) > 0, s.Left > 0, s.Verdict == ledger.Incomplete, s.Worst == ledger.Critical:
		return ExitIncomplete
	case s.Worst == ledger.Error:
		return ExitBreaks
	case s.Worst == ledger.Warning, s.NotAttributed:
		return ExitWarnings
	}
	return ExitOK
}

// Summary is the result of a run: the one JSON object on standard output. Parts that do not apply are absent.
type Summary struct {
	Run         string         `json:"run,omitzero"` // absent when none was begun
	Verdict     ledger.Verdict `json:"verdict,omitzero"`
	AsOf        ledger.Date    `json:"as_of"`
	Pulled      *Pulled        `json:"pulled,omitzero"`
	Findings    map[string]int `json:"findings,omitzero"`     // cases pending, open or reopened, by code
	NewFindings map[string]int `json:"new_findings,omitzero"` // those first seen in this run
	Totals      *report.Totals `json:"totals,omitzero"`
	// Figures are the amounts missing, claimed, waived and in excess by the cases of the run's accounts at its end; nil if it
	// evaluated nothing.
	Figures  *asof.FiguresJSON        `json:"figures,omitzero"`
	Accounts []AccountSummary         `json:"accounts,omitzero"`
	Banks    []othersides.BankSummary `json:"banks,omitzero"` // absent without bank accounts
	Files    []FileSummary            `json:"files,omitzero"`
	// Sales are what stores say they sold by card, held against the service; absent without stores.
	Sales []othersides.SalesSummary `json:"sales,omitzero"`
	// Movement are the sets of the movement that the run published.
	Movement []MovementSummary `json:"movement,omitzero"`
	// Retired are the published files that this run deleted because they were past their retention.
	Retired []FileSummary `json:"retired,omitzero"`
	// Left is the number of days of lists that a limited backfill left; the same command continues the run.
	Left int `json:"left,omitzero"`
	// Away is the number of published sets whose files are no longer on the target.
	Away int `json:"away,omitzero"`

	// Period is the range of operation days that Totals cover.
	Period ledger.Period `json:"-"`
	// FailedWindows are windows without a complete answer, or not asked because the service was unreachable.
	FailedWindows []ledger.Pull `json:"-"`
	Windows       int           `json:"-"`
	// Outage is the last reason why the service could not be reached, or nil.
	Outage error `json:"-"`
	// WrongAddress is the last reason why the service has no address for what it was asked, or nil.
	WrongAddress error `json:"-"`
	// Unpublished is why sets could not be published, one error per set.
	Unpublished []error `json:"-"`
	// Gone: the target became unreachable.
	Gone        bool  `json:"-"`
	targetError error // why; sets are archived and wait meanwhile
	sets        []ledger.RunReportSet
	// writtenTotals are the totals of the accounts' sets that the run published or found unchanged, by the rows of their files.
	writtenTotals report.Totals
	sums          *source.RunSums // see runSums
	// NotAttributed: the bridge has money for which no rule could be evaluated.
	NotAttributed bool `json:"-"`
	// Record is the run record after the run has ended; nil if no run was begun.
	Record *ledger.Run `json:"-"`
	// Worst is the highest severity among open and reopened cases, empty if there are none.
	Worst ledger.Severity `json:"-"`
}

// Pulled counts the service's answers over all sources; a slip counts once per list.
type Pulled struct {
	Requests    int64 `json:"requests"`
	Rows        int64 `json:"rows"`
	New         int64 `json:"new"`
	Changed     int64 `json:"changed"`
	Same        int64 `json:"same"`
	Vanished    int64 `json:"vanished"`
	Quarantined int64 `json:"quarantined"`
}

// AccountSummary is the verdict on one account and the kinds of reports that were withheld.
type AccountSummary struct {
	Account  ledger.Account `json:"account"`
	Verdict  ledger.Verdict `json:"verdict,omitzero"`
	Withheld []string       `json:"withheld"`
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

// runSums are what the ledger summed as of the run so far.
func (s *Summary) runSums() *source.RunSums {
	if s.sums == nil {
		s.sums = &source.RunSums{}
	}
	return s.sums
}

// noteSet notes for the record that the run made a revision, or found it current. A revision that the same run made
// before it was killed counts as made by it.
func (s *Summary) noteSet(kept *published.Set, fresh bool) {
	set := ledger.RunReportSet{
		Account: kept.Account, Basis: kept.Basis, Period: kept.Period, Filter: kept.Filter, Revision: kept.Revision,
		New: fresh || kept.Run == s.Run,
	}
	for i := range s.sets {
		had := &s.sets[i]
		if had.Account == set.Account && had.Basis == set.Basis && had.Period == set.Period && had.Filter == set.Filter &&
			had.Revision == set.Revision {
			had.New = had.New || set.New
			return
		}
	}
	s.sets = append(s.sets, set)
}

// noteArchiveError notes that the archive cannot be used. What was reconciled is kept, and the next run publishes what
// is missing.
func (s *Summary) noteArchiveError(err error) bool {
	if !publish.IsArchiveError(err) {
		return false
	}
	if !slices.ContainsFunc(s.Unpublished, publish.IsArchiveError) {
		s.Unpublished = append(s.Unpublished, err)
	}
	s.Gone = true
	return true
}

// noteUnreachable notes that the place that files were to be copied to takes nothing.
func (s *Summary) noteUnreachable(to *publish.Publisher, err error) bool {
	if err == nil || to.Unreachable == nil || !to.Unreachable(err) {
		return false
	}
	s.Unpublished, s.Gone = append(s.Unpublished, err), true
	return true
}

// noteTargetGone notes, once, that the target is unreachable or full.
func (s *Summary) noteTargetGone(err error) {
	if s.targetError = err; err != nil && !s.Gone {
		s.Gone, s.Unpublished = true, append(s.Unpublished, fmt.Errorf("%w; what is published waits in the archive for the next run", err))
	}
}

// noteFiles lists the files of a revision that is current below out, or was made now and does not wait for the target.
func (s *Summary) noteFiles(out string, kept *published.Set, fresh bool) {
	if kept == nil {
		return
	}
	if s.noteSet(kept, fresh); fresh && kept.Waiting {
		return
	}
	for _, f := range kept.Files {
		s.Files = append(s.Files, newFileSummary(out, f, fresh))
	}
}

// newFileSummary is a file that was published below out.
func newFileSummary(out string, f published.File, fresh bool) FileSummary {
	return FileSummary{
		Path: joinPlace(out, f.Path), SHA256: f.SHA256, Kind: f.Kind, Format: f.Format, Revision: &f.Revision,
		New: fresh,
	}
}

// showWritten sets the totals of the summary to those of the rows of its files; without such rows it has none.
func (s *Summary) showWritten() {
	if s.writtenTotals != (report.Totals{}) {
		s.Totals = &s.writtenTotals
	}
}

// Watched returns the finished run as alarms need it.
func (s *Summary) Watched() *casework.RunOutcome {
	r := &casework.RunOutcome{
		ID: s.Run, AsOf: s.AsOf, Incomplete: s.ExitCode() >= ExitIncomplete, Pulled: s.Pulled != nil, Windows: s.Windows,
		Failed: len(s.FailedWindows), Unpublished: len(s.Unpublished),
	}
	for _, a := range s.Accounts {
		r.Accounts = append(r.Accounts, a.Account)
	}
	return r
}

// addOtherSides adds what was found of bank accounts and stores.
func (s *Summary) addOtherSides(e *othersides.Evaluation) {
	for code, n := range e.Counts {
		s.Findings[code] += n
	}
	for code, n := range e.NewCases {
		s.NewFindings[code] += n
	}
	s.Verdict = s.Verdict.Worse(e.Verdict)
	s.Banks, s.Sales = append(s.Banks, e.Banks...), e.Sales
}
