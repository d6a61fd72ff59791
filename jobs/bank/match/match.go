package match

import (
	"cmp"
	"maps"
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
	m := &matcher{in: in}
	m.Groups = groupItems(in.Items, in.Grain, in.PerAccount, in.Calendar)
	m.Lines = orderLines(in.Lines, in.Calendar)
	m.Debits = slices.Clone(in.Debits)
	slices.SortFunc(m.Debits, func(a, b Debit) int {
		return cmp.Or(cmp.Compare(a.Usable.From, b.Usable.From), cmp.Compare(a.Amount, b.Amount), cmp.Compare(a.Key, b.Key))
	})
	given := m.choosePairings()
	m.GroupMatch, m.LineMatch, m.DebitMatch = newUnmatched(len(m.Groups)), newUnmatched(len(m.Lines)), newUnmatched(len(m.Debits))
	m.Matches = make([]Match, 0, min(len(m.Groups), len(m.Lines)))
	m.Ambiguous = map[int][]string{}
	m.uncertain = map[int][]string{}
	m.indexBars()
	m.indexDays()
	m.matchPairings(given)
	for _, d := range m.days {
		m.matchExact(d)
	}
	m.dropMatched() // mostly that is nearly all: what follows looks at the rest alone
	m.matchOtherGrain()
	m.matchWholeSets(3)
	m.dropMatched()
	m.matchShifted()
	m.matchTogether()
	m.matchLessDebits()
	m.matchDebits()
	m.matchReturns()
	m.matchWholeSets(8)
	m.matchDiffering()
	m.tellUncertain()
	m.groupsLeftOf = map[ledger.Amount][]int{}
	for i, n := range m.GroupMatch {
		if a := m.Groups[i].Amount; n < 0 {
			m.groupsLeftOf[a] = append(m.groupsLeftOf[a], i)
		}
	}
	return &m.Result
}

// BankDay is the day of a date at the bank: itself when banks settle, else the next day on which they do.
func BankDay(c *calendar.Calendar, d ledger.Date) ledger.Date {
	return c.NextBusinessDay(calendar.Settles, d)
}

// addDays is the n-th business day after a day, for a negative n before it.
func (m *matcher) addDays(d ledger.Date, n int) ledger.Date {
	return m.in.Calendar.AddBusinessDays(calendar.Settles, d, n)
}

func newUnmatched(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = -1
	}
	return all
}

// matcher is a run in progress.
type matcher struct {
	Result
	in       Input
	days     []ledger.Date // of groups and credits
	bankDays []ledger.Date
	// Groups, credits and debit lines by day and by bank day, each in order.
	groupsOn, creditsOn, groupsAt, creditsAt, debitsOn map[ledger.Date][]int
	// uncertain is Ambiguous of lines that a later pass may take after all.
	uncertain map[int][]string
	bars      map[string]bool // sides that no pass may join
}

// indexDays notes the places of groups, credits and debit lines by day and by bank day. They are in order of day, so those of a day
// are next to each other, and so are those of a bank day.
func (m *matcher) indexDays() {
	groups := make([]int, len(m.Groups))
	for i := range groups {
		groups[i] = i
	}
	var credits, debits []int
	for i := range m.Lines {
		if m.Lines[i].Amount <= 0 {
			debits = append(debits, i)
		}
	}
	credits = make([]int, 0, len(m.Lines)-len(debits))
	for i := range m.Lines {
		if m.Lines[i].Amount > 0 {
			credits = append(credits, i)
		}
	}
	m.groupsOn = placesBy(groups, func(i int) ledger.Date { return m.Groups[i].Day })
	m.groupsAt = placesBy(groups, func(i int) ledger.Date { return m.Groups[i].BankDay })
	m.creditsOn = placesBy(credits, func(i int) ledger.Date { return m.Lines[i].Day })
	m.creditsAt = placesBy(credits, func(i int) ledger.Date { return m.Lines[i].BankDay })
	m.debitsOn = placesBy(debits, func(i int) ledger.Date { return m.Lines[i].Day })
	m.days = unionOf(m.groupsOn, m.creditsOn)
	m.bankDays = unionOf(m.groupsAt, m.creditsAt)
}

// placesBy cuts places, in order of day, by day.
func placesBy(places []int, dayOf func(int) ledger.Date) map[ledger.Date][]int {
	out := map[ledger.Date][]int{}
	for from := 0; from < len(places); {
		day, to := dayOf(places[from]), from+1
		for to < len(places) && dayOf(places[to]) == day {
			to++
		}
		out[day] = places[from:to:to]
		from = to
	}
	return out
}

// unionOf are the days of two indexes, in order.
func unionOf(a, b map[ledger.Date][]int) []ledger.Date {
	all := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(all)
	return slices.Compact(all)
}

