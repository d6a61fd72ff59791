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
		options := m.listDebitSets(d)
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
func (r *Result) debitsFit(debits, groups []int) bool {
	if len(debits) != 1 {
		return true
	}
	of := r.Debits[debits[0]].Account
	return of == 0 || slices.ContainsFunc(groups, func(g int) bool { return r.Groups[g].Account == 0 || r.Groups[g].Account == of })
}

// listDebitSets are the debits that may come on a day, by their sum: each declared one, those of one name of all accounts, each
// known one, all known ones, and all known ones with a declared one.
func (r *Result) listDebitSets(d ledger.Date) map[ledger.Amount][][]int {
	var known []int
	var declared [][]int
	byName := map[string][]int{}
	var names []string
	for i := range r.Debits {
		x := &r.Debits[i]
		switch {
		case r.DebitMatch[i] >= 0 || !x.Usable.Contains(d):
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
			sum += r.Debits[i].Amount
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
