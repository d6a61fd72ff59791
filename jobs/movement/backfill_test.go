package movement_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"concilia/jobs/movement"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// soldOn draws an installment of a sale day, as a backfill finds it: open, settled on one of the days after, or taken back.
func soldOn(r *rand.Rand, day ledger.Date) *bookkeeping.TitleState {
	classes := []ledger.Class{ledger.Open, ledger.Received, ledger.Received, ledger.Cancelled, ledger.Chargeback}
	class := classes[r.IntN(len(classes))]
	v := &ledger.InstallmentVersion{Version: 1, Installment: ledger.Installment{
		Account: 1001, SoldAt: ledger.LocalTime(int64(day) * 864_000_000_000), NSU: "1", Auth: "A", Number: 1, Count: 1,
		MDR: ledger.Some(ledger.FromCents(int64(r.IntN(300)))), Forecast: day + 30,
	}}
	if class == ledger.Received || class.IsReversal() && r.IntN(2) == 0 {
		v.Effective, v.Received = day+30+ledger.Date(r.IntN(3)), ledger.Some(ledger.FromCents(9700))
		v.Splits = []ledger.Split{{Beneficiary: "11444777000161", Type: "P", Value: ledger.Some(ledger.FromCents(500))}}
	}
	return movement.CardState(v, &ledger.Expectation{Class: class, GrossCents: 10000}, false)
}

// TestBackfillTellsTheSameInAnyOrder: 400 days that a backfill brings in any order, over any nights, make the same events: each once, none
// of before the first day, a title entered and paid once at most, and all of them with what is old add up to what there is.
func TestBackfillTellsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	const days, from = 400, night - 150
	var first map[string]bookkeeping.Event
	for order := range 20 {
		r := rand.New(rand.NewPCG(2026, 0))
		states, want := make([]*bookkeeping.TitleState, days), bookkeeping.Measures{}
		for n := range states {
			states[n] = soldOn(r, night-days+ledger.Date(n))
			want.Add(states[n].Sums)
		}
		shuffled := rand.New(rand.NewPCG(2026, uint64(order)))
		told, got := map[string]bookkeeping.Event{}, bookkeeping.Measures{}
		terms := movement.Terms{Account: 1001, Source: bookkeeping.CardEvents, AsOf: night, From: from}
		for _, n := range shuffled.Perm(days) {
			if shuffled.IntN(20) == 0 {
				terms.AsOf++ // the backfill goes on another night
			}
			subject := fmt.Sprintf("card:1001:%s:1:A:1", night-days+ledger.Date(n))
			events, before := terms.Compare(&bookkeeping.TitleChange{Subject: subject, After: states[n]})
			got.Add(before)
			said := map[string]int{}
			for _, e := range events {
				got.Add(e.Sums)
				if _, twice := told[e.ID]; twice || e.Occurred < from {
					t.Fatalf("order %d: %s of %s on %s is told twice, or too old", order, e.Type, subject, e.Occurred)
				}
				if said[e.Movement]++; said[e.Movement] > 1 && e.Movement != "" && e.Movement != "Y50" {
					t.Fatalf("order %d: movement %s of %s is said twice", order, e.Movement, subject)
				}
				e.Sent, e.Before, e.After = 0, nil, nil
				told[e.ID] = e
			}
		}
		if got != want {
			t.Errorf("order %d: told and old are %+v, there is %+v", order, got, want)
		}
		if first == nil {
			first = told
		}
		for id, e := range told {
			if len(told) != len(first) || fmt.Sprint(first[id]) != fmt.Sprint(e) {
				t.Fatalf("order %d tells %d events, among them %+v; another order %d, and %+v", order, len(told), e, len(first), first[id])
			}
		}
	}
	if len(first) < days/2 {
		t.Errorf("only %d events", len(first))
	}
}
