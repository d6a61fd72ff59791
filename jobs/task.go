package jobs

import (
	"context"

	"concilia/export/manifest"
	"concilia/export/words"
	"concilia/jobs/evaluate"
	"concilia/jobs/plan"
	"concilia/jobs/publish"
	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
	"concilia/jobs/setpublish"
	"concilia/store/ledger"
)

// task is a job that a worker does for some of its accounts. It begins the run, where one is recorded, and makes the steps, each with
// what it needs of the worker. A method that makes a type of this package is in the file of that type; here are those that make types of
// other packages.
type task struct {
	worker   *Worker
	accounts []Account
	progress pull.Progress // to which the steps report
}

// newTask returns a task for all accounts of the worker. Its steps report to the worker's own progress, until it begins a run.
func (w *Worker) newTask() *task { return w.newTaskOf(w.Accounts) }

// newTaskOf is newTask for some of the accounts.
func (w *Worker) newTaskOf(accounts []Account) *task {
	return &task{worker: w, accounts: accounts, progress: w.Progress}
}

// activeRun is a task whose run has begun: the run holds the accounts, and the progress of its steps times them in its record.
type activeRun struct {
	*task
	record  *ledger.Run
	release func() // gives the accounts back
}

// beginRun takes the lease of every account, stores the documents and opens the run record. The caller releases the run.
// A nightly run that was killed is continued under its own id, so that what it pulled counts as pulled by this run.
func (t *task) beginRun(ctx context.Context, kind ledger.RunKind, asOf ledger.Date) (*activeRun, error) {
	if kind == ledger.Nightly {
		return t.beginOrContinue(ctx, kind, asOf, func(*ledger.Run) (bool, error) { return true, nil })
	}
	return t.beginOrContinue(ctx, kind, asOf, nil)
}

// beginOrContinue is beginRun for a run that continues a killed run of its kind, as-of date and documents if like reports
// that both do the same; nil: it continues none.
func (t *task) beginOrContinue(
	ctx context.Context, kind ledger.RunKind, asOf ledger.Date, like func(*ledger.Run) (bool, error),
) (*activeRun, error) {
	record, lease, err := t.newRunRecorder().begin(ctx, kind, asOf, like)
	if err != nil {
		return nil, err
	}
	w := t.worker
	progress := &stepTimer{Progress: t.progress, wall: w.Wall, run: record, keep: w.Ledger.RecordSteps}
	endTimes := progress.storeStepsRegularly(ctx)
	if w.Began != nil {
		w.Began(record)
	}
	return &activeRun{
		task: &task{worker: w, accounts: t.accounts, progress: progress}, record: record,
		release: func() {
			endTimes()
			releaseLease(ctx, lease)
		},
	}, nil
}

// newSummary returns a summary of the run that has nothing yet.
func (r *activeRun) newSummary() *Summary { return &Summary{Run: r.record.ID, AsOf: r.record.AsOf} }

