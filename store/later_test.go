package store_test

import (
	"errors"
	"testing"

	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// TestExecLater: statements that wait are done in order before whatever is asked next, and all of them with the transaction, or none.
func TestExecLater(t *testing.T) {
	for name, fresh := range map[string]func(testing.TB) string{"sqlite": storetest.FreshSQLite, "postgres": storetest.FreshPostgres} {
		t.Run(name, func(t *testing.T) {
			db := rawDB(t, fresh(t))
			_, err := db.Write.ExecContext(t.Context(), "CREATE TABLE later (n BIGINT PRIMARY KEY)")
			ok(t, err)
			const insert = "INSERT INTO later (n) VALUES ($1)"
			count := func(q sqldb.Querier) (n int) {
				t.Helper()
				ok(t, q.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM later").Scan(&n))
				return n
			}
			broken := errors.New("of the caller")
			for _, row := range []struct {
				says  string
				do    func(*sqldb.Tx) error
				fails bool
				kept  int
			}{
				{says: "those left at the end are kept", kept: 2, do: func(tx *sqldb.Tx) error {
					tx.ExecLater(t.Context(), insert, int64(1))
					tx.ExecLater(t.Context(), insert, int64(2))
					return nil
				}},
				{says: "one finds what those before it did", kept: 1, do: func(tx *sqldb.Tx) error {
					tx.ExecLater(t.Context(), insert, int64(1))
					tx.ExecLater(t.Context(), "DELETE FROM later")
					tx.ExecLater(t.Context(), insert, int64(1))
					return nil
				}},
				{says: "what is asked next finds what they did", kept: 1, do: func(tx *sqldb.Tx) error {
					tx.ExecLater(t.Context(), insert, int64(1))
					equal(t, "rows", count(tx), 1)
					return nil
				}},
				{says: "one that fails fails what comes next", fails: true, do: func(tx *sqldb.Tx) error {
					tx.ExecLater(t.Context(), insert, int64(1))
					tx.ExecLater(t.Context(), insert, int64(1))
					_, err := tx.ExecContext(t.Context(), insert, int64(2))
					return err
				}},
				{says: "one that fails at the end fails the transaction", fails: true, do: func(tx *sqldb.Tx) error {
					tx.ExecLater(t.Context(), insert, int64(1))
					tx.ExecLater(t.Context(), insert, int64(1))
					return nil
				}},
				{says: "those of a transaction that is given up are not done", fails: true, do: func(tx *sqldb.Tx) error {
					tx.ExecLater(t.Context(), insert, int64(1))
					return broken
				}},
			} {
				if err := db.Transact(t.Context(), "test", row.do); (err != nil) != row.fails {
					t.Errorf("%s: %v", row.says, err)
				}
				equal(t, row.says, count(db.Write), row.kept)
				_, err := db.Write.ExecContext(t.Context(), "DELETE FROM later")
				ok(t, err)
			}
		})
	}
}
