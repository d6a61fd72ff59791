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
)

// Judgement are the cases of stores as a run finds them.
type Judgement struct {
	Findings []ledger.Finding
	c        *Conciliation
	period   ledger.Period
	refused  map[string][]RefusedFile
	left     map[string]bool // cases whose rule could not judge their subject
}

// Leaves reports whether a case that was not found again stays as it is, because its rule could not judge its subject.
func (j *Judgement) Leaves(f *ledger.Finding) bool {
	if j.left[f.Case] {
		return true
	}
	store := OfSubject(f.Subject)
	if store == "" {
		return !j.period.Contains(f.Day) || !j.c.isSaleDayJudged(f.Account, strings.HasPrefix(f.Subject, string(rules.OnSlip)), f.Day)
	}
	i := slices.IndexFunc(j.c.Sides, func(s Side) bool { return s.Store.ID == store })
	switch {
	case i < 0:
		return true
	case slices.Contains(FileCodes(), f.Code):
		return false
	case strings.HasPrefix(f.Subject, string(rules.OnFile)):
		return j.refused[store] == nil
	case f.Code == shops.FileMissing:
		first := j.c.Sides[i].firstJudged()
		return first == 0 || f.Day < first
	}
	return !j.period.Contains(f.Day) || !j.c.Sides[i].Complete[f.Day]
}

// RefusedFile is a file of an inbox that was not taken in.
type RefusedFile struct{ Name, Reason string }

// firstJudged is the first day of the store that is judged, 0 if nothing is answered for yet.
func (s *Side) firstJudged() ledger.Date {
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

// Judge makes cases of what the rules concluded of the rows of a period, and judges the days of the stores and the files of their
// inboxes. refused are those that were not taken in, by store; of a store whose inbox was not read there is nothing.
func (c *Conciliation) Judge(run *ledger.Run, rows []Row, period ledger.Period, s rules.Settings, refused map[string][]RefusedFile) *Judgement {
	j := &judge{Judgement: Judgement{c: c, period: period, refused: refused, left: map[string]bool{}}, run: run, settings: s, rules: map[string]*rules.Rule{}}
	all := shops.Rules()
	for i := range all {
		j.rules[all[i].Code] = &all[i]
	}
	ofFiles := runs.Rules()
	for i := range ofFiles {
		if r := &ofFiles[i]; slices.Contains(FileCodes(), r.Code) {
			j.rules[r.Code] = r
		}
	}
	homes := map[string]ledger.Account{}
	for i := range c.Sides {
		side := &c.Sides[i]
		homes[side.Store.ID] = side.Home
		j.judgeDays(side)
		j.judgeFaults(side)
		for _, f := range refused[side.Store.ID] {
			subject := ledger.Subject(string(rules.OnFile), side.Home, sourcePrefix+side.Store.ID+"/"+f.Name)
			found := &shops.Found{Code: shops.FileMissing, Outcome: shops.RefusedOutcome(f.Name, f.Reason)}
			j.Findings = append(j.Findings, j.newFinding(side.Home, subject, side.Store.ID, found))
		}
	}
	for i := range rows {
		j.addRow(&rows[i], homes[rows[i].Store])
	}
	slices.SortFunc(j.Findings, func(a, b ledger.Finding) int { return strings.Compare(a.Case, b.Case) })
	return &j.Judgement
}

// judge is a judgement in the making.
type judge struct {
	Judgement
	run      *ledger.Run
	settings rules.Settings
	rules    map[string]*rules.Rule
}

// addRow adds the cases of a row. What waits is not judged.
func (j *judge) addRow(r *Row, home ledger.Account) {
	var subject string
	account := home
	if r.Own != nil {
		subject = ledger.Subject(string(rules.OnOwnSale), home, r.Store, r.Own.Sale, strconv.Itoa(r.Own.Number))
	} else {
		account, subject = r.Sale.Key.Account, r.Sale.Subject()
	}
	if r.Bucket == Waiting || r.Own != nil && r.Own.Status == "" {
		for code := range j.rules {
			j.left[ledger.CaseID(account, subject, code)] = true
		}
	}
	for i := range r.Found {
		f := j.newFinding(account, subject, r.Store, &r.Found[i])
		f.Day = r.Day
		switch {
		case r.Sale != nil && !r.Sale.IsSlip():
			f.Brand, f.Product = r.Sale.Brand, r.Sale.Product
		case r.Own != nil && r.Own.Method.IsCard():
			f.Brand, f.Product = r.Own.Brand, ledger.Product(r.Own.Method)
		}
		if j.rules[f.Code].HasImpact() {
			f.Impact = ledger.Some(r.Difference)
			if f.State == ledger.Pending {
				f.Impact.V = 0
			}
		}
		j.Findings = append(j.Findings, f)
	}
}

// judgeDays adds a case for each day that is due and not told whole.
func (j *judge) judgeDays(side *Side) {
	first := side.firstJudged()
	if first == 0 {
		return // nothing is answered for yet
	}
	told := map[ledger.Date]ledger.OwnDay{}
	for _, d := range side.Days {
		told[d.Day] = d
	}
	for d := first; d < j.run.AsOf; d++ {
		day, shown := told[d]
		if !shown {
			day = ledger.OwnDay{Day: d, State: ledger.OwnMissing}
		}
		o := j.c.Terms.EvaluateDay(&day, side.Store.BusinessDays)
		if o.Status < rules.Pends {
			continue
		}
		f := j.newFinding(side.Home, ledger.Subject(string(rules.OnDay), side.Home, sourcePrefix+side.Store.ID, d.String()), side.Store.ID, &shops.Found{Code: shops.FileMissing, Outcome: o})
		f.Day = d
		j.Findings = append(j.Findings, f)
	}
}

// newFinding is the case of what a rule concluded.
func (j *judge) newFinding(a ledger.Account, subject, store string, found *shops.Found) ledger.Finding {
	r := j.rules[found.Code]
	f := ledger.Finding{
		Case: ledger.CaseID(a, subject, r.Code), Account: a, Code: r.Code, RuleVersion: r.Version, Subject: subject,
		Severity: cmp.Or(j.settings[r.Code].Severity, found.Severity, r.Severity), State: ledger.Opened, Expected: found.Expected, Actual: found.Actual,
		Exposure: r.Exposure, BreakOn: found.BreakOn, Hint: found.Hint,
		FirstSeen: j.run.AsOf, OpenedOn: j.run.AsOf, FirstRun: j.run.ID, LastRun: j.run.ID, LastSeen: j.run.AsOf,
		Numbers: append([]ledger.Number{rules.NamedText("store", store)}, found.Numbers...),
	}
	if r.UsesCalendar() {
		f.Calendar = j.c.Terms.Calendar.Hash()
	}
	if found.Status == rules.Pends {
		f.State, f.OpenedOn = ledger.Pending, 0
	}
	return f
}
