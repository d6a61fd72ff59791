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

// cases are the cases of an account: those that stood before the run, and what the run makes of them.
type cases struct {
	ev             *evaluation
	bySubject      map[string][]*storedCase
	splitCases     map[string][]*storedCase // those on splits, by the subject of the installment
	salesWithCases map[ledger.SaleKey]bool  // with a case on them, or on something of them; in their first occurrence
	observations   []observation            // of the subject at hand
	waiting        map[string][]observation // of subjects that another step judges too
	// The worst verdict of a case after the run.
	verdict ledger.Verdict
}

type storedCase struct {
	ledger.Finding
	touched bool // the run evaluated its rule on its subject
	written bool // the run wrote a sight of it
}

// caseContext says where a case belongs: its day, brand and product, and what it rests on.
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

// installmentOfSplit is the subject of the installment that a split belongs to: no part of a subject holds a colon.
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

// resolveSplitCases resolves the cases of an installment's splits that are no longer there, or no longer missing. A rule that is
// kept from judging the row leaves them as they are.
func (c *cases) resolveSplitCases(row string, kept func(i int) bool) error {
	var over []*storedCase
	for _, s := range c.splitCases[row] {
		i := c.ev.env.Index(s.Code)
		if s.touched || i < 0 || kept(i) {
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

// existForSale says whether some case stands on the sale or on something of it: of others subjects need not even be named to
// find that there is none.
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

// recordOutcomes writes what came of the rules named in idx on one subject: outs by rule, with impacts and roots where a rule
// has them. Rules that were kept from judging change no case.
func (c *cases) recordOutcomes(p caseContext, idx []int, outs []rules.Outcome) error {
	if !anyFires(idx, outs) && len(c.bySubject[p.subject]) == 0 {
		return nil
	}
	for _, i := range idx {
		// A rule that does not look at the subject any more, such as one for open installments once it is paid, has
		// nothing left to say against it; one that could not judge leaves the case as it is.
		switch s := outs[i].Status; {
		case s == rules.SuppressedPass:
			c.suppressCase(p, i)
		case !leavesCase(s):
			c.updateCase(p, i, &outs[i])
		}
	}
	return c.writeObservations(p.subject)
}

// leavesCase says whether a rule of that outcome leaves its case as it is.
func leavesCase(s rules.Status) bool {
	return !s.Evaluated() && s != rules.NotEligible && s != rules.SuppressedFire && s != rules.SuppressedPass
}

// updateCase moves the case of rule i on a subject by what the rule says now. settle writes it.
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

// newFinding makes the sight of a case of this run.
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
		// What is not believed is nobody's loss, and nothing that explains or is explained.
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

// countCase remembers a case after the run.
func (c *cases) countCase(f *ledger.Finding, first bool) {
	if f.Code == runs.ProofFailed {
		return // publishing counts it: held against the account, it would keep the file from ever being made again
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

// resolveUntouched resolves the standing cases of a rule whose subjects the run put together whole and did not find again.
func (c *cases) resolveUntouched(code string) error {
	var left []*storedCase
	for _, all := range c.bySubject {
		for _, s := range all {
			if s.Code == code && !s.touched {
				left = append(left, s)
			}
		}
	}
	return c.resolveCases(left)
}

// observation is a case as this run sees it, before it is known which others stand on its subject.
type observation struct {
	ledger.Finding
	event bool
}

// isShared says whether more than one step of a run judges the subject, so that only the last of them knows its cases:
// days, months, sources and the account itself; sales until their day is over; and rows with a change nobody told of.
func (c *cases) isShared(subject string) bool {
	kind, _, _ := strings.Cut(subject, ":")
	switch kind {
	case "day", "month", "source", "account", "sale":
		return true
	}
	_, ok := c.waiting[subject]
	return ok
}

// writeObservations writes the sights of a subject, each with the others that stand on it, or keeps them until all steps have
// judged it.
func (c *cases) writeObservations(subject string) error {
	sights := c.observations
	c.observations = c.observations[:0]
	switch {
	case len(sights) == 0:
		return nil
	case c.isShared(subject):
		c.waiting[subject] = append(c.waiting[subject], sights...)
		return nil
	}
	return c.writeCases(subject, sights)
}

// writeWaiting writes what settle kept of subjects of a kind, all of them when none is named.
func (c *cases) writeWaiting(kind string) error {
	for _, subject := range slices.Sorted(maps.Keys(c.waiting)) {
		if !strings.HasPrefix(subject, kind) {
			continue
		}
		sights := c.waiting[subject]
		delete(c.waiting, subject)
		if err := c.writeCases(subject, sights); err != nil {
			return err
		}
	}
	return nil
}

// writeCases gives every case of a subject its relations: the others that are not over, and are believed. A case that no
// rule could judge this time stays as it is, and still learns of those that came or went beside it.
func (c *cases) writeCases(subject string, sights []observation) error {
	for _, s := range c.bySubject[subject] {
		if !s.touched && s.State.IsUnresolved() {
			sights = append(sights, observation{Finding: s.Finding})
		}
	}
	stand := make([]string, 0, len(sights))
	for i := range sights {
		if s := sights[i].State; s.IsUnresolved() && s != ledger.Shadow {
			stand = append(stand, sights[i].Case)
		}
	}
	slices.Sort(stand)
	for i := range sights {
		s := &sights[i]
		prior := c.findPrior(subject, s.Code)
		if s.State.IsUnresolved() {
			s.Related = withoutCase(stand, s.Case)
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

// writeCase writes a sight: of a case that is as it stood, that this run saw it.
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

// isUnchanged says whether a case is as it stood but for the run that saw it last: most that stand are, night after night.
func isUnchanged(prior, f *ledger.Finding) bool {
	was := *prior
	was.LastRun, was.LastSeen = f.LastRun, f.LastSeen
	return reflect.DeepEqual(&was, f)
}

// withoutCase is a copy of the list that lacks one, nil when nothing is left.
func withoutCase(all []string, one string) []string {
	var out []string
	for _, s := range all {
		if s != one {
			out = append(out, s)
		}
	}
	return out
}
