//go:build unix

package store_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestRunViews: the view of the runs has every column of a run record, in both databases, and a run that has not ended has
// no steps, no sums and no end there.
func TestRunViews(t *testing.T) {
	t.Parallel()
	zeros := regexp.MustCompile(`(\.\d*?)0+( |$)`)
	for name, dsn := range map[string]string{
		"sqlite": storetest.FreshSQLite(t), "postgres": storetest.FreshPostgres(t),
	} {
		l := openDSN(t, dsn)
		db := rawDB(t, dsn)
		shown := strings.Split(viewRows(t, db, "v_run")[0], "|")
		for _, column := range strings.Split(viewRows(t, db, "run")[0], "|") {
			if !slices.Contains(shown, column) {
				t.Errorf("%s: v_run lacks %s", name, column)
			}
		}
		began := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
		whole := &ledger.Run{ID: "20261120T080000.000Z-abc", Kind: ledger.Nightly, AsOf: ledger.DateOf(began, time.UTC), Began: began}
		must(t, l.BeginRun(t.Context(), whole))
		begun := *whole
		begun.ID, begun.Began = "20261121T080000.000Z-abc", began.AddDate(0, 0, 1)
		must(t, l.BeginRun(t.Context(), &begun))
		whole.Ended, whole.Resumed = began.Add(time.Minute), true
		whole.Figures = ledger.Figures{Lost: ledger.Cent, Late: 2 * ledger.Real, AtRisk: 3 * ledger.Real, Claimed: 4 * ledger.Real, Waived: 1, Excess: 5 * ledger.Real}
		whole.Sums = map[string]ledger.Amount{"cards.difference": -ledger.Cent, "cards.gross": 1234 * ledger.Real}
		whole.Steps = []ledger.RunStep{{Name: "pull", Took: 1_500_001 * time.Microsecond}, {Name: "publish", Took: time.Hour}}
		must(t, l.EndRun(t.Context(), whole))
		for _, c := range []struct {
			says, view, columns string
			want                []string
		}{
			{"a run taken up, and one under way", "v_run", "id, taken_up, lost, late, at_risk, claimed, waived, excess, CASE WHEN ended IS NULL THEN 0 ELSE 1 END", []string{
				whole.ID + " 1 0.0100 2.0000 3.0000 4.0000 0.0001 5.0000 1", begun.ID + " 0 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0",
			}},
			{"its steps, with seconds to the microsecond", "v_run_step", "run, place, step, seconds", []string{
				whole.ID + " 1 pull 1.500001", whole.ID + " 2 publish 3600.000000",
			}},
			{"its sums, with four decimals", "v_run_sum", "run, name, amount", []string{
				whole.ID + " cards.difference -0.0100", whole.ID + " cards.gross 1234.0000",
			}},
		} {
			got := lines(t, db, "SELECT "+c.columns+" FROM "+c.view)
			for i := range got {
				got[i] = strings.NewReplacer(" true ", " 1 ", " false ", " 0 ").Replace(got[i])
			}
			if name == "sqlite" { // its numbers have no scale: 2.0000 is shown as 2
				for i := range c.want {
					c.want[i] = strings.NewReplacer(". ", " ").Replace(zeros.ReplaceAllString(c.want[i], "$1$2"))
					c.want[i] = strings.TrimSuffix(c.want[i], ".")
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s: %s:\n%s", name, c.says, d)
			}
		}
	}
}
