package main

import (
	"context"
	"fmt"
	"time"

	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/ledger"
)

const (
	// lookEvery is how often a daemon looks whether a night is missing, retellEvery whether an alert waits that its receiver
	// did not take.
	lookEvery   = 20 * time.Second
	retellEvery = 5 * time.Minute
)

// lookout raises what no run can: that none came. It keeps no ledger open.
type lookout struct {
	*alerts
	open func(context.Context) (*store.Ledger, error)
	now  func() time.Time // business clock
	zone *time.Location

	judged map[string]ledger.Date // the last day that was judged, by time of day
	retold time.Time              // when it was last looked for what waits
}

// watchOut looks until ctx ends.
func (o *lookout) watchOut(ctx context.Context) {
	if len(o.configured) == 0 {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		o.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look judges every time of day that has come and was not judged today, and tells what waits.
func (o *lookout) look(ctx context.Context) {
	now := o.now().In(o.zone)
	today := ledger.DateOf(now, o.zone)
	var due []string
	for _, c := range o.configured {
		if c.On == casework.OnNoRun && c.By <= now.Format("15:04") && o.judged[c.By] < today {
			due = append(due, c.By)
			o.judged[c.By] = today
		}
	}
	wall := o.wall()
	if len(due) == 0 && wall.Sub(o.retold) < retellEvery {
		return
	}
	o.retold = wall
	l, err := o.open(ctx)
	if err == nil {
		defer func() { _ = l.Close() }() // what was kept is committed
	}
	var alarms []casework.Alarm
	if len(due) > 0 {
		alarms = o.missing(ctx, l, err, today, due)
	}
	o.raise(ctx, l, alarms)
}

// missing are the alarms of the times of day by which a night should have come to its end, when none has.
func (o *lookout) missing(ctx context.Context, l *store.Ledger, failed error, today ledger.Date, due []string) []casework.Alarm {
	text := "no night has come to its end on %s by %s"
	if failed == nil {
		var came bool
		if came, failed = casework.NightlyRunEnded(ctx, l, today); came {
			return nil
		}
	}
	if failed != nil {
		o.log().Warn().AnErr("why", failed).Msg("the ledger does not say whether a night has run")
		text = "it is not known whether a night has come to its end on %s by %s: the ledger cannot be read"
	}
	var out []casework.Alarm
	for _, by := range due {
		out = append(out, casework.Alarm{
			On: casework.OnNoRun, By: by, AsOf: today, Text: fmt.Sprintf(text, today, by), Cause: today.String() + " " + by,
		})
	}
	return out
}
