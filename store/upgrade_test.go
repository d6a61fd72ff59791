//go:build unix

package store_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/engine"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestUpgrade: the ledger of a released program is migrated, and every run of it answers as it did.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		upgrades(t, "sqlite:"+t.TempDir()+"/ledger.db")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		upgrades(t, storetest.Schema(t, storetest.Shared(t)))
	})
}

func upgrades(t *testing.T, dsn string) {
	t.Helper()
	storetest.Released(t, dsn, "..")
	db := rawDB(t, dsn)
	// What each run said, by the tables it wrote: one run's rows were then all there is of it.
	const bridges, tolerated = `
		SELECT run, side || ' ' || CAST(day AS TEXT) || ' ' || brand || ' ' || product || ' ' || line || ' ' || reason, amount
		FROM bridge
		ORDER BY 1, 2`, `
		SELECT run, code || ' ' || CAST(month AS TEXT), amount
		FROM rounding
		ORDER BY 1, 2`
	wantBridges, wantTolerated := byRun(t, db, bridges), byRun(t, db, tolerated)
	believed := `
		SELECT '', account, COUNT(*)
		FROM %s
		WHERE ended_run IS NULL
		GROUP BY account`
	cards, slips := byRun(t, db, fmt.Sprintf(believed, "expectation")), byRun(t, db, fmt.Sprintf(believed, "slip_expectation"))
	var sights int
	must(t, db.Write.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM slip WHERE ended_pull IS NULL AND last_pull IS NOT NULL").Scan(&sights))

	l, err := store.Open(t.Context(), dsn)
	must(t, err)
	defer func() { must(t, l.Close()) }()
	from, to, err := l.Migrate(t.Context())
	if err != nil || from < 2 || from > 3 || to < 8 {
		t.Fatalf("from %d to %d, %v", from, to, err)
	}
	checked, err := l.Check(t.Context())
	must(t, err)
	if len(checked.Faults) > 0 || checked.Versions < 200 || checked.Cases == 0 {
		t.Errorf("the check: %+v", checked)
	}
	gotBridges, gotTolerated, last := map[string][]string{}, map[string][]string{}, ""
	for run := range wantBridges {
		last = max(last, run)
		lines, err := l.BridgeLines(t.Context(), 1001, run)
		must(t, err)
		for _, b := range lines {
			gotBridges[run] = append(gotBridges[run], fmt.Sprint(b.Side, " ", int64(b.Day), " ", b.Brand, " ", b.Product, " ", b.Line, " ", b.Reason, " ", int64(b.Amount)))
		}
		rounded, err := l.Roundings(t.Context(), 1001, run)
		must(t, err)
		for _, r := range rounded {
			gotTolerated[run] = append(gotTolerated[run], fmt.Sprint(r.Code, " ", int64(r.Month), " ", int64(r.Amount)))
		}
	}
	if len(wantBridges) != 5 || len(wantTolerated) != 5 {
		t.Fatalf("%d bridges, %d roundings", len(wantBridges), len(wantTolerated))
	}
	if d := cmp.Diff(wantBridges, gotBridges); d != "" {
		t.Errorf("bridges by run:\n%s", d)
	}
	if d := cmp.Diff(wantTolerated, gotTolerated); d != "" {
		t.Errorf("rounding by run:\n%s", d)
	}
	standing := byRun(t, db, `
		SELECT run, 'stands', COUNT(*)
		FROM bridge
		WHERE ended_run IS NULL
		GROUP BY run`)
	if want := fmt.Sprint(map[string][]string{last: {fmt.Sprint("stands ", len(wantBridges[last]))}}); fmt.Sprint(standing) != want {
		t.Errorf("what stands is the last run's alone: %v, not %s", standing, want)
	}
	if d := cmp.Diff(cards, byRun(t, db, fmt.Sprintf(believed, "expectation"))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(slips, byRun(t, db, fmt.Sprintf(believed, "slip_expectation"))); d != "" {
		t.Error(d)
	}
	var now, unjudged int
	must(t, db.Write.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM slip_sighting").Scan(&now))
	must(t, db.Write.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pull WHERE judged IS NULL").Scan(&unjudged))
	if now != sights || sights == 0 || unjudged != 0 {
		t.Errorf("%d sightings, %d pulls that nobody judged; there were %d sights", now, unjudged, sights)
	}
	setsAnswer(t, l, db)
}

// setsAnswer: what was published last of every account, basis and period is found by them.
func setsAnswer(t *testing.T, l *store.Ledger, db *engine.DB) {
	t.Helper()
	rows, err := db.Read.QueryContext(t.Context(), `
		SELECT account, basis, from_day, to_day, filter, MAX(revision)
		FROM report
		GROUP BY account, basis, from_day, to_day, filter`)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	sets := 0
	for rows.Next() {
		var account, basis, filter string
		var p ledger.Period
		var revision int
		must(t, rows.Scan(&account, &basis, &p.From, &p.To, &filter, &revision))
		s, err := l.StandingSet(t.Context(), account, basis, p, filter)
		must(t, err)
		if s.Revision != revision || len(s.Files) == 0 {
			t.Errorf("set of %s: revision %d with %d files, not %d", account, s.Revision, len(s.Files), revision)
		}
		sets++
	}
	if err := rows.Err(); err != nil || sets == 0 {
		t.Errorf("%d sets, %v", sets, err)
	}
}

// byRun gathers rows of a run, a text and a number.
func byRun(t *testing.T, db *engine.DB, query string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	rows, err := db.Write.QueryContext(t.Context(), query)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	for rows.Next() {
		var run, text string
		var n sql.NullInt64
		must(t, rows.Scan(&run, &text, &n))
		out[run] = append(out[run], fmt.Sprint(text, " ", n.Int64))
	}
	must(t, rows.Err())
	return out
}
