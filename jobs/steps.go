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

// stepMaker makes the steps of a job, each with what it needs of the worker. A method that makes a type of this package is in the file of
// that type; here are those that make types of other packages.
type stepMaker struct {
	worker   *Worker
	progress pull.Progress // to which the steps report
}

// newSteps returns a maker of steps that report to the worker's own progress, for what is not recorded as a run.
func (w *Worker) newSteps() *stepMaker { return &stepMaker{worker: w, progress: w.Progress} }

// newPuller returns what asks the service for the worker's accounts.
func (m *stepMaker) newPuller() *pull.Puller {
	w := m.worker
	p := &pull.Puller{
		Ledger: w.Ledger, Service: w.Service, Inbox: w.Inbox, ListCap: w.ListCap, NightBudget: w.NightBudget, KeepBodies: w.KeepBodies,
		SearchByCode: w.SearchByCode, Queue: w.Queue, Parallel: w.Parallel, Zone: w.Zone, Now: w.Now, Wall: w.Wall, Tail: w.Tail,
		Progress: m.progress,
		Planner: &plan.Planner{
			Ledger: w.Ledger, Calendar: w.Inputs.Calendar, Settings: w.Plan, Brand: w.Inputs.Mapping.Brand,
		},
	}
	for i := range w.Accounts {
		p.Accounts = append(p.Accounts, w.Accounts[i].AsPlanned())
	}
	return p
}

// newEvaluator returns what applies the rules to an account.
func (m *stepMaker) newEvaluator() *evaluate.Evaluator {
	w := m.worker
	return &evaluate.Evaluator{Ledger: w.Ledger, Inputs: w.Inputs, Zone: w.Zone, ListCap: w.ListCap, Today: w.Today}
}

// newJobBuilder returns a builder for one set. Its inputs are the worker's, or those of a past run if the set has them.
func (m *stepMaker) newJobBuilder(run *ledger.Run, verdicts *reportset.Verdicts, set reportset.Request) *reportset.Builder {
	w := m.worker
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
func (m *stepMaker) newBooks() *reportset.BookReader { return m.newSetPublisher().newBooks() }

// newSetPlanner returns what says which report sets there are of the worker's accounts.
func (m *stepMaker) newSetPlanner() *setplan.Planner {
	w := m.worker
	return &setplan.Planner{Ledger: w.Ledger, Accounts: w.Accounts, Reports: &w.Reports}
}

// newRequestParser returns what reads requests for reports of the worker's accounts.
func (m *stepMaker) newRequestParser() *setplan.Parser {
	w := m.worker
	return &setplan.Parser{
		Accounts: w.Accounts, Reports: &w.Reports, Inputs: &w.Inputs, Sources: w.Movement.Sources, Journal: &w.Journal, HasBanks: len(w.Banks) > 0,
	}
}

// newReportSearch returns what finds what a request asks for as of the last reconcile.
func (m *stepMaker) newReportSearch(req *ReportRequest) *setplan.Search {
	return &setplan.Search{Request: req, Ledger: m.worker.Ledger, Parser: m.newRequestParser(), Planner: m.newSetPlanner()}
}

// heavyQueue is the queue of units that hold a transaction for long: in this process one after another.
func (m *stepMaker) heavyQueue() pull.Queue {
	if m.worker.Queue != nil {
		return m.worker.Queue
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
