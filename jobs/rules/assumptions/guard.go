package assumptions

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// When a rule that rests on a reading is suppressed: it was evaluated on guardRows at least, and fires on more than
// half of them; or on more than a tenth, guardAlike at least, with one and the same difference, weekday or position.
const (
	guardRows  = 30
	guardHalf  = 2
	guardTenth = 10
	guardAlike = 10
)

// Guard counts, over the whole population of an account, how often each rule that rests on a reading was evaluated,
// fired, and fired alike. What a row adds can be taken away again, in any order, so a night that evaluates only what
// moved keeps the counts of everything. The zero Guard has counted nothing. Its marks grow with the distinct
// differences of the rows that fire, never with those that pass. It is used by one goroutine.
type Guard struct {
	eligible [guardedRules]int64
	fired    [guardedRules]int64
	alike    map[trait]int64
}

// trait is what rows that fire may have in common.
type trait struct {
	rule  int // place in guarded
	kind  traitKind
	value int64
}

type traitKind byte

// The kinds of mark, by the letter counters and contributions are kept under.
const (
	byDelta    traitKind = 'd' // actual − expected in ten-thousandths of a real, never 0
	byWeekday  traitKind = 'w' // of the forecast, 1 Monday to 7 Sunday
	byPosition traitKind = 'k' // the number of an installment among several
)

// Add counts what a row contributes.
func (g *Guard) Add(c *GuardDelta) { g.addTimes(c, 1) }

// Remove subtracts what a row contributed, before it is evaluated again or because it vanished.
func (g *Guard) Remove(c *GuardDelta) { g.addTimes(c, -1) }

func (g *Guard) addTimes(c *GuardDelta, n int64) {
	for i, eligible := range c.eligible {
		g.eligible[i] += n * int64(eligible)
	}
	for _, f := range c.fired {
		g.fired[f.rule] += n
		for kind, value := range f.eachTrait() {
			g.addTrait(trait{f.rule, kind, value}, n)
		}
	}
}

func (g *Guard) addTrait(m trait, n int64) {
	if g.alike == nil {
		g.alike = map[trait]int64{}
	}
	if g.alike[m] += n; g.alike[m] == 0 {
		delete(g.alike, m)
	}
}

// Suppression is a rule that is suppressed, and why.
type Suppression struct {
	Code     string
	Eligible int64
	Fired    int64
	// Same of those that fired have Alike in common: Δ=-0.40 (actual − expected in reais), weekday=6 (of the
	// forecast, 1 Monday), or k=2 (installment number). 0 and empty where more than half fire, whatever of.
	Same  int64
	Alike string
}

// Suppressions returns the rules to suppress, in the order of the readings.
func (g *Guard) Suppressions() []Suppression {
	most := make([]trait, guardedRules)
	for m, n := range g.alike {
		if held := g.alike[most[m.rule]]; most[m.rule].kind == 0 || n > held || n == held && m.precedes(most[m.rule]) {
			most[m.rule] = m
		}
	}
	var doubts []Suppression
	for i, code := range guardedCodes() {
		d := Suppression{Code: code, Eligible: g.eligible[i], Fired: g.fired[i]}
		if d.Eligible < guardRows {
			continue
		}
		same := g.alike[most[i]]
		switch {
		case d.Fired*guardHalf > d.Eligible:
		case same >= guardAlike && same*guardTenth > d.Eligible:
			d.Same, d.Alike = same, most[i].String()
		default:
			continue
		}
		doubts = append(doubts, d)
	}
	return doubts
}

// precedes settles ties, so that one state always gives one sentence.
func (m trait) precedes(o trait) bool {
	if m.kind != o.kind {
		return m.kind < o.kind
	}
	return m.value < o.value
}

func (m trait) String() string {
	switch m.kind {
	case byDelta:
		return "Δ=" + ledger.Amount(m.value).String()
	case byWeekday:
		return "weekday=" + strconv.FormatInt(m.value, 10)
	}
	return "k=" + strconv.FormatInt(m.value, 10)
}

// Counters returns the state of the guard for keeping. Zeros are left out, so equal states give equal maps. Keys are
// "eligible CODE", "fired CODE" and "d CODE n", "w CODE n", "k CODE n" for marks.
func (g *Guard) Counters() map[string]int64 {
	out := map[string]int64{}
	for i, code := range guardedCodes() {
		if g.eligible[i] != 0 {
			out["eligible "+code] = g.eligible[i]
		}
		if g.fired[i] != 0 {
			out["fired "+code] = g.fired[i]
		}
	}
	for m, n := range g.alike {
		out[fmt.Sprintf("%c %s %d", m.kind, guardedCodes()[m.rule], m.value)] = n
	}
	return out
}

// RestoreGuard returns the guard of kept counters. It is an error if counters belong to a rule that no longer rests on a
// reading, or cannot result from whole contributions: everything must then be evaluated again.
func RestoreGuard(counters map[string]int64) (*Guard, error) {
	g := &Guard{}
	for _, key := range slices.Sorted(maps.Keys(counters)) {
		n := counters[key]
		parts := strings.Split(key, " ")
		if len(parts) < 2 || n <= 0 {
			return nil, fmt.Errorf("rules: counter %.60q of %d: not kept by a guard", key, n)
		}
		i := slices.Index(guardedCodes(), parts[1])
		switch {
		case i >= 0 && len(parts) == 2 && parts[0] == "eligible":
			g.eligible[i] = n
		case i >= 0 && len(parts) == 2 && parts[0] == "fired":
			g.fired[i] = n
		case i >= 0 && len(parts) == 3 && len(parts[0]) == 1:
			m := trait{rule: i, kind: traitKind(parts[0][0])}
			value, err := strconv.ParseInt(parts[2], 10, 64)
			if m.value = value; err != nil || !m.isValid() || strconv.FormatInt(value, 10) != parts[2] {
				return nil, fmt.Errorf("rules: counter %.60q: no such mark", key)
			}
			g.addTrait(m, n)
		default:
			return nil, fmt.Errorf("rules: counter %.60q: of no rule that rests on a reading", key)
		}
	}
	return g, nil
}

// isValid says whether the value is one of its kind.
func (m trait) isValid() bool {
	switch m.kind {
	case byDelta:
		return m.value != 0
	case byWeekday:
		return m.value >= 1 && m.value <= 7
	case byPosition:
		return m.value >= 1 && m.value <= maxPosition
	}
	return false
}
