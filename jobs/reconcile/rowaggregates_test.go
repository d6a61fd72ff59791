package reconcile

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

// guards are stored forms of what the guard counts of a row.
var guards = []string{
	`{"evaluated":0}`, `{"evaluated":63}`, `{"evaluated":3,"repeated":[{"rule":0,"times":2}]}`,
	`{"evaluated":1,"fired":[{"rule":0,"delta":-4000,"position":2}]}`, `{"evaluated":33554432,"fired":[{"rule":25,"weekday":6,"position":1}]}`,
}

// What a row adds is read back as it was, whatever the service wrote into a spelling.
func TestDeltaIsStored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		amount := rapid.Int64()
		code := rapid.SampledFrom([]string{"MDR_AMOUNT_MISMATCH", "RECEIVED_VALUE_MISMATCH", "SPLIT_SUM_MISMATCH"})
		var guard assumptions.GuardDelta
		if err := json.Unmarshal([]byte(rapid.SampledFrom(guards).Draw(rt, "guard")), &guard); err != nil {
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
		text, err := c.encode()
		if err != nil {
			rt.Fatal(err)
		}
		got, err := parseAggregateDelta(text)
		if err != nil {
			rt.Fatalf("%q: %v", text, err)
		}
		if d := cmp.Diff(&c, got, cmp.AllowUnexported(aggregateDelta{}, toleratedAmount{}, classChanges{}), cmp.Comparer(func(a, b assumptions.GuardDelta) bool {
			one, err1 := json.Marshal(a)
			other, err2 := json.Marshal(b)
			return errors.Join(err1, err2) == nil && string(one) == string(other)
		})); d != "" {
			rt.Fatalf("%q is read as\n%s", text, d)
		}
		c.clear()
		if empty, err := c.encode(); empty != `{"guard":{"evaluated":0}}` {
			rt.Fatalf("a row after it begins with %q, %v", empty, err)
		}
	})
}

// What cannot be read is refused with what to do, and taken for nothing else.
func TestDeltaIsRefused(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"g0 b": "another form", "{": "half of it", `{"guard":{"evaluated":0}} {}`: "two of them", `{"other":1}`: "an unknown member",
		`{"value":1.5}`: "no integer", `{"value":9223372036854775808}`: "too large", `{"guard":{"evaluated":67108864}}`: "no such rule",
		`{"guard":{"evaluated":1,"repeated":[{"rule":1,"times":2}]}}`: "repeated, but not evaluated",
		`{"guard":{"evaluated":1,"fired":[{"rule":0,"weekday":8}]}}`:  "no such weekday",
		`{"guard":{"evaluated":3,"fired":[{"rule":1},{"rule":0}]}}`:   "not sorted",
		`{"changes":[{"day":"2026-13-01","all":1}]}`:                  "no such day",
		`{"unmapped":[{"member":"status","value":"%"}]}`:              "no bytes",
	} {
		if c, err := parseAggregateDelta(text); !errors.Is(err, errAggregateDelta) {
			t.Errorf("%s: %q is read as %+v, %v", says, text, c, err)
		}
	}
}

// FuzzAggregateDelta: any text is refused, or read as something that is written and read back the same.
func FuzzAggregateDelta(f *testing.F) {
	for _, g := range guards {
		f.Add(`{"guard":` + g + `,"no_contract":true,"value":100,"tolerated":[{"code":"A","amount":1}],"unmapped":[{"member":"status","value":"Pz8="}],"changes":[{"day":"2026-11-01","all":3,"unnotified":1}]}`)
	}
	f.Add(`{"guard":{"evaluated":0},"tolerated":[{"code":"","amount":0}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseAggregateDelta(text)
		if err != nil {
			return
		}
		once, err := c.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseAggregateDelta(once)
		if err != nil {
			t.Fatalf("%q is written as %q, which is refused", text, once)
		}
		if twice, _ := again.encode(); twice != once {
			t.Fatalf("%q is written as %q, then as %q", text, once, twice)
		}
	})
}
