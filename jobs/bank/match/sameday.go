package match

import (
	"slices"

	"concilia/store/ledger"
)

// matchExact is pass 1: of a day, each group is a credit of its amount, and of its brand and product where the line names
// them. Equal ones are interchangeable: the first of both sides are taken. Lines that name more are served first.
func (m *matcher) matchExact(d ledger.Date) {
	credits := m.linesLeft(m.creditsOn[d])
	byLevel := [3][]int{make([]int, 0, len(credits))} // by how much they name: mostly nothing
	for _, i := range credits {
		l := &m.Lines[i]
		named := boolInt(l.Brand != "") + boolInt(l.Product != "")
		byLevel[named] = append(byLevel[named], i)
	}
	for level := 2; level > 0; level-- {
		if len(byLevel[level]) > 0 {
			m.matchNamed(d, byLevel[level], level == 2)
		}
	}
	// Both sides are in order of amount.
	lines, groups := byLevel[0], m.groupsLeft(m.groupsOn[d])
	for len(lines) > 0 && len(groups) > 0 {
		amount := m.Groups[groups[0]].Amount
		switch other := m.Lines[lines[0]].Amount; {
		case other < amount:
			lines = lines[1:]
			continue
		case other > amount:
			groups = groups[1:]
			continue
		}
		equalGroups := countWhile(groups, func(i int) bool { return m.Groups[i].Amount == amount })
		equalLines := countWhile(lines, func(i int) bool { return m.Lines[i].Amount == amount })
		m.takeEqual(groups[:equalGroups], lines[:equalLines])
		groups, lines = groups[equalGroups:], lines[equalLines:]
	}
}

// countWhile is how many of the first places have something.
func countWhile(of []int, has func(int) bool) int {
	n := slices.IndexFunc(of, func(i int) bool { return !has(i) })
	if n < 0 {
		return len(of)
	}
	return n
}

// matchNamed is matchExact for lines that name a brand, and a product where withProduct is set.
func (m *matcher) matchNamed(d ledger.Date, named []int, withProduct bool) {
	type key struct {
		amount         ledger.Amount
		brand, product string
	}
	keyOf := func(amount ledger.Amount, brand, product string) key {
		if !withProduct {
			product = ""
		}
		return key{amount, brand, product}
	}
	lines, groups := map[key][]int{}, map[key][]int{}
	for _, i := range named {
		l := &m.Lines[i]
		k := keyOf(l.Amount, l.Brand, l.Product)
		lines[k] = append(lines[k], i)
	}
	var order []key
	for _, i := range m.groupsLeft(m.groupsOn[d]) {
		g := &m.Groups[i]
		k := keyOf(g.Amount, g.Brand, g.Product)
		if len(groups[k]) == 0 {
			order = append(order, k)
		}
		groups[k] = append(groups[k], i)
	}
	for _, k := range order {
		m.takeEqual(groups[k], lines[k])
	}
}

// takeEqual pairs the first groups and lines of equal amounts, and reports when one side has more.
func (p *progress) takeEqual(groups, lines []int) {
	if len(lines) == 0 {
		return
	}
	if len(p.bars) == 0 {
		for n := range min(len(groups), len(lines)) {
			p.add(candidate{groups: groups[n : n+1 : n+1], lines: lines[n : n+1 : n+1]}, 1)
		}
	} else {
		p.takeEqualUnbarred(groups, lines)
	}
	if len(groups) != len(lines) {
		names := p.nameGroups(nil, groups)
		for _, l := range lines {
			p.Ambiguous[l] = names
		}
	}
}

