package alerts

import (
	"context"
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/mailing"
	"concilia/cmd/concilia/progress"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/runview"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// RunEnd is what a run came to, for pings and alerts.
type RunEnd struct {
	Code    int
	verdict ledger.Verdict // empty: it gives none
	Line    string         // one line
	Alarms  func(ctx context.Context, wanted func(on string) bool) ([]casework.Alarm, error)
}

// RunWatched does a run as a command or a schedule asks for it, with pings around it and alerts after it. wire gives the worker
// and its closer; do is the run. Pings and alerts never change its result.
func RunWatched(
	ctx context.Context, proc *wire.Process, asOf *ledger.Date, wire func() (*jobs.Worker, func(), error), do func(*jobs.Worker) (*jobs.Summary, error),
) (s *jobs.Summary, err error) {
	err = RunWatchedAs(ctx, proc, asOf, wire, func(w *jobs.Worker) (*RunEnd, error) {
		var err error
		if s, err = do(w); err != nil {
			return nil, err
		}
		return &RunEnd{
			s.ExitCode(), s.Verdict, pingText(s, nil),
			func(ctx context.Context, wanted func(string) bool) ([]casework.Alarm, error) {
				return newWatcher(w).FindAlarms(ctx, s.Watched(), wanted)
			},
		}, nil
	})
	return s, err
}

// RunWatchedAs is RunWatched for a run of any kind.
func RunWatchedAs(
	ctx context.Context, proc *wire.Process, asOf *ledger.Date, wire func() (*jobs.Worker, func(), error), do func(*jobs.Worker) (*RunEnd, error),
) error {
	c, err := config.LoadOffline(proc.ConfigPath, proc.Lookup)
	if err != nil {
		c = config.Default() // wire reports what is wrong; the receivers are unknown
	}
	w, done, err := wire()
	if err != nil {
		reportFailedStart(ctx, proc, c, asOf, err)
		return err
	}
	defer done()
	r, ok := w.Progress.(*progress.RunLog)
	if !ok {
		r = proc.NewRunLog(c)
	}
	p := &pings{Pings: c.Pings, log: r.CurrentLogger, meters: proc.Meters}
	p.sendStart(ctx)
	e, err := do(w)
	if err != nil {
		e = &RunEnd{Code: exit.CodeOf(err), Line: pingText(nil, err)}
	}
	r.NoteEnd(e.Code, e.verdict, err)
	r.RecordExit(ctx, w, e.Code)
	a := NewSender(c.Alerts, r.CurrentLogger, proc.Meters, proc.Wall)
	a.mailer = newMailer(proc, r.CurrentLogger)
	if len(a.configured) > 0 && e.Code != exit.Usage && e.Code != exit.Locked {
		a.raiseAfterRun(context.WithoutCancel(ctx), w, e, err, *asOf)
	}
	if e.Code != exit.Usage {
		p.sendEnd(ctx, e.Code, e.Line)
	}
	return err
}

// newMailer sends alerts that cannot be kept by mail; nil: none is configured, or the configuration cannot be read.
func newMailer(proc *wire.Process, log func() *zerolog.Logger) *mailing.Mailer {
	c, err := config.LoadMailing(proc.ConfigPath, proc.Lookup)
	if err != nil || !c.Mail.IsEnabled() {
		return nil
	}
	return mailing.NewMailer(c, log, proc.Meters, proc.Wall)
}

// reportFailedStart reports a run that did not begin.
func reportFailedStart(ctx context.Context, proc *wire.Process, c *config.Config, asOf *ledger.Date, err error) {
	code := exit.CodeOf(err)
	if code == exit.Usage {
		return // a person reads it
	}
	r := proc.NewRunLog(c)
	r.NoteEnd(code, "", err)
	if a := NewSender(c.Alerts, r.CurrentLogger, proc.Meters, proc.Wall); a.isWanted(casework.OnIncomplete) && code != exit.Interrupted {
		a.mailer = newMailer(proc, r.CurrentLogger)
		a.raiseAlarms(context.WithoutCancel(ctx), nil, []casework.Alarm{alarmOf(err, *asOf)})
	}
	p := &pings{Pings: c.Pings, log: r.CurrentLogger, meters: proc.Meters}
	p.sendEnd(ctx, code, pingText(nil, err))
}

// raiseAfterRun raises what a run gives reason for. One that a person ended gives none.
func (a *Sender) raiseAfterRun(ctx context.Context, w *jobs.Worker, e *RunEnd, err error, asOf ledger.Date) {
	var alarms []casework.Alarm
	switch {
	case err == nil:
		var wrong error
		if alarms, wrong = e.Alarms(ctx, a.isWanted); wrong != nil {
			a.log().Warn().AnErr("why", wrong).Msg("it could not be found out whether there is something to alert")
			return
		}
	case errors.Is(err, context.Canceled):
	case a.isWanted(casework.OnIncomplete):
		// The ledger may be what failed, and the run may have no name: this alert is delivered and not kept.
		a.raiseAlarms(ctx, nil, []casework.Alarm{alarmOf(err, asOf)})
	}
	a.raiseAlarms(ctx, w.Ledger, alarms)
}

// alarmOf is the alarm of a run that did not come to its end. The error may name machines: it stays in the log.
func alarmOf(err error, asOf ledger.Date) casework.Alarm {
	return casework.Alarm{On: casework.OnIncomplete, AsOf: asOf, Text: "the run did not come to its end: " + view.English.DescribeExit(exit.CodeOf(err))}
}

// pingText is what a ping carries of a run: its one line, or that it has none; never a cause, which may name machines.
func pingText(s *jobs.Summary, err error) string {
	switch {
	case err != nil || s == nil:
		return "the run did not come to its end: " + view.English.DescribeExit(exit.CodeOf(err))
	case s.Record != nil:
		return runview.SummaryLine(s, view.English)
	}
	return fmt.Sprintf("run %s as of %s: %s", s.Run, s.AsOf, s.Verdict)
}

// newWatcher finds the alarms of a wired worker's runs.
func newWatcher(w *jobs.Worker) *casework.Watcher {
	out := &casework.Watcher{Ledger: w.Ledger, Calendar: w.Inputs.Calendar}
	for _, a := range w.Accounts {
		out.Accounts = append(out.Accounts, a.Number)
	}
	return out
}
