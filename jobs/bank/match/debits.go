package match

import (
	"slices"

	"concilia/store/ledger"
)

// maxLeft is how many groups or credits of a bank day may be left for debits to be tried: with more, some combination
// fits nearly anything.
const maxLeft = 64

// matchLessDebits is pass 6: one group, or all left of a bank day, less debits is one credit of that bank day.
func (m *matcher) matchLessDebits() {
	if len(m.Debits) == 0 {
		return
	}
	var all []candidate
	for _, d := range m.bankDays {
		groups, lines := m.groupsLeft(m.groupsAt[d]), m.linesLeft(m.creditsAt[d])
		if len(groups) == 0 || len(lines) == 0 {
			continue
		}
		if len(groups) > maxLeft || len(lines) > maxLeft {
			m.NotTried = append(m.NotTried, d)
			continue
		}
		sets := [][]int{groups}
		if len(groups) > 1 {
			for i := range groups {
				sets = append(sets, groups[i:i+1])
			}
		}
		options := m.debitSets(d)
		for _, set := range sets {
			sum := m.sumGroups(set)
			for _, l := range lines {
				if !m.fitsAll(l, set) {
					continue
				}
				for _, debits := range options[sum-m.Lines[l].Amount] {
					if m.debitsFit(debits, set) {
						all = append(all, candidate{groups: set, lines: []int{l}, debits: debits})
					}
				}
			}
		}
	}
	m.takeCandidates(all, 6)
}

// debitsFit reports whether debits of one account are kept from groups of that account.
func (m *matcher) debitsFit(debits, groups []int) bool {
	if len(debits) != 1 {
		return true
	}
	of := m.Debits[debits[0]].Account
	return of == 0 || slices.ContainsFunc(groups, func(g int) bool { return m.Groups[g].Account == 0 || m.Groups[g].Account == of })
}

// debitSets are the debits that may come on a day, by their sum: each declared one, those of one name of all accounts, each
// known one, all known ones, and all known ones with a declared one.
func (m *matcher) debitSets(d ledger.Date) map[ledger.Amount][][]int {
	var known []int
	var declared [][]int
	byName := map[string][]int{}
	var names []string
	for i := range m.Debits {
		x := &m.Debits[i]
		switch {
		case m.DebitMatch[i] >= 0 || !x.Usable.Contains(d):
		case x.Known:
			known = append(known, i)
		default:
			declared = append(declared, []int{i})
			if len(byName[x.Name]) == 0 {
				names = append(names, x.Name)
			}
			byName[x.Name] = append(byName[x.Name], i)
		}
	}
	for _, name := range names {
		if len(byName[name]) > 1 {
			declared = append(declared, byName[name])
		}
	}
	out := map[ledger.Amount][][]int{}
	add := func(set []int) {
		sum := ledger.Amount(0)
		for _, i := range set {
			sum += m.Debits[i].Amount
		}
		out[sum] = append(out[sum], set)
	}
	for _, set := range declared {
		add(set)
		if len(known) > 0 {
			add(slices.Concat(set, known))
		}
	}
	for i := range known {
		add(known[i : i+1])
	}
	if len(known) > 1 {
		add(known)
	}
	return out
}

// matchDebits begins pass 7: a debit is a line of its own; then it is all debit lines left of a day. Those that are due on the day
// are served first.
func (m *matcher) matchDebits() {
	days := make([]ledger.Date, 0, len(m.debitsOn))
	for d := range m.debitsOn {
		days = append(days, d)
	}
	slices.Sort(days)
	byAmount := map[ledger.Amount][]int{}
	for i := range m.Debits {
		byAmount[m.Debits[i].Amount] = append(byAmount[m.Debits[i].Amount], i)
	}
	for round := range 4 {
		due, whole := round < 2, round%2 == 1
		var all []candidate
		add := func(lines []int) {
			first := &m.Lines[lines[0]]
			for _, i := range byAmount[-m.sumLines(lines)] {
				d := &m.Debits[i]
				if m.DebitMatch[i] < 0 && (due && d.Due == first.Day || !due && d.Usable.Contains(first.BankDay)) {
					all = append(all, candidate{lines: lines, debits: []int{i}})
				}
			}
		}
		for _, d := range days {
			lines := m.linesLeft(m.debitsOn[d])
			if whole && len(lines) > 1 {
				add(lines)
			}
			for i := range lines {
				if !whole {
					add(lines[i : i+1])
				}
			}
		}
		m.takeCandidates(all, 7)
	}
}

// ReturnDays is how many business days lie at most between a credit and its return, and between that and the credit sent
// again.
const ReturnDays = 10

// matchReturns ends pass 7: a debit takes back a credit of the same amount, which may come again later.
func (m *matcher) matchReturns() {
	credits := map[ledger.Amount][]int{} // of the amounts that a debit may take back
	for i := range m.Lines {
		if a := m.Lines[i].Amount; a < 0 && m.LineMatch[i] < 0 {
			credits[-a] = nil
		}
	}
	if len(credits) == 0 {
		return
	}
	for i := range m.Lines {
		if same, wanted := credits[m.Lines[i].Amount]; wanted {
			credits[m.Lines[i].Amount] = append(same, i)
		}
	}
	type pair struct{ credit, debit int }
	var pairs []pair
	uses := map[int]int{}
	for i := range m.Lines {
		l := &m.Lines[i]
		if l.Amount >= 0 || m.LineMatch[i] >= 0 {
			continue
		}
		from := m.addDays(l.BankDay, -ReturnDays)
		same := credits[-l.Amount]
		first, _ := slices.BinarySearchFunc(same, from, func(c int, d ledger.Date) int { return int(m.Lines[c].BankDay - d) })
		for _, c := range same[first:] {
			if m.Lines[c].BankDay > l.BankDay {
				break
			}
			pairs = append(pairs, pair{c, i})
			uses[c]++
			uses[i]++
		}
	}
	for _, p := range pairs {
		if uses[p.credit] == 1 && uses[p.debit] == 1 {
			m.takeBack(p.credit, p.debit, credits[m.Lines[p.credit].Amount])
		}
	}
}

// takeBack joins a return to its credit, and the only later credit of that amount to both.
func (m *matcher) takeBack(credit, debit int, same []int) {
	n := m.LineMatch[credit]
	if n >= 0 && (m.Matches[n].Pass == 0 || m.isBarred(m.Matches[n].Groups, slices.Concat(m.Matches[n].Lines, []int{debit}))) {
		return // what a person did stays as it is
	}
	if n < 0 {
		n = len(m.Matches)
		m.add(candidate{lines: []int{credit}}, 7)
	}
	joined := &m.Matches[n]
	joined.Lines = append(slices.Clone(joined.Lines), debit)
	slices.Sort(joined.Lines)
	joined.Returned = true
	m.LineMatch[debit] = n
	if len(joined.Groups) == 0 {
		return // it is not known what was taken back: what comes later is a credit of its own
	}
	last := m.addDays(m.Lines[debit].BankDay, ReturnDays)
	var again []int
	for _, c := range same {
		if at := m.Lines[c].BankDay; m.LineMatch[c] < 0 && at >= m.Lines[debit].BankDay && at <= last && c > credit {
			again = append(again, c)
		}
	}
	if len(again) == 1 && !m.isBarred(joined.Groups, slices.Concat(joined.Lines, again)) {
		joined.Lines, joined.Returned = append(joined.Lines, again[0]), false
		m.LineMatch[again[0]] = n
	} else {
		m.markAmbiguous(again, joined.Groups)
	}
	slices.Sort(joined.Lines)
}
