package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"concilia/cmd/concilia/alerts"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/jobs"
	"concilia/jobs/calendar"
	"concilia/jobs/casework"
	"concilia/jobs/schedule"
	"concilia/store/ledger"
	"concilia/store/runs"
)

// job is what a schedule starts: what it needs, and what it does as of the slot's day.
type job struct {
	needs wire.Needs
	do    func(ctx context.Context, w *jobs.Worker, asOf ledger.Date) (*jobs.Summary, error)
	// forward: it is not run as of a day before the last reconcile; what was missed before that is past.
	forward bool
	// holds: it waits for the run that holds the accounts.
	holds bool
}

// jobOf is the job of that name in a schedule; those of the configuration are all here.
func jobOf(name string) job {
	switch name {
	case "nightly":
		return job{wire.WantService | wire.WantTarget, func(ctx context.Context, w *jobs.Worker, asOf ledger.Date) (*jobs.Summary, error) {
			return w.Night(ctx, asOf)
		}, true, true}
	case "pull":
		return job{wire.WantService, func(ctx context.Context, w *jobs.Worker, asOf ledger.Date) (*jobs.Summary, error) {
			return w.PullNight(ctx, asOf)
		}, false, true}
	case "reconcile":
		return job{wire.WantKept, func(ctx context.Context, w *jobs.Worker, asOf ledger.Date) (*jobs.Summary, error) {
			return w.Reconcile(ctx, asOf)
		}, true, true}
	case "report":
		return job{wire.WantTarget | wire.WantKept, func(ctx context.Context, w *jobs.Worker, _ ledger.Date) (*jobs.Summary, error) {
			return w.ReportNight(ctx)
		}, false, true}
	}
	return job{}
}

// RunOccurrence does the job of an occurrence, as of the day of its slot, as its command would. Its outcome is recorded and
// never ends the daemon.
func (s *Schedules) RunOccurrence(ctx context.Context, o schedule.Occurrence) schedule.Outcome {
	defer s.post.sendSoon()
	if o.Job == "check" {
		return s.checkOccurrence(ctx, o)
	}
	j, day := jobOf(o.Job), ledger.DateOf(o.Slot, s.config.Location())
	if err := calendar.CheckDate(day); err != nil {
		return scheduleOutcome("", nil, exit.NewInputError("as-of", err))
	}
	if out, stop := s.findHindrance(ctx, j, day); stop {
		return out
	}
	var run string
	summary, err := alerts.RunWatched(ctx, s.proc, &day, func() (*jobs.Worker, func(), error) {
		w, done, err := s.proc.WireWorker(ctx, j.needs)
		if err == nil {
			s.attachWorker(w, o, &run)
		}
		return w, done, err
	}, func(w *jobs.Worker) (*jobs.Summary, error) { return j.do(ctx, w, day) })
	out := scheduleOutcome(run, summary, err)
	out.RepeatJob = repeatJob(o.Job, out.ExitCode, summary)
	return out
}

// repeatJob is the job that does what one with such an end has left: the same, or, where only the target of the reports was
// away, their delivery. Empty: repeating it would not help.
func repeatJob(done string, code int, s *jobs.Summary) string {
	switch {
	case code != jobs.ExitIncomplete && code != jobs.ExitNothing:
		return ""
	case done == "nightly" && s != nil && s.Gone && len(s.FailedWindows) == 0:
		return "report"
	}
	return done
}

// attachWorker makes the worker one of the occurrence; run becomes the run's id.
func (s *Schedules) attachWorker(w *jobs.Worker, o schedule.Occurrence, run *string) {
	w.Trigger, w.Now = o.Trigger, s.now
	noteBegin := w.Began
	w.Began = func(r *ledger.Run) {
		*run = r.ID
		if noteBegin != nil {
			noteBegin(r)
		}
	}
}

