package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"concilia/jobs/api"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// maxUnreachable is how many windows in a row may fail because the service is unreachable before the
// others are no longer asked for: otherwise each of them would wait for its own timeouts.
const maxUnreachable = 3

// errNotAsked is the failure of a window that was not asked for.
var errNotAsked = errors.New("not asked: the service answered none of the windows before it")

// stopReason is why a run asks the service nothing more, or nil.
func (p *Puller) stopReason(run *ledger.Run, o *Outcome) error {
	switch {
	case o.outageError() != nil:
		return errNotAsked
	case run.Kind == ledger.Nightly && p.NightBudget > 0 && o.hasTaken(p.NightBudget, p.Wall()):
		return fmt.Errorf("not asked: the run has asked for %s, the most of a night (service.night_budget); the next run goes on", p.NightBudget)
	}
	return nil
}

// PullUnits asks for the window of every unit, several at a time, and keeps each answer. A window that fails is kept as
// failed and the others go on; refused credentials, a ledger that cannot be written and the end of ctx stop everything.
func (p *Puller) PullUnits(ctx context.Context, run *ledger.Run, units []ledger.WorkUnit) (*Outcome, error) {
	p.Progress.Step("pull", len(units))
	o := &Outcome{}
	units, err := mixLists(units)
	if err != nil {
		return nil, err
	}
	if err := p.chooseQueue().Do(ctx, units, p.workOn(run, o)); err != nil {
		return nil, err
	}
	asked, err := p.readOutcome(ctx, run, o)
	if err != nil {
		return nil, err
	}
	if o.isWorthAskingAgain() && p.stopReason(run, o) == nil {
		if asked, err = p.pullFailedAgain(ctx, run, o); err != nil {
			return nil, err
		}
	}
	return o, p.finishStep(ctx, o, ledger.CountText(max(asked, o.Windows), "window", "windows"))
}

// mixLists puts the windows of an account in order of their days, newest first, whatever list they are of. Those of slips are merged one
// after the other, which takes a processor less than those of cards: beside each other they wait for nothing.
func mixLists(units []ledger.WorkUnit) ([]ledger.WorkUnit, error) {
	days := make(map[string]ledger.Date, len(units))
	for i := range units {
		window, err := units[i].Window()
		if err != nil {
			return nil, err
		}
		days[units[i].What] = window.Period.From
	}
	mixed := slices.Clone(units)
	for first, next := 0, 0; first < len(mixed); first = next {
		for next < len(mixed) && mixed[next].Account == mixed[first].Account {
			next++
		}
		slices.SortStableFunc(mixed[first:next], func(a, b ledger.WorkUnit) int { return cmp.Compare(days[b.What], days[a.What]) })
	}
	return mixed, nil
}

// pullFailedAgain asks once more for the windows that failed while others were answered: what refused them, such as a limit of
// calls a minute, may have passed.
func (p *Puller) pullFailedAgain(ctx context.Context, run *ledger.Run, o *Outcome) (asked int, err error) {
	failed, err := p.ListUnits(ctx, run.ID, ledger.PullUnit, ledger.UnitFailed)
	if err != nil {
		return 0, err
	}
	p.Progress.Step("pull", len(failed))
	if err := p.chooseQueue().Do(ctx, failed, p.workOn(run, o)); err != nil {
		return 0, err
	}
	return p.readOutcome(ctx, run, o)
}

// finishStep ends the progress step of pulling.
func (p *Puller) finishStep(ctx context.Context, o *Outcome, what string) error {
	c := o.counts
	p.Progress.Done(fmt.Sprintf("%s, %s: %d new, %d changed, %d same, %d vanished, %d quarantined%s%s%s", what, ledger.CountText(c.Rows, "row", "rows"),
		c.New, c.Changed, c.Same, c.Vanished, c.Quarantined, recheckedText(o.rechecked), failedText(len(o.Failed)), leftText(o.DaysLeft)))
	return p.Ledger.AnalyzeTables(ctx, c.New+c.Changed, 0)
}

func recheckedText(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + ledger.CountText(n, "answer lacked known rows and was", "answers lacked known rows and were") + " asked for once more"
}

func failedText(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + ledger.CountText(n, "window", "windows") + " failed"
}

func leftText(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + ledger.CountText(n, "day", "days") + " left for another time"
}

// pullUnit asks for the window of one unit.
func (p *Puller) pullUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit, o *Outcome) error {
	window, err := u.Window()
	if err != nil {
		return err
	}
	_, err = p.pullWindow(ctx, run, window, []ledger.WorkUnit{u}, o)
	p.Progress.Advance(1)
	return err
}

// pullWindow asks for a window and reports whether its answer was kept. The units are done or failed with it; a window that
// was not planned has none. If the answer lacks rows of an earlier complete one, the window is asked for a second time, and
// only rows that both answers lack vanish.
func (p *Puller) pullWindow(
	ctx context.Context, run *ledger.Run, window ledger.Window, units []ledger.WorkUnit, o *Outcome,
) (kept bool, err error) {
	first := p.newPull(run, window)
	first.Units, first.Recheck = units, true
	kept, missing, err := p.askWindow(ctx, run, first, o)
	if err != nil || len(missing) == 0 {
		return kept, err
	}
	second := p.newPull(run, window)
	second.Units, second.Missing = units, missing
	kept, _, err = p.askWindow(ctx, run, second, o)
	return kept, err
}

