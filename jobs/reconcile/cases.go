package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// cases are the cases of an account: those that stood before the run, and what the run makes of them.
type cases struct {
	w         *work
	bySubject map[string][]*standing
	splits    map[string][]*standing  // those on splits, by the subject of the installment
	sales     map[ledger.SaleKey]bool // with a case on them, or on something of them; in their first occurrence
	sights    []sight                 // of the subject at hand
	waits     map[string][]sight      // of subjects that another step judges too
	// The worst verdict of a case after the run.
	verdict ledger.Verdict
}

type standing struct {
	ledger.Finding
	touched bool // the run evaluated its rule on its subject
	written bool // the run wrote a sight of it
}

// place says where a case belongs: its day, brand and product, and what it rests on.
type place struct {
	subject string
	day     ledger.Date
	due     ledger.Date
	brand   string
	product ledger.Product
	line    string // of the contract
}

func newCases(w *work, all []ledger.Finding) cases {
	c := cases{
		w: w, bySubject: make(map[string][]*standing, len(all)), splits: map[string][]*standing{}, sales: map[ledger.SaleKey]bool{}, waits: map[string][]sight{},
	}
	for _, f := range all {
		s := &standing{Finding: f}
		c.bySubject[f.Subject] = append(c.bySubject[f.Subject], s)
		if row, ok := rowOfSplit(f.Subject); ok {
			c.splits[row] = append(c.splits[row], s)
		}
		if k, ok := ledger.SaleOfSubject(f.Subject); ok {
			c.sales[k] = true
		}
	}
	return c
}

// rowOfSplit is the subject of the installment that a split belongs to: no part of a subject holds a colon.
func rowOfSplit(subject string) (string, bool) {
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

// gone resolves the cases of an installment's splits that are no longer there, or no longer missing. A rule that is
// kept from judging the row leaves them as they are.
func (c *cases) gone(row string, kept func(i int) bool) error {
	var over []*standing
	for _, s := range c.splits[row] {
		i := c.w.env.Index(s.Code)
		if s.touched || i < 0 || kept(i) {
			continue
		}
		s.touched = true
		over = append(over, s)
	}
	return c.pass(over)
}

// pass resolves cases whose rules no longer fire.
func (c *cases) pass(over []*standing) error {
	slices.SortFunc(over, func(a, b *standing) int {
		return cmp.Or(strings.Compare(a.Subject, b.Subject), strings.Compare(a.Case, b.Case))
	})
	for n, s := range over {
		c.one(place{subject: s.Subject}, c.w.env.Index(s.Code), &rules.Outcome{})
		if n+1 < len(over) && over[n+1].Subject == s.Subject {
			continue
		}
		if err := c.settle(s.Subject); err != nil {
			return err
		}
	}
	return nil
}

// about says whether some case stands on the sale or on something of it: of others subjects need not even be named to
// find that there is none.
func (c *cases) about(k ledger.SaleKey) bool {
	k.Occurrence = 1
	return c.sales[k]
}

func (c *cases) prior(subject, code string) *standing {
	for _, s := range c.bySubject[subject] {
		if s.Code == code {
			return s
		}
	}
	return nil
}

// judged writes what came of the rules named in idx on one subject: outs by rule, with impacts and roots where a rule
// has them. Rules that were kept from judging change no case.
func (c *cases) judged(p place, idx []int, outs []rules.Outcome) error {
	if !anyFires(idx, outs) && len(c.bySubject[p.subject]) == 0 {
		return nil
	}
	for _, i := range idx {
		// A rule that does not look at the subject any more, such as one for open installments once it is paid, has
		// nothing left to say against it; one that could not judge leaves the case as it is.
		switch s := outs[i].Status; {
		case s == rules.SuppressedPass:
			c.disbelieve(p, i)
		case !leaves(s):
			c.one(p, i, &outs[i])
		}
	}
	return c.settle(p.subject)
}

// leaves says whether a rule of that outcome leaves its case as it is.
func leaves(s rules.Status) bool {
	return !s.Evaluated() && s != rules.NotEligible && s != rules.SuppressedFire && s != rules.SuppressedPass
}

// one moves the case of rule i on a subject by what the rule says now. settle writes it.
func (c *cases) one(p place, i int, o *rules.Outcome) {
	code := c.w.env.Rules()[i].Code
	prior := c.prior(p.subject, code)
	if prior != nil {
		prior.touched = true
	}
	if o.Status < rules.Pends && o.Status != rules.SuppressedFire {
		if prior != nil && prior.State != ledger.Resolved {
			c.sights = append(c.sights, sight{resolved(&prior.Finding, c.w.run.ID, c.w.in.AsOf), true})
		}
		return
	}
	f := c.w.finding(p, i, o)
	event := true
	if prior != nil {
		event = continued(&prior.Finding, &f, c.w.in.AsOf)
	}
	c.count(&f, prior == nil)
	c.sights = append(c.sights, sight{f, event})
}

// finding makes the sight of a case of this run.
func (w *work) finding(p place, i int, o *rules.Outcome) ledger.Finding {
	r := &w.env.Rules()[i]
	id := ledger.CaseID(w.account, p.subject, r.Code)
	f := ledger.Finding{
		Case: id, Account: w.account, Code: r.Code, RuleVersion: r.Version, Subject: p.subject, Severity: w.env.Severity(i, o),
		State: ledger.Opened, Expected: o.Expected, Actual: o.Actual, Exposure: r.Exposure, BreakOn: o.BreakOn,
		FirstSeen: w.in.AsOf, OpenedOn: w.in.AsOf, FirstRun: w.run.ID, LastRun: w.run.ID,
		LastSeen: w.in.AsOf,
		Day:      p.day, DueOn: p.due, Brand: p.brand, Product: p.product, Hint: o.Hint, Numbers: o.Numbers,
	}
	if r.HasImpact() {
		f.Impact = ledger.Some(w.impacts[i].Or(0))
		if root := w.roots[i]; root >= 0 {
			f.ExplainedBy = w.env.Rules()[root].Code
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
		f.Calendar = w.cal
	}
	return f
}

// count remembers a case after the run.
func (c *cases) count(f *ledger.Finding, first bool) {
	if f.Code == runs.ProofFailed {
		return // publishing counts it: held against the account, it would keep the file from ever being made again
	}
	r := &c.w.result
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

// absent resolves the standing cases of a rule whose subjects the run put together whole and did not find again.
func (c *cases) absent(code string) error {
	var left []*standing
	for _, all := range c.bySubject {
		for _, s := range all {
			if s.Code == code && !s.touched {
				left = append(left, s)
			}
		}
	}
	return c.pass(left)
}
