package storetest

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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
