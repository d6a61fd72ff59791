package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/store"
	"concilia/store/ledger"
)

type count struct{ new, changed, same, vanished int64 }

func counts(c ledger.Counts) count { return count{c.New, c.Changed, c.Same, c.Vanished} }

func mergeInstallments(t *testing.T, open func(*testing.T) *store.Ledger) {
	t.Run("new rows come back as they were sent", func(t *testing.T) {
		n := begin(t, open(t))
		sent := []ledger.Installment{row(day(1), "7", 1, 2), received(row(day(1), "7", 2, 2), 9766*ledger.Cent), {
			Account: account, SoldAt: at(day(1), 3), NSU: "8:%", Number: 0, Count: 0, Gross: -1, CardClear: true,
			Splits: []ledger.Split{{}, {Beneficiary: "<&\"é", Base: ledger.Some(ledger.Amount(0))}},
		}}
		equal(t, "counts", counts(n.merge(day(1), day(1), sent...)), count{new: 3})
		var got []ledger.Installment
		for _, s := range n.sales() {
			equal(t, "complete", s.Complete, true)
			for _, h := range s.Rows {
				v := h.Current()
				equal(t, "content", v.Content, v.ContentHash())
				equal(t, "first pull", v.FirstPull+v.LastPull, "pull-0001pull-0001")
				equal(t, "dates", [3]ledger.Date{v.FirstSeen, v.LastChanged, v.PulledOn}, [3]ledger.Date{day(20), day(20), day(20)})
				i := v.Installment
				equal(t, "occurrence", i.Occurrence, 1)
				i.Occurrence = 0
				got = append(got, i)
			}
		}
		if d := cmp.Diff(sent, got); d != "" {
			t.Error(d)
		}
	})
	t.Run("the same answer again changes nothing", func(t *testing.T) {
		n := begin(t, open(t))
		rows := []ledger.Installment{row(day(1), "7", 1, 2), row(day(1), "7", 2, 2), row(day(1), "9", 1, 1)}
		n.merge(day(1), day(1), rows...)
		before := n.sales()
		slices.Reverse(rows)
		equal(t, "counts", counts(n.merge(day(1), day(1), rows...)), count{same: 3})
		after := n.sales()
		for _, s := range after {
			for _, h := range s.Rows {
				equal(t, "last pull", h.Current().LastPull, "pull-0002")
				h.Current().LastPull = "pull-0001"
			}
		}
		if d := cmp.Diff(before, after); d != "" {
			t.Error(d)
		}
	})
	t.Run("a row that differs is the next version", func(t *testing.T) {
		n := begin(t, open(t))
		first := row(day(1), "7", 1, 1)
		n.merge(day(1), day(1), first)
		n.asOf++
		equal(t, "counts", counts(n.merge(day(1), day(1), received(first, 1))), count{changed: 1})
		h := n.sales()[0].Rows[0]
		equal(t, "versions", len(h), 2)
		equal(t, "received before", h[0].Received.OK, false)
		equal(t, "received now", h[1].Received, ledger.Some(ledger.Amount(1)))
		equal(t, "version", h[1].Version, 2)
		equal(t, "first seen", h[1].FirstSeen, day(20))
		equal(t, "last changed", h[1].LastChanged, day(21))
		equal(t, "last pull of the first", h[0].LastPull, "pull-0001")
	})
	t.Run("what a complete pull misses is vanished, and comes back as a version", func(t *testing.T) {
		n := begin(t, open(t))
		a, b := row(day(1), "7", 1, 1), row(day(1), "8", 1, 1)
		n.merge(day(1), day(1), a, b)
		equal(t, "counts", counts(n.merge(day(1), day(1), a)), count{same: 1, vanished: 1})
		equal(t, "sales", len(n.sales()), 1)
		gone := ""
		ok(t, n.l.VanishedInstallments(t.Context(), account, func(v *ledger.InstallmentVersion, _ ledger.Date) error {
			gone += v.NSU + " last in " + v.LastPull
			return nil
		}))
		equal(t, "vanished", gone, "8 last in pull-0001")
		equal(t, "again", counts(n.merge(day(1), day(1), a)), count{same: 1})
		equal(t, "back", counts(n.merge(day(1), day(1), a, b)), count{same: 1, changed: 1})
		sales := n.sales()
		equal(t, "sales", len(sales), 2)
		h := sales[1].Rows[0]
		equal(t, "versions", len(h), 2)
		equal(t, "the gap begins", h[0].LastPull, "pull-0001")
		equal(t, "the gap ends", h[1].FirstPull, "pull-0004")
		equal(t, "vanished", h[0].Vanished || h[1].Vanished, false)
		equal(t, "and stays", counts(n.merge(day(1), day(1), a, b)), count{same: 2})
	})
	t.Run("an incomplete pull lets nothing vanish", func(t *testing.T) {
		n := begin(t, open(t))
		n.merge(day(1), day(1), row(day(1), "7", 1, 1))
		p := n.pull(ledger.Cards, day(1), day(1))
		p.Complete, p.Failure = false, "cut short"
		ok(t, n.l.MergeInstallments(t.Context(), p, nil, nil))
		equal(t, "vanished", p.Counts.Vanished, 0)
		equal(t, "sales", len(n.sales()), 1)
	})
	t.Run("a row outside the window is kept and neither vanishes nor lets vanish", func(t *testing.T) {
		n := begin(t, open(t))
		n.merge(day(2), day(2), row(day(2), "7", 1, 1))
		leak := row(day(2), "8", 1, 1)
		equal(t, "leak", counts(n.merge(day(1), day(1), leak)), count{new: 1})
		equal(t, "its own day does not show it", counts(n.merge(day(2), day(2), row(day(2), "7", 1, 1))), count{same: 1})
		equal(t, "its own day shows it", counts(n.merge(day(2), day(2), row(day(2), "7", 1, 1), leak)), count{same: 2})
		equal(t, "and then does not", counts(n.merge(day(2), day(2), row(day(2), "7", 1, 1))), count{same: 1, vanished: 1})
	})
	t.Run("a cancelled merge leaves nothing", func(t *testing.T) {
		n := begin(t, open(t))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		p := n.pull(ledger.Cards, day(1), day(1))
		if err := n.l.MergeInstallments(ctx, p, []ledger.Installment{row(day(1), "7", 1, 1)}, nil); err == nil {
			t.Fatal("no error")
		}
		equal(t, "sales", len(n.sales()), 0)
		equal(t, "counts", counts(p.Counts), count{})
		ok(t, n.l.MergeInstallments(t.Context(), p, []ledger.Installment{row(day(1), "7", 1, 1)}, nil))
	})
	t.Run("a merge that fails at its end leaves nothing", func(t *testing.T) {
		n := begin(t, open(t))
		n.merge(day(1), day(1), row(day(1), "7", 1, 1))
		p := n.pull(ledger.Cards, day(1), day(1))
		p.ID = "pull-0001" // the pull's own row, written last, is there already
		err := n.l.MergeInstallments(t.Context(), p, []ledger.Installment{row(day(1), "9", 1, 1)}, nil)
		if err == nil {
			t.Fatal("no error")
		}
		equal(t, "NSU", n.sales()[0].Key.NSU, "7")
		equal(t, "sales", len(n.sales()), 1)
	})
}

