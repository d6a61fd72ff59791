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

func (r *Result) indexKeys() *keyPlaces {
	out := &keyPlaces{map[string]int{}, map[string]int{}, map[string]int{}}
	for i := range r.Groups {
		out.groups[r.Groups[i].Key] = i
	}
	for i := range r.Lines {
		out.lines[r.Lines[i].Key] = i
	}
	for i := range r.Debits {
		out.debits[r.Debits[i].Key] = i
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
func (p *progress) choosePairings(given []Pairing) (chosen []*Pairing) {
	if len(given) == 0 {
		return nil
	}
	places := p.indexKeys()
	groups, lines, debits := map[int]int{}, map[int]int{}, map[int]int{}
	for i := range given {
		g := &given[i]
		c, ok := places.placesOf(g)
		if ok {
			s := p.Sums(&Match{Groups: c.groups, Lines: c.lines, Debits: c.debits})
			ok = s.Expected == g.Expected && s.Difference() == g.Difference && !hasUse(groups, c.groups) && !hasUse(lines, c.lines) && !hasUse(debits, c.debits)
		}
		if !ok {
			p.Void = append(p.Void, g.Name)
			continue
		}
		countUses(groups, c.groups)
		countUses(lines, c.lines)
		countUses(debits, c.debits)
		chosen = append(chosen, g)
	}
	kept := p.Lines[:0]
	for i := range p.Lines {
		if !p.Lines[i].Foreign || lines[i] > 0 {
			kept = append(kept, p.Lines[i])
		}
	}
	p.Lines = kept
	return chosen
}

func hasUse(uses map[int]int, of []int) bool {
	return slices.ContainsFunc(of, func(i int) bool { return uses[i] > 0 })
}

// matchPairings is pass 0: what people matched.
func (p *progress) matchPairings(chosen []*Pairing) {
	if len(chosen) == 0 {
		return
	}
	places := p.indexKeys()
	for _, pairing := range chosen {
		c, _ := places.placesOf(pairing)
		p.add(c, 0)
	}
}

// sidesKey names groups and lines by their keys.
func sidesKey(groups, lines []string) string {
	return strings.Join(slices.Sorted(slices.Values(groups)), "\n") + "\n\n" + strings.Join(slices.Sorted(slices.Values(lines)), "\n")
}

// indexBars are the keys of the sides that no pass may join.
func indexBars(barred []Pairing) map[string]bool {
	bars := map[string]bool{}
	for i := range barred {
		bars[sidesKey(barred[i].Groups, barred[i].Lines)] = true
	}
	return bars
}

// isBarred reports whether a person took exactly these groups and lines apart.
func (p *progress) isBarred(groups, lines []int) bool {
	if len(p.bars) == 0 {
		return false
	}
	groupKeys, lineKeys := make([]string, len(groups)), make([]string, len(lines))
	for i, g := range groups {
		groupKeys[i] = p.Groups[g].Key
	}
	for i, l := range lines {
		lineKeys[i] = p.Lines[l].Key
	}
	return p.bars[sidesKey(groupKeys, lineKeys)]
}
