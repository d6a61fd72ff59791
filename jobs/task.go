package jobs

import (
	"concilia/jobs/evaluate"
	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/jobs/queue"
	"concilia/jobs/reportset"
	"concilia/jobs/setplan"
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
func (t *task) newBooks() *reportset.BookReader { return t.newSetPublisher().newBooks() }

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
