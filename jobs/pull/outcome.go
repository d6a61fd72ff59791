package pull

import (
	"context"
	"sync"
	"time"

	"concilia/jobs/api"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// Outcome is the result of a run's pulls. While units are in progress it has what this process knows about the service;
// their results are read from the ledger at the end, because other processes may have done some of the units.
type Outcome struct {
	mu sync.Mutex
	// Outage is the last error of an unreachable service, or nil.
	Outage error
	// WrongAddress is the last error of a question for which the service has no address, or nil.
	WrongAddress error
	// Causes is why windows failed in this process, by what the ledger keeps of it: people read it in their language.
	Causes       map[string]error
	unreachable  int       // windows in a row that failed because of it
	requestsLeft int64     // if limited
	began        time.Time // when this process first asked in the run
	limited      bool

	Windows   int           // days that were asked for
	Failed    []ledger.Pull // those of them without a complete answer
	DaysLeft  int           // days that were not asked for because no requests were left
	rechecked int           // answers that lacked known rows, so that their windows were asked for again
	counts    ledger.Counts

	simulated       map[string]api.SimulationAnswer // answers of the settlement simulator, by brand
	simulatorFailed bool                            // the simulator is unreachable or refuses the login: it is not asked again
}

// takeRequest counts a request and reports whether the limit allows it.
func (o *Outcome) takeRequest() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requestsLeft--
	return !o.limited || o.requestsLeft >= 0
}

// hasTaken reports whether the run has asked for so long in this process. The time begins with the first question.
func (o *Outcome) hasTaken(budget time.Duration, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.began.IsZero() {
		o.began = now
	}
	return now.Sub(o.began) >= budget
}

// markReachable notes that the service answered.
func (o *Outcome) markReachable() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unreachable = 0
}

// noteFailure notes why a question failed, and whether that is not about its window alone: the service could not be reached, or has no
// such address.
func (o *Outcome) noteFailure(cause error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.Causes == nil {
		o.Causes = map[string]error{}
	}
	o.Causes[cause.Error()] = cause
	switch {
	case api.IsUnreachable(cause):
		o.unreachable, o.Outage = o.unreachable+1, cause
	case api.IsWrongAddress(cause):
		o.WrongAddress = cause
	}
}

// outageError returns why the service is considered unreachable, or nil if it is not.
func (o *Outcome) outageError() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unreachable < maxUnreachable {
		return nil
	}
	return o.Outage
}

// NothingAnswered reports whether every window failed.
func (o *Outcome) NothingAnswered() bool { return o.Windows > 0 && len(o.Failed) == o.Windows }

// isWorthAskingAgain reports whether some windows failed and others did not: the service is there.
func (o *Outcome) isWorthAskingAgain() bool {
	return len(o.Failed) > 0 && !o.NothingAnswered() && o.outageError() == nil
}

// readOutcome reads the results of the run's windows from the ledger, whichever process asked for them, and returns how
// many have a complete answer.
func (p *Puller) readOutcome(ctx context.Context, run *ledger.Run, o *Outcome) (whole int, err error) {
	units, err := p.ListUnits(ctx, run.ID, ledger.PullUnit)
	if err != nil {
		return 0, err
	}
	o.Windows, o.DaysLeft, o.rechecked, o.Failed, o.counts = 0, 0, 0, nil, ledger.Counts{}
	for i := range units {
		u := &units[i]
		if u.State == ledger.UnitPlanned || u.State == ledger.UnitLeased {
			o.DaysLeft++
			continue
		}
		o.Windows++
		if u.State == ledger.UnitFailed {
			window, err := u.Window()
			if err != nil {
				return 0, err
			}
			o.Failed = append(o.Failed, ledger.Pull{Run: run.ID, Window: window, Failure: u.Failure})
		}
	}
	for _, a := range p.Accounts {
		pulls, err := p.Ledger.PullsOfRun(ctx, a.Number, run.ID)
		if err != nil {
			return 0, err
		}
		for _, pull := range pulls {
			if pull.Complete && pull.Window.Reason != ReasonRecheck {
				o.counts.Add(pull.Counts)
				whole++
			}
			if pull.Note.Missing > 0 {
				o.rechecked++
			}
		}
	}
	return whole, nil
}

// CountRequests counts the windows, repeated requests and bytes of a run's pulls. A window counts once, and as failed if one of
// its days is in no complete answer. Probe requests and rechecks are not windows.
func CountRequests(pulls []ledger.Pull) ledger.RequestCounts {
	type window struct {
		source ledger.Source
		period ledger.Period
	}
	type day struct {
		source ledger.Source
		day    ledger.Date
	}
	var counts ledger.RequestCounts
	windows, complete := map[window]bool{}, map[day]bool{}
	for _, p := range pulls {
		counts.Retries += max(p.Counts.Requests-1, 0)
		counts.Bytes += p.Bytes
		switch p.Window.Reason {
		case ReasonRecheck, plan.ReasonWider, plan.ReasonIntegration, plan.ReasonStuck, plan.ReasonByCode, plan.ReasonSimulator:
			continue
		}
		windows[window{p.Window.Source, p.Window.Period}] = true
		for d := p.Window.Period.From; p.Complete && d <= p.Window.Period.To; d++ {
			complete[day{p.Window.Source, d}] = true
		}
	}
	counts.Windows = int64(len(windows))
	for w := range windows {
		for d := w.period.From; d <= w.period.To; d++ {
			if !complete[day{w.source, d}] {
				counts.Failed++
				break
			}
		}
	}
	return counts
}
