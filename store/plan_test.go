package store_test

import (
	"regexp"
	"strings"
	"testing"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/lookup"
	"concilia/store/reports"
	"concilia/store/results"
	"concilia/store/storetest"
)

// TestWaitingDaysAreLookedUp: neither database reads the expectations of a day to learn whether something waits there.
func TestWaitingDaysAreLookedUp(t *testing.T) {
	t.Parallel()
	for name, plan := range plans(t, store.WaitingDaysText) {
		if strings.Contains(plan, "expectation") || !strings.Contains(plan, "waiting_standing") {
			t.Errorf("%s does not look up waiting_standing alone:\n%s", name, plan)
		}
	}
}

// TestVanishedAreLookedUp: a night reads the few rows that vanished, not all there are to find them.
func TestVanishedAreLookedUp(t *testing.T) {
	t.Parallel()
	for name, plan := range plans(t, store.VanishedText) {
		if !strings.Contains(plan, "using index installment_vanished") && !strings.Contains(plan, "index scan using installment_vanished") {
			t.Errorf("%s does not look up installment_vanished:\n%s", name, plan)
		}
	}
}

// TestSalesOfADayAreLookedUp: who looks for a day does not wait for all sales of the account to be read.
func TestSalesOfADayAreLookedUp(t *testing.T) {
	t.Parallel()
	for name, plan := range plans(t, lookup.ReceivedOnSQL) {
		if !strings.Contains(plan, "installment_effective") {
			t.Errorf("%s does not look up what was received on a day:\n%s", name, plan)
		}
	}
	for name, plan := range plans(t, lookup.ForecastOnSQL) {
		if name == "sqlite" && !strings.Contains(plan, "(account=? and sale_day=?)") || strings.Contains(plan, "seq scan on installment") {
			t.Errorf("%s does not look up what is forecast for a day:\n%s", name, plan)
		}
	}
}

// TestWhatTimeTurnsIsLookedUp: a night reads what it evaluates again, and the sale days on which something is due, not all there are.
func TestWhatTimeTurnsIsLookedUp(t *testing.T) {
	t.Parallel()
	// Of an empty table Postgres finds every index as good as another.
	plan := plansOf(t, func(l *store.Ledger) string { return store.EveryNightText(l) + " UNION ALL " + results.DueSalesSQL })["sqlite"]
	if !strings.Contains(plan, "expectation_every_night (account=?)") {
		t.Errorf("what every night evaluates is looked for among all:\n%s", plan)
	}
	if !strings.Contains(plan, "(account=? and sale_day>? and sale_day<?)") {
		t.Errorf("what is due on a sale day is looked for among all days:\n%s", plan)
	}
}

// TestPagesOfStoresAreLookedUp: the desk's page of a store adds up its rows from the index alone, and reads as many as it shows.
func TestPagesOfStoresAreLookedUp(t *testing.T) {
	t.Parallel()
	for name, plan := range plansOf(t, func(l *store.Ledger) string { return l.BucketSumsSQL(ownsales.Buckets()...) }) {
		if !strings.Contains(plan, "covering index own_match_bucket (account=? and store=? and bucket=? and day>? and day<?)") &&
			!strings.Contains(plan, "own_match_bucket") || strings.Contains(plan, "seq scan on own_match") {
			t.Errorf("%s does not look up what stands of a store:\n%s", name, plan)
		}
	}
	for name, plan := range plansOf(t, func(l *store.Ledger) string { return l.LatestMatchesSQL(300) }) {
		whole := map[string]string{"sqlite": "use temp b-tree for order by", "postgres": "seq scan on own_match"}[name]
		if !strings.Contains(plan, "own_match_bucket") || strings.Contains(plan, whole) {
			t.Errorf("%s sorts all rows of a store:\n%s", name, plan)
		}
	}
}

// TestOpenSlipsAreRead: the desk's page of slips reads those that are open, in order, and not all that there ever were.
func TestOpenSlipsAreRead(t *testing.T) {
	t.Parallel()
	plan := plans(t, reports.OpenSlipsSQL)["sqlite"]
	if !strings.Contains(plan, "slip_expectation_standing (account=?)") || strings.Contains(plan, "temp b-tree") {
		t.Errorf("the open slips are looked for among all:\n%s", plan)
	}
}

// TestCreditedSlipsOfADayAreLookedUp: the page of a deposit used to merge all slips of an account to show those of a day, and on SQLite to
// look for each of them among those of the day.
func TestCreditedSlipsOfADayAreLookedUp(t *testing.T) {
	t.Parallel()
	day := ledger.Period{From: 20_000, To: 20_000}
	for name, plan := range plansOf(t, func(l *store.Ledger) string { return l.CreditedSlipsSQL(day) }) {
		// Of an empty table Postgres finds every index as good as another.
		all := map[string]string{"sqlite": "search v using index sqlite_autoindex_slip_1 (account=?)", "postgres": "seq scan on slip"}[name]
		if name == "sqlite" && !strings.Contains(plan, "slip_credited") || strings.Contains(plan, all) || strings.Contains(plan, "scan v") ||
			strings.Contains(plan, "slip_day (account=?)") {
			t.Errorf("%s reads all slips of an account:\n%s", name, plan)
		}
	}
}

// TestEventsOfTitlesAreLookedUp: a cut reads the earlier events of each of its titles, and SQLite used to read all events of the account
// for each.
func TestEventsOfTitlesAreLookedUp(t *testing.T) {
	t.Parallel()
	for name, plan := range plansOf(t, store.EarlierEventsText) {
		if name == "sqlite" && !strings.Contains(plan, "event_title (account=? and title=?)") || strings.Contains(plan, "primary key") ||
			strings.Contains(plan, "seq scan on event") {
			t.Errorf("%s reads all events of an account for each title:\n%s", name, plan)
		}
	}
}

// plans are how the databases answer a query, by their names, in small letters.
func plans(t *testing.T, query string) map[string]string {
	return plansOf(t, func(*store.Ledger) string { return query })
}

// plansOf are how the databases answer a query that is not the same for both.
func plansOf(t *testing.T, queryOf func(*store.Ledger) string) map[string]string {
	out := map[string]string{}
	for _, c := range []struct{ name, dsn, before, explain string }{
		{"sqlite", storetest.FreshSQLite(t), "", "EXPLAIN QUERY PLAN "},
		// Of a table without rows Postgres reads all of them unless a setting forbids it.
		{"postgres", storetest.FreshPostgres(t), "SET enable_seqscan = off", "EXPLAIN "},
	} {
		query := regexp.MustCompile(`\$\d`).ReplaceAllString(queryOf(openDSN(t, c.dsn)), "'1'")
		db := rawDB(t, c.dsn)
		db.Write.SetMaxOpenConns(1)
		if c.before != "" {
			_, err := db.Write.ExecContext(t.Context(), c.before)
			must(t, err)
		}
		out[c.name] = strings.ToLower(strings.Join(lines(t, db, c.explain+query), "\n"))
	}
	return out
}
