package render_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/store/ledger"
)

// item is an installment to come: gross less 3 %, of visa on credit.
func item(forecast, adjusted, gross string, change ...func(*report.AgendaRow)) report.AgendaRow {
	g := brl(gross)
	fee := g * 3 / 100
	v := report.AgendaRow{Account: 1001, AgendaItem: ledger.AgendaItem{
		Brand: "visa", Product: ledger.Credit, Gross: g, GrossCents: rd(g) / 100, Net: g - fee, Charged: fee,
		ChargedCents: ledger.Amount(rd(fee)),
	}}
	if forecast != "" {
		v.Forecast, v.Adjusted = day(forecast), day(adjusted)
	}
	for _, c := range change {
		c(&v)
	}
	return v
}

func elo(v *report.AgendaRow)     { v.Brand = "elo" }
func blocked(v *report.AgendaRow) { v.Blocked = true }
func early(v *report.AgendaRow)   { v.Anticipated = true }

// ahead is an agenda over two years, weekends, rows without date, and everything that moves a balance.
func ahead() *coming {
	move := func(brand string, since ledger.Date, opening, closing string, moved map[ledger.Movement]string) report.AgendaMovement {
		m := report.AgendaMovement{Account: 1001, Since: since}
		m.Brand, m.Product, m.Opening, m.Closing = brand, ledger.Credit, brl(opening), brl(closing)
		for k, a := range moved {
			m.Changes[k] = brl(a)
		}
		return m
	}
	return &coming{
		feed: &feed{},
		items: []report.AgendaRow{
			item("", "", "10.00"),
			item("2027-01-02", "2027-01-04", "33.3333"),
			item("2026-11-21", "2026-11-23", "100.00", early),
			item("2026-11-20", "2026-11-20", "100.005", elo),
			item("2026-11-20", "2026-11-20", "50.00"),
			item("2026-11-20", "2026-11-20", "70.00", blocked),
			item("2026-12-31", "2027-01-04", "20.00"),
			item("2026-11-21", "2026-11-23", "-5.00", elo, blocked),
		},
		moves: []report.AgendaMovement{
			move("visa", day("2026-11-17"), "300.0001", "283.3334", map[ledger.Movement]string{
				ledger.Added: "120.00", ledger.ReceivedNormally: "-90.00", ledger.ReceivedEarly: "-30.00", ledger.WasCancelled: "-20.00",
				ledger.ChargedBack: "-10.00", ledger.WasBlocked: "-70.00", ledger.Unblocked: "5.00", ledger.Undone: "40.00",
				ledger.HasVanished: "-7.00", ledger.Reappeared: "7.00", ledger.Restated: "-0.6667", ledger.Reclassified: "39.00",
			}),
			move("elo", day("2026-11-17"), "0", "100.005", map[ledger.Movement]string{ledger.Started: "100.005"}),
		},
	}
}

// agendaJob is a state set of the agenda alone.
func agendaJob(formats ...report.Format) export.Job {
	j := job()
	j.Basis, j.Period = report.ByAsOf, ledger.Period{From: j.AsOf, To: j.AsOf}
	j.Kinds, j.Formats = []report.Kind{report.AgendaKind, report.ControlKind}, formats
	return j
}

func TestAgendaAsPublished(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	r, err := render.Set(t.Context(), agendaJob(report.CSV, report.CSVBR, report.JSONL, report.XLSX), ahead(), tg)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Files {
		if f.Kind != report.AgendaKind {
			continue
		}
		b, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, f.Path, b)
	}
	var continuity strings.Builder
	for line := range strings.Lines(body(t, out, r, "control", report.CSV)) {
		if strings.Contains(line, "continuity") {
			continuity.WriteString(line)
		}
	}
	golden(t, "continuity.csv", []byte(continuity.String()))
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}

// Rows come in any order, and the bytes are the same.
func TestAgendaInAnyOrder(t *testing.T) {
	t.Parallel()
	var want string
	for turn := range len(ahead().items) {
		f := ahead()
		f.items = append(f.items[turn:], f.items[:turn]...)
		f.moves = append(f.moves[turn%2:], f.moves[:turn%2]...)
		tg, _ := target(t)
		r, err := render.Set(t.Context(), agendaJob(report.CSV), f, tg)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = r.Digest
		}
		if r.Digest != want {
			t.Errorf("turned by %d it has another digest", turn)
		}
	}
}

func TestAnEmptyAgenda(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	r, err := render.Set(t.Context(), agendaJob(report.CSV, report.XLSX), &coming{feed: &feed{}}, tg)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"agenda", "agenda-roll"} {
		if text := body(t, out, r, table, report.CSV); strings.Count(text, "\n") != 1 {
			t.Errorf("%s has rows: %s", table, text)
		}
	}
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}

func TestAgendaRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why  string
		set  func(*coming)
		want string
	}{
		{
			"a movement that is missing", func(f *coming) { f.moves[0].Changes[ledger.Undone] = 0 },
			"identity agenda_roll: " + "opening + start",
		},
		{
			"two movements that are missing and hide each other in the sum", func(f *coming) {
				f.moves[0].Closing += ledger.Cent
				f.moves[1].Closing -= ledger.Cent
			},
			"leaves 0.0200",
		},
		{"a net that is not gross less what was charged", func(f *coming) { f.items[1].Charged++ }, "identity agenda_net"},
		{"a row that the agenda forgets", func(f *coming) { f.drop = 1 }, "identity agenda_not_due"},
		{"a sum that the ledger does not give", func(f *coming) { f.forget = "cumulative" }, "no sum of cumulative"},
	} {
		f := ahead()
		tc.set(f)
		tg, out := target(t)
		_, err := render.Set(t.Context(), agendaJob(report.CSV), f, tg)
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(out.puts) > 0 {
			t.Errorf("%s: %v, published %v; want %s", tc.why, err, out.puts, tc.want)
		}
		var tie *control.MismatchError
		if errors.As(err, &tie) == (f.forget != "") {
			t.Errorf("%s: not told as figures that don't tie: %v", tc.why, err)
		}
	}
}
