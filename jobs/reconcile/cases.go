package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"concilia/jobs/caselife"
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// cases are the cases of an account: those stored before the run, and those that the run writes.
type cases struct {
	*attempt
	outcomes       *subjectOutcomes
	bySubject      map[string][]*storedCase
	splitCases     map[string][]*storedCase // those on splits, by the subject of the installment
	salesWithCases map[ledger.SaleKey]bool  // with a case on them or on a part of them; as first occurrence
	sale           ledger.SaleKey           // that existForSale was asked about last, as first occurrence
	saleHasCases   bool                     // what it answered
	observations   []observation            // of the current subject
	waiting        map[string][]observation // of subjects that several steps evaluate
	tally          caseTally
}

type storedCase struct {
	ledger.Finding
	touched bool // the run evaluated its rule on its subject
	written bool // the run wrote an observation of it
}

// caseContext is what a case says about its subject: day, due date, brand, product, line of the contract.
type caseContext struct {
	subject string
	day     ledger.Date
	due     ledger.Date
	brand   string
	product ledger.Product
	line    string // of the contract
}

func newCases(at *attempt, outcomes *subjectOutcomes, all []ledger.Finding) *cases {
	c := &cases{
		attempt: at, outcomes: outcomes, bySubject: make(map[string][]*storedCase, len(all)), splitCases: map[string][]*storedCase{},
		salesWithCases: map[ledger.SaleKey]bool{}, waiting: map[string][]observation{}, tally: newCaseTally(),
	}
	for _, f := range all {
		s := &storedCase{Finding: f}
		c.bySubject[f.Subject] = append(c.bySubject[f.Subject], s)
		if row, ok := installmentOfSplit(f.Subject); ok {
			c.splitCases[row] = append(c.splitCases[row], s)
		}
		if k, ok := ledger.SaleOfSubject(f.Subject); ok {
			c.salesWithCases[k] = true
		}
	}
	return c
}

// installmentOfSplit returns the subject of the installment that a split belongs to. No part of a subject has a colon.
func installmentOfSplit(subject string) (string, bool) {
	const kind, after = "split:", 3 // beneficiary, type and ordinal follow the installment's key
	key, ok := strings.CutPrefix(subject, kind)
	for range after {
		i := strings.LastIndexByte(key, ':')
		if !ok || i < 0 {
			return "", false
		}
		key = key[:i]
	}
	return "card:" + key, true
}

// resolveSplitCases resolves the cases of splits that the installment no longer has, or no longer lacks. It skips rules
// for which skip reports true, because they could not be evaluated on the row.
func (c *cases) resolveSplitCases(row string, skip func(i int) bool) error {
	var over []*storedCase
	for _, s := range c.splitCases[row] {
		i := c.env.Index(s.Code)
		if s.touched || i < 0 || skip(i) {
			continue
		}
		s.touched = true
		over = append(over, s)
	}
	return c.resolveCases(over)
}

// resolveCases resolves cases whose rules no longer fire.
func (c *cases) resolveCases(over []*storedCase) error {
	slices.SortFunc(over, func(a, b *storedCase) int {
		return cmp.Or(strings.Compare(a.Subject, b.Subject), strings.Compare(a.Case, b.Case))
	})
	for n, s := range over {
		c.updateCase(caseContext{subject: s.Subject}, c.env.Index(s.Code), &rules.Outcome{})
		if n+1 < len(over) && over[n+1].Subject == s.Subject {
			continue
		}
		if err := c.writeObservations(s.Subject); err != nil {
			return err
		}
	}
	return nil
}

// resolveUntouched resolves the stored cases of a rule on subjects that the run did not find again, although it looked
// at all of them. Those of a bank account whose home this is are evaluated elsewhere.
func (c *cases) resolveUntouched(code string) error {
	var left []*storedCase
	for _, all := range c.bySubject {
		for _, s := range all {
			if s.Code == code && !s.touched && !strings.Contains(s.Subject, ":bank.") && !strings.Contains(s.Subject, ":own.") {
				left = append(left, s)
			}
		}
	}
	return c.resolveCases(left)
}

