package jobs

import (
	"context"
	"fmt"

	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// maxQuestions bounds what one run asks twice: past it a list as a whole is at odds, and asking slip by slip is no help.
const maxQuestions = 500

// toConfirm is the reason of windows that are asked for a second time.
const toConfirm = "to confirm"

// confirm asks the service once more about every slip whose lists contradict each other in this run, or that none of them
// shows any more: the list's day first, then the detail. A night puts its questions beside the windows before. It returns
// the questions that were answered; the rules accuse on no other.
func (w *Worker) confirm(ctx context.Context, run *ledger.Run, p *pulled) (map[question]bool, error) {
	if run.Kind == ledger.Nightly {
		if err := w.askBeside(ctx, run, p); err != nil {
			return nil, err
		}
	}
	answered := map[question]bool{}
	var questions []question
	for _, a := range w.Accounts {
		asks, err := w.candidates(ctx, run, a.Number, answered)
		if err != nil {
			return nil, err
		}
		for _, ask := range asks {
			questions = append(questions, question{a.Number, ask})
		}
	}
	w.Progress.Step("confirm", len(questions))
	asked := 0
	for i, q := range questions {
		if i == maxQuestions || p.giveUp() != nil || !p.take() {
			break
		}
		ok, err := w.askAgain(ctx, run, q, p)
		if err != nil {
			return nil, err
		}
		answered[q] = ok
		asked++
		w.Progress.Advance(1)
	}
	w.Progress.Done(fmt.Sprintf("%s, %d asked again", things(len(questions), "doubtful answer", "doubtful answers"), asked))
	return answered, nil
}

// candidates are the questions about one account's slips. What a list no longer shows is not asked of it again where the
// pull has asked it twice for the day already: those days are noted as answered.
func (w *Worker) candidates(
	ctx context.Context, run *ledger.Run, a ledger.Account, answered map[question]bool,
) ([]rules.Recheck, error) {
	f, err := w.readLedgerFacts(ctx, run, a, nil)
	if err != nil {
		return nil, err
	}
	completeNow := func(s ledger.Source, d ledger.Date) bool { return f.now[s][d] }
	var asks []rules.Recheck
	seen := map[rules.Recheck]bool{}
	add := func(s *ledger.Slip) error {
		for _, ask := range reconcile.Candidates(run.ID, []*ledger.Slip{s}, completeNow) {
			if !seen[ask] {
				seen[ask] = true
				asks = append(asks, ask)
			}
		}
		return nil
	}
	if err := w.Ledger.Slips(ctx, a, add); err != nil {
		return nil, err
	}
	for day := range f.rechecked {
		ask := rules.Recheck{List: day.source, Day: day.day}
		seen[ask], answered[question{a, ask}] = true, true
	}
	return asks, w.Ledger.UnreportedVanishedSlips(ctx, a, runs.Vanished, add)
}

// askAgain puts one question and says whether it was answered whole; a service that does not answer is no error here.
func (w *Worker) askAgain(ctx context.Context, run *ledger.Run, q question, p *pulled) (bool, error) {
	window := ledger.Window{
		Account: q.account, Source: q.ask.List, Period: ledger.Period{From: q.ask.Day, To: q.ask.Day}, Reason: toConfirm,
	}
	if q.ask.ID == "" {
		// Where it fails, the first answer stands and the window was complete then: only the second is missing.
		return w.pullWindow(ctx, run, window, nil, p)
	}
	today := w.Today()
	window.Period = ledger.Period{From: today, To: today}
	return w.askDetail(ctx, run, window, q.ask.ID, p)
}
