package reconcile

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

// guards are texts of what the guard counts of a row, in their own form.
var guards = []string{"0", "3f", "3+0x2", "1!0d-4000k2", "2000000!25w6k1"}

// What a row adds is read back as it was, whatever the service wrote into a spelling.
func TestDeltaIsStored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		amount := rapid.Int64()
		code := rapid.SampledFrom([]string{"MDR_AMOUNT_MISMATCH", "RECEIVED_VALUE_MISMATCH", "SPLIT_SUM_MISMATCH"})
		guard, err := assumptions.DecodeGuardDelta(rapid.SampledFrom(guards).Draw(rt, "guard"))
		if err != nil {
			rt.Fatal(err)
		}
		c := aggregateDelta{
			guard: guard, noContract: rapid.Bool().Draw(rt, "bare"), countsForRate: rapid.Bool().Draw(rt, "rated"),
			value: ledger.Amount(amount.Draw(rt, "value")),
		}
		for range rapid.IntRange(0, 3).Draw(rt, "tolerated") {
			c.addTolerated(code.Draw(rt, "code"), ledger.Amount(rapid.Int64Range(-1<<62, 1<<62).Draw(rt, "amount")))
		}
		for range rapid.IntRange(0, 3).Draw(rt, "spelled") {
			value := string(rapid.SliceOf(rapid.Byte()).Draw(rt, "spelling"))
			c.unmapped = append(c.unmapped, rules.Spelling{Member: rapid.SampledFrom([]string{"status", "brand"}).Draw(rt, "member"), Value: value})
		}
		for range rapid.IntRange(0, 3).Draw(rt, "changes") {
			c.changes = append(c.changes, classChanges{
				ledger.Date(rapid.Int32Range(1, 1<<21).Draw(rt, "day")), amount.Draw(rt, "all"), amount.Draw(rt, "untold"),
			})
		}
		text := string(c.appendText(nil))
		got, err := parseAggregateDelta(text)
		if err != nil {
			rt.Fatalf("%q: %v", text, err)
		}
		if d := cmp.Diff(&c, got, cmp.AllowUnexported(aggregateDelta{}, toleratedAmount{}, classChanges{}), cmp.Comparer(func(a, b assumptions.GuardDelta) bool {
			return a.Encode() == b.Encode()
		})); d != "" {
			rt.Fatalf("%q is read as\n%s", text, d)
		}
		c.clear()
		if empty := string(c.appendText(nil)); empty != "g0" {
			rt.Fatalf("a row after it begins with %q", empty)
		}
	})
}

// What cannot be read is refused with what to do, and taken for nothing else.
func TestDeltaIsRefused(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"x1": "a mark nobody writes", "g0 v": "no number", "g0 v1x": "no number either", "g0 o9223372036854775808": "too large",
		"gz": "no guard", "g0 tX=": "no amount", "g0 c1=2": "half of the changes", "g0 ustatus=%zz": "no escape", "{}": "another form",
	} {
		if c, err := parseAggregateDelta(text); !errors.Is(err, errAggregateDelta) {
			t.Errorf("%s: %q is read as %+v, %v", says, text, c, err)
		}
	}
}

// FuzzAggregateDelta: any text is refused, or read as something that is written and read back the same.
func FuzzAggregateDelta(f *testing.F) {
	for _, g := range guards {
		f.Add("g" + g + " b r v100 o-5 tA=1 tB=2 ustatus=%3F%3F c739936=3/1")
	}
	f.Add("g0 u= t=0 c0=0/0")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseAggregateDelta(text)
		if err != nil {
			return
		}
		once := string(c.appendText(nil))
		again, err := parseAggregateDelta(once)
		if err != nil {
			t.Fatalf("%q is written as %q, which is refused", text, once)
		}
		if twice := string(again.appendText(nil)); twice != once {
			t.Fatalf("%q is written as %q, then as %q", text, once, twice)
		}
	})
}
