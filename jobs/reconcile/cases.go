package reconcile

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// cases are the cases of an account: those stored before the run, and those that the run writes.
type cases struct {
	ev             *evaluation
	bySubject      map[string][]*storedCase
	splitCases     map[string][]*storedCase // those on splits, by the subject of the installment
	salesWithCases map[ledger.SaleKey]bool  // with a case on them or on a part of them; as first occurrence
	observations   []observation            // of the current subject
	waiting        map[string][]observation // of subjects that several steps evaluate
	// The worst verdict of a case after the run.
	verdict ledger.Verdict
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

func newCases(ev *evaluation, all []ledger.Finding) cases {
	c := cases{
		ev: ev, bySubject: make(map[string][]*storedCase, len(all)), splitCases: map[string][]*storedCase{}, salesWithCases: map[ledger.SaleKey]bool{}, waiting: map[string][]observation{},
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
		i := c.ev.env.Index(s.Code)
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
		c.updateCase(caseContext{subject: s.Subject}, c.ev.env.Index(s.Code), &rules.Outcome{})
		if n+1 < len(over) && over[n+1].Subject == s.Subject {
			continue
		}
		if err := c.writeObservations(s.Subject); err != nil {
			return err
		}
	}
	return nil
}

// existForSale reports whether there is a case on the sale or on a part of it. If there is none, no subject has to be
// built to look one up.
func (c *cases) existForSale(k ledger.SaleKey) bool {
	k.Occurrence = 1
	return c.salesWithCases[k]
}

func (c *cases) findPrior(subject, code string) *storedCase {
	for _, s := range c.bySubject[subject] {
		if s.Code == code {
			return s
		}
	}
	return nil
}

// recordOutcomes updates the cases of one subject by the outcomes of the rules in idx. Rules that could not be
// evaluated change no case.
func (c *cases) recordOutcomes(p caseContext, idx []int, outs []rules.Outcome) error {
	if !anyFires(idx, outs) && len(c.bySubject[p.subject]) == 0 {
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
	code := c.ev.env.Rules()[i].Code
	prior := c.findPrior(p.subject, code)
	if prior != nil {
		prior.touched = true
	}
	if o.Status < rules.Pends && o.Status != rules.SuppressedFire {
		if prior != nil && prior.State != ledger.Resolved {
			c.observations = append(c.observations, observation{resolveFinding(&prior.Finding, c.ev.run.ID, c.ev.in.AsOf), true})
		}
		return
	}
	f := c.ev.newFinding(p, i, o)
	event := true
	if prior != nil {
		event = continueCase(&prior.Finding, &f, c.ev.in.AsOf)
	}
	c.countCase(&f, prior == nil)
	c.observations = append(c.observations, observation{f, event})
}

// newFinding returns the observation of a case in this run.
func (ev *evaluation) newFinding(p caseContext, i int, o *rules.Outcome) ledger.Finding {
	r := &ev.env.Rules()[i]
	id := ledger.CaseID(ev.account, p.subject, r.Code)
	f := ledger.Finding{
		Case: id, Account: ev.account, Code: r.Code, RuleVersion: r.Version, Subject: p.subject, Severity: ev.env.Severity(i, o),
		State: ledger.Opened, Expected: o.Expected, Actual: o.Actual, Exposure: r.Exposure, BreakOn: o.BreakOn,
		FirstSeen: ev.in.AsOf, OpenedOn: ev.in.AsOf, FirstRun: ev.run.ID, LastRun: ev.run.ID,
		LastSeen: ev.in.AsOf,
		Day:      p.day, DueOn: p.due, Brand: p.brand, Product: p.product, Hint: o.Hint, Numbers: o.Numbers,
	}
	if r.HasImpact() {
		f.Impact = ledger.Some(ev.impacts[i].Or(0))
		if root := ev.rootRules[i]; root >= 0 {
			f.ExplainedBy = ev.env.Rules()[root].Code
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
		f.Calendar = ev.calendarHash
	}
	return f
}

// countCase counts a case in the result of the run.
func (c *cases) countCase(f *ledger.Finding, first bool) {
	if f.Code == runs.ProofFailed {
		return // publishing counts it: in the account's verdict it would prevent the file from ever being published again
	}
	r := &c.ev.result
	if f.State == ledger.Pending || f.State.CountsInVerdict() {
		r.Counts[f.Code]++
		if first {
			r.NewCases[f.Code]++
		}
	}
	c.verdict = c.verdict.Worse(f.Verdict())
	if f.Severity != ledger.Critical || !f.State.CountsInVerdict() {
		return
	}
	side := SideOf(f.Subject)
	if !slices.Contains(r.Critical[side], f.Code) {
		r.Critical[side] = append(r.Critical[side], f.Code)
		slices.Sort(r.Critical[side])
	}
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

// observation is a case as this run found it, before the other cases on its subject are known.
type observation struct {
	ledger.Finding
	event bool
}

// isShared reports whether several steps of a run evaluate the subject, so that its cases are written after the last of
// them: days, months, sources and the account; sales until the end of their day; rows with an unnotified change.
func (c *cases) isShared(subject string) bool {
	kind, _, _ := strings.Cut(subject, ":")
	switch kind {
	case "day", "month", "source", "account", "sale":
		return true
	}
	_, ok := c.waiting[subject]
	return ok
}

// writeObservations writes the observations of a subject, each with the other cases on it, or keeps them until all
// steps have evaluated the subject.
func (c *cases) writeObservations(subject string) error {
	observations := c.observations
	c.observations = c.observations[:0]
	switch {
	case len(observations) == 0:
		return nil
	case c.isShared(subject):
		c.waiting[subject] = append(c.waiting[subject], observations...)
		return nil
	}
	return c.writeCases(subject, observations)
}

// writeWaiting writes the observations that writeObservations kept, for subjects with a prefix; an empty prefix means
// all.
func (c *cases) writeWaiting(kind string) error {
	for _, subject := range slices.Sorted(maps.Keys(c.waiting)) {
		if !strings.HasPrefix(subject, kind) {
			continue
		}
		observations := c.waiting[subject]
		delete(c.waiting, subject)
		if err := c.writeCases(subject, observations); err != nil {
			return err
		}
	}
	return nil
}

// writeCases relates each case of a subject to the other unresolved cases on it that are not suppressed, and writes
// them. A case that was not evaluated this time stays as it is, but its relations are updated.
func (c *cases) writeCases(subject string, observations []observation) error {
	for _, s := range c.bySubject[subject] {
		if !s.touched && s.State.IsUnresolved() {
			observations = append(observations, observation{Finding: s.Finding})
		}
	}
	unresolved := make([]string, 0, len(observations))
	for i := range observations {
		if s := observations[i].State; s.IsUnresolved() && s != ledger.Shadow {
			unresolved = append(unresolved, observations[i].Case)
		}
	}
	slices.Sort(unresolved)
	for i := range observations {
		s := &observations[i]
		prior := c.findPrior(subject, s.Code)
		if s.State.IsUnresolved() {
			s.Related = withoutCase(unresolved, s.Case)
			s.event = s.event || prior != nil && !slices.Equal(s.Related, prior.Related)
		}
		if prior != nil && !prior.touched && !s.event {
			continue
		}
		if err := c.writeCase(prior, s); err != nil {
			return err
		}
	}
	return nil
}

// writeCase writes an observation. If nothing but the run changed, only the run is written.
func (c *cases) writeCase(prior *storedCase, s *observation) error {
	if prior == nil {
		return c.ev.sink.WriteCase(s.Finding, s.event)
	}
	first := !prior.written
	prior.written = true
	if first && !s.event && isUnchanged(&prior.Finding, &s.Finding) {
		return c.ev.sink.WriteUnchangedCase(&s.Finding)
	}
	return c.ev.sink.WriteCase(s.Finding, s.event)
}

// isUnchanged reports whether a case is as it was stored except for the last run that observed it. On most nights that
// is most cases.
func isUnchanged(prior, f *ledger.Finding) bool {
	was := *prior
	was.LastRun, was.LastSeen = f.LastRun, f.LastSeen
	return reflect.DeepEqual(&was, f)
}

// withoutCase returns a copy of the list without one case; nil if nothing is left.
func withoutCase(all []string, one string) []string {
	var out []string
	for _, s := range all {
		if s != one {
			out = append(out, s)
		}
	}
	return out
}
