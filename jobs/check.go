package jobs

import (
	"context"
	"errors"
	"fmt"

	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/ledger"
)

// CheckResult is the result of a check.
type CheckResult struct {
	Run    string
	AsOf   ledger.Date
	Report *store.CheckReport
	// WrongAddress are the accounts whose notifications are sent elsewhere. AddressError is why an address could not be read.
	WrongAddress []ledger.Account
	AddressError error
}

// ExitCode depends first on faults in the ledger, then on addresses of notifications that are wrong or could not be
// read.
func (c *CheckResult) ExitCode() int {
	switch {
	case len(c.Report.Faults) > 0:
		return ExitBreaks
	case c.AddressError != nil, len(c.WrongAddress) > 0:
		return ExitWarnings
	}
	return ExitOK
}

// Faults is the number of faults in the ledger, including those that are not listed.
func (c *CheckResult) Faults() int { return len(c.Report.Faults) + c.Report.More }

// Alarms returns the alarms of a finished check: one if the ledger has faults. Addresses of notifications are evaluated
// by the next nightly run.
func (c *CheckResult) Alarms(wanted func(on string) bool) []casework.Alarm {
	if c.Faults() == 0 || !wanted(casework.OnIncomplete) {
		return nil
	}
	return []casework.Alarm{{
		On: casework.OnIncomplete, Run: c.Run, AsOf: c.AsOf,
		Text: fmt.Sprintf("the check of the ledger found faults, %d in all: concilia ledger check names them", c.Faults()),
	}}
}

// Check verifies the whole ledger and asks the service where the notifications of every account are sent. It takes no
// lock. want returns the address to which an account's notifications should be sent; empty: do not ask.
func (w *Worker) Check(ctx context.Context, s Subscriptions, want func(ledger.Account) string) (*CheckResult, error) {
	recorder := w.newTask().newRunRecorder()
	run := recorder.newRun(ledger.CheckRun, w.Today())
	if err := recorder.openRecord(ctx, run); err != nil {
		return nil, err
	}
	if w.Began != nil {
		w.Began(run)
	}
	c := &CheckResult{Run: run.ID, AsOf: run.AsOf}
	progress := &stepTimer{Progress: w.Progress, wall: w.Wall, run: run, keep: w.Ledger.RecordSteps}
	progress.Step("check", 0)
	report, err := w.Ledger.Check(ctx)
	if err != nil {
		return nil, err
	}
	c.Report = report
	progress.Done(words.NewMessage("steps.checked", "versions", words.NewMessage("counts.version", "n", report.Versions), "cases", words.NewMessage("counts.case", "n", report.Cases),
		"pulls", words.NewMessage("counts.pull", "n", report.Pulls), "bodies", words.NewMessage("counts.body", "n", report.Bodies), "faults", words.NewMessage("counts.fault", "n", c.Faults())))
	for _, a := range w.Accounts {
		address := want(a.Number)
		if address == "" {
			continue
		}
		switch _, matches, err := CheckSubscription(ctx, s, w.Ledger, a.Number, address, w.Today()); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			c.AddressError = errors.Join(c.AddressError, err)
		case !matches:
			c.WrongAddress = append(c.WrongAddress, a.Number)
		}
	}
	run.Ended, run.ExitCode = w.Wall().UTC(), c.ExitCode()
	return c, w.Ledger.EndRun(ctx, run)
}

// Subscriptions is the part of the payment service that returns where notifications are sent; *api.Client implements
// it.
type Subscriptions interface {
	// ReadSubscription returns the address that receives the notifications of an account, empty if there is none.
	ReadSubscription(ctx context.Context, account ledger.Account) (string, error)
}

// SubscriptionLog stores the service's answers; *store.Ledger implements it.
type SubscriptionLog interface {
	RecordSubscription(ctx context.Context, a ledger.Account, url string, matches bool, on ledger.Date) error
}

// CheckSubscription asks where the notifications of the account are sent and stores the answer, dated by the business
// clock, whether or not it is want; the rules evaluate it. It returns the answer of the service.
//
// Addresses are compared as text, because the service sends to exactly the text that it was given.
func CheckSubscription(
	ctx context.Context, s Subscriptions, l SubscriptionLog, a ledger.Account, want string, on ledger.Date,
) (got string, matches bool, err error) {
	if got, err = s.ReadSubscription(ctx, a); err != nil {
		return "", false, words.NewFault("publish_fault.subscription", "", "account", a, "cause", err)
	}
	matches = got == want
	if err := l.RecordSubscription(ctx, a, got, matches, on); err != nil {
		return got, matches, words.NewFault("publish_fault.subscription", "", "account", a, "cause", err)
	}
	return got, matches, nil
}
