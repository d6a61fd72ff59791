//go:build unix

package store_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	messages "concilia/export/words"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sales"
)

// export is a file of a store: rows are SALE DAY AMOUNT [STATUS], "void SALE DAY", or "numbers FROM TO [DAY]".
type export struct {
	name     string
	from, to string // as a person says; empty: not said
	notes    bool
	rows     []string
}

func (e export) takeIn() *sales.TakeIn {
	in := &sales.TakeIn{
		Shop: "centro", First: 1001, Hash: sha256.Sum256([]byte(fmt.Sprintf("%+v", e))), Name: e.name, Format: "neutral", Map: "m", Notes: e.notes,
		Today: parseDay("2026-12-31"), Actor: "ana", At: parseDay("2026-12-31").Time(),
		Read: func(take func(*ownsales.Record) error) error {
			for _, r := range e.rows {
				if err := take(recordOf(r)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	if e.notes {
		in.Map = ""
	}
	if e.from != "" {
		in.Period = ledger.Period{From: parseDay(e.from), To: parseDay(e.to)}
	}
	return in
}

func recordOf(row string) *ownsales.Record {
	f := strings.Fields(row)
	switch f[0] {
	case "fault":
		return &ownsales.Record{Fault: &ownsales.Fault{Where: "line 9", Reason: "bad"}}
	case "word":
		return &ownsales.Record{Unmapped: &ownsales.Unmapped{Member: f[1], Value: f[2]}}
	case "void":
		return &ownsales.Record{Void: &ownsales.Void{Sale: f[1], Status: ownsales.StatusCancelled, At: ledger.StartOf(parseDay(f[2]))}}
	case "numbers":
		n := &ownsales.Numbers{Emitter: "11222333000181", Model: "65", Series: "001"}
		_, err := fmt.Sscan(f[1]+" "+f[2], &n.From, &n.To)
		if err != nil {
			panic(err)
		}
		if len(f) > 3 {
			n.Day = parseDay(f[3])
		}
		return &ownsales.Record{Numbers: n}
	}
	p := &ownsales.Payment{Sale: f[0], Number: 1, SoldAt: ledger.StartOf(parseDay(f[1])), Amount: parseAmount(f[2]), Method: ownsales.MethodCredit, Status: ownsales.StatusPaid}
	return &ownsales.Record{Payment: p}
}

func takeInExport(t *testing.T, l *store.Ledger, e export) ownsales.Import {
	t.Helper()
	out, err := l.TakeInSales(t.Context(), e.takeIn(), false)
	must(t, err)
	return out
}

var centro = sales.Shop{Home: 1001, ID: "centro"}

// tell tells the sales and days of the store in lines; versions are left out.
func tell(t *testing.T, l *store.Ledger) (lines []string) {
	t.Helper()
	must(t, l.OwnSales(t.Context(), centro, ledger.Period{From: 1, To: parseDay("2099-12-31")}, func(k *sales.Kept) error {
		gone := ""
		if k.Vanished {
			gone = " vanished"
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s%s", k.Sale, k.Day(), k.Amount, k.Status, gone))
		return nil
	}))
	days, err := l.OwnDays(t.Context(), centro)
	must(t, err)
	for _, d := range days {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", d.Day, d.State, d.Payments, d.Why)))
	}
	return lines
}

func checkSalesWhole(t *testing.T, l *store.Ledger) {
	t.Helper()
	report, err := l.Check(t.Context())
	must(t, err)
	if len(report.Faults) > 0 {
		t.Errorf("faults: %v", report.Faults)
	}
}

// What a later file says of a day holds, whatever came first; what it lacks is gone and stays visible.
func TestSalesOfLaterFilesAreBelieved(t *testing.T) {
	t.Parallel()
	old := export{name: "old", from: "2026-11-01", to: "2026-11-03", rows: []string{"A 2026-11-01 10.00", "B 2026-11-02 20.00", "C 2026-11-03 30.00"}}
	later := export{name: "later", from: "2026-11-02", to: "2026-11-05", rows: []string{"B 2026-11-02 21.00", "D 2026-11-05 40.00"}}
	want := []string{
		"A 2026-11-01 10.00 paid", "B 2026-11-02 21.00 paid", "C 2026-11-03 30.00 paid vanished", "D 2026-11-05 40.00 paid",
		"2026-11-01 complete 1", "2026-11-02 complete 1", "2026-11-03 complete 0", "2026-11-04 complete 0", "2026-11-05 complete 1",
	}
	for kind, l := range bankLedgers(t) {
		got := takeInExport(t, l, old)
		if got.New != 3 || got.Rows != 3 || got.Known {
			t.Errorf("%s: %+v", kind, got)
		}
		if again := takeInExport(t, l, old); !again.Known || again.New != 0 || again.Same != 3 {
			t.Errorf("%s: the same bytes again: %+v", kind, again)
		}
		if got = takeInExport(t, l, later); got.New != 1 || got.Changed != 1 || got.Vanished != 1 {
			t.Errorf("%s: %+v", kind, got)
		}
		if diff := cmp.Diff(want, tell(t, l)); diff != "" {
			t.Errorf("%s: wanted (-) and kept (+):\n%s", kind, diff)
		}
		checkSalesWhole(t, l)
	}
	other := bankLedgers(t)["sqlite"]
	takeInExport(t, other, later)
	if got := takeInExport(t, other, old); got.Left != 1 || got.New != 2 {
		t.Errorf("an older file after a newer: %+v", got)
	}
	if diff := cmp.Diff(want, tell(t, other)); diff != "" {
		t.Errorf("the other order: wanted (-) and kept (+):\n%s", diff)
	}
	checkSalesWhole(t, other)
}

// checkLastShown looks for the file that showed each payment last: of those that have it the one that was made last.
func checkLastShown(t *testing.T, l *store.Ledger, files []export) {
	t.Helper()
	type shown struct {
		made string
		by   ledger.FileHash
	}
	want := map[string]shown{}
	for _, e := range files {
		for _, row := range e.rows {
			sale, _, _ := strings.Cut(row, " ")
			if e.to > want[sale].made {
				want[sale] = shown{e.to, e.takeIn().Hash}
			}
		}
	}
	must(t, l.OwnSales(t.Context(), centro, ledger.Period{From: 1, To: parseDay("2099-12-31")}, func(k *sales.Kept) error {
		if k.Last != want[k.Sale].by {
			t.Errorf("%s: another file than that of %s showed it last", k.Sale, want[k.Sale].made)
		}
		return nil
	}))
}

// Files of random days, in any order: the ledger is the same, and says of each payment which file showed it last.
func TestSalesInAnyOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for range 12 {
		var files []export
		first := parseDay("2026-11-01")
		for n := range 6 {
			from := first + ledger.Date(random.IntN(8))
			to := from + ledger.Date(n)
			e := export{name: fmt.Sprint("f", n), from: from.String(), to: to.String()}
			for d := from; d <= to; d++ {
				for s := range 4 {
					if random.IntN(3) > 0 {
						e.rows = append(e.rows, fmt.Sprintf("S%d-%d %s %d.00", d, s, d, 1+random.IntN(3)))
					}
				}
			}
			// Of two files made at once the one taken in last holds: here each has an instant of its own.
			if slices.ContainsFunc(files, func(x export) bool { return x.to == e.to }) {
				continue
			}
			files = append(files, e)
		}
		var want []string
		for try := range 3 {
			random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			l := bankLedgers(t)["sqlite"]
			for _, e := range files {
				takeInExport(t, l, e)
			}
			got := tell(t, l)
			if try == 0 {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("another order: first (-) and now (+):\n%s", diff)
			}
			checkLastShown(t, l, files)
			checkSalesWhole(t, l)
		}
	}
}

// A file is merged part by part: of sales whose ids lie among those that are there and between them, of payments that it lacks, and of more that
// it takes back than fit in a part, some of which it has only just added, each becomes what it would in a file of its own.
func TestSalesOfManyParts(t *testing.T) {
	t.Parallel()
	const all, more, part = 9000, 2000, 8192
	row := func(i, amount int) string {
		return fmt.Sprintf("%08x 2026-11-%02d %d.00", uint32(i)*2654435761, 1+i%20, amount)
	}
	first, second := export{name: "first", from: "2026-11-01", to: "2026-11-20"}, export{name: "second", from: "2026-11-01", to: "2026-11-21"}
	third := export{name: "third", from: "2026-11-22", to: "2026-11-22", rows: []string{"AFTER 2026-11-22 1.00", "ALL 2026-11-22 1.00", "void ALL 2026-11-23"}}
	for i := range all {
		first.rows = append(first.rows, row(i, 1))
		switch i % 10 {
		case 0: // gone
		case 1:
			second.rows = append(second.rows, row(i, 2))
		default:
			second.rows = append(second.rows, row(i, 1))
		}
	}
	for i := range more {
		second.rows = append(second.rows, row(all+i, 3))
	}
	for i := range all + more {
		if i < part+100 {
			third.rows = append(third.rows, fmt.Sprintf("void %08x 2026-11-23", uint32(i)*2654435761))
		}
	}
	l := bankLedgers(t)["sqlite"]
	for _, c := range []struct {
		file export
		want ownsales.Import
	}{
		{first, ownsales.Import{New: all}},
		{second, ownsales.Import{New: more, Changed: all / 10, Same: all * 8 / 10, Vanished: all / 10}},
		{third, ownsales.Import{New: 2, Voided: part + 101}},
	} {
		got := takeInExport(t, l, c.file)
		if got.New != c.want.New || got.Changed != c.want.Changed || got.Same != c.want.Same || got.Vanished != c.want.Vanished || got.Voided != c.want.Voided {
			t.Errorf("%s: %+v, want %+v", c.file.name, got, c.want)
		}
	}
	kept := map[string]int{}
	must(t, l.OwnSales(t.Context(), centro, ledger.Period{From: 1, To: parseDay("2099-12-31")}, func(k *sales.Kept) error {
		kept[fmt.Sprintf("%s %s %v", k.Amount, k.Status, k.Vanished)]++
		return nil
	}))
	const voided = part + 100
	want := map[string]int{
		"1.00 cancelled true": (voided + 9) / 10, "1.00 paid true": all/10 - (voided+9)/10, "2.00 cancelled false": (voided + 8) / 10,
		"2.00 paid false": all/10 - (voided+8)/10, "3.00 paid false": more,
	}
	want["1.00 cancelled false"] = voided - want["1.00 cancelled true"] - want["2.00 cancelled false"] + 1
	want["1.00 paid false"] = all*8/10 - want["1.00 cancelled false"] + 2
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("wanted (-) and kept (+):\n%s", diff)
	}
	checkSalesWhole(t, l)
}

// A payment that is twice in a file is one when both rows say the same; otherwise neither is taken.
func TestSalesTwiceInAFile(t *testing.T) {
	t.Parallel()
	rows := []string{"A 2026-11-01 10.00", "B 2026-11-01 20.00", "A 2026-11-01 10.00", "B 2026-11-01 21.00"}
	for i := range 20 {
		rows = append(rows, fmt.Sprintf("X%02d 2026-11-01 1.00", i))
	}
	for kind, l := range bankLedgers(t) {
		got := takeInExport(t, l, export{name: "twice", from: "2026-11-01", to: "2026-11-01", rows: rows})
		if got.New != 21 || got.Left != 1 || got.Quarantined != 2 || len(got.Faults) != 1 || messages.Unpack(got.Faults[0].Where).String() != "sale B, payment 1" {
			t.Errorf("%s: %+v", kind, got)
		}
		all, err := l.OwnSaleVersions(t.Context(), centro, "B")
		must(t, err)
		if len(all) != 0 {
			t.Errorf("%s: B was kept: %+v", kind, all)
		}
		checkSalesWhole(t, l)
	}
}

// A file of which more than a tenth cannot be read, and one without sales or a period, is refused and leaves nothing.
func TestSalesRefused(t *testing.T) {
	t.Parallel()
	l := bankLedgers(t)["sqlite"]
	for _, c := range []struct {
		id   string
		file export
	}{
		{"rows", export{name: "bad", rows: []string{"A 2026-11-01 10.00", "fault", "B 2026-11-02 1.00"}}},
		{"empty", export{name: "empty"}},
	} {
		_, err := l.TakeInSales(t.Context(), c.file.takeIn(), false)
		var r *messages.Refusal
		if !errors.As(err, &r) || r.ID != c.id {
			t.Errorf("%s: %v", c.id, err)
		}
	}
	out, err := l.TakeInSales(t.Context(), export{name: "dry", rows: []string{"A 2026-11-01 10.00"}}.takeIn(), true)
	must(t, err)
	if out.New != 1 {
		t.Errorf("a dry run says %+v", out)
	}
	files, err := l.OwnFiles(t.Context(), centro)
	must(t, err)
	if got := tell(t, l); len(got)+len(files) != 0 {
		t.Errorf("kept: %v %v", got, files)
	}
	takeInExport(t, l, export{name: "quiet", from: "2026-11-01", to: "2026-11-02"})
	if diff := cmp.Diff([]string{"2026-11-01 complete 0", "2026-11-02 complete 0"}, tell(t, l)); diff != "" {
		t.Errorf("a quiet period: %s", diff)
	}
}

// A note is void by its event, whichever came first, and its days are whole when every number is accounted for.
func TestSalesOfNotes(t *testing.T) {
	t.Parallel()
	notes := export{name: "notes", notes: true, rows: []string{
		"numbers 1 1 2026-11-01", "A 2026-11-01 10.00", "numbers 2 2 2026-11-02", "B 2026-11-02 20.00", "numbers 5 5 2026-11-04", "C 2026-11-04 30.00",
		"numbers 6 6 2026-11-05", "D 2026-11-05 40.00",
	}}
	events := export{name: "events", notes: true, rows: []string{"numbers 2 2", "void B 2026-11-03", "numbers 3 4"}}
	want := []string{
		"A 2026-11-01 10.00 paid", "B 2026-11-02 20.00 cancelled", "C 2026-11-04 30.00 paid", "D 2026-11-05 40.00 paid",
		"2026-11-01 complete 1", "2026-11-02 complete 1", "2026-11-03 complete 0", "2026-11-04 complete 1",
		"2026-11-05 partial 1 series 11222333000181/65/001: no note after",
	}
	for _, order := range [][]export{{notes, events}, {events, notes}} {
		for kind, l := range bankLedgers(t) {
			for i, e := range order {
				takeInExport(t, l, e)
				if i == 0 && e.name == "notes" {
					if got := tell(t, l); got[5] != "2026-11-02 partial 1 series 11222333000181/65/001: numbers 3 to 4 are missing" {
						t.Errorf("%s: before the numbers are told: %v", kind, got)
					}
				}
			}
			if diff := cmp.Diff(want, tell(t, l)); diff != "" {
				t.Errorf("%s: wanted (-) and kept (+):\n%s", kind, diff)
			}
			checkSalesWhole(t, l)
		}
	}
}

// Without a period said, the last day of a file may not be whole; days that are not over never are.
func TestSalesOfOpenDays(t *testing.T) {
	t.Parallel()
	l := bankLedgers(t)["sqlite"]
	takeInExport(t, l, export{name: "rows", rows: []string{"A 2026-11-01 10.00", "B 2026-11-03 20.00"}})
	takeInExport(t, l, export{name: "future", from: "2026-12-30", to: "2027-01-02"})
	got := tell(t, l)
	for _, want := range []string{"2026-11-01 complete 1", "2026-11-02 complete 0", "2026-11-03 partial 1 no file has all of it", "2026-11-04 missing 0 no file has all of it", "2026-12-30 complete 0"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not told: %v", want, got)
		}
	}
	if slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "2026-12-31") }) {
		t.Errorf("a day that is not over is told: %v", got)
	}
}

