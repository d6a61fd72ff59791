package match

import (
	"cmp"
	"slices"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// Line is a booked movement of the payer.
type Line struct {
	Key     string // distinguishes it from all others
	Day     ledger.Date
	BankDay ledger.Date   // set by Run
	Amount  ledger.Amount // whole cents; credits positive
	// Brand and Product are named by the line's text; mostly they are empty.
	Brand, Product string
	// Foreign lines are of no payer: nothing but what people matched may have them.
	Foreign bool
}

// fits reports whether a credit may be one of a brand and product.
func (l *Line) fits(brand, product string) bool {
	return l.Brand == "" || l.Brand == brand && (l.Product == "" || l.Product == product)
}

// Debit is what the payer may keep from a credit, or take by a line of its own.
type Debit struct {
	Key string // distinguishes it from all others
	// Name is that of a declared debit; those of several accounts with one name and period may come together.
	Name    string
	Account ledger.Account
	// Known debits come from a receipt that fell; others are declared.
	Known  bool
	Amount ledger.Amount // from 0
	// Usable are the days on which it may come. Due is the one on which it should; 0: any of them.
	Usable ledger.Period
	Due    ledger.Date
}

// Input is one payer of a bank account.
type Input struct {
	Items      []Item
	Grain      Grain
	PerAccount bool
	Lines      []Line
	Debits     []Debit
	// Shift is how many business days a credit may come late.
	Shift    int
	Calendar *calendar.Calendar
	// Given is what people matched, in the order in which they did; Barred are sides that they took apart, which no pass joins again.
	Given, Barred []Pairing
}

// Match joins groups, lines and debits, given by their places in the result.
type Match struct {
	Pass                  int // 0: a person did
	Groups, Lines, Debits []int
	// Returned matches have a credit that the bank took back and that was not sent again.
	Returned bool
}

// Result is what became of an input. Its slices are in order of day, amount and key.
type Result struct {
	Groups  []Group
	Lines   []Line
	Debits  []Debit
	Matches []Match
	// GroupMatch, LineMatch and DebitMatch say of each group, line and debit in which match it is; -1: it is left.
	GroupMatch, LineMatch, DebitMatch []int
	// Ambiguous are the keys of what a line might be, five at most, by the line's place.
	Ambiguous    map[int][]string
	groupsLeftOf map[ledger.Amount][]int // groups that are left, by amount
	// NotTried are bank days on which debits were not tried because too much is left.
	NotTried []ledger.Date
	// Void are the names of those of Given that no longer hold: a side changed or is gone.
	Void []string
}

// Sums are what a match comes to.
type Sums struct{ Expected, Debits, Credited ledger.Amount }

// Difference is what was expected and did not come; negative when more came.
func (s Sums) Difference() ledger.Amount { return s.Expected - s.Debits - s.Credited }

// Sums adds up a match.
func (r *Result) Sums(m *Match) (s Sums) {
	for _, g := range m.Groups {
		s.Expected += r.Groups[g].Amount
	}
	for _, d := range m.Debits {
		s.Debits += r.Debits[d].Amount
	}
	for _, l := range m.Lines {
		s.Credited += r.Lines[l].Amount
	}
	return s
}

// Run matches. It changes nothing of the input.
func Run(in Input) *Result {
	m := &matcher{progress: progress{calendar: in.Calendar, uncertain: map[int][]string{}, bars: indexBars(in.Barred)}, shift: in.Shift}
	m.Ambiguous = map[int][]string{}
	m.Groups = groupItems(in.Items, in.Grain, in.PerAccount, in.Calendar)
	m.Lines = orderLines(in.Lines, in.Calendar)
	m.Debits = slices.Clone(in.Debits)
	slices.SortFunc(m.Debits, func(a, b Debit) int {
		return cmp.Or(cmp.Compare(a.Usable.From, b.Usable.From), cmp.Compare(a.Amount, b.Amount), cmp.Compare(a.Key, b.Key))
	})
	given := m.choosePairings(in.Given)
	m.GroupMatch, m.LineMatch, m.DebitMatch = newUnmatched(len(m.Groups)), newUnmatched(len(m.Lines)), newUnmatched(len(m.Debits))
	m.Matches = make([]Match, 0, min(len(m.Groups), len(m.Lines)))
	m.dayIndex = newDayIndex(&m.Result)
	m.matchPairings(given)
	m.runPasses()
	m.listAmbiguous()
	m.groupsLeftOf = map[ledger.Amount][]int{}
	for i, n := range m.GroupMatch {
		if a := m.Groups[i].Amount; n < 0 {
			m.groupsLeftOf[a] = append(m.groupsLeftOf[a], i)
		}
	}
	return &m.Result
}

// matcher is a run in progress.
type matcher struct {
	progress
	dayIndex
	shift int // how many business days a credit may come late
}

// runPasses takes by one pass after another what is unique among what is left.
func (m *matcher) runPasses() {
	for _, d := range m.days {
		m.matchExact(d)
	}
	m.dropMatched(&m.Result) // mostly that is nearly all: what follows looks at the rest alone
	m.matchOtherGrain()
	m.matchWholeSets(3)
	m.dropMatched(&m.Result)
	m.matchShifted()
	m.matchTogether()
	m.matchLessDebits()
	m.matchDebits()
	m.matchReturns()
	m.matchWholeSets(8)
	m.matchDiffering()
}

// BankDay is the day of a date at the bank: itself when banks settle, else the next day on which they do.
func BankDay(c *calendar.Calendar, d ledger.Date) ledger.Date {
	return c.NextBusinessDay(calendar.Settles, d)
}
