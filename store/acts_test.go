//go:build unix

package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// TestVerifyActs: what hands that know SQL can do to the log of acts, and what of it is found. Each row has an account
// of its own: acts 1 and 3 on a case, 2 and 4 on nothing else of the ledger, a reconcile, and act 5 on the case.
func TestVerifyActs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, dsn string }{
		{"sqlite", storetest.FreshSQLite(t)},
		{"postgres", storetest.FreshPostgres(t)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, db := openDSN(t, c.dsn), rawDB(t, c.dsn)
			tampered := tamperings()
			for i := range tampered {
				a := ledger.Account(i + 1)
				writeLog(t, l, a)
				tampered[i].with(t, l, db, a)
			}
			faults, err := l.VerifyActs(t.Context())
			must(t, err)
			for i, row := range tampered {
				var got []string
				for _, f := range faults {
					if f.Account == ledger.Account(i+1) {
						text := strings.ReplaceAll(f.Text.String(), ledger.CaseID(f.Account, "s", "C"), "CASE")
						got = append(got, fmt.Sprintf("%d %s", f.Number, text))
					}
				}
				if text := strings.Join(got, "\n"); text != row.faults {
					t.Errorf("%s:\ngot  %q\nwant %q", row.says, text, row.faults)
				}
			}
		})
	}
}

type tampering struct {
	says   string
	with   func(*testing.T, *store.Ledger, *sqldb.DB, ledger.Account)
	faults string
}

func tamperings() []tampering {
	sql := func(statements ...string) func(*testing.T, *store.Ledger, *sqldb.DB, ledger.Account) {
		return func(t *testing.T, _ *store.Ledger, db *sqldb.DB, a ledger.Account) {
			t.Helper()
			for _, s := range statements {
				_, err := db.Write.ExecContext(t.Context(), s, int64(a))
				must(t, err)
			}
		}
	}
	return []tampering{
		{"nobody touched it", sql(), ""},
		{
			"what was done is made a proposal", sql("UPDATE act SET stage = 'proposed' WHERE account = $1 AND number = 5"),
			"5 was changed: its hash does not fit its values\n5 changed case CASE and is not in the log",
		},
		{
			"an actor is another's name", sql("UPDATE act SET actor = 'eva' WHERE account = $1 AND number = 2"),
			"2 was changed: its hash does not fit its values",
		},
		{
			"a reason is another, and its hash made anew", func(t *testing.T, l *store.Ledger, db *sqldb.DB, a ledger.Account) {
				t.Helper()
				acts, err := l.Acts(t.Context(), caselog.ActFilter{Accounts: []ledger.Account{a}})
				must(t, err)
				acts[1].Reason = "another"
				_, err = db.Write.ExecContext(t.Context(), "UPDATE act SET reason = 'another', hash = $2 WHERE account = $1 AND number = 2", int64(a), acts[1].ComputeHash())
				must(t, err)
			},
			"3 does not follow from the act before: one of them was replaced or moved",
		},
		{
			"one in the middle is gone", sql("DELETE FROM act WHERE account = $1 AND number = 2"),
			"3 follows act 1: the acts between them are missing",
		},
		{
			"the first is gone", sql("DELETE FROM act WHERE account = $1 AND number = 1"),
			"2 follows act 0: the acts between them are missing\n1 changed case CASE and is not in the log",
		},
		{
			"two change places", sql(
				"UPDATE act SET number = 20 WHERE account = $1 AND number = 2",
				"UPDATE act SET number = 2 WHERE account = $1 AND number = 4",
				"UPDATE act SET number = 4 WHERE account = $1 AND number = 20"),
			"2 does not follow from the act before: one of them was replaced or moved\n2 was changed: its hash does not fit its values\n" +
				"3 does not follow from the act before: one of them was replaced or moved\n" +
				"4 does not follow from the act before: one of them was replaced or moved\n4 was changed: its hash does not fit its values\n" +
				"5 does not follow from the act before: one of them was replaced or moved\n" +
				"4 was the end of the log when run r2 reconciled, and is not there or another",
		},
		{
			"the last is gone, and what it did is still there", sql("DELETE FROM act WHERE account = $1 AND number = 5"),
			"5 changed case CASE and is not in the log",
		},
		{
			"the last are gone with what they did, past the end that a run noted", sql(
				"DELETE FROM act WHERE account = $1 AND number >= 4", "DELETE FROM finding_event WHERE account = $1 AND act = 5"),
			"4 was the end of the log when run r2 reconciled, and is not there or another",
		},
		{
			"the last is gone with what it did, and no run has noted it: this is not found",
			sql("DELETE FROM act WHERE account = $1 AND number = 5", "DELETE FROM finding_event WHERE account = $1 AND act = 5"),
			"",
		},
		{
			"what an act did is gone", sql("DELETE FROM finding_event WHERE account = $1 AND act = 5"),
			"5 left nothing on case CASE",
		},
		{
			"a case was changed by an act that never was", sql("UPDATE finding_event SET act = 6 WHERE account = $1 AND act = 0"),
			"6 changed case CASE and is not in the log",
		},
	}
}

// writeLog makes the log of an account that tamperings begin with.
func writeLog(t *testing.T, l *store.Ledger, a ledger.Account) {
	t.Helper()
	ctx := t.Context()
	f := ledger.Finding{Account: a, Code: "C", Subject: "s", Severity: ledger.Error, State: ledger.Opened}
	reconcile := func(run string, found ...ledger.Finding) {
		r, err := l.BeginReconcile(ctx, &ledger.Run{ID: run, AsOf: 1}, a)
		must(t, err)
		for _, f := range found {
			must(t, r.WriteCase(f, true))
		}
		must(t, r.Commit())
	}
	reconcile("r1", f)
	id := ledger.CaseID(a, f.Subject, f.Code)
	act := func(verb ledger.Verb, subject string) ledger.Act {
		return ledger.Act{Account: a, Verb: verb, Stage: ledger.Done, Subject: subject, Actor: "ana", At: time.Unix(1, 0)}
	}
	onCase := func(verb ledger.Verb) {
		must(t, l.TransactActs(ctx, []ledger.Account{a}, func(x *caselog.ActTx) error {
			entry, g := act(verb, id), f
			g.Case, g.State = id, verb.ResultState(f.State)
			if err := x.AppendAct(&entry); err != nil {
				return err
			}
			return x.UpdateCase(&g, &entry, 2)
		}))
	}
	note := func() {
		_, err := l.LogAct(ctx, act("note", "x"))
		must(t, err)
	}
	onCase(ledger.Ack)
	note()
	onCase(ledger.Assign)
	note()
	reconcile("r2")
	onCase(ledger.Close)
}
