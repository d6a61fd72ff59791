package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"concilia/jobs/api"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// unreachableLimit is how many windows in a row may fail because nobody answers before the rest are not asked: a
// service that is down would otherwise be waited for once per window.
const unreachableLimit = 3

// errNotAsked is why a window failed that nobody asked for.
var errNotAsked = errors.New("not asked: the service answered none of the windows before it")

// pulled is what asking the service in a run comes to. While units are under way it is what this process knows of the
// service; what came of them is read from the ledger when all are over, because other processes may have asked.
type pulled struct {
	mu     sync.Mutex
	gone   int   // windows in a row that nobody answered
	reason error // of the last of them
	spare  int64 // requests that may still be begun, where that is bound
	bound  bool

	windows   int           // days that were asked for
	failed    []ledger.Pull // of them: those never answered whole
	left      int           // days that were not asked for because the requests were used up
	rechecked int           // answers that lacked known rows, and whose windows were asked for once more
	counts    ledger.Counts

	simulated   map[string]api.SimulationAnswer // what the settlement simulator said, by brand
	noSimulator bool                            // it does not answer, or not us: it is asked no more
}

// pull asks for the window of every unit, several at a time, and keeps each answer. A window that fails is told and kept
// as failed, the others go on; refused credentials, a ledger that cannot be written and an end of ctx stop everything.
func (w *Worker) pull(ctx context.Context, run *ledger.Run, units []ledger.WorkUnit) (*pulled, error) {
	w.Progress.Step("pull", len(units))
	p := &pulled{}
	if err := w.queue().Do(ctx, units, w.workOn(run, p)); err != nil {
		return nil, err
	}
	asked, err := w.settle(ctx, run, p)
	if err != nil {
		return nil, err
	}
	return p, w.pulledDone(ctx, p, things(max(asked, p.windows), "window", "windows"))
}

// pulledDone ends the step of pulling.
func (w *Worker) pulledDone(ctx context.Context, p *pulled, what string) error {
	c := p.counts
	w.Progress.Done(fmt.Sprintf("%s, %s: %d new, %d changed, %d same, %d vanished, %d quarantined%s%s%s", what, things(c.Rows, "row", "rows"),
		c.New, c.Changed, c.Same, c.Vanished, c.Quarantined, recheckedText(p.rechecked), failedText(len(p.failed)), leftText(p.left)))
	return w.Ledger.AnalyzeTables(ctx, c.New+c.Changed, 0)
}

func recheckedText(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + things(n, "answer lacked known rows and was", "answers lacked known rows and were") + " asked for once more"
}

func failedText(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + things(n, "window", "windows") + " failed"
}

func leftText(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + things(n, "day", "days") + " left for another time"
}

// pullUnit asks for one planned window.
func (w *Worker) pullUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit, p *pulled) error {
	window, err := u.Window()
	if err != nil {
		return err
	}
	_, err = w.pullWindow(ctx, run, window, []ledger.WorkUnit{u}, p)
	w.Progress.Advance(1)
	return err
}

// pullWindow asks for a window and says whether its answer was kept. The units, none of a window beside the plan, are
// done or failed with it. An answer that lacks rows of an earlier complete one is set aside and the window asked for once
// more before any of them vanishes; that answer holds.
func (w *Worker) pullWindow(
	ctx context.Context, run *ledger.Run, window ledger.Window, units []ledger.WorkUnit, p *pulled,
) (kept bool, err error) {
	first := w.newPull(run, window)
	first.Units, first.Recheck = units, true
	kept, missing, err := w.askWindow(ctx, first, p)
	if err != nil || len(missing) == 0 {
		return kept, err
	}
	second := w.newPull(run, window)
	second.Units, second.Missing = units, missing
	kept, _, err = w.askWindow(ctx, second, p)
	return kept, err
}

// askWindow puts the question of a pull and keeps its answer, or that it failed. missing are the rows for whose sake the
// answer was set aside.
func (w *Worker) askWindow(ctx context.Context, pull *ledger.Pull, p *pulled) (kept bool, missing ledger.MissingRows, err error) {
	if p.giveUp() != nil {
		return false, nil, w.fail(ctx, pull, errNotAsked, p)
	}
	a, err := w.question(ctx, pull)
	switch {
	case err == nil:
		if len(pull.Units) == 1 {
			pull.Units[0].Rows = a.byDay()[pull.Window.Period.From]
		}
		if missing, err = w.keepUnlessMissing(ctx, pull, a); err == nil && missing == nil {
			p.answered()
		}
		return err == nil && missing == nil, missing, err
	case ctx.Err() != nil:
		return false, nil, context.Cause(ctx)
	case endsRun(err):
		return false, nil, err
	}
	return false, nil, w.fail(ctx, pull, err, p)
}

