package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"concilia/jobs/reconcile/openrows"
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// Result is the state of an account after a run. Installments, Slips and ChangedExpectations count what this run
// evaluated; all else covers the whole account.
type Result struct {
	Verdict ledger.Verdict
	// Counts holds, by code, the cases pending, open or reopened after the run; NewCases those of them first seen in it.
	Counts   map[string]int
	NewCases map[string]int
	// Critical names the codes of open critical cases by side: cards, slips.
	Critical map[string][]string
	// NotAttributed is the sum of the brackets that could not be attributed, each without its sign.
	NotAttributed ledger.Amount
	// Lines are the totals of the bridges, cards before slips, by line; days, brands and products are left out.
	Lines []ledger.BridgeRow
	// Installments and Slips count what was evaluated, ChangedExpectations those of them whose expectation changed.
	Installments        int64
	Slips               int64
	ChangedExpectations int64
	// Overflow is why nothing of the account could be evaluated: a sum left the range of an amount. Empty if it was evaluated.
	Overflow string
}

// maxAttempts bounds how often an account is evaluated in one run. Which rules are suppressed follows from what the
// rules found, suppressed or not, so a second attempt normally ends it.
const maxAttempts = 3

// Account evaluates one account as of the inputs' date and writes the results to the sink: what changed since the last
// reconcile, or everything. It writes nothing about rows that did not arrive. The caller commits or rolls back. It
// starts with the rules that the last reconcile suppressed; if the counts of this run suppress other rules, everything
// is evaluated again.
func Account(ctx context.Context, in Inputs, run *ledger.Run, a ledger.Account, src Source, sink Sink) (Result, error) {
	suppressed := sink.LastReconcile().Shadow
	for try := 1; ; try++ {
		ev, err := newEvaluation(ctx, &attempt{in: in, run: run, account: a, src: src, sink: sink, suppressedCodes: suppressed})
		if err == nil {
			err = ev.evaluateRows(ctx)
		}
		if err != nil {
			return Result{}, fmt.Errorf("reconcile account %s: %w", a, err)
		}
		nowSuppressed := ev.aggregates.listSuppressed()
		if slices.Equal(nowSuppressed, suppressed) || try == maxAttempts {
			result, err := ev.concludeAccount(ctx)
			if err != nil {
				return Result{}, fmt.Errorf("reconcile account %s: %w", a, err)
			}
			return result, nil
		}
		suppressed = nowSuppressed
		if err := sink.Restart(); err != nil {
			return Result{}, err
		}
	}
}

// attempt is what all steps of one attempt at an account know: what is evaluated, by which documents, and where facts
// come from and results go. It does not change once its evaluators are made.
type attempt struct {
	in              Inputs
	run             *ledger.Run
	account         ledger.Account
	src             Source
	sink            Sink
	suppressedCodes []string // of the rules suppressed in this attempt, sorted
	inputsHash      string
	calendarHash    string // hash of the calendar, on findings that rest on it
	env             *rules.Env
	scope           *ledger.Scope
	everything      bool // everything is evaluated, and aggregates start from zero
	isFirst         bool // the account was never reconciled before
}

// evaluation is one attempt at the reconciliation of one account. Each of its evaluators has one kind of subject; they
// share the outcomes of the rules, the cases, and the aggregates that rows add to.
type evaluation struct {
	*attempt
	outcomes   *subjectOutcomes
	cases      *cases
	aggregates *aggregates
	writer     *expectationWriter
	quarantine *quarantine

	pulls           *pullEvaluator
	sales           *saleEvaluator
	slips           *slipEvaluator
	notifications   *notificationEvaluator
	populations     *populationEvaluator
	orders          *orderEvaluator
	interpretations *interpretationEvaluator
	months          *monthEvaluator
}

// evaluateRows evaluates what the service answered, every sale and every slip of the scope, and brings the aggregates
// up to date with them.
func (ev *evaluation) evaluateRows(ctx context.Context) error {
	return runSteps(
		ctx,
		ev.pulls.evaluateCoverage,
		ev.pulls.evaluatePulls,
		ev.pulls.evaluateQuarantine,
		ev.sales.evaluateSales,
		ev.sales.installments.evaluateVanishedRows,
		ev.slips.evaluateSlips,
		ev.updateAggregates,
	)
}

// concludeAccount evaluates what can only be evaluated when all rows are, writes the remaining cases and what is kept
// for reports, and returns the result.
func (ev *evaluation) concludeAccount(ctx context.Context) (Result, error) {
	err := runSteps(
		ctx,
		ev.notifications.evaluateNotifications,
		ev.populations.evaluatePopulations,
		ev.orders.evaluateOrders,
		ev.pulls.evaluateSimulations,
		ev.interpretations.evaluateInterpretations,
		ev.months.evaluateMonths,
		ev.keepTotals,
		ev.writeConclusion,
	)
	if err != nil {
		return Result{}, err
	}
	return ev.summarizeAccount(), nil
}