// existForSale reports whether there is a case on the sale or on a part of it. If there is none, no subject has to be
// built to look one up. It is asked several times about each sale.
func (c *cases) existForSale(k ledger.SaleKey) bool {
	if k.Occurrence = 1; k != c.sale {
		c.sale, c.saleHasCases = k, c.salesWithCases[k]
	}
	return c.saleHasCases
}

func (c *cases) findPrior(subject, code string) *storedCase {
	for _, s := range c.bySubject[subject] {
		if s.Code == code {
			return s
		}
	}
	return nil
}

// evaluateAlone records the outcome of a subject that only one rule evaluates.
func (c *cases) evaluateAlone(i int, o rules.Outcome, p caseContext) error {
	c.outcomes.countStatus(i, o.Status)
	return c.recordAlone(i, o, p)
}

// recordAlone is evaluateAlone for an outcome whose status was counted row by row.
func (c *cases) recordAlone(i int, o rules.Outcome, p caseContext) error {
	c.outcomes.clearImpacts([]int{i})
	c.outcomes.current[i] = o
	return c.recordOutcomes(p, []int{i}, c.outcomes.current)
}

// recordOutcomes updates the cases of one subject by the outcomes of the rules in idx. Rules that could not be
// evaluated change no case. The subject is empty if no case can exist.
func (c *cases) recordOutcomes(p caseContext, idx []int, outs []rules.Outcome) error {
	if p.subject == "" || !anyFires(idx, outs) && len(c.bySubject[p.subject]) == 0 {
		return nil
	}
	for _, i := range idx {
		// A rule that no longer applies to the subject, such as one for open installments once it is paid, resolves its
		// case; a rule that could not be evaluated leaves the case as it is.
		switch s := outs[i].Status; {
		case s == rules.SuppressedPass:
			c.suppressCase(p, i)
		case !leavesCase(s):
			c.updateCase(p, i, &outs[i])
		}
	}
	return c.writeObservations(p.subject)
}

// leavesCase reports whether an outcome with this status leaves the case of its rule unchanged.
func leavesCase(s rules.Status) bool {
	return !s.Evaluated() && s != rules.NotEligible && s != rules.SuppressedFire && s != rules.SuppressedPass
}

// updateCase updates the case of rule i on a subject by the rule's outcome; writeObservations writes it.
func (c *cases) updateCase(p caseContext, i int, o *rules.Outcome) {
	code := c.env.Rules()[i].Code
	prior := c.findPrior(p.subject, code)
	if prior != nil {
		prior.touched = true
	}
	if o.Status < rules.Pends && o.Status != rules.SuppressedFire {
		if prior != nil && prior.State != ledger.Resolved {
			c.observations = append(c.observations, observation{caselife.Resolve(&prior.Finding, c.run.ID, c.in.AsOf), true})
		}
		return
	}
	f := c.newFinding(p, i, o)
	event := true
	if prior != nil {
		event = caselife.Continue(&prior.Finding, &f, c.in.AsOf)
	}
	c.tally.countCase(&f, prior == nil)
	c.observations = append(c.observations, observation{f, event})
}

// suppressCase sets an unresolved case to suppressed if its suppressed rule does not fire: the case is neither counted
// nor resolved.
func (c *cases) suppressCase(p caseContext, i int) {
	prior := c.findPrior(p.subject, c.env.Rules()[i].Code)
	if prior == nil {
		return
	}
	prior.touched = true
	if !prior.State.IsUnresolved() || prior.State == ledger.Shadow {
		return
	}
	f := prior.Finding
	f.State, f.ReturnState, f.LastRun, f.LastSeen, f.BreakOn, f.ExplainedBy = ledger.Shadow, prior.State, c.run.ID, c.in.AsOf, 0, ""
	if f.Impact.OK {
		f.Impact = ledger.Some[ledger.Amount](0)
	}
	c.tally.countCase(&f, false)
	c.observations = append(c.observations, observation{f, true})
}

