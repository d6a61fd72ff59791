package reconcile

import (
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/notifications"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// ruleIndex says which rules evaluate which subjects, which of them own the lines of the bridge, and which are
// suppressed in this attempt. A rule is named by its place among all rules.
type ruleIndex struct {
	rulesOn     map[rules.Subject][]int // rules by what they evaluate
	rowRules    []int                   // those on installments, and on their splits: asked for each row, where looking them up takes time
	splitRules  []int
	saleRules   []int // rules that evaluate sales
	sharedRules sharedRules
	lineOwners  map[ledger.BridgeLine][]int
	suppressed  []bool // by rule
	guardPlaces []int  // of each rule among those that rest on an interpretation, or -1
}

// sharedRules are the places of rules that several steps need.
type sharedRules struct{ contractMissing, enumUnmapped, changeUnnotified, doubleCharge int }

const (
	contractMissing = "MDR_CONTRACT_MISSING"
	doubleCharge    = "TXN_POSSIBLE_DOUBLE_CHARGE"
)

// newRuleIndex groups the rules by what they evaluate, and the owners by line of the bridge.
func newRuleIndex(env *rules.Env, suppressedCodes []string) ruleIndex {
	all := env.Rules()
	x := ruleIndex{
		rulesOn: map[rules.Subject][]int{}, lineOwners: map[ledger.BridgeLine][]int{}, suppressed: make([]bool, len(all)), guardPlaces: assumptions.PlacesOf(all),
		sharedRules: sharedRules{
			contractMissing: env.Index(contractMissing), enumUnmapped: env.Index(runs.EnumUnmapped), changeUnnotified: env.Index(notifications.ChangeUnnotified),
			doubleCharge: env.Index(doubleCharge),
		},
	}
	for _, code := range suppressedCodes {
		if i := env.Index(code); i >= 0 {
			x.suppressed[i] = true
		}
	}
	for i := range all {
		for _, kind := range all[i].Subjects() {
			x.rulesOn[kind] = append(x.rulesOn[kind], i)
		}
		if all[i].EvaluatesSales() {
			x.saleRules = append(x.saleRules, i)
		}
	}
	x.rowRules, x.splitRules = x.rulesOn[rules.OnInstallment], x.rulesOn[rules.OnSplit]
	for _, o := range append(catalogue.CardOwners(), catalogue.SlipOwners()...) {
		for _, code := range o.Owners {
			x.lineOwners[o.Line] = append(x.lineOwners[o.Line], env.Index(code))
		}
	}
	return x
}

// subjectOutcomes are what the rules found on the subject that is being evaluated, what the subject adds to the
// aggregates, and, over all subjects, how often each rule found what. The next subject overwrites all but the counts.
type subjectOutcomes struct {
	ruleIndex
	current   []rules.Outcome             // by rule
	ofSale    []rules.Outcome             // by rule: of the sale that the current installment belongs to
	impacts   []ledger.Opt[ledger.Amount] // by rule
	rootRules []int                       // by rule: its root cause, or -1
	delta     aggregateDelta              // of the current row or slip
	saleGuard assumptions.GuardDelta      // of the current sale, until it is added to its first row
	counts    []ledger.RuleCounts
}

func newSubjectOutcomes(env *rules.Env, suppressedCodes []string) *subjectOutcomes {
	all := env.Rules()
	so := &subjectOutcomes{
		ruleIndex: newRuleIndex(env, suppressedCodes), current: make([]rules.Outcome, len(all)), ofSale: make([]rules.Outcome, len(all)),
		impacts: make([]ledger.Opt[ledger.Amount], len(all)), rootRules: make([]int, len(all)), counts: make([]ledger.RuleCounts, len(all)),
	}
	for i := range all {
		so.counts[i].Code = all[i].Code
	}
	return so
}

// countOutcome counts what rule i found on the current subject, for the guard of the interpretations and for the counts
// of the run, and marks it if the rule is suppressed. r is the row that was evaluated, if it was one.
func (so *subjectOutcomes) countOutcome(i int, o *rules.Outcome, guard *assumptions.GuardDelta, r *rules.Row) {
	guard.Count(so.guardPlaces[i], o, r)
	if so.suppressed[i] {
		*o = o.Suppress()
	}
	so.countStatus(i, o.Status)
}

// clearImpacts resets impacts and root causes of rules before a subject is evaluated.
func (so *subjectOutcomes) clearImpacts(idx []int) {
	for _, i := range idx {
		so.rootRules[i] = -1
		so.impacts[i] = ledger.Opt[ledger.Amount]{}
	}
}

// countStatus counts the status of rule i on one subject.
func (so *subjectOutcomes) countStatus(i int, s rules.Status) {
	t := &so.counts[i]
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

// countSpellings counts one subject with its number of unmapped spellings.
func (so *subjectOutcomes) countSpellings(unknown int) {
	t := &so.counts[so.sharedRules.enumUnmapped]
	t.Eligible++
	t.Evaluated++
	if unknown > 0 {
		t.Fired++
	}
}

// findRoot returns the first owner that fired, or -1, and notes it as the root cause of the other owners that fired.
func (so *subjectOutcomes) findRoot(owners []int, status func(int) rules.Status) int {
	root := -1
	for _, i := range owners {
		if status(i) != rules.Fires {
			continue
		}
		if root < 0 {
			root = i
		} else if so.rootRules[i] < 0 && !so.impacts[i].OK {
			so.rootRules[i] = root
		}
	}
	return root
}

// anyFires reports whether a rule has a case on the subject; the case of a suppressed rule counts.
func anyFires(idx []int, outs []rules.Outcome) bool {
	for _, i := range idx {
		if s := outs[i].Status; s >= rules.Pends || s == rules.SuppressedFire {
			return true
		}
	}
	return false
}
