package jobs

import (
	"concilia/export/report"
	"concilia/export/report/asof"
	"concilia/jobs/casework"
	"concilia/jobs/othersides"
	"concilia/jobs/setpublish"
	"concilia/jobs/source"
	"concilia/store/ledger"
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
	Files    []setpublish.FileSummary `json:"files,omitzero"`
	// Sales are what stores say they sold by card, held against the service; absent without stores.
	Sales []othersides.SalesSummary `json:"sales,omitzero"`
	// Movement are the sets of the movement that the run published.
	Movement []setpublish.MovementSummary `json:"movement,omitzero"`
	// Retired are the published files that this run deleted because they were past their retention.
	Retired []setpublish.FileSummary `json:"retired,omitzero"`
	// Left is the number of days of lists that a limited backfill left; the same command continues the run.
	Left int `json:"left,omitzero"`
	// Away is the number of published sets whose files are no longer on the target.
	Away int `json:"away,omitzero"`

	// Period is the range of operation days that Totals cover.
	Period ledger.Period `json:"-"`
	// FailedWindows are windows without a complete answer, or not asked because the service was unreachable.
	FailedWindows []ledger.Pull `json:"-"`
	Windows       int           `json:"-"`
	// FailureCauses are the errors behind the failures of windows that this process asked for, by the texts of the failures.
	FailureCauses map[string]error `json:"-"`
	// Outage is the last reason why the service could not be reached, or nil.
	Outage error `json:"-"`
	// WrongAddress is the last reason why the service has no address for what it was asked, or nil.
	WrongAddress error `json:"-"`
	// Unpublished is why sets could not be published, one error per set.
	Unpublished []error `json:"-"`
	// Gone: the target became unreachable.
	Gone bool                  `json:"-"`
	sets []ledger.RunReportSet // that the run made or found current
	sums *source.RunSums       // see runSums
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

// runSums are what the ledger summed as of the run so far.
func (s *Summary) runSums() *source.RunSums {
	if s.sums == nil {
		s.sums = &source.RunSums{}
	}
	return s.sums
}

// newPublications returns what the publications of the run add to. addPublications takes it over when they have ended.
func (s *Summary) newPublications() *setpublish.Outcome {
	return &setpublish.Outcome{Run: s.Run, Sums: s.runSums()}
}

// addPublications adds what the publications of the run came to.
func (s *Summary) addPublications(out *setpublish.Outcome) {
	s.Files, s.Movement, s.Retired, s.Away, s.Gone, s.sets = out.Files, out.Movement, out.Retired, out.Away, out.Gone, out.Sets
	s.Unpublished = append(s.Unpublished, out.Unpublished...)
}

// showWritten sets the totals of the summary to those of the rows of its files; without such rows it has none.
func (s *Summary) showWritten(out *setpublish.Outcome) {
	if out.WrittenTotals != (report.Totals{}) {
		s.Totals = &out.WrittenTotals
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
