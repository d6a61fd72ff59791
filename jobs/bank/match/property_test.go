package match_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/jobs/bank/match"
	"concilia/store/ledger"
)

// TestUsedOnceInAnyOrder: in random worlds no line, group or debit is used twice, what is matched and what is left come to
// all there is, every match but a differing or returned one closes to the cent, and the order of the input changes nothing.
func TestUsedOnceInAnyOrder(t *testing.T) {
	t.Parallel()
	c := newCalendar(t)
	rapid.Check(t, func(t *rapid.T) {
		in := match.Input{
			Grain:      rapid.SampledFrom([]match.Grain{match.Day, match.Brand, match.BrandProduct, match.Slip}).Draw(t, "grain"),
			PerAccount: rapid.Bool().Draw(t, "per account"), Shift: rapid.IntRange(0, 10).Draw(t, "shift"), Calendar: c,
		}
		// Few days and few amounts, so that much collides.
		amount := func() ledger.Amount {
			return ledger.FromCents(rapid.SampledFrom([]int64{5000, 5000, 10000, 15000, 7, 123456}).Draw(t, "cents"))
		}
		// Around the end of a month, so that some matches lie in two.
		day := func() ledger.Date { return november(rapid.IntRange(-4, 7).Draw(t, "day")) }
		for n := range rapid.IntRange(0, 25).Draw(t, "items") {
			it := match.Item{Day: day(), Account: ledger.Account(1001 + n%2), Brand: []string{"visa", "elo"}[n%2], Product: []string{"credit", "debit"}[n/2%2], Count: 1, Amount: amount()}
			if n%5 == 0 {
				it.Brand, it.Product, it.Slip = match.SlipBrand, "", fmt.Sprint(n)
			}
			in.Items = append(in.Items, it)
		}
		for n := range rapid.IntRange(0, 25).Draw(t, "lines") {
			l := match.Line{Key: fmt.Sprint(n), Day: day(), Amount: amount()}
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				l.Amount = -l.Amount
			case 1:
				l.Brand = "visa"
			case 2:
				l.Brand, l.Product = "elo", "debit"
			}
			in.Lines = append(in.Lines, l)
		}
		for n := range rapid.IntRange(0, 5).Draw(t, "debits") {
			in.Debits = append(in.Debits, match.Debit{
				Key: fmt.Sprint(n), Name: []string{"rental", "fee"}[n%2], Known: n%3 == 0, Amount: amount(), Usable: ledger.Period{From: day(), To: november(30)},
			})
		}
		drawDecisions(t, &in)
		before := fmt.Sprint(in)
		r := match.Run(in)
		checkDecisions(t, &in, r)
		if fmt.Sprint(in) != before {
			t.Fatal("the input was changed")
		}
		checkConserved(t, r)
		checkBridge(t, in, r, r.Rows(match.Asked{Grace: 1, AsOf: november(18), Calendar: c, IsSettled: func(ledger.Period) bool { return true }}))
		want := tell(r, november(18), c)
		seed := rapid.Uint64().Draw(t, "order")
		shuffled := in
		shuffled.Items, shuffled.Lines, shuffled.Debits = shuffle(seed, in.Items), shuffle(seed, in.Lines), shuffle(seed, in.Debits)
		if d := cmp.Diff(want, tell(match.Run(shuffled), november(18), c)); d != "" {
			t.Fatalf("another order of the same:\n%s", d)
		}
	})
}

// drawDecisions lets a person match and take apart what the passes would match, or anything.
func drawDecisions(t *rapid.T, in *match.Input) {
	free := match.Run(*in)
	draw := func(name string) (all []match.Pairing) {
		for range rapid.IntRange(0, 3).Draw(t, name) {
			p := match.Pairing{Name: fmt.Sprint(name, len(all))}
			x := match.Match{}
			if n := len(free.Matches); n > 0 && rapid.Bool().Draw(t, "of the passes") {
				x = free.Matches[rapid.IntRange(0, n-1).Draw(t, "match")]
			} else if len(free.Groups) > 0 && len(free.Lines) > 0 {
				x.Groups = []int{rapid.IntRange(0, len(free.Groups)-1).Draw(t, "group")}
				x.Lines = []int{rapid.IntRange(0, len(free.Lines)-1).Draw(t, "line")}
			}
			for _, i := range x.Groups {
				p.Groups = append(p.Groups, free.Groups[i].Key)
			}
			for _, i := range x.Lines {
				p.Lines = append(p.Lines, free.Lines[i].Key)
			}
			for _, i := range x.Debits {
				p.Debits = append(p.Debits, free.Debits[i].Key)
			}
			s := free.Sums(&x)
			p.Expected, p.Difference = s.Expected, s.Difference()
			if rapid.IntRange(0, 4).Draw(t, "changed") == 0 {
				p.Expected++
			}
			if len(p.Groups) > 0 {
				all = append(all, p)
			}
		}
		return all
	}
	in.Given, in.Barred = draw("given"), draw("barred")
}

