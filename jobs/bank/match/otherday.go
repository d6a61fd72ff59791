package match

import (
	"slices"

	"concilia/store/ledger"
)

// matchShifted is pass 4: a group is a credit of its amount some business days away, the nearest first.
func (m *matcher) matchShifted() {
	offsets := []int{0}
	for n := 1; n <= m.shift; n++ {
		if offsets = append(offsets, n); n == 1 {
			offsets = append(offsets, -1)
		}
	}
	for _, by := range offsets {
		for _, d := range m.bankDays {
			m.matchShiftedBy(d, by)
		}
	}
}

func (m *matcher) matchShiftedBy(d ledger.Date, by int) {
	groups := m.groupsLeft(m.groupsAt[d])
	if len(groups) == 0 {
		return
	}
	left := m.linesLeft(m.creditsAt[m.addDays(d, by)])
	if len(left) == 0 {
		return
	}
	lines := m.sortByAmount(left)
	byAmount := map[ledger.Amount][]int{} // of groups for which there are lines
	var order []ledger.Amount
	for _, g := range groups {
		a := m.Groups[g].Amount
		if len(byAmount[a]) == 0 {
			if len(lines.findAmount(a)) == 0 {
				continue
			}
			order = append(order, a)
		}
		byAmount[a] = append(byAmount[a], g)
	}
	for _, a := range order {
		same := byAmount[a]
		fitting := slices.DeleteFunc(slices.Clone(lines.findAmount(a)), func(l int) bool {
			return !slices.ContainsFunc(same, func(g int) bool { return m.fitsAll(l, []int{g}) && !m.isBarred([]int{g}, []int{l}) })
		})
		switch {
		case len(same) == 1 && len(fitting) == 1:
			m.add(candidate{groups: same, lines: fitting}, 4)
		case len(fitting) > 0:
			m.markAmbiguous(fitting, same)
		}
	}
}

// matchTogether is pass 5: all groups left of one bank day, then of 2, 3 and 4 days that end there, are one credit.
func (m *matcher) matchTogether() {
	for length := 1; length <= 4; length++ {
		var all []candidate
		for _, d := range m.bankDays {
			lines := m.linesLeft(m.creditsAt[d])
			if len(lines) == 0 {
				continue
			}
			groups := m.groupsLeft(m.groupsAt[m.addDays(d, 1-length)])
			if len(groups) == 0 {
				continue // the same set as with one day less
			}
			for n := 2 - length; n <= 0; n++ {
				groups = append(groups, m.groupsLeft(m.groupsAt[m.addDays(d, n)])...)
			}
			slices.Sort(groups)
			for _, l := range m.sortByAmount(lines).findAmount(m.sumGroups(groups)) {
				if m.fitsAll(l, groups) {
					all = append(all, candidate{groups: groups, lines: []int{l}})
				}
			}
		}
		m.takeCandidates(all, 5)
	}
}

// matchDiffering is the end of pass 8: a group and a credit left on a bank day that differ by at most half the group, and
// that have no other partner like that.
func (m *matcher) matchDiffering() {
	for _, d := range m.bankDays {
		groups, lines := m.groupsLeft(m.groupsAt[d]), m.linesLeft(m.creditsAt[d])
		if len(groups) == 0 || len(lines) == 0 {
			continue
		}
		byGroup := func(a, b int) int { return int(m.Groups[a].Amount - m.Groups[b].Amount) }
		byLine := func(a, b int) int { return int(m.Lines[a].Amount - m.Lines[b].Amount) }
		slices.SortFunc(groups, byGroup)
		slices.SortFunc(lines, byLine)
		for _, g := range groups {
			amount := m.Groups[g].Amount
			// Twice the credit lies between the amount and three times it.
			near := selectInRange(lines, func(l int) ledger.Amount { return 2 * m.Lines[l].Amount }, amount, 3*amount)
			if len(near) != 1 || !m.fitsAll(near[0], []int{g}) || m.isBarred([]int{g}, near) {
				continue
			}
			credit := m.Lines[near[0]].Amount
			if len(selectInRange(groups, func(g int) ledger.Amount { return 3 * m.Groups[g].Amount }, 2*credit, 6*credit)) == 1 {
				m.add(candidate{groups: []int{g}, lines: near}, 8)
			}
		}
	}
}

// selectInRange are those of sorted places whose value lies between two others.
func selectInRange(of []int, value func(int) ledger.Amount, from, to ledger.Amount) []int {
	compare := func(i int, a ledger.Amount) int {
		switch v := value(i); {
		case v < a:
			return -1
		case v > a:
			return 1
		}
		return 0
	}
	begin, _ := slices.BinarySearchFunc(of, from, compare)
	end, _ := slices.BinarySearchFunc(of, to+1, compare)
	return of[begin:end]
}
