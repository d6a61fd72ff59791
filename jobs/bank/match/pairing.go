package match

import (
	"slices"
	"strings"

	"concilia/store/ledger"
)

// Pairing is what a person said of groups, lines and debits, by their keys.
type Pairing struct {
	Name                  string
	Groups, Lines, Debits []string
	// Expected is what the groups came to then, and Difference what of it the person accepts as not coming.
	Expected, Difference ledger.Amount
}

// keyPlaces are the places of groups, lines and debits, by key.
type keyPlaces struct{ groups, lines, debits map[string]int }

func (m *matcher) indexKeys() *keyPlaces {
	out := &keyPlaces{map[string]int{}, map[string]int{}, map[string]int{}}
	for i := range m.Groups {
		out.groups[m.Groups[i].Key] = i
	}
	for i := range m.Lines {
		out.lines[m.Lines[i].Key] = i
	}
	for i := range m.Debits {
		out.debits[m.Debits[i].Key] = i
	}
	return out
}

// placesOf are the sides of a pairing, each in order; ok is false where one is not there.
func (k *keyPlaces) placesOf(p *Pairing) (c candidate, ok bool) {
	for _, side := range []struct {
		to   *[]int
		keys []string
		at   map[string]int
	}{{&c.groups, p.Groups, k.groups}, {&c.lines, p.Lines, k.lines}, {&c.debits, p.Debits, k.debits}} {
		for _, key := range side.keys {
			i, has := side.at[key]
			if !has {
				return c, false
			}
			*side.to = append(*side.to, i)
		}
		slices.Sort(*side.to)
	}
	return c, true
}

// choosePairings are those of what people matched that hold: all sides are there and come to what they came to then, and no earlier
// one has any of them. The others are void. Foreign lines that none has are dropped.
func (m *matcher) choosePairings() (chosen []*Pairing) {
	if len(m.in.Given) == 0 {
		return nil
	}
	places := m.indexKeys()
	groups, lines, debits := map[int]int{}, map[int]int{}, map[int]int{}
	for i := range m.in.Given {
		p := &m.in.Given[i]
		c, ok := places.placesOf(p)
		if ok {
			s := m.Sums(&Match{Groups: c.groups, Lines: c.lines, Debits: c.debits})
			ok = s.Expected == p.Expected && s.Difference() == p.Difference && !hasUse(groups, c.groups) && !hasUse(lines, c.lines) && !hasUse(debits, c.debits)
		}
		if !ok {
			m.Void = append(m.Void, p.Name)
			continue
		}
		countUses(groups, c.groups)
		countUses(lines, c.lines)
		countUses(debits, c.debits)
		chosen = append(chosen, p)
	}
	kept := m.Lines[:0]
	for i := range m.Lines {
		if !m.Lines[i].Foreign || lines[i] > 0 {
			kept = append(kept, m.Lines[i])
		}
	}
	m.Lines = kept
	return chosen
}

func hasUse(uses map[int]int, of []int) bool {
	return slices.ContainsFunc(of, func(i int) bool { return uses[i] > 0 })
}

// matchPairings is pass 0: what people matched.
func (m *matcher) matchPairings(chosen []*Pairing) {
	if len(chosen) == 0 {
		return
	}
	places := m.indexKeys()
	for _, p := range chosen {
		c, _ := places.placesOf(p)
		m.add(c, 0)
	}
}

// sidesKey names groups and lines by their keys.
func sidesKey(groups, lines []string) string {
	return strings.Join(slices.Sorted(slices.Values(groups)), "\n") + "\n\n" + strings.Join(slices.Sorted(slices.Values(lines)), "\n")
}

// indexBars remembers which sides no pass may join.
func (m *matcher) indexBars() {
	m.bars = map[string]bool{}
	for i := range m.in.Barred {
		m.bars[sidesKey(m.in.Barred[i].Groups, m.in.Barred[i].Lines)] = true
	}
}

// isBarred reports whether a person took exactly these groups and lines apart.
func (m *matcher) isBarred(groups, lines []int) bool {
	if len(m.bars) == 0 {
		return false
	}
	groupKeys, lineKeys := make([]string, len(groups)), make([]string, len(lines))
	for i, g := range groups {
		groupKeys[i] = m.Groups[g].Key
	}
	for i, l := range lines {
		lineKeys[i] = m.Lines[l].Key
	}
	return m.bars[sidesKey(groupKeys, lineKeys)]
}
