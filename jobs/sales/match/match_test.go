package match_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/sales/match"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// own is a payment written as SALE TIME AMOUNT MEMBER=VALUE….
func own(t testing.TB, text string) match.Own {
	t.Helper()
	f := strings.Fields(text)
	o := match.Own{Store: "centro", Payment: &ownsales.Payment{Sale: f[0], Number: 1, Method: ownsales.MethodCredit, Status: ownsales.StatusPaid, Timed: len(f[1]) > 10}}
	o.SoldAt, o.Amount = timeOf(t, f[1]), amountOf(t, f[2])
	for _, m := range f[3:] {
		name, value, _ := strings.Cut(m, "=")
		switch name {
		case "id":
			o.PaymentID = value
		case "ref":
			o.Reference = value
		case "nsu":
			o.NSU = value
		case "auth":
			o.Auth = value
		case "brand":
			o.Brand = value
		case "last4":
			o.Last4 = value
		case "n":
			_, _ = fmt.Sscan(value, &o.Installments)
		case "method":
			o.Method = ownsales.Method(value)
		case "slip":
			o.Method, o.SlipID = ownsales.MethodSlip, value
		case "number":
			o.Method, o.OurNumber = ownsales.MethodSlip, value
		}
	}
	return o
}

// sale is a sale of the service written alike; what is not said is a visa credit in one installment.
func sale(t testing.TB, text string) match.Sale {
	t.Helper()
	o := own(t, text)
	s := match.Sale{
		Key: ledger.SaleKey{Account: 1001, Day: o.Day(), NSU: o.NSU, Auth: o.Auth, Occurrence: 1}, SoldAt: o.SoldAt, Total: o.Amount, Installments: max(1, o.Installments),
		Brand: o.Brand, Reference: o.Reference, WebPaymentID: o.PaymentID, Last4: o.Last4, Product: ledger.Product(o.Method), Live: true,
	}
	if s.Brand == "" && o.Method != ownsales.MethodSlip {
		s.Brand = "visa"
	}
	s.Slip, s.OurNumber = o.SlipID, o.OurNumber
	return s
}