// Rows that were not taken in and words that are not declared are known until a file made later tells the same days, or the same export comes
// again.
func TestFaultsOfFilesEndWithALaterFile(t *testing.T) {
	t.Parallel()
	rows := []string{"word method Vale", "fault"}
	for i := range 20 {
		rows = append(rows, fmt.Sprintf("S%02d 2026-11-02 10.00", i))
	}
	for kind, l := range bankLedgers(t) {
		faults := func() (out []string) {
			all, err := l.OwnFaults(t.Context(), centro)
			must(t, err)
			for _, f := range all {
				out = append(out, strings.TrimSpace(f.File+" "+f.Member+" "+f.Where+" "+f.Said))
			}
			return out
		}
		takeInExport(t, l, export{name: "a", from: "2026-11-01", to: "2026-11-03", rows: rows})
		takeInExport(t, l, export{name: "b", from: "2026-11-05", to: "2026-11-06", rows: rows[:12]})
		known := []string{"a  line 9 bad", "a method  Vale"}
		both := append(slices.Clone(known), "b  line 9 bad", "b method  Vale")
		if diff := cmp.Diff(both, faults()); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
		takeInExport(t, l, export{name: "c", from: "2026-11-04", to: "2026-11-30", rows: rows[2:]})
		if diff := cmp.Diff(known, faults()); diff != "" {
			t.Errorf("%s: after a file that has the days of b: %s", kind, diff)
		}
		takeInExport(t, l, export{name: "a", from: "2026-11-03", to: "2026-11-30", rows: rows[2:]})
		if got := faults(); len(got) != 0 {
			t.Errorf("%s: after the same export again: %v", kind, got)
		}
	}
}