func runSteps(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// newEvaluation reads what an attempt needs before its first row, decides what is evaluated, and makes its evaluators.
func newEvaluation(ctx context.Context, at *attempt) (*evaluation, error) {
	in := &at.in
	if in.Contracts == nil || in.Mapping == nil || in.Calendar == nil || in.AsOf == 0 || in.Since == 0 {
		return nil, errors.New("contracts, mapping, calendar, as-of and since are all needed")
	}
	at.inputsHash, at.calendarHash = in.Hash(at.account), in.Calendar(at.account).Hash()
	known, err := at.readFacts(ctx)
	if err != nil {
		return nil, err
	}
	if at.env, err = at.newEnv(ctx, known); err != nil {
		return nil, err
	}
	cases, err := at.sink.CurrentCases()
	if err != nil {
		return nil, fmt.Errorf("stored cases: %w", err)
	}
	// Those of bank accounts and stores are evaluated after all accounts.
	cases = slices.DeleteFunc(cases, func(f ledger.Finding) bool { return catalogue.IsOnBank(f.Code) || catalogue.IsOnStores(f.Code) })
	if err := at.decideScope(known.quarantine.listChanged(), cases); err != nil {
		return nil, err
	}
	return at.makeEvaluators(known, cases), nil
}

// makeEvaluators makes the evaluators of an attempt, each with what it needs of what was read.
func (at *attempt) makeEvaluators(known *knownFacts, stored []ledger.Finding) *evaluation {
	outcomes := newSubjectOutcomes(at.env, at.suppressedCodes)
	cases := newCases(at, outcomes, stored)
	aggregates := &aggregates{attempt: at, changes: newAggregateChanges(), populations: known.populations}
	movements := openrows.NewMovements(at.in.Mapping, at.isFirst)
	writer := &expectationWriter{
		attempt: at, outcomes: outcomes, changes: &aggregates.changes, movements: movements, evaluatedDays: map[ledger.Date]bool{}, deltas: newDeltaTexts(),
	}
	bridge := &bridge{attempt: at, outcomes: outcomes}
	unmapped := map[rules.Spelling]int{}
	notifications := &notificationEvaluator{
		attempt: at, outcomes: outcomes, cases: cases, aggregates: aggregates, ofDay: known.notifications, unmapped: unmapped, byMovement: map[int64]*movementOutcomes{},
	}
	interpretations := &interpretationEvaluator{attempt: at, cases: cases, aggregates: aggregates}
	if at.everything {
		interpretations.calibration = assumptions.NewNightlyCalibration()
	}
	installments := &installmentEvaluator{
		attempt: at, outcomes: outcomes, cases: cases, bridge: bridge, writer: writer, notifications: notifications, unreadable: known.quarantine.unreadable,
	}
	return &evaluation{
		attempt: at, outcomes: outcomes, cases: cases, aggregates: aggregates, writer: writer, quarantine: known.quarantine,
		pulls: &pullEvaluator{attempt: at, cases: cases, coverage: known.coverage, facts: known.pulls, quarantine: known.quarantine},
		sales: &saleEvaluator{
			attempt: at, outcomes: outcomes, cases: cases, installments: installments, notifications: notifications, interpretations: interpretations,
		},
		slips:           &slipEvaluator{attempt: at, outcomes: outcomes, cases: cases, bridge: bridge, writer: writer, interpretations: interpretations, replaced: known.replaced},
		notifications:   notifications,
		populations:     &populationEvaluator{attempt: at, outcomes: outcomes, cases: cases, aggregates: aggregates, coverage: known.coverage, unmapped: unmapped},
		orders:          &orderEvaluator{attempt: at, cases: cases},
		interpretations: interpretations,
		months:          &monthEvaluator{attempt: at, cases: cases, aggregates: aggregates, movements: movements, evaluatedDays: writer.evaluatedDays},
	}
}

// updateAggregates adds what is counted once per account to the changes of the rows, and stores the aggregates.
func (ev *evaluation) updateAggregates(context.Context) error {
	if err := ev.quarantine.addDays(&ev.aggregates.changes, ev.everything); err != nil {
		return err
	}
	if err := ev.interpretations.countRows(); err != nil {
		return err
	}
	return ev.aggregates.storeChanges()
}

// keepTotals has the ledger keep what reports and pages would otherwise have to sum: the months and the forecast, of which
// the days that were evaluated are summed.
func (ev *evaluation) keepTotals(context.Context) error {
	before := ev.in.AsOf - 1
	for before > firstCoveredDay && !ev.env.IsBusinessDay(before) {
		before--
	}
	return ev.sink.KeepTotals(ev.everything, ev.months.listDaysToSum(), ledger.ForecastReading{
		Settle: ev.env.NextBusinessDay, NetOfSplits: ev.in.Profile.NetOfSplits, Received: ledger.Period{From: before, To: ev.in.AsOf - 1},
	})
}

// writeConclusion writes the counts of the rules and the remaining cases.
func (ev *evaluation) writeConclusion(context.Context) error {
	if err := ev.sink.RecordRuleCounts(ev.outcomes.counts); err != nil {
		return err
	}
	return errors.Join(ev.cases.writeWaiting(""), ev.cases.keepUntouched())
}

// summarizeAccount returns the state of the account after all steps.
func (ev *evaluation) summarizeAccount() Result {
	tally := &ev.cases.tally
	r := Result{
		Counts: tally.counts, NewCases: tally.newCases, Critical: tally.critical, Lines: ev.aggregates.sumBridge(),
		Installments: ev.sales.installments.evaluated, Slips: ev.slips.evaluated, ChangedExpectations: ev.writer.changed,
	}
	for _, p := range ev.aggregates.populationsOf(kindUnattributed) {
		r.NotAttributed = p.Amount
	}
	r.Verdict = tally.verdict.Worse(ledger.Reconciled)
	switch {
	case len(r.Critical) > 0:
		r.Verdict = ledger.Incomplete
	case r.NotAttributed != 0:
		r.Verdict = r.Verdict.Worse(ledger.ReconciledWithWarnings)
	}
	return r
}