// keepUnlessMissing keeps an answer, or sets it aside where it lacks rows because of which its window is to be asked for
// once more.
func (w *Worker) keepUnlessMissing(ctx context.Context, pull *ledger.Pull, a *answer) (ledger.MissingRows, error) {
	err := w.keep(ctx, pull, a)
	var lacks *facts.MissingError
	if !errors.As(err, &lacks) {
		return nil, err
	}
	noteMissing(pull, a, lacks)
	pull.Complete = false
	return lacks.Rows, w.Ledger.StorePull(ctx, pull)
}

// noteMissing makes a pull the one of an answer that is set aside: it proves nothing, and tells how many rows it lacked.
func noteMissing(pull *ledger.Pull, a *answer, lacks *facts.MissingError) {
	pull.Failure = lacks.Error() + ": asked once more, and that answer holds"
	pull.Units, pull.Counts.Rows, pull.Note.Missing = nil, a.rows(), int64(len(lacks.Rows))
}

// newPull begins to ask for a window.
func (w *Worker) newPull(run *ledger.Run, window ledger.Window) *ledger.Pull {
	return &ledger.Pull{ID: w.pullID(run, window), Run: run.ID, Window: window, Began: w.Wall().UTC(), AsOf: run.AsOf, On: w.Today()}
}

// question puts one question; what arrived whole is noted in the pull. Its error is of the service alone.
func (w *Worker) question(ctx context.Context, pull *ledger.Pull) (*answer, error) {
	win := pull.Window
	var a answer
	var err error
	if win.Source == ledger.Cards {
		var cards api.Answer
		cards, err = w.Service.SearchInstallments(ctx, win.Account, win.Period.From, win.Period.To, nil)
		a = answer{cards: cards.Rows, Receipt: cards.Receipt}
	} else {
		var slips api.SlipAnswer
		slips, err = w.Service.ListSlips(ctx, win.Source, win.Account, win.Period.From, win.Period.To, ledger.Opt[int64]{})
		a = answer{slips: slips.Rows, twice: slips.Conflicting, Receipt: slips.Receipt}
	}
	pull.Counts.Requests = int64(a.Requests)
	if err != nil {
		return nil, err
	}
	w.answered(pull, a.Receipt)
	pull.Note = a.note(win)
	return &a, nil
}

// keep keeps an answer whole, with its pull row, or nothing of it.
func (w *Worker) keep(ctx context.Context, pull *ledger.Pull, a *answer) error {
	if pull.Window.Source == ledger.Cards {
		return w.Ledger.MergeInstallments(ctx, pull, a.cards, a.Bad)
	}
	return w.Ledger.MergeSlips(ctx, pull, a.slips, a.Bad)
}

// answered notes what arrived.
func (w *Worker) answered(pull *ledger.Pull, a api.Receipt) {
	pull.Ended, pull.Complete = w.Wall().UTC(), true
	pull.Bytes, pull.SHA256, pull.Body = a.Bytes, a.SHA256, a.Body
}

// fail keeps that a window was asked for in vain.
func (w *Worker) fail(ctx context.Context, pull *ledger.Pull, cause error, p *pulled) error {
	pull.Ended, pull.Complete, pull.Failure = w.Wall().UTC(), false, cause.Error()
	if err := w.Ledger.StorePull(ctx, pull); err != nil {
		return err
	}
	if api.IsUnreachable(cause) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.gone, p.reason = p.gone+1, cause
	}
	return nil
}

// take says whether one more request may be begun, and counts it.
func (p *pulled) take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare--
	return !p.bound || p.spare >= 0
}

// answered notes that the service is there.
func (p *pulled) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = 0
}

func (p *pulled) giveUp() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone < unreachableLimit {
		return nil
	}
	return p.reason
}

// pullID names a pull within the ledger: its run, source and window, and a random tail should it be asked again.
func (w *Worker) pullID(run *ledger.Run, win ledger.Window) string {
	days := win.Period.From.Compact()
	if win.Period.To != win.Period.From {
		days += "-" + win.Period.To.Compact()
	}
	return fmt.Sprintf("%s/%s/%s/%s-%s", run.ID, win.Account, win.Source, days, w.Tail())
}

// endsRun says whether an error of a question is no matter of its window: credentials that are refused, or a ledger on
// which the pace of requests is kept and that is gone.
func endsRun(err error) bool {
	var gone *sqldb.UnavailableError
	return api.IsRefused(err) || errors.As(err, &gone)
}
