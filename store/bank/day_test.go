package bank

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// dayOfFiles are downloads of one day: every one made later shows all that was booked when it was made, and the last one all.
type dayOfFiles struct {
	rows  []banking.Row
	files []fileDay
}

const someDay = ledger.Date(739_000)

// drawDay draws rows, equal ones among them, and downloads of the day while it lasts and after it.
func drawDay(t *rapid.T) dayOfFiles {
	var d dayOfFiles
	for range rapid.IntRange(0, 9).Draw(t, "rows") {
		d.rows = append(d.rows, banking.Row{
			Day: someDay, Amount: ledger.FromCents(rapid.SampledFrom([]int64{1000, 1000, 2000, -500}).Draw(t, "cents")),
			Text: rapid.SampledFrom([]string{"PIX", "TED", "PIX"}).Draw(t, "text"),
		})
	}
	add := func(rows []banking.Row, whole bool) {
		f := fileDay{made: ledger.LocalTime(len(d.files) + 1), whole: whole, rows: rapid.Permutation(slices.Clone(rows)).Draw(t, "order")}
		f.file[0] = byte(len(d.files))
		d.files = append(d.files, f)
	}
	shown := 0
	for range rapid.IntRange(0, 3).Draw(t, "downloads during the day") {
		shown = rapid.IntRange(shown, len(d.rows)).Draw(t, "booked by then")
		add(d.rows[:shown], false)
	}
	for range rapid.IntRange(1, 3).Draw(t, "downloads after it") {
		add(d.rows, true)
	}
	return d
}

// countRows counts rows that are alike.
func countRows(rows []banking.Row) map[string]int {
	out := map[string]int{}
	for i := range rows {
		out[fmt.Sprint(rows[i].Amount, rows[i].Text)]++
	}
	return out
}

// TestNoLineIsLostOrDoubled: whatever downloads of a day there are, in whatever order they are taken in and their rows stand, and however
// often one is taken in, the day has each row of the whole ones once.
func TestNoLineIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := drawDay(t)
		again := rapid.SampledFrom(d.files).Draw(t, "taken in again")
		again.file[1] = 1 // other bytes of the same content
		files := rapid.Permutation(append(slices.Clone(d.files), again)).Draw(t, "taken in")
		var live []banking.Row
		for _, l := range mergeDay(files) {
			if !l.vanished {
				live = append(live, l.row)
			}
		}
		if got, want := countRows(live), countRows(d.rows); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("the day has %v, its rows are %v", got, want)
		}
	})
}

// TestRewordedDaysKeepTheirLines: a later download that spells every text otherwise changes the texts alone: as many lines, of the same
// cents, and each keeps the name it was first kept under.
func TestRewordedDaysKeepTheirLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := drawDay(t)
		before := mergeDay(d.files)
		other := fileDay{made: 100, whole: true}
		for _, r := range d.rows {
			r.Text = "OUTRO " + r.Text
			other.rows = append(other.rows, r)
		}
		after := mergeDay(append(slices.Clone(d.files), other))
		if len(after) != len(before) {
			t.Fatalf("%d lines before, %d after", len(before), len(after))
		}
		for i := range after {
			was, is := &before[i], &after[i]
			if is.row.Amount != was.row.Amount || is.names[0] != was.names[0] || is.vanished != was.vanished || !is.vanished && is.row.Text != "OUTRO "+was.row.Text {
				t.Fatalf("%+v became %+v", was, is)
			}
		}
	})
}
