package jobs

import (
	"context"
	"fmt"
	"slices"

	"concilia/export/report"
	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/jobs/reconcile"
	"concilia/jobs/reportset"
	"concilia/jobs/rules/runs"
	"concilia/jobs/source"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// runConclusion is the last step of a run: it sums up, forgets what is past its days, and ends the record.
type runConclusion struct {
	ledger   *store.Ledger
	accounts []Account
	reports  *ReportSettings
	inputs   *reconcile.Inputs
	puller   *pull.Puller
	recorder *runRecorder
	today    func() ledger.Date
}

func (t *task) newConclusion() *runConclusion {
	w := t.worker
	return &runConclusion{
		ledger: w.Ledger, accounts: t.accounts, reports: &w.Reports, inputs: &w.Inputs, puller: t.newPuller(), recorder: t.newRunRecorder(), today: w.Today,
	}
}

// conclude sets the verdict and the totals, and ends the run record.
func (c *runConclusion) conclude(ctx context.Context, run *ledger.Run, s *Summary, v *reportset.Verdicts) error {
	if v != nil {
		if len(s.FailedWindows) > 0 || len(s.Unpublished) > 0 {
			s.Verdict = ledger.Incomplete
		}
		if err := c.summarize(ctx, run, s, v); err != nil {
			return fmt.Errorf("conclude run %s: %w", run.ID, err)
		}
	}
	if err := c.puller.ExpireBodies(ctx); err != nil {
		return fmt.Errorf("conclude run %s: %w", run.ID, err)
	}
	if err := c.compactPulls(ctx, run); err != nil {
		return fmt.Errorf("conclude run %s: %w", run.ID, err)
	}
	return c.recorder.end(ctx, run, s, v)
}

// compactPulls has a night of every week forget the questions of past weeks whose answers showed only what was known: the first and the
// last of each window stay.
func (c *runConclusion) compactPulls(ctx context.Context, run *ledger.Run) error {
	if run.Kind != ledger.Nightly || run.AsOf%daysOfWeek != 0 {
		return nil
	}
	for _, a := range c.accounts {
		if err := c.ledger.CompactPulls(ctx, a.Number, c.today()-store.LeastKept); err != nil {
			return err
		}
	}
	return nil
}

const daysOfWeek = 7

// summarize sets the verdicts of accounts, the totals and the worst severity of the summary.
func (c *runConclusion) summarize(ctx context.Context, run *ledger.Run, s *Summary, v *reportset.Verdicts) error {
	s.Totals = &report.Totals{}
	for _, a := range c.accounts {
		r := v.ByAccount[a.Number]
		verdict := r.Verdict
		if hasFailedWindow(s.FailedWindows, a.Number) {
			verdict = ledger.Incomplete
		}
		s.Verdict = s.Verdict.Worse(verdict)
		s.Accounts = append(s.Accounts, AccountSummary{Account: a.Number, Verdict: verdict, Withheld: v.ListWithheld(a.Number, c.reports.Kinds)})
		if v.HasOverflow(a.Number) {
			continue // it has no totals of this run
		}
		since, err := plan.FixFirstDay(ctx, c.ledger, a.AsPlanned(), run.AsOf)
		if err != nil {
			return err
		}
		for _, p := range source.PublishedMonths(run.AsOf, since) {
			s.extendPeriod(p)
			if err := source.AddPeriodTotals(ctx, c.ledger, s.runSums(), c.inputs.Profile.Unit, s.Totals, a.Number, p, run.ID); err != nil {
				return err
			}
		}
	}
	return findWorstSeverity(ctx, c.ledger, s, run.Accounts, "")
}

// extendPeriod extends the period that the totals cover.
func (s *Summary) extendPeriod(p ledger.Period) {
	if s.Period.From == 0 || p.From < s.Period.From {
		s.Period.From = p.From
	}
	s.Period.To = max(s.Period.To, p.To)
}

func hasFailedWindow(pulls []ledger.Pull, a ledger.Account) bool {
	return slices.ContainsFunc(pulls, func(p ledger.Pull) bool { return p.Window.Account == a })
}

// findWorstSeverity sets the worst severity among the open cases of accounts, now or as of a past run.
func findWorstSeverity(ctx context.Context, l *store.Ledger, s *Summary, accounts []ledger.Account, asOfRun string) error {
	filter := caselog.FindingFilter{
		AsOfRun: asOfRun, Accounts: accounts, States: []ledger.State{ledger.Opened, ledger.Reopened},
		Severities: []ledger.Severity{ledger.Critical, ledger.Error, ledger.Warning},
	}
	return l.Findings(ctx, filter, func(f *ledger.Finding) error {
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