// newFinding returns the observation of a case in this run.
func (c *cases) newFinding(p caseContext, i int, o *rules.Outcome) ledger.Finding {
	r := &c.env.Rules()[i]
	id := ledger.CaseID(c.account, p.subject, r.Code)
	f := ledger.Finding{
		Case: id, Account: c.account, Code: r.Code, RuleVersion: r.Version, Subject: p.subject, Severity: c.env.Severity(i, o),
		State: ledger.Opened, Expected: o.Expected, Actual: o.Actual, Exposure: r.Exposure, BreakOn: o.BreakOn,
		FirstSeen: c.in.AsOf, OpenedOn: c.in.AsOf, FirstRun: c.run.ID, LastRun: c.run.ID,
		LastSeen: c.in.AsOf,
		Day:      p.day, DueOn: p.due, Brand: p.brand, Product: p.product, Hint: o.Hint, Numbers: o.Numbers,
	}
	if r.HasImpact() {
		f.Impact = ledger.Some(c.outcomes.impacts[i].Or(0))
		if root := c.outcomes.rootRules[i]; root >= 0 {
			f.ExplainedBy = c.env.Rules()[root].Code
		}
	}
	switch o.Status {
	case rules.Pends:
		f.State, f.OpenedOn = ledger.Pending, 0
	case rules.SuppressedFire:
		// A suppressed case has no impact, explains nothing and is not explained.
		f.State, f.OpenedOn, f.ExplainedBy = ledger.Shadow, 0, ""
		if f.Impact.OK {
			f.Impact.V = 0
		}
	}
	if r.UsesContract() {
		f.ContractLine = p.line
	}
	if r.UsesCalendar() {
		f.Calendar = c.calendarHash
	}
	return f
}

// keepUntouched counts the cases that the run did not evaluate, which stay as they are, and closes those that have aged
// out.
func (c *cases) keepUntouched() error {
	var old []*storedCase
	for _, all := range c.bySubject {
		for _, s := range all {
			switch {
			case s.touched:
			case caselife.IsAgedOut(&s.Finding, c.in.AsOf):
				old = append(old, s)
			default:
				c.tally.countCase(&s.Finding, false)
			}
		}
	}
	slices.SortFunc(old, func(a, b *storedCase) int { return strings.Compare(a.Case, b.Case) })
	for _, s := range old {
		if err := c.sink.WriteCase(caselife.Close(&s.Finding, ledger.AgedOut, c.run.ID), true); err != nil {
			return err
		}
	}
	return nil
}

// summarizeSubject returns what the report shows of the subject that was just evaluated: its verdict, the codes that
// fire on it and the impact of the root causes among them. Where a rule could not be evaluated this time, its
// unresolved case counts instead. subject is empty if no case was ever on it.
func (c *cases) summarizeSubject(subject string, idx []int) (v ledger.Verdict, codes []string, impact ledger.Opt[ledger.Amount]) {
	v = ledger.RowOK
	add := func(code string, severity ledger.Severity, fires bool, cost ledger.Amount) {
		codes = append(codes, code)
		impact = ledger.Some(impact.V + cost)
		switch {
		case severity == ledger.Info:
		case fires:
			v = ledger.RowBreak
		case v == ledger.RowOK:
			v = ledger.RowPending
		}
	}
	for _, i := range idx {
		if o := &c.outcomes.current[i]; o.Status >= rules.Pends {
			add(c.env.Rules()[i].Code, c.env.Severity(i, o), o.Status == rules.Fires, c.outcomes.impacts[i].V)
		}
	}
	if subject == "" {
		return v, codes, impact
	}
	for _, s := range c.bySubject[subject] {
		if c.notEvaluated(s, idx) {
			// Its impact is that of the run that evaluated it last; of an explained case it is 0.
			add(s.Code, s.Severity, s.OpenedOn != 0, s.Impact.V)
		}
	}
	slices.Sort(codes)
	return v, codes, impact
}

// notEvaluated reports whether an unresolved case belongs to a rule among idx that could not be evaluated on its
// subject this time. Such a case stays until the rule can.
func (c *cases) notEvaluated(s *storedCase, idx []int) bool {
	i := c.env.Index(s.Code)
	return slices.Contains(idx, i) && leavesCase(c.outcomes.current[i].Status) && s.State != ledger.Resolved && s.State != ledger.Shadow
}
