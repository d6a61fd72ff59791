package rules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// The table of readings names rules there are, keys there are, and is printed with the versions.
func TestReadings(t *testing.T) {
	t.Parallel()
	keys := map[agreements.ProfileKey]bool{}
	codes := map[string]bool{}
	for _, r := range assumptions.Interpretations() {
		for _, k := range r.Keys {
			keys[k] = true
		}
		for _, code := range r.Rules {
			codes[code] = true
			if _, ok := catalogue.Find(code); !ok {
				t.Errorf("%s rests on no rule of the catalogue: %s", r.Name, code)
			}
			if !slices.Contains(assumptions.InterpretationsOf(code), r.Name) {
				t.Errorf("%s does not say that it rests on %s", code, r.Name)
			}
		}
	}
	for _, k := range agreements.ProfileKeys() {
		if !keys[k] && k != agreements.KeyMDRRounding {
			t.Errorf("no rule rests on %s", k)
		}
	}
	if assumptions.InterpretationsOf("REC_DUPLICATE_ROW") != nil {
		t.Error("a rule on what is documented rests on a reading")
	}
	lines := strings.Split(strings.TrimSpace(catalogue.Versions()), "\n")
	last := strings.Fields(lines[len(lines)-1])
	const kept = 26 // places in a contribution
	if last[0] != "guarded" || len(last)-1 != len(codes) || len(codes) != kept {
		t.Errorf("the versions tell of %d rules that rest on readings, the table of %d, and %d are kept", len(last)-1, len(codes), kept)
	}
}

// firesBy is an outcome with a difference of money.
func firesBy(delta string) rules.Outcome {
	return rules.Outcome{Status: rules.Fires, Expected: ledger.Money(0), Actual: ledger.Money(reais(delta))}
}

// contributions counts outcomes of one rule on rows like row.
func contributed(e *rules.Env, code string, row *rules.Row, outcomes ...rules.Outcome) *assumptions.GuardDelta {
	c := &assumptions.GuardDelta{}
	for _, o := range outcomes {
		c.Count(assumptions.PlacesOf(e.Rules())[e.Index(code)], &o, row)
	}
	return c
}

func TestGuard(t *testing.T) {
	t.Parallel()
	e := world{}.env(t)
	const mdr, dates = "MDR_AMOUNT_MISMATCH", "FORECAST_DATE_MISMATCH"
	row := func(k, n int, forecast string) *rules.Row {
		h := rows()[0]
		h[0].Number, h[0].Count, h[0].Forecast = k, n, day(forecast)
		return rules.NewSale(e, h[0].SaleKey(), []ledger.InstallmentHistory{h}, false).Rows[0]
	}
	single := row(1, 1, "2024-11-21")
	passed := rules.Outcome{Status: rules.Passed}
	dated := rules.Outcome{Status: rules.Fires, Expected: ledger.Day(day("2024-11-22")), Actual: ledger.Day(day("2024-11-21"))}
	differing := func(g *assumptions.Guard, code string, n int) {
		for i := range n {
			g.Add(contributed(e, code, single, firesBy(fmt.Sprintf("%d.07", i+1))))
		}
	}
	same := func(g *assumptions.Guard, code string, n int, r *rules.Row, o rules.Outcome) {
		for range n {
			g.Add(contributed(e, code, r, o))
		}
	}
	for _, c := range []struct {
		says string
		fill func(*assumptions.Guard)
		want []assumptions.Suppression
	}{
		{
			"more than half of thirty", func(g *assumptions.Guard) { differing(g, mdr, 16); same(g, mdr, 14, single, passed) },
			[]assumptions.Suppression{{Code: mdr, Eligible: 30, Fired: 16}},
		},
		{"half of thirty is not more than half", func(g *assumptions.Guard) { differing(g, mdr, 15); same(g, mdr, 15, single, passed) }, nil},
		{"all of twenty-nine are too few", func(g *assumptions.Guard) { same(g, mdr, 29, single, firesBy("1")) }, nil},
		{
			"ten alike of ninety-nine", func(g *assumptions.Guard) {
				same(g, mdr, 10, single, firesBy("-0.40"))
				same(g, mdr, 89, single, passed)
			},
			[]assumptions.Suppression{{Code: mdr, Eligible: 99, Fired: 10, Same: 10, Alike: "Δ=-0.40"}},
		},
		{"ten alike of a hundred are a tenth, not more", func(g *assumptions.Guard) {
			same(g, mdr, 10, single, firesBy("-0.40"))
			same(g, mdr, 90, single, passed)
		}, nil},
		{"nine alike of thirty are too few", func(g *assumptions.Guard) {
			same(g, mdr, 9, single, firesBy("-0.40"))
			same(g, mdr, 21, single, passed)
		}, nil},
		{"twelve of a hundred that differ", func(g *assumptions.Guard) { differing(g, mdr, 12); same(g, mdr, 88, single, passed) }, nil},
		{"twelve on installment 2 that differ", func(g *assumptions.Guard) {
			for i := range 12 {
				g.Add(contributed(e, mdr, row(2, 3, ""), firesBy(fmt.Sprintf("%d.07", i+1))))
			}
			same(g, mdr, 88, single, passed)
		}, []assumptions.Suppression{{Code: mdr, Eligible: 100, Fired: 12, Same: 12, Alike: "k=2"}}},
		{"the only installment of a sale is in no position", func(g *assumptions.Guard) { differing(g, mdr, 12); same(g, mdr, 30, single, passed) }, nil},
		{"forecasts of one weekday", func(g *assumptions.Guard) {
			same(g, dates, 11, row(1, 1, "2024-11-23"), dated)
			same(g, dates, 39, single, passed)
		}, []assumptions.Suppression{{Code: dates, Eligible: 50, Fired: 11, Same: 11, Alike: "weekday=6"}}},
		{"a weekday is nothing to a rule on money", func(g *assumptions.Guard) {
			same(g, mdr, 11, row(1, 1, "2024-11-23"), dated)
			same(g, mdr, 39, single, passed)
		}, nil},
		{"what was not evaluated is not eligible", func(g *assumptions.Guard) {
			differing(g, mdr, 16)
			same(g, mdr, 50, single, rules.Outcome{Status: rules.NotEvaluable})
			same(g, mdr, 13, single, rules.Outcome{Status: rules.Within})
		}, nil},
		{"a rule on what is documented is always believed", func(g *assumptions.Guard) { same(g, "REC_DATE_ORDER", 100, single, firesBy("1")) }, nil},
		{"a tenth and more alike among many that pass", func(g *assumptions.Guard) {
			same(g, mdr, 10, single, firesBy("1"))
			same(g, mdr, 89, single, passed)
		}, []assumptions.Suppression{{Code: mdr, Eligible: 99, Fired: 10, Same: 10, Alike: "Δ=1.00"}}},
	} {
		var g assumptions.Guard
		c.fill(&g)
		if diff := cmp.Diff(c.want, g.Suppressions()); diff != "" {
			t.Errorf("%s:\n%s", c.says, diff)
		}
	}
}

