package world_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
)

func TestEqualOptionsGiveEqualWorlds(t *testing.T) {
	t.Parallel()
	o := world.Options{Seed: 7, Plant: true}
	a, b := everything(draw(t, o)), everything(draw(t, o))
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("two worlds of one seed differ (-first +second):\n%s", diff)
	}
	o.Seed = 8
	if other := everything(draw(t, o)); other == a {
		t.Error("another seed gives the same world")
	}
}

func TestALongerRangeKeepsTheDaysItShares(t *testing.T) {
	t.Parallel()
	asOf := date(t, "2026-11-18")
	short := draw(t, world.Options{Seed: 3, AsOf: asOf, Days: 20})
	long := draw(t, world.Options{Seed: 3, AsOf: asOf, From: asOf - 40, To: asOf + 10})
	from, to := asOf-20, asOf-1
	for _, a := range short.Accounts() {
		x, y := slices.Collect(short.Installments(a.Number, from, to)), slices.Collect(long.Installments(a.Number, from, to))
		if diff := cmp.Diff(x, y); diff != "" {
			t.Errorf("account %d: shared days differ (-short +long):\n%s", a.Number, diff)
		}
	}
}

// TestMoreAccountsKeepTheOnesThereWere: --accounts 6 shows the same first two shops as 2 does.
func TestMoreAccountsKeepTheOnesThereWere(t *testing.T) {
	t.Parallel()
	two := draw(t, world.Options{Seed: 3, Days: 20})
	six := draw(t, world.Options{Seed: 3, Days: 20, Accounts: world.Shops(6)})
	if n := len(six.Accounts()); n != 6 {
		t.Fatalf("%d accounts", n)
	}
	numbers := map[int64]bool{}
	for i, a := range six.Accounts() {
		numbers[a.Number] = true
		rows := slices.Collect(six.Installments(a.Number, 1, six.AsOf()))
		if len(rows) < 20*16 || a.Splits != (i%2 == 1) {
			t.Errorf("%+v: %d installments", a, len(rows))
		}
		if i >= 2 {
			continue
		}
		if diff := cmp.Diff(slices.Collect(two.Installments(a.Number, 1, two.AsOf())), rows); diff != "" {
			t.Errorf("account %d: differs beside five others (-two +six):\n%s", a.Number, diff)
		}
	}
	if len(numbers) != 6 {
		t.Errorf("numbers: %v", numbers)
	}
}