// places returns where each row is: per sale its occurrence, and the rows as number~occurrence=gross in cents.
func (n *night) places() string {
	var b strings.Builder
	for _, s := range n.sales() {
		if b.Len() > 0 {
			b.WriteString(" | ")
		}
		fmt.Fprintf(&b, "%d:", s.Key.Occurrence)
		for _, h := range s.Rows {
			k := h.Current().Key()
			fmt.Fprintf(&b, " %d~%d=%d", k.Number, k.Occurrence, h.Current().Gross/ledger.Cent)
		}
	}
	return b.String()
}

// terminal sells the row at another terminal, which makes it another sale where numbers repeat.
func terminal(i ledger.Installment, name string, gross ledger.Amount) ledger.Installment {
	i.Terminal, i.Gross = name, gross*ledger.Cent
	return i
}

func occurrences(t *testing.T, open func(*testing.T) *store.Ledger) {
	one, two := row(day(1), "7", 1, 2), row(day(1), "7", 2, 2)
	a1, a2 := terminal(one, "A", 11), terminal(two, "A", 12)
	b1, b2 := terminal(one, "B", 21), terminal(two, "B", 22)
	paid := func(i ledger.Installment) ledger.Installment { return received(i, 1) }
	for _, c := range []struct {
		name   string
		nights [][]ledger.Installment
		want   string
	}{
		{
			"two terminals with the same numbers are two sales",
			[][]ledger.Installment{{b2, a1, b1, a2}},
			"1: 1~1=11 2~1=12 | 2: 1~2=21 2~2=22",
		},
		{
			"different terminals without a repeated number are one sale",
			[][]ledger.Installment{{a1, b2}},
			"1: 1~1=11 2~1=22",
		},
		{
			"identical twins both live, in one sale",
			[][]ledger.Installment{{a1, a1}, {a1, a1}},
			"1: 1~1=11 1~2=11",
		},
		{"one of identical twins goes", [][]ledger.Installment{{a1, a1}, {a1}}, "1: 1~1=11"},
		{
			"a twin that is paid does not change places",
			[][]ledger.Installment{{a1, b1}, {paid(a1), b1}},
			"1: 1~1=11 | 2: 1~2=21",
		},
		{
			"nor do both when both are paid, whatever the order",
			[][]ledger.Installment{{a1, b1}, {paid(b1), paid(a1)}},
			"1: 1~1=11 | 2: 1~2=21",
		},
		{
			"the second twin stays the second when the first is gone",
			[][]ledger.Installment{{a1, b1}, {paid(b1)}},
			"2: 1~2=21",
		},
		{
			"a twin that comes later takes the next number even if it sorts first",
			[][]ledger.Installment{{b1, b2}, {a1, b1, a2, b2}},
			"1: 1~1=21 2~1=22 | 2: 1~2=11 2~2=12",
		},
		{
			"a repeated number nothing tells apart stays in its sale",
			[][]ledger.Installment{{a1, a2, terminal(one, "A", 13)}},
			"1: 1~1=11 1~2=13 2~1=12",
		},
		{
			"and keeps clear of a second sale",
			[][]ledger.Installment{{a1, a2, terminal(one, "A", 13), b1, b2}},
			"1: 1~1=11 1~3=13 2~1=12 | 2: 1~2=21 2~2=22",
		},
		{"and keeps its place when it is paid", [][]ledger.Installment{
			{a1, a2, terminal(one, "A", 13), b1, b2}, {a1, a2, paid(terminal(one, "A", 13)), b1, b2},
		}, "1: 1~1=11 1~3=13 2~1=12 | 2: 1~2=21 2~2=22"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := begin(t, open(t))
			for _, rows := range c.nights {
				n.merge(day(1), day(1), rows...)
			}
			equal(t, "places", n.places(), c.want)
			last := slices.Clone(c.nights[len(c.nights)-1])
			slices.Reverse(last)
			equal(t, "again, in another order", counts(n.merge(day(1), day(1), last...)), count{same: int64(len(last))})
			equal(t, "places", n.places(), c.want)
		})
	}
}

