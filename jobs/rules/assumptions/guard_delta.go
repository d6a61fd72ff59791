package assumptions

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// GuardDelta is what one row adds to a Guard: an installment with its splits, a sale, a slip, or several of them
// together, as the caller groups them. The zero Contribution adds nothing. Rows that pass need no allocation.
type GuardDelta struct {
	eligible [guardedRules]uint16 // times the rule was evaluated: more than once only for splits
	fired    []firing
}

// firing is one time a rule fired; what is not known of it is zero.
type firing struct {
	rule     int
	delta    int64
	weekday  int64
	position int64
}

// maxPosition bounds the numbers that count as a position; those past it are a finding of their own.
const maxPosition = 99

// Count records the outcome of the rule at a place of PlacesOf; -1, a rule that rests on no interpretation, is ignored. r is
// the installment that was evaluated, or the split's; nil for sales and slips.
func (c *GuardDelta) Count(place int, o *rules.Outcome, r *rules.Row) {
	if place < 0 || !o.Status.Evaluated() {
		return
	}
	if c.eligible[place] < 1<<16-1 {
		c.eligible[place]++
	}
	if o.Status != rules.Fires {
		return
	}
	f := firing{rule: place}
	if o.Expected.Kind == ledger.AmountValue && o.Actual.Kind == ledger.AmountValue {
		f.delta = int64(o.Actual.Amount - o.Expected.Amount)
	}
	if r != nil {
		// The only installment of a sale is in no position: every such row would be alike.
		if k := r.Key.Number; r.Count > 1 && k >= 1 && k <= maxPosition {
			f.position = int64(k)
		}
		if r.Now.Forecast != 0 && dependOnForecast()[place] {
			f.weekday = int64((r.Now.Forecast.Weekday()+6)%7) + int64(time.Monday)
		}
	}
	c.fired = append(c.fired, f)
	slices.SortFunc(c.fired, firing.compareTo)
}

func (f firing) compareTo(o firing) int {
	return slices.Compare([]int64{int64(f.rule), f.delta, f.weekday, f.position}, []int64{int64(o.rule), o.delta, o.weekday, o.position})
}

// eachTrait are what the firing may have in common with others.
func (f firing) eachTrait() iter.Seq2[traitKind, int64] {
	return func(yield func(traitKind, int64) bool) {
		_ = (f.delta == 0 || yield(byDelta, f.delta)) &&
			(f.weekday == 0 || yield(byWeekday, f.weekday)) &&
			(f.position == 0 || yield(byPosition, f.position))
	}
}

// Reset empties the contribution and keeps its memory.
func (c *GuardDelta) Reset() { c.eligible, c.fired = [guardedRules]uint16{}, c.fired[:0] }

// storedGuardDelta is a GuardDelta as JSON. A GuardDelta has exactly one such form.
type storedGuardDelta struct {
	Evaluated uint64         `json:"evaluated"`          // a bit for each rule that was evaluated, by its place in the list
	Repeated  []repeatedRule `json:"repeated,omitempty"` // those evaluated more than once, by place
	Fired     []storedFiring `json:"fired,omitempty"`    // sorted
}

type repeatedRule struct {
	Rule  int    `json:"rule"`
	Times uint16 `json:"times"` // more than 1
}

type storedFiring struct {
	Rule     int   `json:"rule"`
	Delta    int64 `json:"delta,omitempty"`
	Weekday  int64 `json:"weekday,omitempty"`
	Position int64 `json:"position,omitempty"`
}

// Evaluated returns the rules that were evaluated, a bit for each by its place in the list. ok is false if the delta has more to say: a
// rule that fired, or that was evaluated more than once.
func (c *GuardDelta) Evaluated() (rules uint64, ok bool) {
	ok = len(c.fired) == 0
	for i, n := range c.eligible {
		if n > 0 {
			rules |= 1 << i
		}
		ok = ok && n <= 1
	}
	return rules, ok
}

// MarshalJSON encodes the delta as it is stored with the row's expectation.
func (c GuardDelta) MarshalJSON() ([]byte, error) {
	var stored storedGuardDelta
	stored.Evaluated, _ = c.Evaluated()
	for i, n := range c.eligible {
		if n > 1 {
			stored.Repeated = append(stored.Repeated, repeatedRule{i, n})
		}
	}
	for _, f := range c.fired {
		stored.Fired = append(stored.Fired, storedFiring{f.rule, f.delta, f.weekday, f.position})
	}
	return json.Marshal(stored)
}

// UnmarshalJSON decodes what MarshalJSON returns, and refuses what it cannot return.
func (c *GuardDelta) UnmarshalJSON(text []byte) error {
	var stored storedGuardDelta
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&stored); err != nil || stored.Evaluated>>guardedRules != 0 {
		return errors.Join(errNotKept, err)
	}
	*c = GuardDelta{}
	for i := range c.eligible {
		c.eligible[i] = uint16(stored.Evaluated >> i & 1)
	}
	last := -1
	for _, r := range stored.Repeated {
		if r.Rule <= last || r.Rule >= guardedRules || r.Times < 2 || c.eligible[r.Rule] == 0 {
			return errNotKept
		}
		last, c.eligible[r.Rule] = r.Rule, r.Times
	}
	for _, stored := range stored.Fired {
		f := firing{stored.Rule, stored.Delta, stored.Weekday, stored.Position}
		if f.rule < 0 || f.rule >= guardedRules {
			return errNotKept
		}
		for kind, value := range f.eachTrait() {
			if !(trait{f.rule, kind, value}).isValid() {
				return errNotKept
			}
		}
		c.fired = append(c.fired, f)
	}
	if !slices.IsSortedFunc(c.fired, firing.compareTo) {
		return errNotKept
	}
	return nil
}

var errNotKept = errors.New("rules: not what these rules keep of a row: evaluate every row again")
