package jobs

import (
	"context"
	"errors"
	"fmt"

	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/ledger"
)

// Checked is the result of a check.
type Checked struct {
	Run    string
	AsOf   ledger.Date
	Report *store.CheckReport
	// Drifted are the accounts whose notifications are sent elsewhere. Unasked is why that could not be found out.
	Drifted []ledger.Account
	Unasked error
}

// ExitCode is decided by faults in the ledger, then by subscriptions that could not be asked for or that drifted.
func (c *Checked) ExitCode() int {
	switch {
	case len(c.Report.Faults) > 0:
		return ExitBreaks
	case c.Unasked != nil, len(c.Drifted) > 0:
		return ExitWarnings
	}
	return ExitOK
}

// Faults is the number of faults in the ledger, including those that are not listed.
func (c *Checked) Faults() int { return len(c.Report.Faults) + c.Report.More }

// Alarms returns the alarms for a finished check: only a ledger with faults, which is an incomplete one. The next night
// judges where notifications are sent.
func (c *Checked) Alarms(wanted func(on string) bool) []casework.Alarm {
	if c.Faults() == 0 || !wanted(casework.OnIncomplete) {
		return nil
	}
	return []casework.Alarm{{
		On: casework.OnIncomplete, Run: c.Run, AsOf: c.AsOf,
		Text: fmt.Sprintf("the check of the ledger found faults, %d in all: concilia ledger check names them", c.Faults()),
	}}
}

// Check verifies the whole ledger and asks where the notifications of every account are sent. It takes no lock. want
// returns the address to which an account's notifications should be sent; empty: do not ask.
func (w *Worker) Check(ctx context.Context, s Subscriptions, want func(ledger.Account) string) (*Checked, error) {
	run := w.newRun(ledger.CheckRun, w.Today())
	if err := w.open(ctx, run); err != nil {
		return nil, err
	}
	if w.Began != nil {
		w.Began(run)
	}
	c := &Checked{Run: run.ID, AsOf: run.AsOf}
	progress := w.Progress
	w.Progress = &timed{Progress: progress, wall: w.Wall, run: run, keep: w.Ledger.RecordSteps}
	defer func() { w.Progress = progress }()
	w.Progress.Step("check", 0)
	report, err := w.Ledger.Check(ctx)
	if err != nil {
		return nil, err
	}
	c.Report = report
	w.Progress.Done(fmt.Sprintf("%s, %s, %s, %s: %s", things(report.Versions, "version", "versions"), things(report.Cases, "case", "cases"),
		things(report.Pulls, "pull", "pulls"), things(report.Bodies, "body", "bodies"), things(c.Faults(), "fault", "faults")))
	for _, a := range w.Accounts {
		address := want(a.Number)
		if address == "" {
			continue
		}
		switch _, matches, err := CheckSubscription(ctx, s, w.Ledger, a.Number, address, w.Today()); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			c.Unasked = errors.Join(c.Unasked, err)
		case !matches:
			c.Drifted = append(c.Drifted, a.Number)
		}
	}
	run.Ended, run.ExitCode = w.Wall().UTC(), c.ExitCode()
	return c, w.Ledger.EndRun(ctx, run)
}
