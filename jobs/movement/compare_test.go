package movement_test

import (
	"testing"

	"pgregory.net/rapid"

	"concilia/jobs/movement"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// night is the as-of of the first night of these tests.
const night ledger.Date = 739_000

// life is what one title is, night after night, and the events of it.
type life struct {
	terms   movement.Terms
	state   *bookkeeping.TitleState
	history bookkeeping.TitleHistory
	seen    bool
	events  []bookkeeping.Event
	sums    bookkeeping.Measures // of the events, or before the first day
}

// live compares a title with what it was the night before, and keeps the events as the ledger does.
func (l *life) live(now *bookkeeping.TitleState) []bookkeeping.Event {
	subject := "card:1001:2026-11-01:1:A:1"
	if l.terms.Source == bookkeeping.SlipEvents {
		subject = "slip:1001:x"
	}
	told, before := l.terms.Compare(&bookkeeping.TitleChange{Subject: subject, Before: l.state, After: now, Known: l.seen, History: l.history})
	l.sums.Add(before)
	history := bookkeeping.TitleHistory{Sent: map[bookkeeping.SentEvents]int{}, Said: map[string]bool{}}
	l.events = append(l.events, told...)
	for i := range told {
		l.sums.Add(told[i].Sums)
	}
	for i := range l.events {
		e := &l.events[i]
		history.Sent[bookkeeping.SentEvents{Subject: e.Subject, Type: e.Type}]++
		if history.Said[e.Movement] = true; e.Reason == bookkeeping.LeftAfterSettlement || e.Type == bookkeeping.EventTakenBack {
			history.Said["06"] = true
		}
	}
	l.state, l.history, l.seen = now, history, l.seen || now != nil
	l.terms.AsOf++
	return told
}

// drawCard draws what an installment is on a night; nil: its day does not show it.
func drawCard(t *rapid.T, version int) *bookkeeping.TitleState {
	if rapid.IntRange(0, 9).Draw(t, "gone") == 0 {
		return nil
	}
	cents := func(name string, most int64) ledger.Opt[ledger.Amount] {
		return ledger.Some(ledger.FromCents(rapid.Int64Range(-most/20, most).Draw(t, name)))
	}
	v := &ledger.InstallmentVersion{Version: version, Installment: ledger.Installment{
		Account: 1001, SoldAt: ledger.LocalTime(int64(night-10) * 864_000_000_000), NSU: "1", Auth: "A", Number: 1, Count: 1,
		MDR: cents("mdr", 300), Fee: cents("fee", 50), Anticipation: cents("anticipation", 200), Received: cents("received", 10000),
		Forecast: night + ledger.Date(rapid.IntRange(0, 2).Draw(t, "due")), Effective: ledger.Date(rapid.SampledFrom([]int{0, int(night), int(night) + 1}).Draw(t, "on")),
	}}
	for range rapid.IntRange(0, 2).Draw(t, "splits") {
		v.Splits = append(v.Splits, ledger.Split{Beneficiary: "11444777000161", Type: "P", Value: cents("share", 1000)})
	}
	class := rapid.SampledFrom([]ledger.Class{ledger.Open, ledger.Open, ledger.Received, ledger.Received, ledger.Cancelled, ledger.Chargeback}).Draw(t, "class")
	return movement.CardState(v, &ledger.Expectation{Class: class, GrossCents: rapid.SampledFrom([]int64{10000, 10000, 9999, -5000}).Draw(t, "gross")}, false)
}

// drawSlip draws what a slip is on a night.
func drawSlip(t *rapid.T, version int) *bookkeeping.TitleState {
	if rapid.IntRange(0, 9).Draw(t, "gone") == 0 {
		return nil
	}
	day := func(name string) ledger.Date {
		return ledger.Date(rapid.SampledFrom([]int{0, 0, int(night), int(night) + 3}).Draw(t, name))
	}
	s := &ledger.Slip{Version: version, SlipView: ledger.SlipView{
		Account: 1001, ID: "x", Value: ledger.FromCents(rapid.SampledFrom([]int64{5000, 5000, 5001}).Draw(t, "value")), Issued: night - 5,
		Due: night + ledger.Date(rapid.IntRange(0, 1).Draw(t, "due")), PaidOn: day("paid"), CreditedOn: day("credited"), CancelledOn: day("cancelled"),
		Status: ledger.Some(int64(rapid.SampledFrom([]int{1, 2, 3, 9, 99}).Draw(t, "status"))),
	}}
	if s.PaidOn != 0 {
		s.PaidValue = ledger.Some(ledger.FromCents(rapid.Int64Range(-500, 6000).Draw(t, "value paid")))
	}
	e := &ledger.SlipExpectation{Class: ledger.Open, Tariff: ledger.Some(ledger.FromCents(250))}
	return movement.SlipState(s, e)
}

// TestEveryDifferenceIsToldOnce: whatever becomes of a title from night to night, its events add up to what it is, no event
// has the id of another, and a title is entered, rejected, written off and paid once at most, in files that know no minus.
func TestEveryDifferenceIsToldOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SampledFrom([]bookkeeping.EventSource{bookkeeping.CardEvents, bookkeeping.SlipEvents}).Draw(t, "source")
		draw := drawCard
		if source == bookkeeping.SlipEvents {
			draw = drawSlip
		}
		l := &life{terms: movement.Terms{
			Account: 1001, Source: source, AsOf: night, From: night - 20 + ledger.Date(rapid.IntRange(0, 25).Draw(t, "from")),
			SettleOnPayment: rapid.Bool().Draw(t, "on payment"),
		}}
		for n := range rapid.IntRange(1, 12).Draw(t, "nights") {
			state := draw(t, n+1)
			told := l.live(state)
			want := bookkeeping.Measures{}
			if state != nil {
				want = state.Sums
			}
			if l.sums != want {
				t.Fatalf("night %d: told %+v, the title is %+v, after %+v", n, l.sums, want, told)
			}
			if again := l.terms; again.From > 0 {
				same, _ := again.Compare(&bookkeeping.TitleChange{Subject: "s", Before: state, After: state, Known: true})
				if len(same) > 0 {
					t.Fatalf("night %d: nothing happened, and %+v is told", n, same)
				}
			}
		}
		checkEvents(t, l)
	})
}

// checkEvents checks all events of a title.
func checkEvents(t *rapid.T, l *life) {
	ids, said := map[string]bool{}, map[string]int{}
	for i := range l.events {
		e := &l.events[i]
		if ids[e.ID] {
			t.Fatalf("event %s, %s, is told twice", e.ID, e.Type)
		}
		ids[e.ID] = true
		if e.Occurred < l.terms.From {
			t.Fatalf("%s occurred on %s, before the first day", e.Type, e.Occurred)
		}
		if (e.Movement == "") == (e.Reason == "") {
			t.Fatalf("%s has movement %q and reason %q", e.Type, e.Movement, e.Reason)
		}
		movement := e.Movement
		if movement == "17" {
			movement = "06"
		}
		said[movement]++
	}
	for _, movement := range []string{"02", "03", "09", "06"} {
		if said[movement] > 1 {
			t.Fatalf("movement %s is said %d times: %+v", movement, said[movement], l.events)
		}
	}
}
