package match

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// Status is what became of a group or a line.
type Status string

// The statuses.
const (
	Credited    Status = "credited"     // came, to the cent
	Waiting     Status = "waiting"      // may still come
	Missing     Status = "missing"      // the statement has its days, and not this
	NoStatement Status = "no_statement" // no statement has its days whole
	Differs     Status = "differs"      // came with another amount
	Returned    Status = "returned"     // came and was taken back
	Unexpected  Status = "unexpected"   // a credit of the payer that no group is
	DebitLine   Status = "debit"        // a debit of the payer; without a match nothing explains it
	Accepted    Status = "accepted"     // came with another amount, which a person accepts
)

// Row is a match, or a group or line that is left.
type Row struct {
	Status  Status
	Matched bool // false: a group or line that is left
	Pass    int  // of a match; 0: a person did
	Sums
	// Groups, Lines and DebitsOf are places in the result.
	Groups, Lines, DebitsOf []int
}

// Asked is what the statuses of a result depend on: the as-of date, the calendar and the statements.
type Asked struct {
	AsOf     ledger.Date
	Calendar *calendar.Calendar
	// IsSettled reports whether the statement is known to be whole for every day of a period.
	IsSettled func(ledger.Period) bool
	// Grace is how many business days a credit may come after its bank day before it is missing.
	Grace int
}

// Rows tells the matches in the order they were made, then the groups left, then the lines left.
func (r *Result) Rows(a Asked) []Row {
	rows := make([]Row, 0, len(r.Matches))
	for i := range r.Matches {
		x := &r.Matches[i]
		row := Row{Matched: true, Pass: x.Pass, Sums: r.Sums(x), Groups: x.Groups, Lines: x.Lines, DebitsOf: x.Debits, Status: Credited}
		switch {
		case x.Returned:
			row.Status = Returned
		case len(x.Groups) == 0 && len(x.Debits) > 0:
			row.Status = DebitLine
		case x.Pass == 0 && row.Difference() != 0:
			row.Status = Accepted
		case row.Difference() != 0:
			row.Status = Differs
		}
		rows = append(rows, row)
	}
	for i := range r.Groups {
		if r.GroupMatch[i] < 0 {
			rows = append(rows, Row{Status: a.statusOf(&r.Groups[i]), Sums: Sums{Expected: r.Groups[i].Amount}, Groups: []int{i}})
		}
	}
	for i := range r.Lines {
		if r.LineMatch[i] >= 0 {
			continue
		}
		row := Row{Status: Unexpected, Sums: Sums{Credited: r.Lines[i].Amount}, Lines: []int{i}}
		if row.Credited < 0 {
			row.Status = DebitLine
		}
		rows = append(rows, row)
	}
	return rows
}

func (a *Asked) statusOf(g *Group) Status {
	limit := a.Calendar.AddBusinessDays(calendar.Settles, g.BankDay, a.Grace)
	switch {
	case a.AsOf <= limit:
		return Waiting
	case a.IsSettled(ledger.Period{From: g.BankDay, To: limit}):
		return Missing
	}
	return NoStatement
}

// Proven says how much of the groups up to a bank day came to the cent.
func (r *Result) Proven(to ledger.Date, rows []Row) (proven, of ledger.Amount) {
	for i := range rows {
		for _, g := range rows[i].Groups {
			if r.Groups[g].BankDay > to {
				continue
			}
			of += r.Groups[g].Amount
			if rows[i].Status == Credited {
				proven += r.Groups[g].Amount
			}
		}
	}
	return proven, of
}

// Explanation is where to look.
type Explanation struct {
	// Credit is the place of the credit left of the group's bank day that Parts or PartSets come to, else of the one nearest in amount; -1: none.
	Credit int
	// Parts are those titles of the group, else those of its items, that come to the credit, when there is one way only.
	Parts []Item
	// Credits are the places of those credits left of the bank day that together come to the group, when there is one way only.
	Credits []int
	// Several is set where there are more ways: PartSets or CreditSets are two of them. Of a credit left it is set where it equals more
	// than one group.
	Several    bool
	PartSets   [][]Item
	CreditSets [][]int
	// Group is the place of the only group left that a credit left equals; -1: none.
	Group int
}

// equalDays is how many days back a credit is held against groups that are left.
const equalDays = 30

// AsksTitles is the place of the group whose titles Explain looks among for a row; -1: there is none, or it has too many.
func (r *Result) AsksTitles(row *Row) int {
	if len(row.Groups) != 1 {
		return -1
	}
	g := &r.Groups[row.Groups[0]]
	switch row.Status {
	case Missing, NoStatement:
		if len(r.creditsLeftOn(g.BankDay)) == 0 {
			return -1
		}
	case Differs:
	default:
		return -1
	}
	if !isTelling(g.Count, g.Amount) {
		return -1
	}
	return row.Groups[0]
}