// takeEqualUnbarred pairs the first groups and lines that no person took apart.
func (p *progress) takeEqualUnbarred(groups, lines []int) {
	free := slices.Clone(lines)
	for n := range groups {
		i := slices.IndexFunc(free, func(l int) bool { return !p.isBarred(groups[n:n+1], []int{l}) })
		if i < 0 {
			continue
		}
		p.add(candidate{groups: groups[n : n+1], lines: []int{free[i]}}, 1)
		if i == 0 {
			free = free[1:]
		} else {
			free = slices.Delete(free, i, i+1)
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// matchOtherGrain is pass 2: of a day, all groups left of a brand, of an account or of all are one credit; or every part of
// one group, cut finer, is a credit of its own.
func (m *matcher) matchOtherGrain() {
	for _, d := range m.days {
		groups, lines := m.groupsLeft(m.groupsOn[d]), m.linesLeft(m.creditsOn[d])
		if len(groups) == 0 || len(lines) == 0 {
			continue
		}
		byAmount := m.sortByAmount(lines)
		var all []candidate
		for _, set := range m.listCoarserSets(groups) {
			for _, l := range byAmount.findAmount(m.sumGroups(set)) {
				if m.fitsAll(l, set) {
					all = append(all, candidate{groups: set, lines: []int{l}})
				}
			}
		}
		for _, g := range groups {
			all = append(all, m.finerCredits(g, byAmount)...)
		}
		m.takeCandidates(all, 2)
	}
}

// listCoarserSets are the sets of two groups at least that have the brand, the account or only the day in common.
func (r *Result) listCoarserSets(groups []int) [][]int {
	var sets [][]int
	add := func(set []int) {
		if len(set) > 1 && !slices.ContainsFunc(sets, func(s []int) bool { return slices.Equal(s, set) }) {
			sets = append(sets, set)
		}
	}
	add(groups)
	byBrand, byAccount := map[string][]int{}, map[ledger.Account][]int{}
	for _, i := range groups {
		g := &r.Groups[i]
		byBrand[g.Brand] = append(byBrand[g.Brand], i)
		byAccount[g.Account] = append(byAccount[g.Account], i)
	}
	for _, set := range byBrand {
		add(set)
	}
	for _, set := range byAccount {
		add(set)
	}
	slices.SortFunc(sets, slices.Compare[[]int])
	return sets
}

// finerCredits are the ways in which every part of a group is a credit: of each amount as many credits as parts.
func (p *progress) finerCredits(group int, byAmount sortedLines) (all []candidate) {
	for _, parts := range p.Groups[group].listPartitions() {
		need := map[ledger.Amount]int{}
		for i := range parts {
			need[parts[i].amount]++
		}
		var lines []int
		for amount, n := range need {
			if len(byAmount.findAmount(amount)) != n {
				lines = nil
				break
			}
			lines = append(lines, byAmount.findAmount(amount)...)
		}
		if len(lines) != len(parts) || slices.ContainsFunc(lines, func(l int) bool { return !isOfPart(&p.Lines[l], &p.Groups[group], parts) }) {
			continue
		}
		slices.Sort(lines)
		if !slices.ContainsFunc(all, func(c candidate) bool { return slices.Equal(c.lines, lines) }) {
			all = append(all, candidate{groups: []int{group}, lines: lines})
		}
	}
	return all
}

// isOfPart reports whether a line may be one of the parts of a group.
func isOfPart(l *Line, g *Group, parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool {
		brand, product := p.brand, p.product
		if brand == "" {
			brand, product = g.Brand, g.Product
		}
		return p.amount == l.Amount && l.fits(brand, product)
	})
}

// matchWholeSets is pass 3, and part of pass 8: of a day, one group is all credits left that may be its; then all groups
// left are all credits left.
func (m *matcher) matchWholeSets(pass int) {
	for _, d := range m.days {
		groups, lines := m.groupsLeft(m.groupsOn[d]), m.linesLeft(m.creditsOn[d])
		if len(groups) == 0 || len(lines) < 2 {
			continue
		}
		type class struct{ brand, product string }
		sets := map[class][]int{}
		var owner []int // groups that come to all that may be theirs
		for _, g := range groups {
			k := class{m.Groups[g].Brand, m.Groups[g].Product}
			if _, known := sets[k]; !known {
				sets[k] = slices.DeleteFunc(slices.Clone(lines), func(l int) bool { return !m.Lines[l].fits(k.brand, k.product) })
			}
			if len(sets[k]) > 1 && m.sumLines(sets[k]) == m.Groups[g].Amount && !m.isBarred([]int{g}, sets[k]) {
				owner = append(owner, g)
			}
		}
		if len(owner) > 1 {
			m.markAmbiguous(lines, owner)
			continue
		}
		if len(owner) == 1 {
			g := &m.Groups[owner[0]]
			m.add(candidate{groups: owner, lines: sets[class{g.Brand, g.Product}]}, pass)
			groups, lines = m.groupsLeft(groups), m.linesLeft(lines)
		}
		fits := func(l int) bool {
			return slices.ContainsFunc(groups, func(g int) bool { return m.fitsAll(l, []int{g}) })
		}
		if len(groups) > 0 && len(lines) > 0 && m.sumGroups(groups) == m.sumLines(lines) &&
			!slices.ContainsFunc(lines, func(l int) bool { return !fits(l) }) && !m.isBarred(groups, lines) {
			m.add(candidate{groups: groups, lines: lines}, pass)
		}
	}
}