// checkDecisions holds the result against what people decided: each match of theirs is there as it is or void, and no pass joined what
// they took apart.
func checkDecisions(t *rapid.T, in *match.Input, r *match.Result) {
	sides := func(x *match.Match) (groups, lines []string) {
		for _, i := range x.Groups {
			groups = append(groups, r.Groups[i].Key)
		}
		for _, i := range x.Lines {
			lines = append(lines, r.Lines[i].Key)
		}
		slices.Sort(groups)
		slices.Sort(lines)
		return groups, lines
	}
	byPerson := 0
	for i := range r.Matches {
		x := &r.Matches[i]
		groups, lines := sides(x)
		is := func(p match.Pairing) bool {
			return slices.Equal(slices.Sorted(slices.Values(p.Groups)), groups) && slices.Equal(slices.Sorted(slices.Values(p.Lines)), lines)
		}
		switch {
		case x.Pass == 0 && !slices.ContainsFunc(in.Given, is):
			t.Fatalf("nobody matched %v with %v", groups, lines)
		case x.Pass == 0:
			byPerson++
		case slices.ContainsFunc(in.Barred, is):
			t.Fatalf("pass %d joins %v and %v, which a person took apart", x.Pass, groups, lines)
		}
	}
	if byPerson+len(r.Void) != len(in.Given) {
		t.Fatalf("of %d matches of people %d are there and %v void", len(in.Given), byPerson, r.Void)
	}
}

// checkBridge holds what was paid less what was booked against what the rows say of it, month by month: the residual is zero,
// and what months carry over to others comes to nothing.
func checkBridge(t interface{ Fatalf(string, ...any) }, in match.Input, r *match.Result, rows []match.Row) {
	paid, carried := ledger.Amount(0), ledger.Amount(0)
	for i := range in.Items {
		paid += in.Items[i].Amount
	}
	for i := range in.Lines {
		paid -= in.Lines[i].Amount
	}
	for _, m := range match.Bridge([]*match.Result{r}, [][]match.Row{rows}) {
		if m.Residual() != 0 {
			t.Fatalf("the lines leave %s of paid less booked in %s: %+v", m.Residual(), m.Month, m)
		}
		paid -= m.Received - m.Booked
		carried += m.Lines[match.BridgeOtherMonth]
	}
	if paid != 0 || carried != 0 {
		t.Fatalf("the months leave %s of paid less booked, and carry %s over to nobody", paid, carried)
	}
}

