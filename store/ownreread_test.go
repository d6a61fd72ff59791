//go:build unix

package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/storetest"
)

// misread is a file as a wrong map reads it: the same bytes, other rows.
func misread(t *testing.T, l *store.Ledger, e export, rows []string) ownsales.Import {
	t.Helper()
	in := e.takeIn()
	e.rows = rows
	in.Map, in.Read = "wrong", e.takeIn().Read
	out, err := l.TakeInSales(t.Context(), in, false)
	must(t, err)
	return out
}

// tellLive is tell without the payments that vanished, and without days of which nothing is known: those on which a payment was wrongly read
// stay among them.
func tellLive(t *testing.T, l *store.Ledger) []string {
	t.Helper()
	return slices.DeleteFunc(tell(t, l), func(s string) bool { return strings.HasSuffix(s, " vanished") || strings.Contains(s, " missing 0 ") })
}

// A file that a wrong map read is read anew by the right one: what the wrong one read is gone, what the right one reads is there, what is the same
// has no new version, and the days that a person said it covers hold on. Read once more it is known.
func TestSalesReadByAnotherMapAreReadAnew(t *testing.T) {
	t.Parallel()
	file := export{name: "f", from: "2026-11-01", to: "2026-11-03", rows: []string{"A 2026-11-01 10.00", "B 2026-11-02 20.00", "C 2026-11-03 30.00"}}
	wrong := []string{"A 2026-11-01 10.00", "B 2026-11-02 0.20", "NOTA 2026-11-11 30.00", "word method Vale"}
	for kind, l := range bankLedgers(t) {
		misread(t, l, file, wrong)
		again := file.takeIn()
		again.Period = ledger.Period{}
		got, err := l.TakeInSales(t.Context(), again, false)
		must(t, err)
		if got.Known || got.New != 1 || got.Changed != 1 || got.Same != 1 || got.Vanished != 1 || got.Rows != 3 {
			t.Errorf("%s: %+v", kind, got)
		}
		want := []string{
			"A 2026-11-01 10.00 paid", "B 2026-11-02 20.00 paid", "C 2026-11-03 30.00 paid", "NOTA 2026-11-11 30.00 paid vanished",
			"2026-11-01 complete 1", "2026-11-02 complete 1", "2026-11-03 complete 1",
		}
		for d := 4; d < 11; d++ {
			want = append(want, fmt.Sprintf("2026-11-%02d missing 0 no file has all of it", d))
		}
		want = append(want, "2026-11-11 missing 0 no file has all of it")
		if diff := cmp.Diff(want, tell(t, l)); diff != "" {
			t.Errorf("%s: wanted (-) and kept (+):\n%s", kind, diff)
		}
		files, err := l.OwnFiles(t.Context(), centro)
		must(t, err)
		faults, err := l.OwnFaults(t.Context(), centro)
		must(t, err)
		if len(files) != 1 || files[0].Map != "m" || len(faults) != 0 {
			t.Errorf("%s: files %+v, faults %+v", kind, files, faults)
		}
		if all, err := l.OwnSaleVersions(t.Context(), centro, "A"); err != nil || len(all) != 1 {
			t.Errorf("%s: versions of what is the same: %+v, %v", kind, all, err)
		}
		if got := takeInExport(t, l, file); !got.Known {
			t.Errorf("%s: the same once more: %+v", kind, got)
		}
		checkSalesWhole(t, l)
	}
}

// Files that a wrong map read with other days, amounts and ids, and that the right one then reads anew in any order: live payments and days are
// as if there had been the right map alone.
func TestSalesReadAnewAreAsReadOnce(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(19, 2026))
	for range 15 {
		files := drawExports(draw)
		want, l := openDSN(t, storetest.FreshSQLite(t)), openDSN(t, storetest.FreshSQLite(t))
		for _, e := range files {
			takeInExport(t, want, e)
		}
		shuffle := func() { draw.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] }) }
		shuffle()
		for _, e := range files {
			misread(t, l, e, distort(draw, e.rows))
		}
		shuffle()
		together := map[ledger.FileHash]bool{}
		for _, e := range files {
			together[e.takeIn().Hash] = true
		}
		for _, e := range files {
			in := e.takeIn()
			in.Together = together
			_, err := l.TakeInSales(t.Context(), in, false)
			must(t, err)
		}
		if diff := cmp.Diff(tellLive(t, want), tellLive(t, l)); diff != "" {
			t.Fatalf("by the right map alone (-) and read anew (+):\n%s", diff)
		}
		checkSalesWhole(t, l)
	}
}

// drawExports are files that say nothing of the days they cover, whose last days differ, and which share payments.
func drawExports(draw *rand.Rand) (files []export) {
	first := parseDay("2026-11-01")
	for n := range 4 {
		last := first + ledger.Date(6+n)
		e := export{name: fmt.Sprint("f", n)}
		for d := first + ledger.Date(draw.IntN(5)); d < last; d++ {
			for s := range 2 {
				if draw.IntN(3) > 0 {
					e.rows = append(e.rows, fmt.Sprintf("S%d-%d %s %d.00", d, s, d, 1+draw.IntN(3)))
				}
			}
		}
		files = append(files, e)
		files[n].rows = append(e.rows, fmt.Sprintf("L%d %s 1.00", n, last))
	}
	return files
}

// distort are rows as a wrong map reads them.
func distort(draw *rand.Rand, rows []string) (out []string) {
	ids, days := draw.IntN(3) == 0, ledger.Date(draw.IntN(3)*7)
	for _, r := range rows {
		f := strings.Fields(r)
		if ids {
			f[0] = "NOTA-" + f[0]
		}
		f[1] = (parseDay(f[1]) + days).String()
		if draw.IntN(4) == 0 {
			f[2] = "7.00"
		}
		if draw.IntN(6) > 0 || len(out) == 0 {
			out = append(out, strings.Join(f, " "))
		}
	}
	return out
}
