package main

import (
	"context"
	"errors"
	"fmt"

	"concilia/cmd/concilia/view"
	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// runEnd is what a run came to, for pings and alerts.
type runEnd struct {
	code    int
	verdict ledger.Verdict // empty: it gives none
	line    string         // one line
	alarms  func(ctx context.Context, wanted func(on string) bool) ([]casework.Alarm, error)
}

// runWatched does a run as a command or a schedule asks for it, with pings around it and alerts after it. wire gives the worker
// and its closer; do is the run. Pings and alerts never change its result.
func (g *globals) runWatched(
	ctx context.Context, asOf *ledger.Date, wire func() (*jobs.Worker, func(), error), do func(*jobs.Worker) (*jobs.Summary, error),
) (s *jobs.Summary, err error) {
	err = g.runWatchedAs(ctx, asOf, wire, func(w *jobs.Worker) (*runEnd, error) {
		var err error
		if s, err = do(w); err != nil {
			return nil, err
		}
		return &runEnd{
			s.ExitCode(), s.Verdict, pingText(s, nil),
			func(ctx context.Context, wanted func(string) bool) ([]casework.Alarm, error) {
				return newWatcher(w).FindAlarms(ctx, s.Watched(), wanted)
			},
		}, nil
	})
	return s, err
}

// runWatchedAs is runWatched for a run of any kind.
func (g *globals) runWatchedAs(
	ctx context.Context, asOf *ledger.Date, wire func() (*jobs.Worker, func(), error), do func(*jobs.Worker) (*runEnd, error),
) error {
	c, err := config.LoadOffline(g.config, g.lookup)
	if err != nil {
		c = config.Default() // wire reports what is wrong; the receivers are unknown
	}
	w, done, err := wire()
	if err != nil {
		g.reportFailedStart(ctx, c, asOf, err)
		return err
	}
	defer done()
	r, ok := w.Progress.(*runLog)
	if !ok {
		r = g.newRunLog(c)
	}
	p := &pings{Pings: c.Pings, log: r.currentLogger, meters: g.meters}
	p.sendStart(ctx)
	e, err := do(w)
	if err != nil {
		e = &runEnd{code: exitCode(err), line: pingText(nil, err)}
	}
	r.noteEnd(e, err)
	r.recordExit(ctx, w, e.code)
	a := g.newAlertSender(c, r)
	if len(a.configured) > 0 && e.code != exitUsage && e.code != exitLocked {
		a.raiseAfterRun(context.WithoutCancel(ctx), w, e, err, *asOf)
	}
	if e.code != exitUsage {
		p.sendEnd(ctx, e.code, e.line)
	}
	return err
}

// reportFailedStart reports a run that did not begin.
func (g *globals) reportFailedStart(ctx context.Context, c *config.Config, asOf *ledger.Date, err error) {
	code := exitCode(err)
	if code == exitUsage {
		return // a person reads it
	}
	r := g.newRunLog(c)
	r.noteEnd(&runEnd{code: code}, err)
	if a := g.newAlertSender(c, r); a.isWanted(casework.OnIncomplete) && code != exitInterrupted {
		a.raiseAlarms(context.WithoutCancel(ctx), nil, []casework.Alarm{alarmOf(err, *asOf)})
	}
	p := &pings{Pings: c.Pings, log: r.currentLogger, meters: g.meters}
	p.sendEnd(ctx, code, pingText(nil, err))
}

func (g *globals) newAlertSender(c *config.Config, r *runLog) *alertSender {
	return &alertSender{configured: c.Alerts, log: r.currentLogger, meters: g.meters, wall: g.wall}
}

// raiseAfterRun raises what a run gives reason for. One that a person ended gives none.
func (a *alertSender) raiseAfterRun(ctx context.Context, w *jobs.Worker, e *runEnd, err error, asOf ledger.Date) {
	var alarms []casework.Alarm
	switch {
	case err == nil:
		var wrong error
		if alarms, wrong = e.alarms(ctx, a.isWanted); wrong != nil {
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
	return casework.Alarm{On: casework.OnIncomplete, AsOf: asOf, Text: "the run did not come to its end: " + view.DescribeExit(exitCode(err))}
}

// pingText is what a ping carries of a run: its one line, or that it has none; never a cause, which may name machines.
func pingText(s *jobs.Summary, err error) string {
	switch {
	case err != nil || s == nil:
		return "the run did not come to its end: " + view.DescribeExit(exitCode(err))
	case s.Record != nil:
		return view.SummaryLine(s)
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
