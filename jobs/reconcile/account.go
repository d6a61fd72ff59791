package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/notifications"
	"concilia/jobs/rules/runs"
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
	shadow := sink.LastReconcile().Shadow
	for try := 1; ; try++ {
		ev, err := newEvaluation(ctx, in, run, a, src, sink, shadow)
		if err == nil {
			err = ev.runSteps(ctx, ev.evaluateCoverage, ev.evaluatePulls, ev.evaluateQuarantine, ev.evaluateSales, ev.evaluateVanishedRows, ev.evaluateSlips, ev.updateAggregates)
		}
		if err != nil {
			return Result{}, fmt.Errorf("reconcile account %s: %w", a, err)
		}
		nowSuppressed := ev.listSuppressed()
		if slices.Equal(nowSuppressed, shadow) || try == maxAttempts {
			if err := ev.runSteps(ctx, ev.evaluateNotifications, ev.evaluatePopulations, ev.evaluateOrders, ev.evaluateSimulations, ev.evaluateInterpretations, ev.evaluateResiduals, ev.keepAggregates, ev.concludeAccount); err != nil {
				return Result{}, fmt.Errorf("reconcile account %s: %w", a, err)
			}
			return ev.result, nil
		}
		shadow = nowSuppressed
		if err := sink.Restart(); err != nil {
			return Result{}, err
		}
	}
}

