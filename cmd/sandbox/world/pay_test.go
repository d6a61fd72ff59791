package world_test

import (
	"slices"
	"testing"

	"concilia/cmd/sandbox/world"
)

// What was planted to stay unpaid can be paid after all: it looks unpaid on the day it is paid, and from the next morning on only what
// its lateness is worth remains of the difference. Everything else stays as it was.
func TestPay(t *testing.T) {
	t.Parallel()
	w := draw(t, world.Options{Seed: 1, Plant: true})
	today := w.AsOf()
	of := func(subject string) (codes []string) {
		for _, p := range w.Planted() {
			if p.Subject == subject {
				codes = append(codes, p.Code+" "+p.Impact)
			}
		}
		return codes
	}
	var unpaid []world.Planted
	others := 0
	for _, p := range w.Planted() {
		if (p.Code == "RECEIVED_OVERDUE" || p.Code == "SLIP_CREDIT_OVERDUE") && p.Impact != "0.00" {
			unpaid = append(unpaid, p)
		} else {
			others++
		}
	}
	if len(unpaid) != 2 {
		t.Fatalf("unpaid are %+v", unpaid)
	}
	for _, p := range unpaid {
		before := of(p.Subject)
		for range 2 {
			if !w.Pay(p.Subject) {
				t.Errorf("%s cannot be paid", p.Subject)
			}
		}
		if now := of(p.Subject); !slices.Equal(now, before) {
			t.Errorf("on the day itself %s is %v, was %v", p.Subject, now, before)
		}
	}
	w.SetNow((today + 1).At(6 * 60 * 60))
	for _, p := range unpaid {
		want := map[string][]string{"RECEIVED_OVERDUE": {"RECEIVED_LATE "}, "SLIP_CREDIT_OVERDUE": nil}[p.Code]
		if now := of(p.Subject); !slices.Equal(now, want) {
			t.Errorf("paid, %s is %v, want %v", p.Subject, now, want)
		}
	}
	if n := len(w.Planted()); n != others+1 {
		t.Errorf("%d differences are left, want %d and the late one", n, others)
	}
	for _, subject := range []string{"", "card", "card:x", "card:1001", "slip:1001:x", unpaid[0].Subject + "0"} {
		if w.Pay(subject) {
			t.Errorf("%q is paid", subject)
		}
	}
}

// A world whose days go on has the differences of the one that ends: a demo of one morning and the first of three are one.
func TestALongerWorldHasTheSameDifferences(t *testing.T) {
	t.Parallel()
	asOf := date(t, "2026-11-18")
	short := draw(t, world.Options{Seed: 1, AsOf: asOf, Days: 60, Plant: true})
	long := draw(t, world.Options{Seed: 1, AsOf: asOf, Days: 60, To: asOf + 10, Plant: true})
	if !slices.Equal(short.Planted(), long.Planted()) {
		t.Errorf("planted are\n%+v\nand\n%+v", short.Planted(), long.Planted())
	}
}
