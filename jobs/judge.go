package jobs

import (
	"context"
	"fmt"

	"concilia/jobs/reconcile"
	"concilia/jobs/rules"
	"concilia/store"
	"concilia/store/ledger"
)

// judged is what a run says of its accounts.
type judged struct {
	results map[ledger.Account]reconcile.Result
}

// critical are the codes of critical findings on one side of an account.
func (j *judged) critical(a ledger.Account, side string) []string { return j.results[a].Critical[side] }

// reconcile lets the rules judge every account as of the run's day, each in one database transaction.
func (w *Worker) reconcile(ctx context.Context, run *ledger.Run, answered map[question]bool, s *Summary) (*judged, error) {
	w.Progress.Step("reconcile", len(w.Accounts))
	j := &judged{results: map[ledger.Account]reconcile.Result{}}
	s.Findings, s.NewFindings = map[string]int{}, map[string]int{}
	var installments, slips int64
	for _, a := range w.Accounts {
		r, err := w.reconcileAccount(ctx, run, a, answered)
		if err != nil {
			return nil, err
		}
		j.results[a.Number] = r
		for code, n := range r.Counts {
			s.Findings[code] += n
		}
		for code, n := range r.NewCases {
			s.NewFindings[code] += n
		}
		installments, slips = installments+r.Installments, slips+r.Slips
		s.NotAttributed = s.NotAttributed || r.NotAttributed != 0
		s.Verdict = s.Verdict.Worse(r.Verdict)
		w.Progress.Advance(1)
	}
	w.Progress.Done(fmt.Sprintf("%d installments, %d slips: %s", installments, slips, s.Verdict))
	return j, nil
}

func (w *Worker) reconcileAccount(
	ctx context.Context, run *ledger.Run, a Account, answered map[question]bool,
) (reconcile.Result, error) {
	since, err := w.since(ctx, a, run.AsOf)
	if err != nil {
		return reconcile.Result{}, err
	}
	src, err := w.facts(ctx, run, a.Number, answered)
	if err != nil {
		return reconcile.Result{}, err
	}
	in := w.Terms
	in.AsOf, in.Since, in.Zone = run.AsOf, since, w.Zone
	sink, err := w.Ledger.Reconciling(ctx, run, a.Number)
	if err != nil {
		return reconcile.Result{}, err
	}
	r, err := reconcile.Account(ctx, in, run, a.Number, src, sink)
	if err != nil {
		_ = sink.Rollback() // the error that matters is the one at hand
		return reconcile.Result{}, err
	}
	return r, sink.Commit()
}

// question is one question of confirm to one account.
type question struct {
	account ledger.Account
	ask     rules.Ask
}

// facts answers the rules' questions from the ledger.
type facts struct {
	*store.Ledger
	w        *Worker
	now      map[ledger.Source]map[ledger.Date]bool // days this run pulled completely
	account  ledger.Account
	answered map[question]bool
}

func (w *Worker) facts(ctx context.Context, run *ledger.Run, a ledger.Account, answered map[question]bool) (*facts, error) {
	pulls, err := w.Ledger.PullsOf(ctx, a, run.ID)
	if err != nil {
		return nil, err
	}
	f := &facts{Ledger: w.Ledger, w: w, now: map[ledger.Source]map[ledger.Date]bool{}, account: a, answered: answered}
	for _, p := range pulls {
		if !p.Complete {
			continue
		}
		days := f.now[p.Window.Source]
		if days == nil {
			days = map[ledger.Date]bool{}
			f.now[p.Window.Source] = days
		}
		for d := p.Window.Period.From; d <= p.Window.Period.To; d++ {
			days[d] = true
		}
	}
	return f, nil
}

// Coverage tells of every day that has a complete pull, or had one in this run.
func (f *facts) Coverage(
	ctx context.Context, a ledger.Account, s ledger.Source, p ledger.Period,
) (map[ledger.Date]reconcile.Cover, error) {
	covers, err := f.Ledger.Coverage(ctx, a, s, p)
	if err != nil {
		return nil, err
	}
	out := make(map[ledger.Date]reconcile.Cover, len(covers))
	for d, c := range covers {
		out[d] = reconcile.Cover{Complete: c.Complete, On: c.On, Now: f.now[s][d]}
	}
	return out, nil
}

// Answered says whether confirm got an answer to the question in this run.
func (f *facts) Answered(ask rules.Ask) bool { return f.answered[question{f.account, ask}] }