// fingerprint returns what is current in the ledger and what was before it, by content and not by how it came.
func (n *night) fingerprint() string {
	h := sha256.New()
	for _, s := range n.sales() {
		fmt.Fprintln(h, s.Key.Subject(), s.Complete)
		for _, r := range s.Rows {
			for i := range r {
				fmt.Fprintf(h, "%s %x %d\n", r[i].Key().Subject(), r[i].Content, r[i].Version)
			}
		}
	}
	ok(n.t, n.l.VanishedInstallments(n.t.Context(), n.account, func(v *ledger.InstallmentVersion, _ ledger.Date) error {
		fmt.Fprintf(h, "gone %s %x %d\n", v.Key().Subject(), v.Content, v.Version)
		return nil
	}))
	bad, err := n.l.QuarantinedRows(n.t.Context(), n.account)
	ok(n.t, err)
	for _, q := range bad {
		fmt.Fprintln(h, "unreadable", q.Day, q.Hash)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// windowsInAnyOrder: the pieces of a period, cut anywhere, asked in any order and any number of times, give the ledger
// of the whole, its history and its unreadable rows.
func windowsInAnyOrder(t *testing.T, open func(*testing.T) *store.Ledger) {
	const days = 6
	one, other, try := open(t), open(t), account
	property(t, func(r *rapid.T) {
		try++
		whole, pieces := beginOn(t, one, try), beginOn(t, other, try)
		for range 3 {
			rows, bad := drawRows(r, days), drawUnreadable(r, days)
			whole.mergeAll(day(1), day(days), rows, bad)
			windows := drawWindows(r, days)
			again := rapid.SliceOfN(rapid.SampledFrom(windows), 0, 2).Draw(r, "asked again")
			for _, w := range append(windows, again...) {
				var mine []ledger.Installment
				for i := range rows {
					if w.Contains(rows[i].SoldAt.Date()) {
						mine = append(mine, rows[i])
					}
				}
				var unread []ledger.Quarantined
				for _, q := range bad {
					if w.Contains(q.Day) {
						unread = append(unread, q)
					}
				}
				pieces.mergeAll(w.From, w.To, rapid.Permutation(mine).Draw(r, "rows"), unread)
			}
			if a, b := whole.fingerprint(), pieces.fingerprint(); a != b {
				r.Fatalf("whole:\n%s\npieces:\n%s", whole.places(), pieces.places())
			}
		}
	})
}

// mergeAll merges an answer with rows that could not be read.
func (n *night) mergeAll(from, to ledger.Date, rows []ledger.Installment, bad []ledger.Quarantined) {
	n.t.Helper()
	rows, bad = slices.Clone(rows), slices.Clone(bad)
	for i := range rows {
		rows[i].Account = n.account
	}
	for i := range bad {
		bad[i].Account = n.account
		bad[i].Key.Account = n.account
	}
	ok(n.t, n.l.MergeInstallments(n.t.Context(), n.pull(ledger.Cards, from, to), rows, bad))
}

// drawUnreadable draws rows that could not be read, some by a key that a readable row has, too.
func drawUnreadable(r *rapid.T, days int) []ledger.Quarantined {
	return rapid.SliceOfNDistinct(rapid.Custom(func(r *rapid.T) ledger.Quarantined {
		i := row(day(rapid.IntRange(1, days).Draw(r, "bad day")), rapid.SampledFrom([]string{"1", "2", "3"}).Draw(r, "bad nsu"), 1, 3)
		body := []byte(i.SoldAt.Date().String() + i.NSU)
		sum := sha256.Sum256(body)
		return ledger.Quarantined{
			Source: ledger.Cards, Day: i.SoldAt.Date(), Hash: fmt.Sprintf("%x", sum), Body: body, Reason: "gross",
			KeyRead: true, Key: i.Key(),
		}
	}), 0, 2, func(q ledger.Quarantined) string { return q.Hash }).Draw(r, "unreadable")
}

// drawRows draws from few keys, so that numbers repeat and rows change between two draws.
func drawRows(r *rapid.T, days int) []ledger.Installment {
	return rapid.SliceOfN(rapid.Custom(func(r *rapid.T) ledger.Installment {
		i := row(day(rapid.IntRange(1, days).Draw(r, "day")), rapid.SampledFrom([]string{"1", "2"}).Draw(r, "nsu"),
			rapid.IntRange(1, 3).Draw(r, "number"), 3)
		i.Terminal = rapid.SampledFrom([]string{"A", "B"}).Draw(r, "terminal")
		if rapid.Bool().Draw(r, "paid") {
			i = received(i, ledger.Amount(rapid.IntRange(1, 2).Draw(r, "received")))
		}
		return i
	}), 0, 12).Draw(r, "answer")
}

func drawWindows(r *rapid.T, days int) []ledger.Period {
	var out []ledger.Period
	for from := 1; from <= days; {
		to := rapid.IntRange(from, days).Draw(r, "to")
		out = append(out, ledger.Period{From: day(from), To: day(to)})
		from = to + 1
	}
	out = slices.Clone(rapid.Permutation(out).Draw(r, "windows"))
	return out
}
