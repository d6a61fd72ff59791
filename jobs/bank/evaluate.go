package bank

import (
	"maps"
	"slices"
	"strings"

	"concilia/jobs/bank/match"
	"concilia/jobs/rules"
	"concilia/jobs/rules/deposits"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Evaluation are the cases of a bank account as a run finds them.
type Evaluation struct {
	Findings []ledger.Finding
	// What could not be evaluated: cases one by one, and codes of which none was.
	left      map[string]bool
	leftCodes []string
	// groups are the subjects of all groups that are expected now; nil where those of an earlier run are expected still.
	groups map[string]bool
}

// Closes says how a case that was not found again ends without being resolved: what it is about is expected in other groups now. It is
// empty for any other case.
func (ev *Evaluation) Closes(f *ledger.Finding) ledger.Closing {
	if ev.groups != nil && strings.HasPrefix(f.Subject, "group:") && !ev.groups[f.Subject] {
		return ledger.Regrouped
	}
	return ""
}

// Leaves reports whether a case that was not found again stays as it is, because its rule could not evaluate its subject.
func (ev *Evaluation) Leaves(f *ledger.Finding) bool {
	return ev.left[f.Case] || slices.Contains(ev.leftCodes, f.Code)
}

// RefusedFile is a file of an inbox that was not taken in.
type RefusedFile struct{ Name, Reason string }

// Known is what a run knows in addition to the two sides.
type Known struct {
	// Complete is false while something of the accounts was not pulled or not read: then what came and is not expected, or differs,
	// may be explained by what is not there.
	Complete bool
	// Regrouped is set where the terms of the last conclusion were others: what it expected in a group may be in another one now.
	Regrouped bool
	// Refused are the files of the inbox that were not taken in; nil: it was not read, or there is none.
	Refused []RefusedFile
}

// Rules are those on bank accounts, with that on the bridge, which the ledger's own has too.
func Rules() []rules.Rule {
	return append(deposits.Rules(), slices.DeleteFunc(runs.Rules(), func(r rules.Rule) bool { return r.Code != runs.BridgeResidual })...)
}

// Evaluate applies the rules to what the matching left.
func (m *Matched) Evaluate(run *ledger.Run, known Known) (*Evaluation, error) {
	ev := &evaluator{Matched: m, run: run, rules: map[string]*rules.Rule{}, Evaluation: Evaluation{left: map[string]bool{}}, complete: known.Complete}
	ev.terms = deposits.Terms{AsOf: run.AsOf, Calendar: m.Calendar, Grace: func(code string) int { return ev.toleranceOf(code).Grace }}
	ev.tolerances = map[string]rules.Tolerance{}
	all := Rules()
	for i := range all {
		r := &all[i]
		t, err := m.Settings.ToleranceOf(r)
		if err != nil {
			return nil, err
		}
		ev.rules[r.Code], ev.tolerances[r.Code] = r, t
	}
	if !known.Complete {
		ev.leftCodes = []string{
			deposits.CreditUnexpected, deposits.DebitUnexplained, deposits.AmountMismatch, deposits.SlipAmountMismatch, deposits.SlipTariffMismatch,
			deposits.RentalMismatch,
		}
	}
	if known.Regrouped {
		ev.groups = m.listGroups()
	}
	if known.Refused == nil {
		ev.leftCodes = append(ev.leftCodes, deposits.FileMismatch)
	}
	for _, f := range known.Refused {
		ev.add(deposits.FileMismatch, ledger.Subject("file", m.Home, ev.sourceName()+"/"+f.Name), deposits.RefusedOutcome(f.Name, f.Reason), about{})
	}
	ev.evaluateDays()
	for i := range m.vanished {
		l := &m.vanished[i]
		ev.add(deposits.LineVanished, l.Key, deposits.VanishedOutcome(l.Day, l.Amount), about{day: l.Day})
	}
	for i := range m.Results {
		ev.evaluatePayer(&m.Results[i])
	}
	for _, month := range m.Bridge() {
		if rest := month.Residual(); rest != 0 {
			ev.add(runs.BridgeResidual, ledger.Subject("month", ev.Home, rules.Month(month.Month), ev.sourceName()),
				runs.ResidualOutcome(month.Month, month.Received-month.Booked, month.Received-month.Booked-rest), about{day: month.Month})
		}
	}
	slices.SortFunc(ev.Findings, func(a, b ledger.Finding) int { return strings.Compare(a.Case, b.Case) })
	return &ev.Evaluation, nil
}

// listGroups are the subjects of all groups.
func (m *Matched) listGroups() map[string]bool {
	all := map[string]bool{}
	for i := range m.Results {
		for n := range m.Results[i].Groups {
			all[m.GroupSubject(m.Results[i].Payer, &m.Results[i].Groups[n])] = true
		}
	}
	return all
}

// evaluator makes an evaluation.
type evaluator struct {
	*Matched
	Evaluation
	run        *ledger.Run
	rules      map[string]*rules.Rule
	tolerances map[string]rules.Tolerance
	terms      deposits.Terms
	complete   bool
}

func (ev *evaluator) toleranceOf(code string) rules.Tolerance { return ev.tolerances[code] }

// about is what a case says of its subject in addition to the outcome.
type about struct {
	day         ledger.Date
	impact      ledger.Amount
	explainedBy string
}

// add adds the case of an outcome that fires or pends; of one that could not be evaluated it remembers the case.
func (ev *evaluator) add(code, subject string, o rules.Outcome, a about) {
	r := ev.rules[code]
	id := ledger.CaseID(ev.Home, subject, code)
	if !o.Status.Evaluated() && o.Status != rules.NotEligible {
		ev.left[id] = true
	}
	if o.Status < rules.Pends {
		return
	}
	f := ledger.Finding{
		Case: id, Account: ev.Home, Code: code, RuleVersion: r.Version, Subject: subject, Severity: r.Severity, State: ledger.Opened,
		Expected: o.Expected, Actual: o.Actual, Exposure: r.Exposure, ExplainedBy: a.explainedBy, BreakOn: o.BreakOn,
		FirstSeen: ev.run.AsOf, OpenedOn: ev.run.AsOf, FirstRun: ev.run.ID, LastRun: ev.run.ID, LastSeen: ev.run.AsOf, Day: a.day, DueOn: a.day,
		Numbers: append([]ledger.Number{rules.NamedText("bank", ev.Account.ID)}, o.Numbers...),
	}
	if o.Severity != "" {
		f.Severity = o.Severity
	}
	if s := ev.Settings[code].Severity; s != "" {
		f.Severity = s
	}
	if r.HasImpact() {
		f.Impact = ledger.Some(a.impact)
	}
	if r.UsesCalendar() {
		f.Calendar = ev.Calendar.Hash()
	}
	if o.Status == rules.Pends {
		f.State, f.OpenedOn, f.Impact = ledger.Pending, 0, ledger.Some[ledger.Amount](0)
	}
	ev.Findings = append(ev.Findings, f)
}

// sourceName is how subjects name the bank account.
func (ev *evaluator) sourceName() string { return "bank." + ev.Account.ID }

// evaluateDays evaluates the days that should be settled, and how long ago the last one is that is.
func (ev *evaluator) evaluateDays() {
	last := ledger.Date(0)
	for i := range ev.Days {
		if ev.Days[i].Settled() {
			last = ev.Days[i].Day
		}
	}
	from := ev.Period().From
	switch {
	case last != 0:
		ev.evaluateGaps(from, last)
	case ev.Account.Since != 0:
		last = ev.Account.Since - 1
	default:
		return // nothing is answered for yet
	}
	ev.add(deposits.StatementLate, ledger.Subject("source", ev.Home, ev.sourceName()), ev.terms.EvaluateLateness(last), about{})
}

// evaluateGaps adds a case for every run of days from one to another that are not settled.
func (ev *evaluator) evaluateGaps(from, to ledger.Date) {
	day := func(d ledger.Date) banking.Day {
		if len(ev.Days) == 0 || d < ev.Days[0].Day {
			return banking.Day{Day: d, State: banking.DayMissing}
		}
		return ev.Days[d-ev.Days[0].Day]
	}
	for d := from; d <= to; d++ {
		first := day(d)
		if first.Settled() {
			continue
		}
		last := d
		for next := day(last + 1); last < to && !next.Settled(); next = day(last + 1) {
			last++
		}
		ev.add(deposits.StatementGap, ledger.Subject("day", ev.Home, ev.sourceName(), d.String()),
			deposits.GapOutcome(d, last, first.State, first.Residual), about{day: d})
		d = last
	}
}

func (ev *evaluator) evaluatePayer(r *PayerResult) {
	tariffs := map[ledger.Date][]*match.Row{} // of slips alone that differ, by month
	for i := range r.Rows {
		row := &r.Rows[i]
		switch row.Status {
		case match.Waiting, match.Missing, match.NoStatement:
			ev.evaluateMissing(r, row)
		case match.Returned:
			ev.evaluateReturned(r, row)
		case match.Differs:
			if isOfSlips(r, row) {
				month := r.Groups[row.Groups[0]].BankDay.MonthStart()
				tariffs[month] = append(tariffs[month], row)
			} else {
				ev.evaluateDifference(r, row, deposits.AmountMismatch, "")
			}
		case match.Unexpected, match.DebitLine:
			ev.evaluateLine(r, row)
		}
		if row.Pass >= 4 || row.Matched && row.Pass == 0 {
			ev.evaluateShifts(r, row)
		}
	}
	for month, rows := range tariffs {
		ev.evaluateTariff(r, month, rows)
	}
	ev.evaluateRentals(r)
	ev.evaluateAmbiguous(r)
}

// evaluateAmbiguous adds a case for every line that several groups fit, or several sets of what is left explain.
func (ev *evaluator) evaluateAmbiguous(r *PayerResult) {
	mayBe := make(map[int][]string)
	for i := range r.Lines {
		for _, key := range r.Ambiguous[i] {
			mayBe[i] = append(mayBe[i], ev.groupSubject(r.Payer, key))
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Status != match.Missing && (row.Status != match.Differs || !ev.complete) {
			continue
		}
		if line, sets := r.SetsThatExplain(row); len(sets) > 0 && mayBe[line] == nil {
			mayBe[line] = sets
		}
	}
	for _, i := range slices.Sorted(maps.Keys(mayBe)) {
		l := &r.Lines[i]
		ev.add(deposits.MatchAmbiguous, l.Key, rules.Outcome{
			Status: rules.Fires, Actual: ledger.Money(l.Amount),
			Numbers: []ledger.Number{rules.NamedDate("day", l.Day), rules.NamedText("names", strings.Join(mayBe[i][:min(len(mayBe[i]), namedPartners)], ", "))},
		}, about{day: l.BankDay})
	}
}

// namedPartners is how many of those that a line may be are named.
const namedPartners = 5

// SetsThatExplain are two sets of a group's parts that come to the amount of a line, or two sets of lines that come to the group, where
// there are two. The line is that of the row, or the credit left that is nearest.
func (r *PayerResult) SetsThatExplain(row *match.Row) (line int, sets []string) {
	e := r.Explain(row)
	if line = e.Credit; row.Status == match.Differs {
		line = row.Lines[0]
	}
	for _, parts := range e.PartSets {
		names := make([]string, len(parts))
		for i := range parts {
			names[i] = parts[i].Name()
		}
		sets = append(sets, strings.Join(names, " + "))
	}
	for _, credits := range e.CreditSets {
		sets = append(sets, strings.Join(r.nameLines(credits), " + "))
	}
	return line, sets
}

// isOfSlips reports whether all of a row's groups are slips alone.
func isOfSlips(r *PayerResult, row *match.Row) bool {
	for _, g := range row.Groups {
		if slices.ContainsFunc(r.Groups[g].Items, func(it match.Item) bool { return it.Brand != match.SlipBrand }) {
			return false
		}
	}
	return len(row.Groups) > 0
}

func (ev *evaluator) evaluateMissing(r *PayerResult, row *match.Row) {
	g := &r.Groups[row.Groups[0]]
	o := ev.terms.EvaluateMissing(&deposits.Left{BankDay: g.BankDay, CreditDay: g.Day, Amount: g.Amount, Items: g.Count, Settled: ev.isSettled})
	if o.Status == rules.Fires {
		o.Numbers = append(o.Numbers, namedExplanation(r, row)...)
	}
	ev.add(deposits.CreditMissing, ev.GroupSubject(r.Payer, g), o, about{day: g.BankDay, impact: g.Amount})
}

// namedExplanation is what the sentence on a missing group says of the credits that are left, too.
func namedExplanation(r *PayerResult, row *match.Row) []ledger.Number {
	e := r.Explain(row)
	switch {
	case len(e.Parts) > 0:
		return append(namedParts(e.Parts), rules.NamedAmount("sum", r.Lines[e.Credit].Amount))
	case len(e.Credits) > 0:
		return []ledger.Number{rules.NamedText("credits", strings.Join(r.nameLines(e.Credits), ", "))}
	case e.Credit >= 0:
		return []ledger.Number{rules.NamedAmount("near", r.Lines[e.Credit].Amount)}
	}
	return nil
}

// nameLines are the subjects of lines.
func (r *PayerResult) nameLines(lines []int) []string {
	names := make([]string, len(lines))
	for n, i := range lines {
		names[n] = r.Lines[i].Key
	}
	return names
}

// namedParts are items that come to a credit, as a number of a sentence.
func namedParts(parts []match.Item) []ledger.Number {
	if len(parts) == 0 {
		return nil
	}
	names := make([]string, len(parts))
	for i := range parts {
		names[i] = parts[i].Name()
	}
	return []ledger.Number{rules.NamedText("parts", strings.Join(names, ", "))}
}

func (ev *evaluator) evaluateReturned(r *PayerResult, row *match.Row) {
	back := ledger.Date(0)
	for _, l := range row.Lines {
		if r.Lines[l].Amount < 0 {
			back = r.Lines[l].Day
		}
	}
	for _, i := range row.Groups {
		g := &r.Groups[i]
		ev.add(deposits.CreditReturned, ev.GroupSubject(r.Payer, g), rules.Outcome{
			Status: rules.Fires, Expected: ledger.Money(g.Amount), Actual: ledger.Money(0), Numbers: []ledger.Number{rules.NamedDate("day", back)},
		}, about{day: g.BankDay, impact: g.Amount})
	}
}

// evaluateDifference adds the case of a group that came with another amount. root is the code that explains it, if one does.
func (ev *evaluator) evaluateDifference(r *PayerResult, row *match.Row, code, root string) {
	g := &r.Groups[row.Groups[0]]
	impact := row.Difference()
	if root != "" {
		impact = 0
	}
	o := rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(row.Expected - row.Debits), Actual: ledger.Money(row.Credited),
		Numbers: append([]ledger.Number{rules.NamedDate("credit", g.Day), rules.NamedAmount("short", row.Difference())}, namedParts(r.Explain(row).Parts)...),
	}
	if code == deposits.AmountMismatch {
		o.Numbers = append(o.Numbers, ev.namedRentals(row.Difference(), r.Lines[row.Lines[len(row.Lines)-1]].BankDay)...)
	}
	ev.addComplete(code, ev.GroupSubject(r.Payer, g), o, about{day: g.BankDay, impact: impact, explainedBy: root})
}

// addComplete is add for rules that need all of the accounts.
func (ev *evaluator) addComplete(code, subject string, o rules.Outcome, a about) {
	if ev.complete {
		ev.add(code, subject, o, a)
	}
}

// evaluateTariff evaluates the slips of a month that came with another amount: by the tariff that explains them, or one by one.
func (ev *evaluator) evaluateTariff(r *PayerResult, month ledger.Date, rows []*match.Row) {
	all := make([]deposits.SlipDifference, len(rows))
	for i, row := range rows {
		d := &all[i]
		d.Amount = row.Difference()
		for n, it := range r.Groups[row.Groups[0]].Items {
			d.HasTerms = it.Tariff.OK && (n == 0 || d.HasTerms && d.Tariff == it.Tariff.V)
			d.Tariff = it.Tariff.V
			d.Slips += it.Count
		}
	}
	o, impact := deposits.EvaluateTariff(all, ev.toleranceOf(deposits.SlipTariffMismatch))
	root := ""
	if o.Status == rules.Fires {
		root = deposits.SlipTariffMismatch
	}
	o.Numbers = append(o.Numbers, rules.NamedText("month", rules.Month(month)))
	ev.addComplete(deposits.SlipTariffMismatch, ledger.Subject("month", ev.Home, rules.Month(month), ev.sourceName(), r.Payer), o, about{day: month, impact: impact})
	for _, row := range rows {
		ev.evaluateDifference(r, row, deposits.SlipAmountMismatch, root)
	}
}

// evaluateLine evaluates a line of the payer that is left.
func (ev *evaluator) evaluateLine(r *PayerResult, row *match.Row) {
	if row.Matched || !ev.complete {
		return
	}
	l := &r.Lines[row.Lines[0]]
	code, o, impact := deposits.CreditUnexpected, rules.NotPulled.Outcome(), -l.Amount
	if l.Amount < 0 {
		code = deposits.DebitUnexplained
	}
	switch {
	case !ev.isSettled(ledger.Period{From: l.Day, To: l.Day}):
	case l.Amount < 0:
		o = ev.terms.EvaluateDebit(l.BankDay, l.Amount)
		o.Numbers = append(o.Numbers, ev.namedRentals(-l.Amount, l.BankDay)...)
	default:
		o = ev.terms.EvaluateCredit(l.BankDay, l.Amount)
		if equals := ev.equalTo(r, row); equals != "" {
			o.Numbers = append(o.Numbers, rules.NamedText("equals", equals))
		}
	}
	ev.add(code, l.Key, o, about{day: l.BankDay, impact: impact})
}

// evaluateShifts evaluates on which day the groups of a match came.
func (ev *evaluator) evaluateShifts(r *PayerResult, row *match.Row) {
	if len(row.Lines) == 0 || row.Status == match.Returned {
		return
	}
	came := r.Lines[row.Lines[0]].BankDay
	for _, i := range row.Groups {
		g := &r.Groups[i]
		ev.add(deposits.DateShift, ev.GroupSubject(r.Payer, g), ev.terms.EvaluateShift(g.BankDay, came), about{day: g.BankDay})
	}
}

// OfSubject is the id of the bank account that a case is of, by its subject; empty for any other subject.
func OfSubject(subject string) string {
	s, ok := ledger.ParseSubject(subject)
	if !ok || len(s.Parts) == 0 {
		return ""
	}
	switch id, isBank := strings.CutPrefix(s.Parts[0], "bank."); {
	case s.Kind == "bank" || s.Kind == "group":
		return s.Parts[0]
	case s.Kind == "month" && len(s.Parts) > 1:
		id, _ = strings.CutPrefix(s.Parts[1], "bank.")
		return id
	case isBank:
		id, _, _ = strings.Cut(id, "/")
		return id
	}
	return ""
}
