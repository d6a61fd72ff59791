package jobs_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/export/report/othersides"
	"concilia/export/table"
	"concilia/jobs/jobstest"
	"concilia/jobs/movement"
	"concilia/jobs/movement/movementtest"
	"concilia/store/ledger"
	"concilia/store/ledger/bookkeeping"
)

// toldFeed answers for events that are in no ledger.
type toldFeed struct {
	real
	events []bookkeeping.Event
}

func (f *toldFeed) Events(_ context.Context, yield func(*bookkeeping.Event) error) error {
	for i := range f.events {
		if err := yield(&f.events[i]); err != nil {
			return err
		}
	}
	return nil
}

// Sums are those of the example, by hand.
func (f *toldFeed) Sums(_ context.Context, id string) (report.Sums, error) {
	if strings.HasSuffix(id, "-titles") {
		return report.Sums{Rows: 3, Columns: map[string]int64{
			"face": 230_0000, "paid": 100_0000, "net": 96_5100, "fees": 4_9600, "additions": 0, "discounts": 0, "other_expenses": 77_7100,
			"other_credits": 0, "shares": 1, "shares_value": 9_6600,
		}}, nil
	}
	return report.Sums{Rows: 5, Columns: map[string]int64{
		"set": 100, "face": 0, "closed": 150_0000, "received": 18_9000, "fees": 1_0000, "anticipation": 0, "splits": 9_6600, "value": 87_2700,
		"nsa": 80, "lote": 4, "record": 1 + 3 + 5 + 6, "version": 12,
	}}, nil
}

// TestMovementExample renders a set of the movement with the events of three titles: one charged back whose money was taken back, one
// settled short with a split, and one cancelled unpaid. Its EDI file is compared byte for byte.
func TestMovementExample(t *testing.T) {
	t.Parallel()
	from, _ := ledger.ParseDate("2026-11-01")
	asOf, _ := ledger.ParseDate("2026-11-20")
	terms := movement.Terms{Account: 1001, Source: bookkeeping.CardEvents, AsOf: asOf, From: from}
	feed := &toldFeed{}
	record, cut := 0, export.MovementCut{Source: bookkeeping.CardEvents, NSA: []int{20}, Events: map[bookkeeping.EventType]int{}}
	for _, change := range movementtest.ExampleTitles() {
		told, before := terms.Compare(&change)
		if before != (bookkeeping.Measures{}) {
			t.Errorf("%s: %v occurred before %s", change.Subject, before, from)
		}
		for _, e := range told {
			e.Set, e.TitleNumber = 20, fmt.Sprintf("%011d", ledger.TitleNumber(e.Title))
			if e.Movement != "" {
				e.NSA, e.Lote, e.Record = 20, 1, record+1
				if record += 2; e.Movement == othersides.ShareMovement {
					record--
				}
			}
			cut.Sums.Add(e.Sums)
			cut.Events[e.Type]++
			feed.events = append(feed.events, e)
		}
	}
	compareFile(t, filepath.Join("..", "testdata", "movement", "events.txt"), describeEvents(feed.events))
	dir := t.TempDir()
	out := &jobstest.Folder{Root: dir}
	_, err := render.Set(t.Context(), export.Job{
		Account: "1001", Basis: report.ByMovement, Period: ledger.Period{From: asOf, To: asOf}, AsOf: asOf, Unit: ledger.Percent,
		Kinds: []report.Kind{report.CardEventsKind, report.ControlKind}, Formats: []report.Format{report.CSV, report.EDI},
		Language: table.Portuguese, EDIProfile: "febraban", Movement: &export.Movement{Set: 20, From: from, Cuts: []export.MovementCut{cut}},
		Block: export.AccountBlock{Name: "Loja Centro", Document: "12345678000195", Bank: export.Bank{
			Code: "001", Branch: "1234", BranchDigit: "5", Account: "567890", AccountDigit: "1", Agreement: "1234567", Name: "BANCO DO BRASIL",
		}},
	}, feed, export.Target{Staging: t.TempDir(), Publisher: out, Numbers: kept{}})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "1001/movement/2026/11/card-events_1001_movement_20261120_20261120_r0.ret"))
	if err != nil {
		t.Fatal(err)
	}
	compareFile(t, filepath.Join("..", "testdata", "movement", "card-events.ret"), string(file))
	sum := sha256.Sum256(file)
	if got := hex.EncodeToString(sum[:8]); got != "ed7647d2c050ee06" {
		t.Errorf("the file has SHA-256 %s, want ed7647d2c050ee06", got)
	}
}

// describeEvents is a line for each event.
func describeEvents(events []bookkeeping.Event) string {
	var b strings.Builder
	for i := range events {
		e := &events[i]
		value := ""
		if e.Value.OK {
			value = e.Value.V.Fixed(2)
		}
		fmt.Fprintf(&b, "%s %-13s %s %s %7s %8s %5s %6s %5s %s\n", e.ID, e.Type, e.Occurred, e.TitleNumber, e.Sums.Closed.Fixed(2), e.Sums.Received.Fixed(2),
			e.Sums.Fees.Fixed(2), e.Sums.Splits.Fixed(2), value, cmp.Or(e.Movement, e.Reason))
	}
	return b.String()
}

// compareFile compares a text with a file of the tests; UPDATE_GOLDEN=1 rewrites it.
func compareFile(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", path, got, want)
	}
}