func timeOf(t testing.TB, s string) ledger.LocalTime {
	t.Helper()
	at, err := ledger.ParseLocalTime(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func amountOf(t testing.TB, s string) ledger.Amount {
	t.Helper()
	a, err := ledger.ParseAmount(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Each level, and what keeps a pair from being one.
func TestLevels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		own, sales []string
		want       string
	}{
		{"the id of a payment on the web", []string{"A 2026-11-03 10 id=W1"}, []string{"- 2026-11-09 99 id=W1"}, "0-0/1"},
		{"a reference, whatever the amount", []string{"A 2026-11-03 10 ref=P1"}, []string{"- 2026-11-03 11 ref=P1"}, "0-0/2"},
		{"two cards of one order, by amount", []string{"A 2026-11-03 10 ref=P1", "A 2026-11-03 20 ref=P1"}, []string{"- 2026-11-03 20 ref=P1", "- 2026-11-03 10 ref=P1"}, "0-1/2 1-0/2"},
		{"two cards of one order, one of which never arrived", []string{"A 2026-11-03 10 ref=P1", "A 2026-11-03 20 ref=P1"}, []string{"- 2026-11-03 20 ref=P1"}, "1-0/2 own 0"},
		{"NSU and authorization", []string{"A 2026-11-03 10 nsu=7 auth=A1B2"}, []string{"- 2026-11-03 11 nsu=7 auth=A1B2"}, "0-0/3"},
		{"zeros in front and small letters", []string{"A 2026-11-03 10 nsu=7 auth=a1b2"}, []string{"- 2026-11-03 10 nsu=0007 auth=0A1B2"}, "0-0/3"},
		{"as written before as read", []string{"A 2026-11-03 10 nsu=7 auth=A1B2", "B 2026-11-03 10 nsu=07 auth=A1B2"}, []string{"- 2026-11-03 10 nsu=07 auth=A1B2", "- 2026-11-03 10 nsu=7 auth=A1B2"}, "0-1/3 1-0/3"},
		{"authorization and amount", []string{"A 2026-11-03 10 auth=A1"}, []string{"- 2026-11-03 10 nsu=9 auth=A1"}, "0-0/4"},
		{"NSU and amount", []string{"A 2026-11-03 10 nsu=9"}, []string{"- 2026-11-03 10 nsu=9 auth=A1"}, "0-0/5"},
		{"authorization of four characters", []string{"A 2026-11-03 10 auth=A1B2"}, []string{"- 2026-11-03 11 nsu=9 auth=A1B2"}, "0-0/6"},
		{"authorization of three", []string{"A 2026-11-03 10 auth=A1B"}, []string{"- 2026-11-03 11 nsu=9 auth=A1B"}, "own 0 sale 0"},
		{"two payments with an authorization, one sale of another amount", []string{"A 2026-11-03 10 auth=A1B2", "B 2026-11-03 20 auth=A1B2"}, []string{"- 2026-11-03 11 nsu=9 auth=A1B2"}, "own 0 own 1 sale 0"},
		{"amount and day alone", []string{"A 2026-11-03 10"}, []string{"- 2026-11-04 10 nsu=9 auth=A1"}, "0-0/7"},
		{"amount, two days apart", []string{"A 2026-11-03 10"}, []string{"- 2026-11-05 10"}, "own 0 sale 0"},
		{"amount, another number of installments", []string{"A 2026-11-03 10 n=2"}, []string{"- 2026-11-03 10 n=3"}, "own 0 sale 0"},
		{"amount, another product", []string{"A 2026-11-03 10 method=debit"}, []string{"- 2026-11-03 10"}, "own 0 sale 0"},
		{"amount, another authorization", []string{"A 2026-11-03 10 auth=Z9Z9"}, []string{"- 2026-11-03 10 nsu=1 auth=A1B2"}, "own 0 sale 0"},
		{"amount, another card", []string{"A 2026-11-03 10 last4=1111"}, []string{"- 2026-11-03 10 last4=2222"}, "own 0 sale 0"},
		{"authorization and amount, another brand", []string{"A 2026-11-03 10 auth=A1B2 brand=elo"}, []string{"- 2026-11-03 10 auth=A1B2"}, "own 0 sale 0"},
		{"equal amounts, two and one", []string{"A 2026-11-03 10", "B 2026-11-03 10"}, []string{"- 2026-11-03 10"}, "own 0 own 1 sale 0"},
		{"equal amounts, one of which tells its brand", []string{"A 2026-11-03 10 brand=visa", "B 2026-11-03 10"}, []string{"- 2026-11-03 10"}, "own 0 own 1 sale 0"},
		{"told twice", []string{"B 2026-11-03 10 nsu=7 auth=A1B2", "A 2026-11-03 10 nsu=7 auth=A1B2"}, []string{"- 2026-11-03 10 nsu=7 auth=A1B2"}, "1-0/3 twin 0-0"},
		{"one key, two sales", []string{"A 2026-11-03 10 id=W1"}, []string{"- 2026-11-03 10 id=W1", "- 2026-11-03 10 id=W1"}, "own 0 sale 0 sale 1"},
		{"shortly before midnight here, shortly after there", []string{"A 2026-11-03T23:30:00 10 nsu=7 auth=A1B2"}, []string{"- 2026-11-04T00:10:00 10 nsu=7 auth=A1B2"}, "0-0/3"},
		{"a day alone here, shortly after midnight there", []string{"A 2026-11-03 10 nsu=7 auth=A1B2"}, []string{"- 2026-11-04T00:10:00 10 nsu=7 auth=A1B2"}, "0-0/3"},
		{"a slip by its id, whatever the amount", []string{"A 2026-11-03 10 slip=AB-1"}, []string{"- 2026-11-09 99 slip=ab-1"}, "0-0/1"},
		{"a slip by its number at the bank", []string{"A 2026-11-03 10 number=771"}, []string{"- 2026-11-03 10 slip=ab-1 number=771"}, "0-0/2"},
		{"a slip by its reference", []string{"A 2026-11-03 10 method=slip ref=F1"}, []string{"- 2026-11-03 10 slip=ab-1 ref=F1"}, "0-0/2"},
		{"two slips of one reference, by amount", []string{"A 2026-11-03 10 method=slip ref=F1", "B 2026-11-03 20 method=slip ref=F1"}, []string{"- 2026-11-03 20 slip=ab-1 ref=F1", "- 2026-11-03 10 slip=ab-2 ref=F1"}, "0-1/2 1-0/2"},
		{"a slip that nothing names", []string{"A 2026-11-03 10 method=slip"}, []string{"- 2026-11-03 10 slip=ab-1"}, "own 0 sale 0"},
		{"a slip told twice", []string{"A 2026-11-03 10 slip=ab-1", "B 2026-11-03 10 slip=ab-1"}, []string{"- 2026-11-03 10 slip=ab-1"}, "0-0/1 twin 1-0"},
		{"a slip with a card's reference", []string{"A 2026-11-03 10 method=slip ref=P1"}, []string{"- 2026-11-03 10 ref=P1"}, "own 0 sale 0"},
		{"three hours after midnight", []string{"A 2026-11-03T12:00:00 11 nsu=7 auth=A1B2"}, []string{"- 2026-11-04T03:00:00 10 nsu=7 auth=A1B2"}, "own 0 sale 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var o []match.Own
			var s []match.Sale
			for _, x := range c.own {
				o = append(o, own(t, x))
			}
			for _, x := range c.sales {
				s = append(s, sale(t, x))
			}
			if got := tell(match.Match(o, s)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func tell(r match.Result) string {
	var out []string
	for _, p := range r.Pairs {
		out = append(out, fmt.Sprintf("%d-%d/%d", p.Own, p.Sale, p.Level))
	}
	for _, p := range r.Duplicated {
		out = append(out, fmt.Sprintf("twin %d-%d", p.Own, p.Sale))
	}
	for _, i := range r.LeftOwn {
		out = append(out, fmt.Sprint("own ", i))
	}
	for _, i := range r.LeftSales {
		out = append(out, fmt.Sprint("sale ", i))
	}
	return strings.Join(out, " ")
}

// randomWorld are payments and sales of few days, amounts and codes, so that keys collide.
func randomWorld(r *rand.Rand) (o []match.Own, s []match.Sale) {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	for i := range 5 + r.IntN(40) {
		at := ledger.StartOf(ledger.NewDate(2026, 11, 1+r.IntN(4))) + ledger.LocalTime(r.IntN(24))*36_000_000_000
		amount := ledger.FromCents(int64(1 + r.IntN(6)))
		id, ref, nsu, auth := pick("", "", "w1", "w2"), pick("", "", "p1", "p2", "p3"), pick("", "1", "01", "2", "3"), pick("", "A1B2", "a1b2", "Z9Z9", "X")
		if r.IntN(3) > 0 {
			o = append(o, match.Own{Store: "s", Payment: &ownsales.Payment{
				Sale: fmt.Sprintf("P%02d", i), Number: 1, SoldAt: at, Timed: true, Amount: amount, Method: ownsales.MethodCredit, Status: ownsales.StatusPaid,
				PaymentID: id, Reference: ref, NSU: nsu, Auth: auth, Brand: pick("", "visa", "elo"), Installments: r.IntN(3), Last4: pick("", "1111", "2222"),
			}})
		}
		if r.IntN(3) > 0 {
			s = append(s, match.Sale{
				Key: ledger.SaleKey{Account: 1001, Day: at.Date(), NSU: nsu, Auth: auth, Occurrence: i + 1}, SoldAt: at, Total: amount, Installments: 1 + r.IntN(2),
				Brand: pick("visa", "elo"), Reference: ref, WebPaymentID: id, Product: ledger.Credit, Last4: pick("", "1111"), Live: true,
			})
		}
	}
	return o, s
}

// Whatever the rows and their order: each row is in exactly one place, and the pairs are the same.
func TestNothingIsUsedTwice(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 5))
	for n := range 400 {
		o, s := randomWorld(r)
		got := match.Match(o, s)
		usedOwn, usedSale := make([]int, len(o)), make([]int, len(s))
		for _, p := range got.Pairs {
			usedOwn[p.Own]++
			usedSale[p.Sale]++
		}
		for _, p := range got.Duplicated {
			usedOwn[p.Own]++
		}
		for _, i := range got.LeftOwn {
			usedOwn[i]++
		}
		for _, i := range got.LeftSales {
			usedSale[i]++
		}
		if slices.ContainsFunc(slices.Concat(usedOwn, usedSale), func(n int) bool { return n != 1 }) {
			t.Fatalf("world %d: a row is in no place or in two: %v %v", n, usedOwn, usedSale)
		}
		before := named(o, s, got)
		r.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
		r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		if diff := cmp.Diff(before, named(o, s, match.Match(o, s))); diff != "" {
			t.Fatalf("world %d in another order:\n%s", n, diff)
		}
	}
}

// named are the pairs by the names of their rows.
func named(o []match.Own, s []match.Sale, r match.Result) (out []string) {
	for _, p := range r.Pairs {
		out = append(out, fmt.Sprint(o[p.Own].Sale, " ", s[p.Sale].Key.Occurrence, " ", p.Level))
	}
	for _, p := range r.Duplicated {
		out = append(out, fmt.Sprint(o[p.Own].Sale, " twin ", s[p.Sale].Key.Occurrence))
	}
	slices.Sort(out)
	return out
}

// Equal amounts of which nothing else is known never match, however many there are on either side.
func TestEqualAmountsNeverMatch(t *testing.T) {
	t.Parallel()
	for n := 2; n < 20; n++ {
		var o []match.Own
		var s []match.Sale
		for i := range n {
			o = append(o, own(t, fmt.Sprintf("P%d 2026-11-03 10", i)))
			s = append(s, sale(t, "- 2026-11-03 10"))
		}
		if got := match.Match(o, s); len(got.Pairs)+len(got.Duplicated) != 0 {
			t.Errorf("%d: %+v", n, got)
		}
	}
}

// BenchmarkMatch matches as many payments with as many sales: a tenth by each level, the rest by NSU and authorization. The goal is a million in
// five seconds, and at most 2.2 times as long for twice as many.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{500_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var o []match.Own
			var s []match.Sale
			first := ledger.StartOf(ledger.NewDate(2026, 1, 1))
			for i := range n {
				at := first + ledger.LocalTime(i)*60_000_000
				p := &ownsales.Payment{Sale: fmt.Sprint("P", i), Number: 1, SoldAt: at, Timed: true, Amount: ledger.FromCents(int64(i)), Method: ownsales.MethodCredit, NSU: fmt.Sprint(i), Auth: fmt.Sprintf("A%07d", i)}
				q := match.Sale{Key: ledger.SaleKey{Account: 1001, NSU: fmt.Sprintf("%012d", i), Auth: p.Auth, Occurrence: 1}, SoldAt: at, Total: p.Amount, Product: ledger.Credit, Installments: 1, Live: true}
				switch i % 10 {
				case 1:
					p.Auth = ""
				case 2:
					p.NSU = ""
				case 3:
					p.NSU, p.Auth = "", ""
				}
				o, s = append(o, match.Own{Payment: p}), append(s, q)
			}
			for b.Loop() {
				if r := match.Match(o, s); len(r.Pairs) != n {
					b.Fatalf("%d pairs", len(r.Pairs))
				}
			}
		})
	}
}
