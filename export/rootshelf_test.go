package export_test

import (
	"bytes"
	"fmt"
	"testing"

	"concilia/export"
	"concilia/export/html"
	"concilia/store/ledger"
)

// However many roots are held in memory, the page is the same: of those that go to staging no row's is lost, none is taken
// twice, and those of other periods are not taken.
func TestRootsThatAreNotHeld(t *testing.T) {
	t.Parallel()
	// Several on one row, on a sale of several rows, on a split and on a slip; and many of another month.
	many := roots()
	for i := range 40 {
		subject := fmt.Sprintf("card:1001:2026-08-%02d:%d:A%d:1", i%28+1, i, i)
		if i%4 == 0 {
			subject = "card:1001:2026-11-02:000102:A000102:1"
		}
		many = append(many, export.UnresolvedCase{Case: fmt.Sprint("more-", i), Code: "FEE_UNEXPECTED", Subject: subject, Impact: brl("0.105"), Figure: ledger.FigureLost})
	}
	var want []byte
	for _, held := range []int{0, 1, 7, 46, 45, 1000} {
		tg, out := target(t)
		j, f := pageJob()
		f.roots = many
		j.HoldRoots(held)
		_, body := page(t, out, render(t, j, f, tg))
		if want == nil {
			want = body
			got, err := html.Read(bytes.NewReader(body))
			if err != nil || got["causes.count"] != 14*10_000 && got["causes.count"] != 14 {
				t.Errorf("%d cases, %v", got["causes.count"], err)
			}
		}
		if !bytes.Equal(body, want) {
			t.Errorf("with %d roots held the page is another one", held)
		}
	}
}

// A period none of whose rows has a root asks the ledger for none, and not for all.
func TestNoRootIsTaken(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := pageJob()
	f.roots = []export.UnresolvedCase{{Case: "x", Code: "X", Subject: "card:1001:2026-08-03:999:A999:1", Impact: brl("5"), Figure: ledger.FigureLost}}
	_, body := page(t, out, render(t, j, f, tg))
	if got, err := html.Read(bytes.NewReader(body)); err != nil || got["causes.missing"] != 0 {
		t.Errorf("%d missing, %v", got["causes.missing"], err)
	}
}