// doSteps does the steps of the run. If the ledger interrupts it, it is begun again from its first step, like a run that was killed
// and continued: what is done is not repeated.
func (r *activeRun) doSteps(ctx context.Context, do func(*Summary) error) (*Summary, error) {
	var s *Summary
	err := r.worker.Ledger.RetryOnOutage(ctx, r.worker.Wall, func(err error) {
		r.progress.Step("ledger", 0)
		r.progress.Done(words.NewMessage("steps.ledger_away", "cause", err))
	}, func() error {
		s = r.newSummary()
		return do(s)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// end writes the record of the run for the last time. v is nil for a run that evaluates nothing.
func (r *activeRun) end(ctx context.Context, s *Summary, v *reportset.Verdicts) error {
	return r.newRunRecorder().end(ctx, r.record, s, v)
}

// newPuller returns what asks the service for the accounts.
func (t *task) newPuller() *pull.Puller {
	w := t.worker
	p := &pull.Puller{
		Ledger: w.Ledger, Service: w.Service, Inbox: w.Inbox, ListCap: w.ListCap, NightBudget: w.NightBudget, KeepBodies: w.KeepBodies,
		SearchByCode: w.SearchByCode, Queue: w.Queue, Parallel: w.Parallel, Zone: w.Zone, Now: w.Now, Wall: w.Wall, Tail: w.Tail,
		Progress: t.progress,
		Planner: &plan.Planner{
			Ledger: w.Ledger, Calendar: w.Inputs.Calendar, Settings: w.Plan, Brand: w.Inputs.Mapping.Brand,
		},
	}
	for i := range t.accounts {
		p.Accounts = append(p.Accounts, t.accounts[i].AsPlanned())
	}
	return p
}

// newEvaluator returns what applies the rules to an account.
func (t *task) newEvaluator() *evaluate.Evaluator {
	w := t.worker
	return &evaluate.Evaluator{Ledger: w.Ledger, Inputs: w.Inputs, Zone: w.Zone, ListCap: w.ListCap, Today: w.Today}
}

// newJobBuilder returns a builder for one set. Its inputs are the worker's, or those of a past run if the set has them.
func (t *task) newJobBuilder(run *ledger.Run, verdicts *reportset.Verdicts, set reportset.Request) *reportset.Builder {
	w := t.worker
	b := &reportset.Builder{
		Ledger: w.Ledger, Inputs: &w.Inputs, Reports: &w.Reports, SlipDaysAhead: w.Plan.SlipsDueForward, Retires: len(w.Retention) > 0,
		Run: run, Verdicts: verdicts, Set: set,
	}
	if set.Inputs != nil {
		b.Inputs = set.Inputs
	}
	return b
}

// newBooks returns what reads the movement and the journal.
func (t *task) newBooks() *reportset.BookReader { return t.newSetPublisher().NewBooks() }

// newSetPlanner returns what says which report sets there are of the accounts.
func (t *task) newSetPlanner() *setplan.Planner {
	w := t.worker
	return &setplan.Planner{Ledger: w.Ledger, Accounts: t.accounts, Reports: &w.Reports}
}

// newRequestParser returns what reads requests for reports of the accounts.
func (t *task) newRequestParser() *setplan.Parser {
	w := t.worker
	return &setplan.Parser{
		Accounts: t.accounts, Reports: &w.Reports, Inputs: &w.Inputs, Sources: w.Movement.Sources, Journal: &w.Journal, HasBanks: len(w.Banks) > 0,
	}
}

// newReportSearch returns what finds what a request asks for as of the last reconcile.
func (t *task) newReportSearch(req *ReportRequest) *setplan.Search {
	return &setplan.Search{Request: req, Ledger: t.worker.Ledger, Parser: t.newRequestParser(), Planner: t.newSetPlanner()}
}

// newPublisher returns the publisher for the worker's archive and target.
func (t *task) newPublisher() *publish.Publisher {
	w := t.worker
	return &publish.Publisher{
		Ledger: w.Ledger, Archive: w.Archive, Target: w.Target, Place: publish.PlaceName(w.Reports.Out), Unreachable: w.IsTargetGone, Retry: w.Retry,
		Wall: w.Wall, Agreements: agreementsByAccount(t.accounts), SigningKey: w.SigningKey,
	}
}

// agreementsByAccount returns the agreements with banks under which the accounts' EDI files are numbered.
func agreementsByAccount(accounts []Account) map[ledger.Account]string {
	out := make(map[ledger.Account]string, len(accounts))
	for _, a := range accounts {
		out[a.Number] = a.Block.Bank.Agreement
	}
	return out
}

// newSetPublisher returns what renders and publishes report sets of the accounts.
func (t *task) newSetPublisher() *setpublish.Publisher {
	w := t.worker
	return &setpublish.Publisher{
		Ledger: w.Ledger, Accounts: t.accounts, Files: t.newPublisher(), Reports: &w.Reports, Inputs: &w.Inputs, Movement: &w.Movement,
		Journal: &w.Journal, NewBuilder: t.newJobBuilder, Queue: t.heavyQueue(), Wall: w.Wall, Progress: t.progress,
	}
}

// newFileRemover returns a remover of the files of the accounts, and of the sets over all.
func (t *task) newFileRemover() *setpublish.FileRemover {
	w := t.worker
	r := &setpublish.FileRemover{
		Ledger: w.Ledger, Files: t.newPublisher(), ArchiveKeepDays: w.ArchiveKeepDays, AllAccounts: w.AllAccounts, Place: w.Reports.Out,
		Today: w.Today, Wall: w.Wall, Progress: t.progress,
		Retention: &publish.Retention{Ledger: w.Ledger, Accounts: []string{manifest.AllAccounts}, Days: w.Retention},
	}
	for _, a := range t.accounts {
		r.Retention.Accounts = append(r.Retention.Accounts, a.Number.String())
	}
	return r
}

// heavyQueue is the queue of units that hold a transaction for long: in this process one after another.
func (t *task) heavyQueue() pull.Queue {
	if t.worker.Queue != nil {
		return t.worker.Queue
	}
	return queue.Pool{Parallel: 1}
}

// listNumbers returns the numbers of accounts.
func listNumbers(accounts []Account) []ledger.Account {
	out := make([]ledger.Account, len(accounts))
	for i, a := range accounts {
		out[i] = a.Number
	}
	return out
}
