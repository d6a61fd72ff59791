package sales

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"concilia/jobs/rules"
	"concilia/jobs/rules/runs"
	"concilia/jobs/rules/shops"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// Evaluation are the cases of stores as a run finds them.
type Evaluation struct {
	Findings []ledger.Finding
	c        *Conciliation
	period   ledger.Period
	refused  map[string][]RefusedFile
	left     map[string]bool // cases whose rule could not evaluate their subject
}

// Leaves reports whether a case that was not found again stays as it is, because its rule could not evaluate its subject.
func (e *Evaluation) Leaves(f *ledger.Finding) bool {
	if e.left[f.Case] {
		return true
	}
	store := OfSubject(f.Subject)
	if store == "" {
		return !e.period.Contains(f.Day) || !e.c.isSaleDayJudged(f.Account, strings.HasPrefix(f.Subject, string(rules.OnSlip)), f.Day)
	}
	i := slices.IndexFunc(e.c.Sides, func(s Side) bool { return s.Store.ID == store })
	switch {
	case i < 0:
		return true
	case slices.Contains(FileCodes(), f.Code):
		return false
	case strings.HasPrefix(f.Subject, string(rules.OnFile)):
		return e.refused[store] == nil
	case f.Code == shops.FileMissing:
		first := e.c.Sides[i].firstEvaluated()
		return first == 0 || f.Day < first
	}
	return !e.period.Contains(f.Day) || !e.c.Sides[i].Complete[f.Day]
}

// RefusedFile is a file of an inbox that was not taken in.
type RefusedFile struct{ Name, Reason string }

// firstEvaluated is the first day of the store that is evaluated, 0 if nothing is answered for yet.
func (s *Side) firstEvaluated() ledger.Date {
	switch {
	case s.Store.From != 0:
		return s.Store.From
	case len(s.Days) > 0:
		return s.Days[0].Day
	}
	return 0
}

// isSaleDayJudged reports whether the rows of a day are complete, those of the service and those of every store of the account.
func (c *Conciliation) isSaleDayJudged(a ledger.Account, slips bool, d ledger.Date) bool {
	known := c.Accounts[a] != nil && c.Accounts[a].isTold(slips, d)
	for i := range c.Sides {
		if slices.Contains(c.Sides[i].Store.Accounts, a) {
			known = known && c.Sides[i].Complete[d]
		}
	}
	return known
}

// OfSubject is the id of the store that a case is of, by its subject; empty for a sale of the service, which may be any store's.
func OfSubject(subject string) string {
	s, ok := ledger.ParseSubject(subject)
	if !ok || len(s.Parts) == 0 {
		return ""
	}
	if s.Kind == string(rules.OnOwnSale) {
		return s.Parts[0]
	}
	id, isStore := strings.CutPrefix(s.Parts[0], sourcePrefix)
	if !isStore {
		return ""
	}
	id, _, _ = strings.Cut(id, "/")
	return id
}

// sourcePrefix is before the id of a store where subjects name it as a source.
const sourcePrefix = "own."

// Evaluate makes cases of what the rules concluded of the rows of a period, and evaluates the days of the stores and the files of their
// inboxes. refused are those that were not taken in, by store; of a store whose inbox was not read there is nothing.
func (c *Conciliation) Evaluate(run *ledger.Run, rows []Row, period ledger.Period, s rules.Settings, refused map[string][]RefusedFile) *Evaluation {
	e := &evaluator{Evaluation: Evaluation{c: c, period: period, refused: refused, left: map[string]bool{}}, run: run, settings: s, rules: map[string]*rules.Rule{}}
	all := shops.Rules()
	for i := range all {
		e.rules[all[i].Code] = &all[i]
	}
	ofFiles := runs.Rules()
	for i := range ofFiles {
		if r := &ofFiles[i]; slices.Contains(FileCodes(), r.Code) {
			e.rules[r.Code] = r
		}
	}
	homes := map[string]ledger.Account{}
	for i := range c.Sides {
		side := &c.Sides[i]
		homes[side.Store.ID] = side.Home
		e.evaluateDays(side)
		e.evaluateFaults(side)
		for _, f := range refused[side.Store.ID] {
			subject := ledger.Subject(string(rules.OnFile), side.Home, sourcePrefix+side.Store.ID+"/"+f.Name)
			found := &shops.Found{Code: shops.FileMissing, Outcome: shops.RefusedOutcome(f.Name, f.Reason)}
			e.Findings = append(e.Findings, e.newFinding(side.Home, subject, side.Store.ID, found))
		}
	}
	for i := range rows {
		e.addRow(&rows[i], homes[rows[i].Store])
	}
	slices.SortFunc(e.Findings, func(a, b ledger.Finding) int { return strings.Compare(a.Case, b.Case) })
	return &e.Evaluation
}