// Explain names what a group or credit that is left, or that differs, may have to do with: never a match, only where a
// person should look. It looks among the titles of groups that AsksTitles asked for and that were added to them.
func (r *Result) Explain(row *Row) Explanation {
	e := Explanation{Credit: -1, Group: -1}
	switch row.Status {
	case Missing, NoStatement:
		g := &r.Groups[row.Groups[0]]
		near := r.creditsByNearness(g.BankDay, row.Expected)
		for _, i := range near {
			if e.addParts(g.listParts(), r.Lines[i].Amount); len(e.Parts) > 0 || e.Several {
				e.Credit = i
				return e
			}
		}
		if len(near) > 0 {
			e.Credit = near[0]
		}
		e.addCredits(r.creditsOf(row.Groups[0], row.Expected))
	case Differs:
		if len(row.Groups) == 1 {
			e.addParts(r.Groups[row.Groups[0]].listParts(), row.Credited)
		}
	case Unexpected:
		day := r.Lines[row.Lines[0]].BankDay
		for _, g := range r.groupsLeftOf[row.Credited] {
			if at := r.Groups[g].BankDay; at > day || at < day-equalDays {
				continue
			}
			if e.Group >= 0 {
				return Explanation{Credit: -1, Group: -1, Several: true}
			}
			e.Group = g
		}
	}
	return e
}

// listParts are what a credit may be a part of the group by: its titles, where they were read, else its items.
func (g *Group) listParts() []Item {
	if len(g.Titles) == 0 {
		return g.Items
	}
	parts := slices.Clone(g.Titles)
	slices.SortFunc(parts, func(a, b Item) int { return strings.Compare(a.Title, b.Title) })
	return parts
}

// creditsByNearness are the places of the credits left of a bank day, those nearest to an amount first: as many as are looked at.
func (r *Result) creditsByNearness(day ledger.Date, amount ledger.Amount) []int {
	left := r.creditsLeftOn(day)
	far := func(i int) ledger.Amount { return max(r.Lines[i].Amount-amount, amount-r.Lines[i].Amount) }
	slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
	return left[:min(len(left), maxLeft)]
}

// addParts looks for items that come to an amount.
func (e *Explanation) addParts(items []Item, amount ledger.Amount) {
	amounts := make([]ledger.Amount, len(items))
	for i := range items {
		amounts[i] = items[i].Amount
	}
	var all [][]Item
	for _, set := range findSubsets(amounts, amount) {
		parts := make([]Item, len(set))
		for n, i := range set {
			parts[n] = items[i]
		}
		all = append(all, parts)
	}
	switch len(all) {
	case 0:
	case 1:
		e.Parts = all[0]
	default:
		e.Several, e.PartSets = true, all
	}
}

// maxParts is how many parts are looked among at most: more have more than a million subsets.
const maxParts = 20

// isTelling reports whether a subset of so many amounts that come to a sum says something when it comes to a credit: there are no more
// subsets than a thousandth of the sum in cents. With more, one fits by chance.
func isTelling(amounts int64, sum ledger.Amount) bool {
	return amounts <= maxParts && int64(1)<<amounts <= int64(sum/ledger.Cent)/1000
}

// findSubsets looks for subsets of amounts, but all of them, that come to an amount, and ends with the second.
func findSubsets(amounts []ledger.Amount, amount ledger.Amount) (found [][]int) {
	before := make([]ledger.Amount, len(amounts)+1) // sums of those before each
	for i, a := range amounts {
		before[i+1] = before[i] + a
	}
	n := len(amounts)
	if !isTelling(int64(n), before[n]) {
		return nil
	}
	total := ledger.Amount(0)
	for set := uint(1); set < 1<<n-1 && len(found) < 2; set++ {
		// The set before this one had all those before its first.
		first := bits.TrailingZeros(set)
		if total += amounts[first] - before[first]; total != amount {
			continue
		}
		var chosen []int
		for i := range n {
			if set>>i&1 == 1 {
				chosen = append(chosen, i)
			}
		}
		found = append(found, chosen)
	}
	return found
}

// creditsOf looks for credits left of the group's bank day that together come to an amount.
func (r *Result) creditsOf(group int, amount ledger.Amount) (sets [][]int) {
	left := r.creditsLeftOn(r.Groups[group].BankDay)
	amounts := make([]ledger.Amount, len(left))
	for n, i := range left {
		amounts[n] = r.Lines[i].Amount
	}
	for _, set := range findSubsets(amounts, amount) {
		credits := make([]int, len(set))
		for n, i := range set {
			credits[n] = left[i]
		}
		sets = append(sets, credits)
	}
	return sets
}

func (e *Explanation) addCredits(sets [][]int) {
	switch len(sets) {
	case 0:
	case 1:
		e.Credits = sets[0]
	default:
		e.Several, e.CreditSets = true, sets
	}
}

// creditsLeftOn are the places of the credits of a bank day that no match has.
func (r *Result) creditsLeftOn(day ledger.Date) (left []int) {
	first, _ := slices.BinarySearchFunc(r.Lines, day, func(l Line, d ledger.Date) int { return int(l.BankDay - d) })
	for i := first; i < len(r.Lines) && r.Lines[i].BankDay == day; i++ {
		if r.LineMatch[i] < 0 && r.Lines[i].Amount > 0 {
			left = append(left, i)
		}
	}
	return left
}
