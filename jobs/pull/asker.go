package pull

import (
	"context"
	"errors"
	"fmt"
	"time"

	"concilia/export/words"
	"concilia/jobs/api"
	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// maxUnreachable is how many windows in a row may fail because the service is unreachable before the
// others are no longer asked for: otherwise each of them would wait for its own timeouts.
const maxUnreachable = 3

// errNotAsked is the failure of a window that was not asked for.
var errNotAsked error = words.NewFault("service_fault.not_asked", "")

// asker asks the service in a run and keeps its answers, each with the record of its pull.
type asker struct {
	ledger      *store.Ledger
	service     Service
	nightBudget time.Duration // see Puller
	wall        func() time.Time
	today       func() ledger.Date
	tail        func() string // random end of the id of a pull
	run         *ledger.Run
	outcome     *Outcome
}

// newAsker returns what asks the service in a run.
func (p *Puller) newAsker(run *ledger.Run, o *Outcome) *asker {
	return &asker{
		ledger: p.Ledger, service: p.Service, nightBudget: p.NightBudget, wall: p.Wall, today: p.today, tail: p.Tail, run: run, outcome: o,
	}
}

// stopReason is why a run asks the service nothing more, or nil.
func (a *asker) stopReason() error {
	switch {
	case a.outcome.outageError() != nil:
		return errNotAsked
	case a.run.Kind == ledger.Nightly && a.nightBudget > 0 && a.outcome.hasTaken(a.nightBudget, a.wall()):
		return words.NewFault("service_fault.night_over", "", "most", a.nightBudget)
	}
	return nil
}

// pullWindow asks for a window and reports whether its answer was kept. The units are done or failed with it; a window that
// was not planned has none. If the answer lacks rows of an earlier complete one, the window is asked for a second time, and
// only rows that both answers lack vanish.
func (a *asker) pullWindow(ctx context.Context, window ledger.Window, units []ledger.WorkUnit) (kept bool, err error) {
	first := a.newPull(window)
	first.Units, first.Recheck = units, true
	kept, missing, err := a.askWindow(ctx, first)
	if err != nil || len(missing) == 0 {
		return kept, err
	}
	second := a.newPull(window)
	second.Units, second.Missing = units, missing
	kept, _, err = a.askWindow(ctx, second)
	return kept, err
}

// askWindow asks for the window of a pull and keeps the answer, or that it failed. missing are the rows that the answer
// lacked; it was not kept then.
func (a *asker) askWindow(ctx context.Context, pull *ledger.Pull) (kept bool, missing ledger.MissingRows, err error) {
	if cause := a.stopReason(); cause != nil {
		return false, nil, a.keepFailure(ctx, pull, cause)
	}
	got, err := a.askService(ctx, pull)
	switch {
	case err == nil:
		if len(pull.Units) == 1 {
			pull.Units[0].Rows = got.countByDay()[pull.Window.Period.From]
		}
		if missing, err = a.mergeUnlessMissing(ctx, pull, got); err == nil && missing == nil {
			a.outcome.markReachable()
		}
		return err == nil && missing == nil, missing, err
	case ctx.Err() != nil:
		return false, nil, context.Cause(ctx)
	case endsRun(err):
		return false, nil, err
	}
	return false, nil, a.keepFailure(ctx, pull, err)
}

// mergeUnlessMissing keeps an answer. If it lacks rows of an earlier complete one, only the pull is kept, as incomplete, and
// the missing rows are returned.
func (a *asker) mergeUnlessMissing(ctx context.Context, pull *ledger.Pull, got *answer) (ledger.MissingRows, error) {
	err := a.mergeAnswer(ctx, pull, got)
	var lacks *facts.MissingError
	if !errors.As(err, &lacks) {
		return nil, err
	}
	markIncomplete(pull, got, lacks)
	pull.Complete = false
	return lacks.Rows, a.ledger.StorePull(ctx, pull)
}

// markIncomplete marks the pull of an answer that was not kept because it lacked rows.
func markIncomplete(pull *ledger.Pull, a *answer, lacks *facts.MissingError) {
	pull.Failure = lacks.Error() + ": asked for again, and the second answer counts"
	pull.Units, pull.Counts.Rows, pull.Note.Missing = nil, a.countRows(), int64(len(lacks.Rows))
}

// newPull returns the pull of a window that is about to be asked for.
func (a *asker) newPull(window ledger.Window) *ledger.Pull {
	return &ledger.Pull{ID: a.newPullID(window), Run: a.run.ID, Window: window, Began: a.wall().UTC(), AsOf: a.run.AsOf, On: a.today()}
}

// newPullID is the id of a new pull: run, account, source, days, and a random end, since a window may be asked for twice.
func (a *asker) newPullID(win ledger.Window) string {
	days := win.Period.From.Compact()
	if win.Period.To != win.Period.From {
		days += "-" + win.Period.To.Compact()
	}
	return fmt.Sprintf("%s/%s/%s/%s-%s", a.run.ID, win.Account, win.Source, days, a.tail())
}

// askService asks for the window of a pull and notes in the pull what arrived. Its errors come from the service only.
func (a *asker) askService(ctx context.Context, pull *ledger.Pull) (*answer, error) {
	win := pull.Window
	var got answer
	var err error
	if win.Source == ledger.Cards {
		var cards api.Answer
		cards, err = a.service.SearchInstallments(ctx, win.Account, win.Period.From, win.Period.To, nil)
		got = answer{cards: cards.Rows, Receipt: cards.Receipt}
	} else {
		var slips api.SlipAnswer
		slips, err = a.service.ListSlips(ctx, win.Source, win.Account, win.Period.From, win.Period.To, ledger.Opt[int64]{})
		got = answer{slips: slips.Rows, conflicting: slips.Conflicting, Receipt: slips.Receipt}
	}
	pull.Counts.Requests = int64(got.Requests)
	if err != nil {
		return nil, err
	}
	a.completePull(pull, got.Receipt)
	pull.Note = got.makeNote(win)
	return &got, nil
}

// askDetail asks for a single slip and reports whether it was answered. That the service does not answer is not an error.
func (a *asker) askDetail(ctx context.Context, window ledger.Window, id string) (bool, error) {
	pull := a.newPull(window)
	got, err := a.service.ReadSlip(ctx, window.Account, id)
	pull.Counts.Requests = int64(got.Requests)
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case api.IsRefused(err):
		return false, err
	case err != nil:
		if errors.Is(err, api.ErrUnsuccessful) {
			pull.Note.Refused = id
		}
		return false, a.keepUnanswered(ctx, pull, err)
	}
	a.completePull(pull, got.Receipt)
	pull.Note = (&answer{slips: got.Rows, Receipt: got.Receipt}).makeNote(window)
	if err := a.ledger.MergeSlips(ctx, pull, got.Rows, got.Bad); err != nil {
		return false, err
	}
	a.outcome.markReachable()
	return true, nil
}