func (ev *evaluation) runSteps(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// evaluation is one attempt at the reconciliation of one account.
type evaluation struct {
	in           Inputs
	run          *ledger.Run
	account      ledger.Account
	src          Source
	sink         Sink
	env          *rules.Env
	inputsHash   string
	calendarHash string // hash of the calendar, on findings that rest on it
	coverage     map[ledger.Source]map[ledger.Date]DayCoverage
	scope        *ledger.Scope
	everything   bool // everything is evaluated, and aggregates start from zero

	rulesOn         map[rules.Subject][]int // rules by what they evaluate
	saleRules       []int                   // rules that evaluate sales
	sharedRules     sharedRules
	lineOwners      map[ledger.BridgeLine][]int
	suppressedCodes []string
	suppressed      []bool          // by rule
	guardPlaces     []int           // of each rule among those that rest on an interpretation, or -1
	outcomes        []rules.Outcome // of the current subject, by rule
	saleOutcomes    []rules.Outcome
	impacts         []ledger.Opt[ledger.Amount]
	rootRules       []int // by rule: its root cause, or -1
	duplicates      cards.DuplicateSales

	cases             cases
	ruleCounts        []ledger.RuleCounts
	changes           aggregateChanges
	currentSale       rules.Sale
	rowExpectation    ledger.Expectation     // of the current row
	delta             aggregateDelta         // of the current row or slip
	saleGuard         assumptions.GuardDelta // of the current sale, until it is added to its first row
	sharedTexts       map[plainDelta]string  // stored forms of deltas: most rows share a few
	daysToSum         map[ledger.Date]bool
	daysToSumAhead    []ledger.Date        // finished days that are not summed yet
	rowsSummedAhead   int64                // evaluated installments when days were last summed
	unreadable        map[ledger.Date]bool // days of cards with a quarantined row whose key could not be read
	quarantinedDays   map[ledger.Date]bool // days of cards with any quarantined row, and those of the reconcile before
	quarantinedBefore map[ledger.Date]bool
	continuity        continuity
	bridgeRows        []ledger.BridgeRow // after the rows were evaluated
	populations       []ledger.Population
	guard             *assumptions.Guard
	calibration       *assumptions.Calibration // of the interpretations; nil if only a part is evaluated
	rowsDoubled       bool                     // the rows have doubled since the last calibration
	unmappedCounts    map[rules.Spelling]int   // of notifications
	notificationState notificationState
	pullFacts         *pullFacts
	lookupError       error // of reading which slips were replaced
	result            Result
}

func newEvaluation(
	ctx context.Context, in Inputs, run *ledger.Run, a ledger.Account, src Source, sink Sink, shadow []string,
) (*evaluation, error) {
	if in.Contracts == nil || in.Mapping == nil || in.Calendar == nil || in.AsOf == 0 || in.Since == 0 {
		return nil, errors.New("contracts, mapping, calendar, as-of and since are all needed")
	}
	ev := &evaluation{
		in: in, run: run, account: a, src: src, sink: sink, inputsHash: in.Hash(a), calendarHash: in.Calendar(a).Hash(), suppressedCodes: shadow,
		changes: newAggregateChanges(), sharedTexts: map[plainDelta]string{}, daysToSum: map[ledger.Date]bool{}, unreadable: map[ledger.Date]bool{},
		quarantinedBefore: map[ledger.Date]bool{},
		unmappedCounts:    map[rules.Spelling]int{}, rulesOn: map[rules.Subject][]int{}, lineOwners: map[ledger.BridgeLine][]int{},
	}
	ev.result = Result{Counts: map[string]int{}, NewCases: map[string]int{}, Critical: map[string][]string{}}
	if err := ev.readCoverage(ctx); err != nil {
		return nil, err
	}
	notices, err := ev.readNotifications(ctx)
	if err != nil {
		return nil, err
	}
	if err := ev.readRecentPulls(ctx); err != nil {
		return nil, err
	}
	ev.env, err = rules.NewEnv(catalogue.All(), rules.Options{
		Account: a, Run: run.ID, AsOf: in.AsOf, Contracts: in.Contracts, Mapping: in.Mapping, Profile: in.Profile,
		Calendar: in.Calendar(a), Settings: in.Settings, Answered: src.WasAnswered, Notifications: notices,
		SeenOn:      func(s ledger.Source, d ledger.Date) ledger.Date { return ev.coverage[s][d].CompleteOn },
		CompleteNow: func(s ledger.Source, d ledger.Date) bool { return ev.coverage[s][d].CompleteNow },
		PullsOf:     func(s ledger.Source, d ledger.Date) int { return ev.coverage[s][d].CompletePulls },
		SlipNote:    ev.pullFacts.describeSlip,
		Replaced:    ev.newReplacedLookup(ctx),
		Register:    in.Register,
		Orders:      in.Orders,
		Closes:      in.Closes,
	})
	if err != nil {
		return nil, err
	}
	stored, err := sink.CurrentCases()
	if err != nil {
		return nil, fmt.Errorf("stored cases: %w", err)
	}
	// Those of bank accounts and stores are evaluated after all accounts.
	stored = slices.DeleteFunc(stored, func(f ledger.Finding) bool { return catalogue.IsOnBank(f.Code) || catalogue.IsOnStores(f.Code) })
	ev.cases = newCases(ev, stored)
	ev.indexRules()
	if err := ev.readScope(ctx, stored); err != nil {
		return nil, err
	}
	ev.calibration = ev.newCalibration()
	return ev, nil
}

// sharedRules are the indexes of rules that several steps need.
type sharedRules struct{ contractMissing, enumUnmapped, changeUnnotified, doubleCharge int }

// indexRules groups the rules by what they evaluate, and the owners by line of the bridge.
func (ev *evaluation) indexRules() {
	all := ev.env.Rules()
	ev.guardPlaces = assumptions.PlacesOf(all)
	ev.ruleCounts = make([]ledger.RuleCounts, len(all))
	ev.outcomes, ev.saleOutcomes = make([]rules.Outcome, len(all)), make([]rules.Outcome, len(all))
	ev.impacts, ev.rootRules = make([]ledger.Opt[ledger.Amount], len(all)), make([]int, len(all))
	ev.suppressed = make([]bool, len(all))
	for _, code := range ev.suppressedCodes {
		if i := ev.env.Index(code); i >= 0 {
			ev.suppressed[i] = true
		}
	}
	ev.sharedRules = sharedRules{
		contractMissing: ev.env.Index(contractMissing), enumUnmapped: ev.env.Index(runs.EnumUnmapped), changeUnnotified: ev.env.Index(notifications.ChangeUnnotified),
		doubleCharge: ev.env.Index(doubleCharge),
	}
	for i := range all {
		ev.ruleCounts[i].Code = all[i].Code
		for _, kind := range all[i].Subjects() {
			ev.rulesOn[kind] = append(ev.rulesOn[kind], i)
		}
		if all[i].EvaluatesSales() {
			ev.saleRules = append(ev.saleRules, i)
		}
	}
	for _, o := range append(catalogue.CardOwners(), catalogue.SlipOwners()...) {
		for _, code := range o.Owners {
			ev.lineOwners[o.Line] = append(ev.lineOwners[o.Line], ev.env.Index(code))
		}
	}
}

// countStatus counts the status of rule i on one subject.
func (ev *evaluation) countStatus(i int, s rules.Status) {
	t := &ev.ruleCounts[i]
	if s == rules.NotEligible {
		return
	}
	t.Eligible++
	switch s {
	case rules.NoInput:
		t.NoInput++
	case rules.Unmapped:
		t.Unmapped++
	case rules.NotPulled:
		t.Window++
	case rules.NotEvaluable:
		t.NotEvaluable++
	case rules.SuppressedPass, rules.SuppressedFire:
		t.Shadow++
	default:
		t.Evaluated++
		switch s {
		case rules.Within:
			t.Within++
		case rules.Fires, rules.Pends:
			t.Fired++
		}
	}
}

// firstCoveredDay is the first day that coverage is read for: rows older than Since come from ranges that were pulled
// separately.
var firstCoveredDay = ledger.NewDate(calendar.FirstYear, 1, 1)

func (ev *evaluation) readCoverage(ctx context.Context) error {
	ev.coverage = map[ledger.Source]map[ledger.Date]DayCoverage{}
	for _, s := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		// Days after the as-of count too: a list by due date is pulled forward.
		c, err := ev.src.Coverage(ctx, ev.account, s, ledger.Period{From: firstCoveredDay, To: ev.in.AsOf + maxForwardDays})
		if err != nil {
			return fmt.Errorf("coverage of %s: %w", s, err)
		}
		ev.coverage[s] = c
	}
	return nil
}

// maxForwardDays is the furthest day ahead a list by due date can be pulled for.
const maxForwardDays = 400

func sortRechecks(asks []rules.Recheck) {
	slices.SortFunc(asks, func(a, b rules.Recheck) int {
		return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID))
	})
}