// TestCancelledSlips: in a planted world a slip of each account is cancelled every six weeks and paid afterwards, and
// what it was otherwise it still is; in a clean one none is.
func TestCancelledSlips(t *testing.T) {
	t.Parallel()
	planted, clean := draw(t, world.Options{Seed: 1, Plant: true}), draw(t, world.Options{Seed: 1})
	codes := map[string]string{}
	for _, p := range planted.Planted() {
		codes[p.Subject] += p.Code
	}
	for _, a := range planted.Accounts() {
		cancelled := 0
		for s := range planted.Slips(a.Number, world.ByCredit, 1, planted.AsOf()) {
			if s.CancelledOn == 0 {
				continue
			}
			cancelled++
			if s.CancelledOn <= s.Issue || s.CancelledOn >= s.PaidOn || s.CancelReason == "" {
				t.Errorf("%s: issued %s, cancelled %s for %q, paid %s", s.ID, s.Issue, s.CancelledOn, s.CancelReason, s.PaidOn)
			}
			if code := codes[fmt.Sprintf("slip:%d:%s", a.Number, s.ID)]; code != "SLIP_CANCELLED_BUT_PAID" {
				t.Errorf("%s: planted as %q", s.ID, code)
			}
			before, ok := clean.Slip(a.Number, s.ID)
			s.CancelledOn, s.CancelReason = 0, ""
			if diff := cmp.Diff(before, s); !ok || diff != "" {
				t.Errorf("%s: more than its cancellation changed (-clean +planted):\n%s", s.ID, diff)
			}
		}
		if cancelled < 1 || cancelled > 2 {
			t.Errorf("account %d: %d cancelled slips in 60 days", a.Number, cancelled)
		}
		for s := range clean.Slips(a.Number, world.ByDue, 1, clean.AsOf()+100) {
			if s.CancelledOn != 0 {
				t.Errorf("%s: cancelled in a clean world", s.ID)
			}
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why      string
		o        world.Options
		min, max int
	}{
		{"the default world is about 2,000 installments", world.Options{}, 1800, 2200},
		{"half the days give half of them", world.Options{Days: 30}, 900, 1100},
		{"a target is met", world.Options{Installments: 20_000}, 18_500, 21_500},
		{"one day still has a handful for each account", world.Options{Days: 1}, 30, 40},
	} {
		w := draw(t, c.o)
		n := 0
		for _, a := range w.Accounts() {
			n += len(slices.Collect(w.Installments(a.Number, 1, w.AsOf())))
		}
		if n < c.min || n > c.max {
			t.Errorf("%s: got %d, want %d to %d", c.why, n, c.min, c.max)
		}
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for why, o := range map[string]world.Options{
		"more days than ten years":  {Days: 5000},
		"a range that ends early":   {From: 20000, To: 19000},
		"an account twice":          {Accounts: []world.Account{{Number: 1}, {Number: 1}}},
		"an account number of zero": {Accounts: []world.Account{{Name: "x"}}},
		"a negative target":         {Installments: -1},
		"negative slips":            {SlipsPerDay: -1},
	} {
		if _, err := world.New(o); err == nil {
			t.Errorf("%s: no error", why)
		}
	}
}

func TestCleanWorldAddsUp(t *testing.T) {
	t.Parallel()
	w := draw(t, world.Options{Seed: 1})
	kinds := map[string]int{}
	for _, a := range w.Accounts() {
		sums := map[string]world.Money{}
		last := map[string]world.Installment{}
		for i := range w.Installments(a.Number, 1, w.AsOf()) {
			key := i.Moment.String() + i.NSU + i.CodAuth
			sums[key] += i.Gross
			last[key] = i
			kinds[i.CardType+" "+i.Status+" "+i.ReceivedType]++
			if i.Status == "Paid" && i.Received != i.Net() {
				t.Fatalf("%s/%d: received %s, net %s", key, i.Number, i.Received.Fixed(), i.Net().Fixed())
			}
			if i.Status != "Paid" && (i.Received != 0 || i.Effective != 0) {
				t.Fatalf("%s/%d: %s and received", key, i.Number, i.Status)
			}
			if live := i.Status != "Canceled"; a.Splits && live != (len(i.Splits) == 1) || !a.Splits && len(i.Splits) > 0 {
				t.Fatalf("%s/%d: %d splits", key, i.Number, len(i.Splits))
			}
		}
		for key, i := range last {
			if sums[key] != i.Total || i.Number != i.Count {
				t.Errorf("sale %s: installments sum to %s, total %s; last is %d of %d", key, sums[key].Fixed(), i.Total.Fixed(), i.Number, i.Count)
			}
		}
	}
	for _, want := range []string{"CREDIT Paid Normal", "CREDIT Paid Anticipated", "CREDIT Authorized Normal", "CREDIT Canceled Normal", "CREDIT Blocked Normal", "DEBIT Paid Normal"} {
		if kinds[want] == 0 {
			t.Errorf("no record is %q; there are %v", want, kinds)
		}
	}
}

func TestTheClockPaysWhatFallsDue(t *testing.T) {
	t.Parallel()
	w := draw(t, world.Options{Seed: 1})
	asOf := w.AsOf()
	before := slices.Collect(w.Installments(1001, 1, asOf))
	w.SetNow(asOf.At(6*3600).AddDate(0, 0, 10))
	after := slices.Collect(w.Installments(1001, 1, asOf))
	paid := 0
	for i := range before {
		due := before[i].ReceivedStatus == "Pending" && before[i].Status == "Authorized" && before[i].Forecast < asOf+10
		if due && after[i].Status != "Paid" {
			t.Errorf("%s/%d was due on %s and is still %s", before[i].NSU, before[i].Number, before[i].Forecast, after[i].Status)
		}
		if due {
			paid++
		}
		if before[i].Status == "Paid" && !cmp.Equal(before[i], after[i]) {
			t.Errorf("%s/%d changed after it was paid", before[i].NSU, before[i].Number)
		}
	}
	if paid == 0 {
		t.Error("nothing fell due in ten days")
	}
	w.SetNow(asOf.At(6 * 3600))
	if diff := cmp.Diff(before, slices.Collect(w.Installments(1001, 1, asOf))); diff != "" {
		t.Errorf("moving the clock back does not bring the old records back:\n%s", diff)
	}
}

func TestSalesAppearAsTheyHappen(t *testing.T) {
	t.Parallel()
	w := draw(t, world.Options{Seed: 1, To: date(t, "2026-11-25"), AsOf: date(t, "2026-11-18")})
	tomorrow := w.AsOf() + 1
	if n := len(slices.Collect(w.Installments(1001, tomorrow, tomorrow))); n != 0 {
		t.Errorf("%d installments of tomorrow are there already", n)
	}
	w.SetNow(tomorrow.At(24 * 3600))
	if n := len(slices.Collect(w.Installments(1001, tomorrow, tomorrow))); n == 0 {
		t.Error("a finished day has no sales")
	}
}

// everything prints all a world shows as of its date.
func everything(w *world.World) string {
	var out []byte
	for _, a := range w.Accounts() {
		for i := range w.Installments(a.Number, 1, w.AsOf()) {
			out = fmt.Appendf(out, "%+v\n", i)
		}
		for s := range w.Slips(a.Number, world.ByDue, 1, w.AsOf()+100) {
			out = fmt.Appendf(out, "%+v\n", s)
		}
	}
	return string(fmt.Appendf(out, "%+v\n", w.Planted()))
}

func draw(t *testing.T, o world.Options) *world.World {
	t.Helper()
	w, err := world.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func date(t *testing.T, s string) world.Date {
	t.Helper()
	d, err := world.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