// dropMatched leaves in the indexes only groups and credits that no match has.
func (m *matcher) dropMatched() {
	for _, index := range []struct {
		of      map[ledger.Date][]int
		matched []int
	}{{m.groupsOn, m.GroupMatch}, {m.groupsAt, m.GroupMatch}, {m.creditsOn, m.LineMatch}, {m.creditsAt, m.LineMatch}} {
		for day, places := range index.of {
			if left := leftOf(places, index.matched); len(left) > 0 {
				index.of[day] = left
			} else {
				delete(index.of, day)
			}
		}
	}
	m.days, m.bankDays = unionOf(m.groupsOn, m.creditsOn), unionOf(m.groupsAt, m.creditsAt)
}

// groupsLeft and linesLeft are those of the places given that no match has.
func (m *matcher) groupsLeft(of []int) []int { return leftOf(of, m.GroupMatch) }
func (m *matcher) linesLeft(of []int) []int  { return leftOf(of, m.LineMatch) }

func leftOf(of, matched []int) []int {
	n := 0
	for _, i := range of {
		if matched[i] < 0 {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]int, 0, n)
	for _, i := range of {
		if matched[i] < 0 {
			out = append(out, i)
		}
	}
	return out
}

func (m *matcher) sumGroups(of []int) (sum ledger.Amount) {
	for _, i := range of {
		sum += m.Groups[i].Amount
	}
	return sum
}

// sortedLines are lines in order of what they come to, equal ones in order of place.
type sortedLines struct {
	all   []Line
	order []int
}

// sortByAmount sorts lines, given in order of place, by what they come to.
func (m *matcher) sortByAmount(of []int) sortedLines {
	slices.SortFunc(of, func(a, b int) int {
		if x, y := m.Lines[a].Amount, m.Lines[b].Amount; x != y {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a, b)
	})
	return sortedLines{m.Lines, of}
}

// findAmount are the lines that come to an amount.
func (s sortedLines) findAmount(a ledger.Amount) []int {
	from, found := slices.BinarySearchFunc(s.order, a, func(i int, a ledger.Amount) int { return cmp.Compare(s.all[i].Amount, a) })
	if !found {
		return nil
	}
	to := from + 1
	for to < len(s.order) && s.all[s.order[to]].Amount == a {
		to++
	}
	return s.order[from:to:to]
}

// candidate is what a pass would take.
type candidate struct{ groups, lines, debits []int }

// takeCandidates takes the candidates that share nothing with another one. Lines of the others are uncertain.
func (m *matcher) takeCandidates(all []candidate, pass int) {
	all = slices.DeleteFunc(all, func(c candidate) bool { return m.isBarred(c.groups, c.lines) })
	groups, lines, debits := map[int]int{}, map[int]int{}, map[int]int{}
	for _, c := range all {
		countUses(groups, c.groups)
		countUses(lines, c.lines)
		countUses(debits, c.debits)
	}
	for _, c := range all {
		if hasSharedUse(groups, c.groups) || hasSharedUse(lines, c.lines) || hasSharedUse(debits, c.debits) {
			m.markAmbiguous(c.lines, c.groups)
			continue
		}
		m.add(c, pass)
	}
}

func countUses(uses map[int]int, of []int) {
	for _, i := range of {
		uses[i]++
	}
}

func hasSharedUse(uses map[int]int, of []int) bool {
	return slices.ContainsFunc(of, func(i int) bool { return uses[i] > 1 })
}

func (m *matcher) add(c candidate, pass int) {
	n := len(m.Matches)
	for _, i := range c.groups {
		m.GroupMatch[i] = n
	}
	for _, i := range c.lines {
		m.LineMatch[i] = n
	}
	for _, i := range c.debits {
		m.DebitMatch[i] = n
	}
	m.Matches = append(m.Matches, Match{Pass: pass, Groups: c.groups, Lines: c.lines, Debits: c.debits})
}

// maxNamed is how many partners of an ambiguous line are named.
const maxNamed = 5

// markAmbiguous remembers what lines might be.
func (m *matcher) markAmbiguous(lines, groups []int) {
	for _, l := range lines {
		m.uncertain[l] = m.nameGroups(m.uncertain[l], groups)
	}
}

func (m *matcher) nameGroups(names []string, groups []int) []string {
	for _, g := range groups {
		if key := m.Groups[g].Key; len(names) < maxNamed && !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	return names
}

// tellUncertain lists the lines that no later pass took.
func (m *matcher) tellUncertain() {
	for l, names := range m.uncertain {
		if m.LineMatch[l] < 0 {
			m.Ambiguous[l] = names
		}
	}
}