// What was added and taken away again leaves no trace, kept counters are the same guard, and order does not matter.
func TestGuardKeepsCount(t *testing.T) {
	t.Parallel()
	e := world{}.env(t)
	all := e.Rules()
	sale := rules.NewSale(e, rows()[0][0].SaleKey(), rows(), true)
	contribution := rapid.Custom(func(t *rapid.T) *assumptions.GuardDelta {
		c := &assumptions.GuardDelta{}
		for range rapid.IntRange(0, 4).Draw(t, "outcomes") {
			o := rules.Outcome{Status: rapid.SampledFrom([]rules.Status{rules.Passed, rules.Within, rules.Pends, rules.NotEvaluable}).Draw(t, "status")}
			if rapid.Bool().Draw(t, "fires") {
				o = firesBy(rapid.SampledFrom([]string{"0", "0.01", "-3.4021"}).Draw(t, "delta"))
			}
			r := rapid.SampledFrom(append(sale.Rows, nil)).Draw(t, "row")
			c.Count(assumptions.PlacesOf(all)[rapid.IntRange(0, len(all)-1).Draw(t, "rule")], &o, r)
		}
		return c
	})
	rapid.Check(t, func(t *rapid.T) {
		kept := rapid.SliceOf(contribution).Draw(t, "kept")
		passing := rapid.SliceOf(contribution).Draw(t, "judged again")
		var want, g assumptions.Guard
		for _, c := range kept {
			want.Add(c)
		}
		for _, c := range passing { // before it was added, as when a row is evaluated again
			g.Remove(c)
		}
		for _, c := range slices.Backward(kept) {
			text := storedDelta(t, c)
			var again assumptions.GuardDelta
			if err := json.Unmarshal([]byte(text), &again); err != nil || storedDelta(t, &again) != text {
				t.Fatalf("%q: %v", text, err)
			}
			g.Add(&again)
		}
		for _, c := range passing {
			g.Add(c)
		}
		if diff := cmp.Diff(want.Counters(), g.Counters()); diff != "" {
			t.Fatal(diff)
		}
		read, err := assumptions.RestoreGuard(g.Counters())
		if err != nil || !maps.Equal(read.Counters(), g.Counters()) || !slices.Equal(read.Suppressions(), want.Suppressions()) {
			t.Fatalf("the counters read as %v: %v", read.Counters(), err)
		}
	})
}

