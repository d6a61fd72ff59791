//go:build unix

package main

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestGrants: a role with no more than deploy/grants.sql gives it opens the ledger, leases, merges, and checks, and makes no table.
func TestGrants(t *testing.T) {
	t.Parallel()
	if os.Getenv(storetest.PostgresEnv) != "" {
		t.Skipf("the user of %s may not be one who makes roles", storetest.PostgresEnv)
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	owner := storetest.Schema(t, storetest.Shared(t))
	made, err := store.Open(t.Context(), owner)
	ok(err)
	_, _, err = made.Migrate(t.Context())
	ok(err)
	ok(made.Close())

	role := "night_" + strings.ToLower(rand.Text()[:8])
	u, err := url.Parse(owner)
	ok(err)
	q := u.Query()
	schema := q.Get("search_path")
	q.Del("pool_max_conns") // not the server's
	u.RawQuery = q.Encode()
	admin, err := sql.Open("pgx", u.String())
	ok(err)
	t.Cleanup(func() { _ = admin.Close() })
	grants, err := os.ReadFile("deploy/grants.sql")
	ok(err)
	text := strings.NewReplacer(`:"schema"`, schema, `:"role"`, role).Replace(string(grants))
	_, err = admin.ExecContext(t.Context(), "CREATE ROLE "+role+" LOGIN; "+text)
	ok(err)

	u.User = url.User(role)
	q.Set("user", role)
	u.RawQuery = q.Encode()
	l, err := store.Open(t.Context(), u.String())
	ok(err)
	t.Cleanup(func() { ok(l.Close()) })
	_, _, err = l.Migrate(t.Context())
	ok(err)
	lease, err := l.LeaseAccounts(t.Context(), "r", []ledger.Account{1}, time.Minute)
	ok(err)
	d := ledger.NewDate(2026, 1, 2)
	ok(l.MergeInstallments(t.Context(), &ledger.Pull{
		ID: "p", Run: "r", Complete: true, Began: d.Time(), Ended: d.Time(),
		Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: d, To: d}},
	}, []ledger.Installment{{Account: 1, SoldAt: ledger.LocalTimeOf(d.Time(), time.UTC), NSU: "1", Number: 1, Count: 1, Gross: 100}}, nil))
	ok(lease.Release(t.Context()))
	if r, err := l.Check(t.Context()); err != nil || len(r.Faults) > 0 {
		t.Errorf("check as %s: %v, %v", role, r, err)
	}
	db, err := sql.Open("pgx", u.String())
	ok(err)
	t.Cleanup(func() { _ = db.Close() })
	var who string
	ok(db.QueryRowContext(t.Context(), "SELECT current_user").Scan(&who))
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE more (a INTEGER)"); err == nil || who != role {
		t.Errorf("%s could make a table", who)
	}
}
