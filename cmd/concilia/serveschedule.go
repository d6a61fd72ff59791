package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/schedule"
	"concilia/store"
	"concilia/store/runs"
)

// drainTime is how long the running job of a daemon that is stopped may continue; then it is interrupted, which is
// safe, and taken up by the next daemon.
const drainTime = answerTimeout

// schedules are the jobs that serve starts by the clock, and their occurrences.
type schedules struct {
	*schedule.Scheduler
	g      *globals
	config *config.Config
	ledger *store.Ledger
	now    func() time.Time // the business clock, since the daemon started
	log    zerolog.Logger
}

// newSchedules opens the ledger and begins nothing yet; nil when no schedule is configured. close ends it.
func (g *globals) newSchedules(ctx context.Context, c *config.Config, logger zerolog.Logger) (s *schedules, err error) {
	if len(c.Schedule) == 0 {
		return nil, nil
	}
	entries, err := entriesOf(c)
	if err != nil {
		return nil, err
	}
	// Warnings about the configuration were printed at the start; each job reads it again, as a command would, without them.
	quiet := *g
	quiet.quiet = true
	s = &schedules{g: &quiet, config: c, log: logger}
	if s.now, _, err = g.businessClock(c); err != nil {
		return nil, err
	}
	if s.ledger, err = g.openLedger(ctx, c); err != nil {
		return nil, err
	}
	s.Scheduler, err = schedule.New(schedule.Options{
		Entries: entries, Rows: occurrenceRows{s.ledger}, Do: s.runOccurrence, Now: s.now, Drain: drainTime,
		OnChange: s.logOccurrence, OnError: func(err error) { logger.Warn().AnErr("why", err).Msg("schedule") },
	})
	if err != nil {
		return nil, errors.Join(&inputError{"schedule", err}, s.ledger.Close())
	}
	return s, nil
}

func (s *schedules) close() {
	if s != nil {
		_ = s.ledger.Close() // what was kept is committed
	}
}

// runWhile starts jobs by the clock while fn runs, until ctx ends or fn does.
func (s *schedules) runWhile(ctx context.Context, fn func(context.Context) error) error {
	if s == nil {
		return fn(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	s.log.Info().Int("schedules", len(s.config.Schedule)).Msg("starting jobs by the clock")
	err := fn(ctx)
	stop()
	<-ended
	return err
}

// entriesOf are the configured schedules.
func entriesOf(c *config.Config) ([]schedule.Entry, error) {
	var out []schedule.Entry
	for i, e := range c.Schedule {
		spec, err := schedule.Parse(e.Cron, c.Location())
		if err != nil {
			return nil, &inputError{fmt.Sprintf("schedule[%d].cron", i), err}
		}
		out = append(out, schedule.Entry{
			Job: e.Job, Spec: spec, Missed: schedule.Policy(e.Missed), CatchUpDays: e.CatchUpDays, OnStart: e.OnStart, Retry: e.Retry,
		})
	}
	return out, nil
}

// receivesNotifications reports whether a daemon takes notifications: when something is configured for it, or nothing else to do.
func receivesNotifications(c *config.Config) bool {
	w, bare := c.Webhook, config.Default().Webhook
	return len(c.Schedule) == 0 || w.Listen != bare.Listen || w.PublicURL != "" || w.CertFile != "" || w.AccessKeyFile != "" ||
		!w.AccessKey.Empty() || w.BasicUser != ""
}

// logOccurrence logs what becomes of an occurrence.
func (s *schedules) logOccurrence(r schedule.Row) {
	e := s.log.Info()
	words := "occurrence " + r.State
	ended := r.State == schedule.Ran || r.State == schedule.CaughtUp
	switch {
	// Breaks are what a night is for; a check that finds something is another matter.
	case r.State == schedule.Skipped, r.ExitCode == exitInternal, r.ExitCode >= jobs.ExitIncomplete,
		r.Job == "check" && r.ExitCode != exitOK:
		e = s.log.Warn()
	case r.State == schedule.Running:
		words = "occurrence begins"
		if r.Attempts == 0 {
			words = "occurrence put back"
		}
	}
	e = e.Str("task", r.Job).Time("slot", r.Slot.In(s.config.Location()))
	if r.Why != "" {
		e = e.Str("why", r.Why)
	}
	if r.Run != "" {
		e = e.Str("run", r.Run)
	}
	if ended {
		e = e.Int("exit", r.ExitCode)
	}
	e.Msg(words)
}

// occurrenceRows keeps occurrences in the ledger.
type occurrenceRows struct{ ledger *store.Ledger }

// ReadProgress, Register, Skip, Begin, TakeOver, Renew and End implement schedule.Rows.

func (r occurrenceRows) ReadProgress(ctx context.Context, name string) (schedule.Progress, error) {
	last, running, err := r.ledger.ScheduleProgress(ctx, name)
	return schedule.Progress{Latest: (*schedule.Row)(last), Running: (*schedule.Row)(running)}, err
}

func (r occurrenceRows) Register(ctx context.Context, row schedule.Row, configured []string) error {
	return r.ledger.RegisterSchedule(ctx, runs.CronOccurrence(row), configured)
}

func (r occurrenceRows) Skip(ctx context.Context, rows []schedule.Row) error {
	occurrences := make([]runs.CronOccurrence, len(rows))
	for i, row := range rows {
		occurrences[i] = runs.CronOccurrence(row)
	}
	return r.ledger.SkipOccurrences(ctx, occurrences)
}

func (r occurrenceRows) Begin(ctx context.Context, row schedule.Row) (bool, error) {
	return r.ledger.BeginOccurrence(ctx, runs.CronOccurrence(row), schedule.RowLifetime)
}

func (r occurrenceRows) TakeOver(ctx context.Context, row schedule.Row, begun time.Time) (bool, error) {
	return r.ledger.TakeOverOccurrence(ctx, runs.CronOccurrence(row), begun, schedule.RowLifetime)
}

func (r occurrenceRows) Renew(ctx context.Context, row schedule.Row) (bool, error) {
	return r.ledger.RenewOccurrence(ctx, runs.CronOccurrence(row), schedule.RowLifetime)
}

func (r occurrenceRows) End(ctx context.Context, row schedule.Row) error {
	return r.ledger.EndOccurrence(ctx, runs.CronOccurrence(row))
}