// evaluator makes an evaluation.
type evaluator struct {
	Evaluation
	run      *ledger.Run
	settings rules.Settings
	rules    map[string]*rules.Rule
}

// addRow adds the cases of a row. What waits is not evaluated.
func (e *evaluator) addRow(r *Row, home ledger.Account) {
	var subject string
	account := home
	if r.Own != nil {
		subject = ledger.Subject(string(rules.OnOwnSale), home, r.Store, r.Own.Sale, strconv.Itoa(r.Own.Number))
	} else {
		account, subject = r.Sale.Key.Account, r.Sale.Subject()
	}
	if r.Bucket == Waiting || r.Own != nil && r.Own.Status == "" {
		for code := range e.rules {
			e.left[ledger.CaseID(account, subject, code)] = true
		}
	}
	for i := range r.Found {
		f := e.newFinding(account, subject, r.Store, &r.Found[i])
		f.Day = r.Day
		switch {
		case r.Sale != nil && !r.Sale.IsSlip():
			f.Brand, f.Product = r.Sale.Brand, r.Sale.Product
		case r.Own != nil && r.Own.Method.IsCard():
			f.Brand, f.Product = r.Own.Brand, ledger.Product(r.Own.Method)
		}
		if e.rules[f.Code].HasImpact() {
			f.Impact = ledger.Some(r.Difference)
			if f.State == ledger.Pending {
				f.Impact.V = 0
			}
		}
		e.Findings = append(e.Findings, f)
	}
}

// evaluateDays adds a case for each day that is due and not complete.
func (e *evaluator) evaluateDays(side *Side) {
	first := side.firstEvaluated()
	if first == 0 {
		return // nothing is answered for yet
	}
	byDay := map[ledger.Date]ownsales.Day{}
	for _, d := range side.Days {
		byDay[d.Day] = d
	}
	for d := first; d < e.run.AsOf; d++ {
		day, shown := byDay[d]
		if !shown {
			day = ownsales.Day{Day: d, State: ownsales.DayMissing}
		}
		o := e.c.Terms.EvaluateDay(&day, side.Store.BusinessDays)
		if o.Status < rules.Pends {
			continue
		}
		f := e.newFinding(side.Home, ledger.Subject(string(rules.OnDay), side.Home, sourcePrefix+side.Store.ID, d.String()), side.Store.ID, &shops.Found{Code: shops.FileMissing, Outcome: o})
		f.Day = d
		e.Findings = append(e.Findings, f)
	}
}

// newFinding is the case of what a rule concluded.
func (e *evaluator) newFinding(a ledger.Account, subject, store string, found *shops.Found) ledger.Finding {
	r := e.rules[found.Code]
	f := ledger.Finding{
		Case: ledger.CaseID(a, subject, r.Code), Account: a, Code: r.Code, RuleVersion: r.Version, Subject: subject,
		Severity: cmp.Or(e.settings[r.Code].Severity, found.Severity, r.Severity), State: ledger.Opened, Expected: found.Expected, Actual: found.Actual,
		Exposure: r.Exposure, BreakOn: found.BreakOn, Hint: found.Hint,
		FirstSeen: e.run.AsOf, OpenedOn: e.run.AsOf, FirstRun: e.run.ID, LastRun: e.run.ID, LastSeen: e.run.AsOf,
		Numbers: append([]ledger.Number{rules.NamedText("store", store)}, found.Numbers...),
	}
	if r.UsesCalendar() {
		f.Calendar = e.c.Terms.Calendar.Hash()
	}
	if found.Status == rules.Pends {
		f.State, f.OpenedOn = ledger.Pending, 0
	}
	return f
}