func TestGuardRefusesWhatItDidNotKeep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says string
		key  string
		n    int64
		ok   bool
	}{
		{"a counter", "eligible MDR_AMOUNT_MISMATCH", 1, true},
		{"a mark", "d MDR_AMOUNT_MISMATCH -4000", 1, true},
		{"nothing counted", "eligible MDR_AMOUNT_MISMATCH", 0, false},
		{"less than nothing", "fired MDR_AMOUNT_MISMATCH", -1, false},
		{"a rule on what is documented", "eligible REC_DATE_ORDER", 1, false},
		{"a difference of nothing", "d MDR_AMOUNT_MISMATCH 0", 1, false},
		{"the eighth weekday", "w MDR_AMOUNT_MISMATCH 8", 1, false},
		{"a mark spelled another way", "d MDR_AMOUNT_MISMATCH +4000", 1, false},
		{"no key", "", 1, false},
	} {
		if _, err := assumptions.RestoreGuard(map[string]int64{c.key: c.n}); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.says, err)
		}
	}
}

func storedDelta(t interface{ Fatal(...any) }, c *assumptions.GuardDelta) string {
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func FuzzContribution(f *testing.F) {
	for _, seed := range []string{
		"", `{"evaluated":0}`, `{"evaluated":63}`, `{"evaluated":3,"repeated":[{"rule":0,"times":2}]}`,
		`{"evaluated":1,"fired":[{"rule":0,"delta":-4000,"position":2}]}`, `{"evaluated":1,"fired":[{"rule":0},{"rule":0}]}`, `{"evaluated":-1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c assumptions.GuardDelta
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			return
		}
		once := storedDelta(t, &c)
		var again assumptions.GuardDelta
		if err := json.Unmarshal([]byte(once), &again); err != nil || storedDelta(t, &again) != once {
			t.Fatalf("%q is written as %q: %v", text, once, err)
		}
		var g assumptions.Guard
		g.Add(&c)
		g.Remove(&c)
		if len(g.Counters()) > 0 {
			t.Fatalf("%q leaves %v behind", text, g.Counters())
		}
	})
}

// A row that passes costs no memory, whatever rests on readings.
func TestContributionOfARowThatPasses(t *testing.T) {
	e := world{}.env(t)
	sale := rules.NewSale(e, rows()[0][0].SaleKey(), rows(), true)
	var c assumptions.GuardDelta
	var g assumptions.Guard
	places := assumptions.PlacesOf(e.Rules())
	if n := testing.AllocsPerRun(100, func() {
		c.Reset()
		for i := range e.Rules() {
			o := rules.Outcome{Status: rules.Passed}
			c.Count(places[i], &o, sale.Rows[0])
		}
		if _, plain := c.Evaluated(); !plain {
			t.Error("a row that passes says more than what was evaluated")
		}
		g.Add(&c)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestUnproven(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says string
		in   rules.Outcome
		want rules.Status
	}{
		{"what fires stands in shadow", firesBy("1"), rules.SuppressedFire},
		{"so does what waits", rules.Outcome{Status: rules.Pends, BreakOn: day("2024-11-22")}, rules.SuppressedFire},
		{"what passes is not believed either", rules.Outcome{Status: rules.Passed}, rules.SuppressedPass},
		{"nor within the tolerance", rules.Outcome{Status: rules.Within}, rules.SuppressedPass},
		{"what was not looked at stays so", rules.Outcome{Status: rules.NotEligible}, rules.NotEligible},
		{"what lacked its input stays so", rules.Outcome{Status: rules.NoInput}, rules.NoInput},
	} {
		got := c.in.Suppress()
		if got.Status != c.want || got.Status.Evaluated() || got.BreakOn != 0 || c.want == rules.SuppressedFire && got.Actual != c.in.Actual {
			t.Errorf("%s: %+v", c.says, got)
		}
	}
}

// The note names the reading as it is read, and what fits better where somebody measured.
func TestUncalibrated(t *testing.T) {
	t.Parallel()
	e := world{}.env(t)
	d := assumptions.Suppression{Code: "ANTICIPATION_AMOUNT_MISMATCH", Eligible: 99, Fired: 10, Same: 10, Alike: "Δ=1.00"}
	o := d.Outcome(e, func(reading string) string {
		return map[string]string{"anticipation": "compound, net_of_mdr"}[reading]
	})
	want := "ANTICIPATION_AMOUNT_MISMATCH fires on 10 of 99 (Δ=1.00) and is not believed: it rests on rate_unit; anticipation, " +
		"read as percent; simple, net_of_mdr. Fits better: anticipation: compound, net_of_mdr."
	f := ledger.Finding{Code: assumptions.Uncalibrated, Expected: o.Expected, Actual: o.Actual, Numbers: o.Numbers}
	if diff := cmp.Diff(want, (catalogue.Voice{Language: "en"}).Explain(f)); diff != "" {
		t.Error(diff)
	}
}
