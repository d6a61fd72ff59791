package pull

import (
	"context"

	"golang.org/x/sync/errgroup"

	"concilia/export/words"
	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/store"
	"concilia/store/ledger"
)

// maxRechecks bounds the rechecks of one run: if there are more, the lists as a whole contradict each other, and asking
// about single slips does not help.
const maxRechecks = 500

// ReasonRecheck is the reason of windows that are asked for a second time.
const ReasonRecheck = "to confirm"

// Question is something that Recheck asks the service a second time.
type Question struct {
	Account ledger.Account
	Recheck rules.Recheck
}

// Recheck asks the service a second time about every slip on which lists contradict each other in this run, or that no list
// shows any more: first for the day of the list, then for the slip alone. It returns the questions that were answered; rules
// report an error only where this second answer agrees. A nightly run sends its probe requests first, while the ledger refreshes its
// statistics of what was pulled.
func (p *Puller) Recheck(ctx context.Context, run *ledger.Run, o *Outcome) (map[Question]bool, error) {
	ask := p.newAsker(run, o)
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error { return p.Ledger.AnalyzeTables(inner, o.counts.New+o.counts.Changed, 0) })
	if run.Kind == ledger.Nightly {
		group.Go(func() error {
			return (&prober{asker: ask, accounts: p.Accounts, planner: p.Planner}).sendProbes(inner)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	r := &rechecker{asker: ask, accounts: p.accountNumbers(), progress: p.Progress, answered: map[Question]bool{}}
	return r.answered, r.askQuestions(ctx)
}

// rechecker asks a second time about contradictions in what a run has pulled.
type rechecker struct {
	*asker
	accounts []ledger.Account
	progress Progress
	answered map[Question]bool
}

// askQuestions asks about every account, at most maxRechecks questions.
func (r *rechecker) askQuestions(ctx context.Context) error {
	var questions []Question
	for _, a := range r.accounts {
		asks, err := r.listQuestions(ctx, a)
		if err != nil {
			return err
		}
		for _, ask := range asks {
			questions = append(questions, Question{a, ask})
		}
	}
	r.progress.Step("confirm", len(questions))
	asked := 0
	for i, q := range questions {
		if i == maxRechecks || r.stopReason() != nil || !r.outcome.takeRequest() {
			break
		}
		ok, err := r.askQuestion(ctx, q)
		if err != nil {
			return err
		}
		r.answered[q] = ok
		asked++
		r.progress.Advance(1)
	}
	r.progress.Done(words.NewMessage("steps.confirmed", "answers", words.NewMessage("steps.doubtful_answer", "n", len(questions)), "asked", asked))
	return nil
}

// listQuestions returns the questions about one account's slips. Days of lists that the run has already asked for twice,
// because the first answer lacked rows, are not asked for again: they are added to answered.
func (r *rechecker) listQuestions(ctx context.Context, a ledger.Account) ([]rules.Recheck, error) {
	days, err := ReadPulledDays(ctx, r.ledger, r.run, a)
	if err != nil {
		return nil, err
	}
	completeNow := func(s ledger.Source, d ledger.Date) bool { return days.Complete[s][d] }
	var asks []rules.Recheck
	seen := map[rules.Recheck]bool{}
	add := func(s *ledger.Slip) error {
		for _, ask := range reconcile.ListRechecks(r.run.ID, []*ledger.Slip{s}, completeNow) {
			if !seen[ask] {
				seen[ask] = true
				asks = append(asks, ask)
			}
		}
		return nil
	}
	if err := r.ledger.Slips(ctx, a, add); err != nil {
		return nil, err
	}
	for day := range days.rechecked {
		ask := rules.Recheck{List: day.source, Day: day.day}
		seen[ask], r.answered[Question{a, ask}] = true, true
	}
	return asks, r.ledger.UnreportedVanishedSlips(ctx, a, runs.Vanished, add)
}

// askQuestion asks one question and reports whether it was answered completely. That the service does not answer is not an
// error.
func (r *rechecker) askQuestion(ctx context.Context, q Question) (bool, error) {
	window := ledger.Window{
		Account: q.Account, Source: q.Recheck.List, Period: ledger.Period{From: q.Recheck.Day, To: q.Recheck.Day}, Reason: ReasonRecheck,
	}
	if q.Recheck.ID == "" {
		// If this fails, the first answer, which was complete, is kept.
		return r.pullWindow(ctx, window, nil)
	}
	today := r.today()
	window.Period = ledger.Period{From: today, To: today}
	return r.askDetail(ctx, window, q.Recheck.ID)
}

// sourceDay is a day of a list.
type sourceDay struct {
	source ledger.Source
	day    ledger.Date
}

// PulledDays are the days of lists that a run has complete answers for, of one account.
type PulledDays struct {
	Complete map[ledger.Source]map[ledger.Date]bool
	// rechecked are the days that were asked for a second time because the first answer lacked known rows.
	rechecked map[sourceDay]bool
}

// ReadPulledDays reads the days that a run has pulled completely from an account.
func ReadPulledDays(ctx context.Context, l *store.Ledger, run *ledger.Run, a ledger.Account) (*PulledDays, error) {
	pulls, err := l.PullsOfRun(ctx, a, run.ID)
	if err != nil {
		return nil, err
	}
	out := &PulledDays{Complete: map[ledger.Source]map[ledger.Date]bool{}, rechecked: map[sourceDay]bool{}}
	lackedRows := map[sourceDay]bool{}
	for _, p := range pulls {
		first := sourceDay{p.Window.Source, p.Window.Period.From}
		singleDay := p.Window.Period.Days() == 1
		if singleDay && p.Note.Missing > 0 {
			lackedRows[first] = true
		}
		if !p.Complete {
			continue
		}
		if singleDay && lackedRows[first] {
			out.rechecked[first] = true
		}
		days := out.Complete[p.Window.Source]
		if days == nil {
			days = map[ledger.Date]bool{}
			out.Complete[p.Window.Source] = days
		}
		for d := p.Window.Period.From; d <= p.Window.Period.To; d++ {
			days[d] = true
		}
	}
	return out, nil
}