// mergeAnswer merges an answer and its pull into the ledger in one transaction.
func (a *asker) mergeAnswer(ctx context.Context, pull *ledger.Pull, got *answer) error {
	if pull.Window.Source == ledger.Cards {
		return a.ledger.MergeInstallments(ctx, pull, got.cards, got.Bad)
	}
	return a.ledger.MergeSlips(ctx, pull, got.slips, got.Bad)
}

// completePull notes in a pull the response that arrived.
func (a *asker) completePull(pull *ledger.Pull, r api.Receipt) {
	pull.Ended, pull.Complete = a.wall().UTC(), true
	pull.Bytes, pull.SHA256, pull.Body = r.Bytes, r.SHA256, r.Body
}

// keepUnanswered keeps a pull that was not answered. It is no failure of a window.
func (a *asker) keepUnanswered(ctx context.Context, pull *ledger.Pull, cause error) error {
	pull.Ended, pull.Complete, pull.Failure = a.wall().UTC(), false, cause.Error()
	return a.ledger.StorePull(ctx, pull)
}

// keepFailure keeps a pull as failed, counts the windows in a row that an unreachable service left unanswered, and remembers that it has no
// such address.
func (a *asker) keepFailure(ctx context.Context, pull *ledger.Pull, cause error) error {
	if err := a.keepUnanswered(ctx, pull, cause); err != nil {
		return err
	}
	a.outcome.noteFailure(cause)
	return nil
}

// endsRun reports whether an error of the service is not about one window: the credentials were refused, or the ledger that
// shares the rate limit between processes is unavailable.
func endsRun(err error) bool {
	var gone *sqldb.UnavailableError
	return api.IsRefused(err) || errors.As(err, &gone)
}
