package store_test

import (
	"regexp"
	"strings"
	"testing"

	"concilia/store"
	"concilia/store/storetest"
)

// TestWaitingDaysAreLookedUp: neither database reads the rows of a day to learn whether something waits there.
func TestWaitingDaysAreLookedUp(t *testing.T) {
	t.Parallel()
	query := regexp.MustCompile(`\$\d`).ReplaceAllString(store.WaitingDaysText, "1")
	for _, c := range []struct{ name, dsn, before, explain, scan string }{
		{"sqlite", storetest.FreshSQLite(t), "", "EXPLAIN QUERY PLAN ", "scan e"},
		// Of a table without rows Postgres reads all of them unless it is told not to.
		{"postgres", storetest.FreshPostgres(t), "SET enable_seqscan = off", "EXPLAIN ", "seq scan on expectation"},
	} {
		openDSN(t, c.dsn)
		db := rawDB(t, c.dsn)
		db.Write.SetMaxOpenConns(1)
		if c.before != "" {
			_, err := db.Write.ExecContext(t.Context(), c.before)
			must(t, err)
		}
		plan := strings.ToLower(strings.Join(lines(t, db, c.explain+query), "\n"))
		if n := strings.Count(plan, "expectation_open"); n != 6 || strings.Contains(plan, c.scan) {
			t.Errorf("%s looks up expectation_open %d times of 6:\n%s", c.name, n, plan)
		}
	}
}
