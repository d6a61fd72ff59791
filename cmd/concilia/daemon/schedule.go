package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/listen"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/jobs"
	"concilia/jobs/schedule"
	"concilia/store"
	"concilia/store/runs"
)

// drainTime is how long the running job of a daemon that is stopped may continue; then it is interrupted, which is
// safe, and taken up by the next daemon.
const drainTime = listen.AnswerTimeout

// Schedules are the jobs that serve starts by the clock, and their occurrences.
type Schedules struct {
	*schedule.Scheduler
	proc   *wire.Process
	config *config.Config
	ledger *store.Ledger
	now    func() time.Time // the business clock, since the daemon started
	log    zerolog.Logger
	post   *mailLoop // woken when a run ends; nil: no mail is sent
}

// mailWith makes the loop send the mail about runs that end.
func (s *Schedules) mailWith(post *mailLoop) {
	if s != nil {
		s.post = post
	}
}

// OpenSchedules opens the ledger and begins nothing yet; nil when no schedule is configured. close ends it.
func OpenSchedules(ctx context.Context, proc *wire.Process, c *config.Config, logger zerolog.Logger) (s *Schedules, err error) {
	if len(c.Schedule) == 0 {
		return nil, nil
	}
	entries, err := wire.ScheduleEntries(c)
	if err != nil {
		return nil, err
	}
	// Warnings about the configuration were printed at the start; each job reads it again, as a command would, without them.
	quiet := *proc
	quiet.Quiet = true
	s = &Schedules{proc: &quiet, config: c, log: logger}
	if s.now, _, err = proc.BusinessClock(c); err != nil {
		return nil, err
	}
	if s.ledger, err = proc.OpenLedger(ctx, c); err != nil {
		return nil, err
	}
	s.Scheduler, err = schedule.New(schedule.Options{
		Entries: entries, Rows: OccurrenceRows{Ledger: s.ledger}, Do: s.RunOccurrence, Now: s.now, Drain: drainTime,
		OnChange: s.logOccurrence, OnError: func(err error) { logger.Warn().AnErr("why", err).Msg("schedule") },
	})
	if err != nil {
		return nil, errors.Join(exit.NewInputError("schedule", err), s.ledger.Close())
	}
	return s, nil
}

// Close closes the ledger of the schedules; nil has none.
func (s *Schedules) Close() {
	if s != nil {
		_ = s.ledger.Close() // what was kept is committed
	}
}

// runWhile starts jobs by the clock while fn runs, until ctx ends or fn does.
func (s *Schedules) runWhile(ctx context.Context, fn func(context.Context) error) error {
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

// receivesNotifications reports whether a daemon takes notifications: when something is configured for it, or nothing else to do.
func receivesNotifications(c *config.Config) bool {
	w, bare := c.Webhook, config.Default().Webhook
	return len(c.Schedule) == 0 || w.Listen != bare.Listen || w.PublicURL != "" || w.CertFile != "" || w.AccessKeyFile != "" ||
		!w.AccessKey.Empty() || w.BasicUser != ""
}

// logOccurrence logs what becomes of an occurrence.
func (s *Schedules) logOccurrence(r schedule.Row) {
	e := s.log.Info()
	words := "occurrence " + r.State
	ended := r.State == schedule.Ran || r.State == schedule.CaughtUp
	switch {
	// Breaks are what a night is for; a check that finds something is another matter.
	case r.State == schedule.Skipped, r.ExitCode == exit.Internal, r.ExitCode >= jobs.ExitIncomplete,
		r.Job == "check" && r.ExitCode != exit.OK:
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

// OccurrenceRows keeps occurrences in the ledger: it is a schedule.Rows, which says what its methods do.
type OccurrenceRows struct{ Ledger *store.Ledger }

// ReadProgress is that of schedule.Rows.
func (r OccurrenceRows) ReadProgress(ctx context.Context, name string) (schedule.Progress, error) {
	last, running, err := r.Ledger.ScheduleProgress(ctx, name)
	return schedule.Progress{Latest: (*schedule.Row)(last), Running: (*schedule.Row)(running)}, err
}

// Register is that of schedule.Rows.
func (r OccurrenceRows) Register(ctx context.Context, row schedule.Row, configured []string) error {
	return r.Ledger.RegisterSchedule(ctx, runs.CronOccurrence(row), configured)
}

// Skip is that of schedule.Rows.
func (r OccurrenceRows) Skip(ctx context.Context, rows []schedule.Row) error {
	occurrences := make([]runs.CronOccurrence, len(rows))
	for i, row := range rows {
		occurrences[i] = runs.CronOccurrence(row)
	}
	return r.Ledger.SkipOccurrences(ctx, occurrences)
}

// Begin is that of schedule.Rows.
func (r OccurrenceRows) Begin(ctx context.Context, row schedule.Row) (bool, error) {
	return r.Ledger.BeginOccurrence(ctx, runs.CronOccurrence(row), schedule.RowLifetime)
}

// TakeOver is that of schedule.Rows.
func (r OccurrenceRows) TakeOver(ctx context.Context, row schedule.Row, begun time.Time) (bool, error) {
	return r.Ledger.TakeOverOccurrence(ctx, runs.CronOccurrence(row), begun, schedule.RowLifetime)
}

// Renew is that of schedule.Rows.
func (r OccurrenceRows) Renew(ctx context.Context, row schedule.Row) (bool, error) {
	return r.Ledger.RenewOccurrence(ctx, runs.CronOccurrence(row), schedule.RowLifetime)
}

// End is that of schedule.Rows.
func (r OccurrenceRows) End(ctx context.Context, row schedule.Row) error {
	return r.Ledger.EndOccurrence(ctx, runs.CronOccurrence(row))
}