// askWindow asks for the window of a pull and keeps the answer, or that it failed. missing are the rows that the answer
// lacked; it was not kept then.
func (p *Puller) askWindow(
	ctx context.Context, run *ledger.Run, pull *ledger.Pull, o *Outcome,
) (kept bool, missing ledger.MissingRows, err error) {
	if cause := p.stopReason(run, o); cause != nil {
		return false, nil, p.keepFailure(ctx, pull, cause, o)
	}
	a, err := p.askService(ctx, pull)
	switch {
	case err == nil:
		if len(pull.Units) == 1 {
			pull.Units[0].Rows = a.countByDay()[pull.Window.Period.From]
		}
		if missing, err = p.mergeUnlessMissing(ctx, pull, a); err == nil && missing == nil {
			o.markReachable()
		}
		return err == nil && missing == nil, missing, err
	case ctx.Err() != nil:
		return false, nil, context.Cause(ctx)
	case endsRun(err):
		return false, nil, err
	}
	return false, nil, p.keepFailure(ctx, pull, err, o)
}

// mergeUnlessMissing keeps an answer. If it lacks rows of an earlier complete one, only the pull is kept, as incomplete, and
// the missing rows are returned.
func (p *Puller) mergeUnlessMissing(ctx context.Context, pull *ledger.Pull, a *answer) (ledger.MissingRows, error) {
	err := p.mergeAnswer(ctx, pull, a)
	var lacks *facts.MissingError
	if !errors.As(err, &lacks) {
		return nil, err
	}
	markIncomplete(pull, a, lacks)
	pull.Complete = false
	return lacks.Rows, p.Ledger.StorePull(ctx, pull)
}

// markIncomplete marks the pull of an answer that was not kept because it lacked rows.
func markIncomplete(pull *ledger.Pull, a *answer, lacks *facts.MissingError) {
	pull.Failure = lacks.Error() + ": asked for again, and the second answer counts"
	pull.Units, pull.Counts.Rows, pull.Note.Missing = nil, a.countRows(), int64(len(lacks.Rows))
}

// newPull returns the pull of a window that is about to be asked for.
func (p *Puller) newPull(run *ledger.Run, window ledger.Window) *ledger.Pull {
	return &ledger.Pull{ID: p.pullID(run, window), Run: run.ID, Window: window, Began: p.Wall().UTC(), AsOf: run.AsOf, On: p.today()}
}

// pullID is the id of a new pull: run, account, source, days, and a random end, since a window may be asked for twice.
func (p *Puller) pullID(run *ledger.Run, win ledger.Window) string {
	days := win.Period.From.Compact()
	if win.Period.To != win.Period.From {
		days += "-" + win.Period.To.Compact()
	}
	return fmt.Sprintf("%s/%s/%s/%s-%s", run.ID, win.Account, win.Source, days, p.Tail())
}

// askService asks for the window of a pull and notes in the pull what arrived. Its errors come from the service only.
func (p *Puller) askService(ctx context.Context, pull *ledger.Pull) (*answer, error) {
	win := pull.Window
	var a answer
	var err error
	if win.Source == ledger.Cards {
		var cards api.Answer
		cards, err = p.Service.SearchInstallments(ctx, win.Account, win.Period.From, win.Period.To, nil)
		a = answer{cards: cards.Rows, Receipt: cards.Receipt}
	} else {
		var slips api.SlipAnswer
		slips, err = p.Service.ListSlips(ctx, win.Source, win.Account, win.Period.From, win.Period.To, ledger.Opt[int64]{})
		a = answer{slips: slips.Rows, conflicting: slips.Conflicting, Receipt: slips.Receipt}
	}
	pull.Counts.Requests = int64(a.Requests)
	if err != nil {
		return nil, err
	}
	p.completePull(pull, a.Receipt)
	pull.Note = a.makeNote(win)
	return &a, nil
}

// mergeAnswer merges an answer and its pull into the ledger in one transaction.
func (p *Puller) mergeAnswer(ctx context.Context, pull *ledger.Pull, a *answer) error {
	if pull.Window.Source == ledger.Cards {
		return p.Ledger.MergeInstallments(ctx, pull, a.cards, a.Bad)
	}
	return p.Ledger.MergeSlips(ctx, pull, a.slips, a.Bad)
}

// completePull notes in a pull the response that arrived.
func (p *Puller) completePull(pull *ledger.Pull, a api.Receipt) {
	pull.Ended, pull.Complete = p.Wall().UTC(), true
	pull.Bytes, pull.SHA256, pull.Body = a.Bytes, a.SHA256, a.Body
}

// keepFailure keeps a pull as failed.
func (p *Puller) keepFailure(ctx context.Context, pull *ledger.Pull, cause error, o *Outcome) error {
	pull.Ended, pull.Complete, pull.Failure = p.Wall().UTC(), false, cause.Error()
	if err := p.Ledger.StorePull(ctx, pull); err != nil {
		return err
	}
	if api.IsUnreachable(cause) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.unreachable, o.Outage = o.unreachable+1, cause
	}
	return nil
}

// endsRun reports whether an error of the service is not about one window: the credentials were refused, or the ledger that
// shares the rate limit between processes is unavailable.
func endsRun(err error) bool {
	var gone *sqldb.UnavailableError
	return api.IsRefused(err) || errors.As(err, &gone)
}
