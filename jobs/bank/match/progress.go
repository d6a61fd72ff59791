package match

import (
	"cmp"
	"slices"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// progress is what is matched so far, and what must not be matched.
type progress struct {
	Result
	calendar *calendar.Calendar
	// uncertain is Ambiguous of lines that a later pass may take after all.
	uncertain map[int][]string
	bars      map[string]bool // sides that no pass may join
}

func newUnmatched(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = -1
	}
	return all
}

// candidate is what a pass would take.
type candidate struct{ groups, lines, debits []int }

// takeCandidates takes the candidates that share nothing with another one. Lines of the others are uncertain.
func (p *progress) takeCandidates(all []candidate, pass int) {
	all = slices.DeleteFunc(all, func(c candidate) bool { return p.isBarred(c.groups, c.lines) })
	groups, lines, debits := map[int]int{}, map[int]int{}, map[int]int{}
	for _, c := range all {
		countUses(groups, c.groups)
		countUses(lines, c.lines)
		countUses(debits, c.debits)
	}
	for _, c := range all {
		if hasSharedUse(groups, c.groups) || hasSharedUse(lines, c.lines) || hasSharedUse(debits, c.debits) {
			p.markAmbiguous(c.lines, c.groups)
			continue
		}
		p.add(c, pass)
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

// add makes a match of a candidate.
func (p *progress) add(c candidate, pass int) {
	n := len(p.Matches)
	for _, i := range c.groups {
		p.GroupMatch[i] = n
	}
	for _, i := range c.lines {
		p.LineMatch[i] = n
	}
	for _, i := range c.debits {
		p.DebitMatch[i] = n
	}
	p.Matches = append(p.Matches, Match{Pass: pass, Groups: c.groups, Lines: c.lines, Debits: c.debits})
}

// maxNamed is how many partners of an ambiguous line are named.
const maxNamed = 5

// markAmbiguous remembers what lines might be.
func (p *progress) markAmbiguous(lines, groups []int) {
	for _, l := range lines {
		p.uncertain[l] = p.nameGroups(p.uncertain[l], groups)
	}
}

// nameGroups adds the keys of groups to names, of which there are maxNamed at most.
func (r *Result) nameGroups(names []string, groups []int) []string {
	for _, g := range groups {
		if key := r.Groups[g].Key; len(names) < maxNamed && !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	return names
}

// listAmbiguous lists the lines that no later pass took.
func (p *progress) listAmbiguous() {
	for l, names := range p.uncertain {
		if p.LineMatch[l] < 0 {
			p.Ambiguous[l] = names
		}
	}
}

// groupsLeft and linesLeft are those of the places given that no match has.
func (p *progress) groupsLeft(of []int) []int { return leftOf(of, p.GroupMatch) }
func (p *progress) linesLeft(of []int) []int  { return leftOf(of, p.LineMatch) }

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

// addDays is the n-th business day after a day, for a negative n before it.
func (p *progress) addDays(d ledger.Date, n int) ledger.Date {
	return p.calendar.AddBusinessDays(calendar.Settles, d, n)
}

// fitsAll reports whether a credit may be a set of groups.
func (r *Result) fitsAll(line int, groups []int) bool {
	return !slices.ContainsFunc(groups, func(g int) bool { return !r.Lines[line].fits(r.Groups[g].Brand, r.Groups[g].Product) })
}

func (r *Result) sumGroups(of []int) (sum ledger.Amount) {
	for _, i := range of {
		sum += r.Groups[i].Amount
	}
	return sum
}

func (r *Result) sumLines(of []int) (sum ledger.Amount) {
	for _, i := range of {
		sum += r.Lines[i].Amount
	}
	return sum
}

// sortedLines are lines in order of what they come to, equal ones in order of place.
type sortedLines struct {
	all   []Line
	order []int
}

// sortByAmount sorts lines, given in order of place, by what they come to.
func (r *Result) sortByAmount(of []int) sortedLines {
	slices.SortFunc(of, func(a, b int) int {
		if x, y := r.Lines[a].Amount, r.Lines[b].Amount; x != y {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a, b)
	})
	return sortedLines{r.Lines, of}
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
