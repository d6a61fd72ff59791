package jobs

import (
	"context"
	"slices"

	"concilia/export/report"
	"concilia/jobs/rules/runs"
	"concilia/jobs/source"
	"concilia/store/ledger"
	"concilia/store/results"
)

// summarizeRun fills what the summary says of accounts and money.
func (w *Worker) summarizeRun(ctx context.Context, run *ledger.Run, s *Summary, j *judged) error {
	s.Totals = &report.Totals{}
	for _, a := range w.Accounts {
		r := j.results[a.Number]
		verdict := r.Verdict
		if hasFailedWindow(s.FailedWindows, a.Number) {
			verdict = ledger.Incomplete
		}
		s.Verdict = s.Verdict.Worse(verdict)
		s.Accounts = append(s.Accounts, AccountSummary{Account: a.Number, Verdict: verdict, Withheld: w.withheldNames(j, a.Number)})
		since, err := w.since(ctx, a, run.AsOf)
		if err != nil {
			return err
		}
		for _, p := range source.PublishedMonths(run.AsOf, since) {
			s.extendPeriod(p)
			if err := source.AddPeriodTotals(ctx, w.Ledger, w.Terms.Profile.Unit, s.Totals, a.Number, p, ""); err != nil {
				return err
			}
		}
	}
	return w.gravest(ctx, s, "")
}

// extendPeriod widens the period that the totals are of.
func (s *Summary) extendPeriod(p ledger.Period) {
	if s.Period.From == 0 || p.From < s.Period.From {
		s.Period.From = p.From
	}
	s.Period.To = max(s.Period.To, p.To)
}

func hasFailedWindow(pulls []ledger.Pull, a ledger.Account) bool {
	return slices.ContainsFunc(pulls, func(p ledger.Pull) bool { return p.Window.Account == a })
}

// gravest notes the gravest severity among the open cases of the run's accounts, now, or as a past run had reconciled them.
func (w *Worker) gravest(ctx context.Context, s *Summary, asOfRun string) error {
	filter := results.FindingFilter{
		AsOfRun: asOfRun, Accounts: w.accountNumbers(), States: []ledger.State{ledger.Opened, ledger.Reopened},
		Severities: []ledger.Severity{ledger.Critical, ledger.Error, ledger.Warning},
	}
	return w.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
		if f.Code == runs.ProofFailed && asOfRun == "" && s.Findings != nil {
			if s.Findings[f.Code]++; f.FirstRun == s.Run {
				s.NewFindings[f.Code]++
			}
		}
		if s.Worst == "" || f.Severity.Rank() < s.Worst.Rank() {
			s.Worst = f.Severity
		}
		return nil
	})
}
