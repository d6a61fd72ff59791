package jobs

import (
	"context"
	"fmt"

	"concilia/export"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// end writes the run record for the last time.
func (w *Worker) end(ctx context.Context, run *ledger.Run, s *Summary, j *judged) error {
	if j != nil { // a report evaluates nothing: it says nothing of the cases
		if err := w.countOpenCases(ctx, run); err != nil {
			return fmt.Errorf("end run %s: %w", run.ID, err)
		}
		figures := export.FiguresJSON(run.Figures)
		s.Figures = &figures
	}
	run.Sums, run.Sets = source.NameTotals(s.Totals), s.sets
	run.Ended, run.Verdict, run.ExitCode = w.Wall().UTC(), s.Verdict, s.ExitCode()
	if len(s.Accounts) > 0 {
		run.Verdicts = map[ledger.Account]ledger.Verdict{}
		for _, a := range s.Accounts {
			run.Verdicts[a.Account] = a.Verdict
		}
	}
	s.Record = run
	return w.Ledger.EndRun(ctx, run)
}

// countOpenCases counts and adds up the unresolved cases of the run's accounts at its end.
func (w *Worker) countOpenCases(ctx context.Context, run *ledger.Run) error {
	var err error
	if run.Figures, err = w.Ledger.Figures(ctx, run.Accounts, run.ID); err != nil {
		return err
	}
	sums, err := w.Ledger.CaseCounts(ctx, run.Accounts, run.ID)
	if err != nil {
		return err
	}
	run.Cases = ledger.CaseCounts{}
	for _, c := range sums {
		run.Cases.New += c.New
		run.Cases.Persisting += c.Cases - c.New
	}
	run.Cases.Resolved, err = w.Ledger.CountResolved(ctx, run.Accounts, run.ID)
	return err
}

// noteSet remembers for the record that the run made a revision, or found it standing. One that the run's own process made
// before it was killed is the run's.
func (s *Summary) noteSet(kept *reports.Set, fresh bool) {
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