// findHindrance finds what prevents the job, before pings report that it begins.
func (s *Schedules) findHindrance(ctx context.Context, j job, day ledger.Date) (schedule.Outcome, bool) {
	w := &jobs.Worker{Ledger: s.ledger}
	var numbers []ledger.Account
	for _, a := range s.config.Accounts {
		w.Accounts = append(w.Accounts, jobs.Account{Number: ledger.Account(a.Number)})
		numbers = append(numbers, ledger.Account(a.Number))
	}
	if j.forward {
		later, err := w.LaterReconciled(ctx, day)
		if err != nil {
			return scheduleOutcome("", nil, err), true
		}
		if later != nil {
			return schedule.Outcome{Skipped: true, Why: fmt.Sprintf("as of %s is past: run %s was as of %s", day, later.ID, later.AsOf)}, true
		}
	}
	if j.holds {
		if err := s.ledger.CheckNotLeased(ctx, numbers); err != nil {
			return scheduleOutcome("", nil, err), true
		}
	}
	return schedule.Outcome{}, false
}

// checkOccurrence reads the ledger again and asks for the subscriptions, if there is an address that they should point to.
func (s *Schedules) checkOccurrence(ctx context.Context, o schedule.Occurrence) schedule.Outcome {
	n := wire.WantKept
	if s.config.Webhook.PublicURL != "" {
		n |= wire.WantService
	}
	var run string
	var found *jobs.CheckResult
	day := ledger.DateOf(o.Slot, s.config.Location())
	err := alerts.RunWatchedAs(ctx, s.proc, &day, func() (*jobs.Worker, func(), error) {
		w, done, err := s.proc.WireWorker(ctx, n)
		if err == nil {
			s.attachWorker(w, o, &run)
		}
		return w, done, err
	}, func(w *jobs.Worker) (_ *alerts.RunEnd, err error) {
		asked, _ := w.Service.(jobs.Subscriptions)
		found, err = w.Check(ctx, asked, func(a ledger.Account) string { return s.config.Webhook.AccountURL(int64(a)) })
		if err != nil {
			return nil, err
		}
		return &alerts.RunEnd{
			Code: found.ExitCode(), Line: fmt.Sprintf("concilia check %s: %s, run %s", day, view.English.Count(int64(found.Faults()), "fault"), found.Run),
			Alarms: func(_ context.Context, wanted func(string) bool) ([]casework.Alarm, error) {
				return found.Alarms(wanted), nil
			},
		}, nil
	})
	if err != nil {
		return scheduleOutcome(run, nil, err)
	}
	return schedule.Outcome{Run: found.Run, ExitCode: found.ExitCode(), Why: describeCheck(found)}
}

// describeCheck is what a check found.
func describeCheck(c *jobs.CheckResult) string {
	var parts []string
	if n := c.Faults(); n > 0 {
		parts = append(parts, view.English.Count(int64(n), "fault")+" in the ledger: concilia ledger check names them")
	}
	for _, a := range c.WrongAddress {
		parts = append(parts, fmt.Sprintf("the notifications of account %s go elsewhere", a))
	}
	if c.AddressError != nil {
		parts = append(parts, firstLine(c.AddressError))
	}
	if len(parts) == 0 {
		return "clean"
	}
	return strings.Join(parts, "; ")
}

// scheduleOutcome is what a run came to, in the words of its occurrence.
func scheduleOutcome(run string, s *jobs.Summary, err error) schedule.Outcome {
	var locked *runs.LockedError
	switch {
	case err == nil:
		return schedule.Outcome{Run: s.Run, ExitCode: s.ExitCode(), Why: string(s.Verdict)}
	case errors.Is(err, context.Canceled): // the daemon was stopped
		return schedule.Outcome{Run: run, ExitCode: exit.Interrupted, Why: "interrupted", Interrupted: true}
	case errors.As(err, &locked):
		return schedule.Outcome{ExitCode: exit.Locked, Why: locked.Error(), Busy: true}
	}
	return schedule.Outcome{Run: run, ExitCode: exit.CodeOf(err), Why: firstLine(err)}
}

// maxReasonLength bounds the words of an error that are kept.
const maxReasonLength = 300

// firstLine is the first line of an error: what followed from it adds nothing.
func firstLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	if r := []rune(first); len(r) > maxReasonLength {
		return string(r[:maxReasonLength]) + "…"
	}
	return first
}
