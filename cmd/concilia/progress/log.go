package progress

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/config"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/api"
	"concilia/jobs/pull"
	"concilia/store/ledger"
)

// NewLog logs on w in the format and from the level configured; without a format for people on a terminal, and as JSON
// elsewhere. quiet leaves the warnings.
func NewLog(w io.Writer, quiet bool, c config.Log) zerolog.Logger {
	out := zerolog.SyncWriter(w)
	f, terminal := TerminalOf(w)
	if terminal {
		w = f // what is drawn has colours; it quotes the values itself
	}
	if c.Format == "console" || c.Format == "" && terminal {
		out = zerolog.SyncWriter(zerolog.ConsoleWriter{Out: w, TimeFormat: time.DateTime, NoColor: !terminal})
	}
	level, err := zerolog.ParseLevel(c.Level)
	if err != nil || c.Level == "" {
		level = zerolog.InfoLevel // the configuration allows no other word
	}
	if quiet {
		level = max(level, zerolog.WarnLevel)
	}
	return zerolog.New(out).Level(level).With().Timestamp().Logger()
}

// RunLog logs how one run proceeds, each line with the run. A person who started it reads its progress instead: of a command
// the log holds no steps unless log.format is configured.
type RunLog struct {
	pull.Progress // people's; nil: the log has the steps
	now           func() time.Time

	mu     sync.Mutex
	logger zerolog.Logger
	run    string // the id of the one that has begun
	step   string
	began  time.Time
}

// CurrentLogger is the logger with the run, once one has begun.
func (r *RunLog) CurrentLogger() *zerolog.Logger {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.logger
	return &l
}

// NoteBegin puts the run on every line from here on.
func (r *RunLog) NoteBegin(run *ledger.Run) {
	r.mu.Lock()
	r.logger, r.run = r.logger.With().Str("run", run.ID).Logger(), run.ID
	l := r.logger
	r.mu.Unlock()
	if r.Progress == nil {
		l.Info().Str("kind", string(run.Kind)).Stringer("as_of", run.AsOf).Str("trigger", run.Trigger).Msg("run begins")
	}
}

// Step begins a step of the run with so many parts, 0 when they are not counted.
func (r *RunLog) Step(name string, total int) {
	if r.Progress != nil {
		r.Progress.Step(name, total)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step, r.began = name, r.now()
}

// Advance says that n more parts of the step are done; the log has no line for it.
func (r *RunLog) Advance(n int) {
	if r.Progress != nil {
		r.Progress.Advance(n)
	}
}

// Done ends the step, and tells people or the log what came of it.
func (r *RunLog) Done(results ...words.Message) {
	if r.Progress != nil {
		r.Progress.Done(results...)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logger.Info().Str("step", r.step).Dur("took", r.now().Sub(r.began)).Msg(words.JoinMessages("en", results))
}

// NoteRequest logs a request to the service: of a failed one always, of the others at level debug. What was asked names
// days, accounts and slips, and no payer.
func (r *RunLog) NoteRequest(q api.Request) {
	l := r.CurrentLogger()
	e := l.Debug()
	if q.Err != nil && r.Progress == nil {
		e = l.Info().AnErr("why", q.Err)
	}
	e.Str("asked", q.Operation).Int("try", q.Try).Int("status", q.Status).Int64("bytes", q.Bytes).
		Dur("took", q.Ended.Sub(q.Began)).Msg("request")
}

// NoteEnd logs what a run came to, where it is not printed.
func (r *RunLog) NoteEnd(code int, verdict ledger.Verdict, err error) {
	l := r.CurrentLogger()
	switch {
	case r.Progress != nil:
	case err != nil:
		l.Error().AnErr("why", err).Int("exit", code).Msg("run failed")
	default:
		line := l.Info()
		if verdict != "" {
			line = line.Str("verdict", string(verdict))
		}
		line.Int("exit", code).Msg("run ended")
	}
}

// exitRecordTime bounds the note of how a run stopped: what stopped it may be the ledger.
const exitRecordTime = 5 * time.Second

// RecordExit records the exit code of a run that stopped before its end: refused, interrupted, or asked to leave the rest. Days
// later only the record distinguishes it from a killed one. Of a run that has ended, or never began, it records nothing.
func (r *RunLog) RecordExit(ctx context.Context, w *jobs.Worker, code int) {
	r.mu.Lock()
	run := r.run
	r.mu.Unlock()
	if run == "" || code == exit.OK {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exitRecordTime)
	defer cancel()
	if err := w.Ledger.RecordExit(ctx, run, code); err != nil {
		r.CurrentLogger().Debug().AnErr("why", err).Msg("it could not be noted how the run stopped")
	}
}

// RecordExitOf is RunLog.RecordExit for commands without pings and alerts.
func RecordExitOf(ctx context.Context, w *jobs.Worker, err error) {
	if r, ok := w.Progress.(*RunLog); ok && err != nil {
		r.RecordExit(ctx, w, exit.CodeOf(err))
	}
}

// NewRunLog is the log of a run that is about to begin. people are shown its steps in place of the log, if there are any.
func NewRunLog(logger zerolog.Logger, people pull.Progress, wall func() time.Time) *RunLog {
	return &RunLog{Progress: people, now: wall, logger: logger}
}