func shuffle[T any](seed uint64, of []T) []T {
	out := slices.Clone(of)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func checkConserved(t interface{ Fatalf(string, ...any) }, r *match.Result) {
	groups, lines, debits := make([]int, len(r.Groups)), make([]int, len(r.Lines)), make([]int, len(r.Debits))
	for n := range r.Matches {
		x := &r.Matches[n]
		count := func(what string, uses, of, matched []int) {
			for _, i := range of {
				if uses[i]++; uses[i] > 1 || matched[i] != n {
					t.Fatalf("%s %d is in match %d, and %d times in all", what, i, matched[i], uses[i])
				}
			}
		}
		count("group", groups, x.Groups, r.GroupMatch)
		count("line", lines, x.Lines, r.LineMatch)
		count("debit", debits, x.Debits, r.DebitMatch)
		s := r.Sums(x)
		if open := x.Pass == 0 || x.Pass == 8 && len(x.Lines) == 1 && len(x.Groups) == 1 || x.Returned; !open && s.Difference() != 0 && (len(x.Groups) > 0 || len(x.Debits) > 0) {
			t.Fatalf("match %+v does not close: %s", x, s.Difference())
		}
	}
	for _, side := range []struct{ matched, uses []int }{{r.GroupMatch, groups}, {r.LineMatch, lines}, {r.DebitMatch, debits}} {
		for i, n := range side.matched {
			if (n >= 0) != (side.uses[i] == 1) {
				t.Fatalf("place %d is in match %d and used %d times", i, n, side.uses[i])
			}
		}
	}
}

// TestUsedOnceAtScale: of 20,000 lines and as many groups, most of which come, some late, short or never, none is used twice, what is
// matched and what is left come to all there is, and the bridge of every month closes.
func TestUsedOnceAtScale(t *testing.T) {
	t.Parallel()
	in := worldOf(t, 20_000)
	r := match.Run(in)
	checkConserved(t, r)
	rows := r.Rows(match.Asked{Grace: 1, AsOf: ledger.NewDate(2024, 3, 1), Calendar: in.Calendar, IsSettled: func(ledger.Period) bool { return true }})
	checkBridge(t, in, r, rows)
	if len(r.Matches) < 18_000 || len(rows) < 20_000 {
		t.Errorf("%d matches, %d rows", len(r.Matches), len(rows))
	}
}

// TestForeignCreditsAreNotOurs: of a thousand credits that the payer owes to somebody else, half of them equal to some
// subset of the day's items, none is taken.
func TestForeignCreditsAreNotOurs(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2026, 11))
	in := match.Input{Grain: match.Day, Shift: 5, Calendar: newCalendar(t)}
	first := ledger.NewDate(2024, 1, 2)
	foreign := map[string]bool{}
	for n := range 1000 {
		day := first + ledger.Date(n)
		sum, subset := ledger.Amount(0), ledger.Amount(0)
		for i := range 18 {
			cents := ledger.FromCents(1 + r.Int64N(5500))
			in.Items = append(in.Items, match.Item{Day: day, Account: 1001, Brand: fmt.Sprint("b", i), Product: "credit", Count: 1, Amount: cents})
			sum += cents
			if i > 0 && r.IntN(2) == 0 {
				subset += cents
			}
		}
		if n%2 == 0 || subset == 0 {
			subset = ledger.FromCents(1 + r.Int64N(100_000))
		}
		key := fmt.Sprint("foreign ", n)
		foreign[key] = true
		in.Lines = append(in.Lines, match.Line{Key: fmt.Sprint("ours ", n), Day: day, Amount: sum}, match.Line{Key: key, Day: day, Amount: subset})
	}
	result := match.Run(in)
	for i := range result.Lines {
		if l := &result.Lines[i]; foreign[l.Key] == (result.LineMatch[i] >= 0) {
			t.Errorf("%s, %s of %s: in match %d", l.Key, l.Amount, l.Day, result.LineMatch[i])
		}
	}
}

// worldOf has n groups, each its own day and brand, and n lines: most come, some late, short, together or not at all.
func worldOf(b testing.TB, n int) match.Input {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	in := match.Input{Grain: match.BrandProduct, Shift: 5, Calendar: newCalendar(b)}
	first := ledger.NewDate(2020, 1, 1)
	for i := range n {
		day := first + ledger.Date(i*1500/n)
		amount := ledger.FromCents(100 + r.Int64N(10_000_000))
		in.Items = append(in.Items, match.Item{Day: day, Account: 1001, Brand: fmt.Sprint("b", i), Product: "credit", Count: 3, Amount: amount})
		switch r.IntN(20) {
		case 0:
			day += 2
		case 1:
			amount -= 100
		case 2:
			amount = ledger.FromCents(100 + r.Int64N(10_000_000))
		}
		in.Lines = append(in.Lines, match.Line{Key: fmt.Sprint(i), Day: day, Amount: amount})
	}
	return in
}

func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{20_000, 200_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := worldOf(b, n)
			before := processorTime(b)
			for b.Loop() {
				if r := match.Run(in); len(r.Matches) < n/2 {
					b.Fatal(len(r.Matches))
				}
			}
			used := processorTime(b) - before
			b.ReportMetric(float64(used.Nanoseconds())/float64(b.N)/float64(n), "cpu-ns/group") // a figure for people
		})
	}
}
