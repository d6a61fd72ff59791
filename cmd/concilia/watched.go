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

// ending is what came of a run that came to its end, for those who are told of it.
type ending struct {
	code    int
	verdict ledger.Verdict // empty: it gives none
	said    string         // one line
	alarms  func(ctx context.Context, wanted func(on string) bool) ([]casework.Alarm, error)
}

// watched does a run as a command or a schedule asks for it: pings around it, alerts behind it. wire gives the worker and
// what closes it; do is the run. None of the watching changes what comes of it.
func (g *globals) watched(
	ctx context.Context, asOf *ledger.Date, wire func() (*jobs.Worker, func(), error), do func(*jobs.Worker) (*jobs.Summary, error),
) (s *jobs.Summary, err error) {
	err = g.around(ctx, asOf, wire, func(w *jobs.Worker) (*ending, error) {
		var err error
		if s, err = do(w); err != nil {
			return nil, err
		}
		return &ending{
			s.ExitCode(), s.Verdict, said(s, nil),
			func(ctx context.Context, wanted func(string) bool) ([]casework.Alarm, error) {
				return watcher(w).FindAlarms(ctx, s.Watched(), wanted)
			},
		}, nil
	})
	return s, err
}

// around is watched for a run of any kind.
func (g *globals) around(
	ctx context.Context, asOf *ledger.Date, wire func() (*jobs.Worker, func(), error), do func(*jobs.Worker) (*ending, error),
) error {
	c, err := config.LoadOffline(g.config, g.lookup)
	if err != nil {
		c = config.Default() // wire says what is wrong, and nobody is known whom to tell
	}
	w, done, err := wire()
	if err != nil {
		g.tellFailure(ctx, c, asOf, err)
		return err
	}
	defer done()
	r, ok := w.Progress.(*runLog)
	if !ok {
		r = g.newRunLog(c)
	}
	p := &pings{Pings: c.Pings, log: r.log, meters: g.meters}
	p.begin(ctx)
	e, err := do(w)
	if err != nil {
		e = &ending{code: exitCode(err), said: said(nil, err)}
	}
	r.ended(e, err)
	r.stopped(ctx, w, e.code)
	a := g.alerts(c, r)
	if len(a.configured) > 0 && e.code != exitUsage && e.code != exitLocked {
		a.after(context.WithoutCancel(ctx), w, e, err, *asOf)
	}
	if e.code != exitUsage {
		p.end(ctx, e.code, e.said)
	}
	return err
}

// tellFailure tells of a run that did not even begin.
func (g *globals) tellFailure(ctx context.Context, c *config.Config, asOf *ledger.Date, err error) {
	code := exitCode(err)
	if code == exitUsage {
		return // somebody is there who reads it
	}
	r := g.newRunLog(c)
	r.ended(&ending{code: code}, err)
	if a := g.alerts(c, r); a.wants(casework.OnIncomplete) && code != exitInterrupted {
		a.raise(context.WithoutCancel(ctx), nil, []casework.Alarm{failed(err, *asOf)})
	}
	p := &pings{Pings: c.Pings, log: r.log, meters: g.meters}
	p.end(ctx, code, said(nil, err))
}

func (g *globals) alerts(c *config.Config, r *runLog) *alerts {
	return &alerts{configured: c.Alerts, log: r.log, meters: g.meters, wall: g.wall}
}

// after raises what a run gives reason for. One that a person ended gives none.
func (a *alerts) after(ctx context.Context, w *jobs.Worker, e *ending, err error, asOf ledger.Date) {
	var alarms []casework.Alarm
	switch {
	case err == nil:
		var wrong error
		if alarms, wrong = e.alarms(ctx, a.wants); wrong != nil {
			a.log().Warn().AnErr("why", wrong).Msg("it could not be found out whether there is something to alert")
			return
		}
	case errors.Is(err, context.Canceled):
	case a.wants(casework.OnIncomplete):
		// The ledger may be what failed, and the run may have no name: this one is told and not kept.
		a.raise(ctx, nil, []casework.Alarm{failed(err, asOf)})
	}
	a.raise(ctx, w.Ledger, alarms)
}

// failed is the alarm of a run that did not come to its end. What the error says may tell of machines: it stays in the
// log.
func failed(err error, asOf ledger.Date) casework.Alarm {
	return casework.Alarm{On: casework.OnIncomplete, AsOf: asOf, Text: "the run did not come to its end: " + view.DescribeExit(exitCode(err))}
}

// said is what a ping carries of a run: its one line, or that it has none; never a cause, which may tell of machines.
func said(s *jobs.Summary, err error) string {
	switch {
	case err != nil || s == nil:
		return "the run did not come to its end: " + view.DescribeExit(exitCode(err))
	case s.Record != nil:
		return view.SummaryLine(s)
	}
	return fmt.Sprintf("run %s as of %s: %s", s.Run, s.AsOf, s.Verdict)
}

// watcher finds the alarms of a wired worker's runs.
func watcher(w *jobs.Worker) *casework.Watcher {
	out := &casework.Watcher{Ledger: w.Ledger, Calendar: w.Terms.Calendar}
	for _, a := range w.Accounts {
		out.Accounts = append(out.Accounts, a.Number)
	}
	return out
}
