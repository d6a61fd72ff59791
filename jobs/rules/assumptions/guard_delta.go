package assumptions

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
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

// traits are what the firing may have in common with others.
func (f firing) traits() iter.Seq2[traitKind, int64] {
	return func(yield func(traitKind, int64) bool) {
		_ = (f.delta == 0 || yield(byDelta, f.delta)) &&
			(f.weekday == 0 || yield(byWeekday, f.weekday)) &&
			(f.position == 0 || yield(byPosition, f.position))
	}
}

// Reset empties the contribution and keeps its memory.
func (c *GuardDelta) Reset() { c.eligible, c.fired = [guardedRules]uint16{}, c.fired[:0] }

// Append appends the text form to b: the evaluated rules as a hexadecimal mask by place in the list, then +PLACExTIMES
// for one evaluated more than once, then !PLACE with d, w and k for each firing. A contribution has exactly one text
// form.
func (c *GuardDelta) Append(b []byte) []byte {
	var mask uint64
	for i, n := range c.eligible {
		if n > 0 {
			mask |= 1 << i
		}
	}
	b = strconv.AppendUint(b, mask, 16)
	for i, n := range c.eligible {
		if n > 1 {
			b = strconv.AppendInt(append(b, '+'), int64(i), 10)
			b = strconv.AppendInt(append(b, 'x'), int64(n), 10)
		}
	}
	for _, f := range c.fired {
		b = strconv.AppendInt(append(b, '!'), int64(f.rule), 10)
		for kind, value := range f.traits() {
			b = strconv.AppendInt(append(b, byte(kind)), value, 10)
		}
	}
	return b
}

// Encode returns the text form, which is short enough to be kept with the row's expectation.
func (c *GuardDelta) Encode() string { return string(c.Append(nil)) }

// maxFirings bounds what is read back: a row has no more splits than this.
const maxFirings = 1 << 16

// DecodeGuardDelta parses exactly what Encode returns. The empty text is a row that was never judged and adds nothing.
func DecodeGuardDelta(text string) (GuardDelta, error) {
	var c GuardDelta
	if text == "" {
		return c, nil
	}
	head, fired, _ := strings.Cut(text, "!")
	parts := strings.Split(head, "+")
	mask, err := strconv.ParseUint(parts[0], 16, guardedRules)
	for i := range c.eligible {
		c.eligible[i] = uint16(mask >> i & 1)
	}
	for _, part := range parts[1:] {
		place, times, _ := strings.Cut(part, "x")
		i, bad := strconv.ParseUint(place, 10, 8)
		n, worse := strconv.ParseUint(times, 10, 16)
		if err = errors.Join(err, bad, worse); err != nil || i >= guardedRules {
			return GuardDelta{}, errNotKept
		}
		c.eligible[i] = uint16(n)
	}
	if fired != "" {
		for i, part := range strings.SplitN(fired, "!", maxFirings) {
			f, ok := readFiring(part)
			if !ok || i == maxFirings-1 {
				return GuardDelta{}, errNotKept
			}
			c.fired = append(c.fired, f)
		}
	}
	// What says the same in another way was not written here.
	if err != nil || !slices.IsSortedFunc(c.fired, firing.compareTo) || c.Encode() != text {
		return GuardDelta{}, errNotKept
	}
	return c, nil
}

var errNotKept = errors.New("rules: not a contribution kept by these rules: judge everything anew")

// readFiring reads PLACE[dDELTA][wWEEKDAY][kPOSITION].
func readFiring(text string) (firing, bool) {
	var f firing
	place := text
	if i := strings.IndexAny(text, "dwk"); i >= 0 {
		place, text = text[:i], text[i:]
	} else {
		text = ""
	}
	rule, err := strconv.ParseUint(place, 10, 8)
	if err != nil || rule >= guardedRules {
		return f, false
	}
	f.rule = int(rule)
	for text != "" {
		kind := traitKind(text[0])
		rest := text[1:]
		end := strings.IndexAny(rest, "dwk")
		if end < 0 {
			end = len(rest)
		}
		value, err := strconv.ParseInt(rest[:end], 10, 64)
		if err != nil || !(trait{f.rule, kind, value}).isValid() {
			return f, false
		}
		switch kind {
		case byDelta:
			f.delta = value
		case byWeekday:
			f.weekday = value
		default:
			f.position = value
		}
		text = rest[end:]
	}
	return f, true
}
