package store_test

import (
	"regexp"
	"strings"
	"testing"

	"concilia/store"
	"concilia/store/facts"
	"concilia/store/storetest"
)

// TestWaitingDaysAreLookedUp: neither database reads the rows of a day to learn whether something waits there.
func TestWaitingDaysAreLookedUp(t *testing.T) {
	t.Parallel()
	for name, plan := range plans(t, store.WaitingDaysText) {
		scan := map[string]string{"sqlite": "scan e", "postgres": "seq scan on expectation"}[name]
		if n := strings.Count(plan, "expectation_open"); n != 6 || strings.Contains(plan, scan) {
			t.Errorf("%s looks up expectation_open %d times of 6:\n%s", name, n, plan)
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
	for name, plan := range plans(t, facts.ReceivedOnSQL) {
		if !strings.Contains(plan, "installment_effective") {
			t.Errorf("%s does not look up what was received on a day:\n%s", name, plan)
		}
	}
	for name, plan := range plans(t, facts.ForecastOnSQL) {
		if name == "sqlite" && !strings.Contains(plan, "(account=? and sale_day=?)") || strings.Contains(plan, "seq scan on installment") {
			t.Errorf("%s does not look up what is forecast for a day:\n%s", name, plan)
		}
	}
}

// plans are how the databases answer a query, by their names, in small letters.
func plans(t *testing.T, query string) map[string]string {
	query = regexp.MustCompile(`\$\d`).ReplaceAllString(query, "1")
	out := map[string]string{}
	for _, c := range []struct{ name, dsn, before, explain string }{
		{"sqlite", storetest.FreshSQLite(t), "", "EXPLAIN QUERY PLAN "},
		// Of a table without rows Postgres reads all of them unless it is told not to.
		{"postgres", storetest.FreshPostgres(t), "SET enable_seqscan = off", "EXPLAIN "},
	} {
		openDSN(t, c.dsn)
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
