package sales

import (
	"testing"

	"concilia/store/ledger/ownsales"
)

// Numbers of a day that follow one another are one run. What is said of numbers that a run has, without a day, says nothing new of them.
func TestJoinNumbers(t *testing.T) {
	t.Parallel()
	const emitter = "11222333000181"
	run := ownsales.Numbers{Emitter: emitter, Model: "65", Series: "001", From: 5, To: 9, Day: 700_000}
	for _, c := range []struct {
		says   string
		change func(*ownsales.Numbers)
		to     int64 // last number of the run behind it, 0: it is not joined
	}{
		{"the next number of the day", func(n *ownsales.Numbers) { n.From, n.To = 10, 10 }, 10},
		{"the next numbers, one of them known", func(n *ownsales.Numbers) { n.From, n.To = 9, 12 }, 12},
		{"a number told twice", func(n *ownsales.Numbers) { n.From, n.To = 9, 9 }, 9},
		{"the cancellation of a note that was told", func(n *ownsales.Numbers) { n.From, n.To, n.Day = 9, 9, 0 }, 9},
		{"the cancellation of the next note", func(n *ownsales.Numbers) { n.From, n.To, n.Day = 10, 10, 0 }, 0},
		{"a number of another day", func(n *ownsales.Numbers) { n.From, n.To, n.Day = 10, 10, 700_001 }, 0},
		{"a number that leaves one out", func(n *ownsales.Numbers) { n.From, n.To = 11, 11 }, 0},
		{"another series", func(n *ownsales.Numbers) { n.From, n.To, n.Series = 10, 10, "002" }, 0},
		{"another model", func(n *ownsales.Numbers) { n.From, n.To, n.Model = 10, 10, "55" }, 0},
		{"another emitter", func(n *ownsales.Numbers) { n.From, n.To, n.Emitter = 10, 10, "99222333000181" }, 0},
	} {
		all, next := run, run
		c.change(&next)
		joined := joinNumbers(&all, &next)
		want := run
		if c.to != 0 {
			want.To = c.to
		}
		if joined != (c.to != 0) || all != want {
			t.Errorf("%s: joined %v, %+v", c.says, joined, all)
		}
	}
}
