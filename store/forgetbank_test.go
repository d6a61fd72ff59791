//go:build unix

package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/export/words"
	"concilia/store/bank"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// blankBarbara takes one person out of rows.
func blankBarbara(r *banking.Row) bool {
	text := strings.ReplaceAll(r.Text, "BARBARA QUINTAO", "******* *******")
	if text == r.Text {
		return false
	}
	hash := r.TextHash()
	r.Original, r.Text = string(hash[:]), text
	return true
}

// TestForgetPayerInLinesOfBanks: after an erasure no table has the payer, the lines are as their statements show them, and later downloads
// that overlap, whole or in part, lose and double none.
func TestForgetPayerInLinesOfBanks(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]string{"sqlite": storetest.FreshSQLite(t), "postgres": storetest.FreshPostgres(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forgetPayerInLines(t, dsn)
		})
	}
}

func forgetPayerInLines(t *testing.T, dsn string) {
	t.Helper()
	l, db := openDSN(t, dsn), rawDB(t, dsn)
	first := download{name: "a", made: "2026-11-06T08:00:00", from: "2026-11-03", to: "2026-11-06", rows: []string{
		"2026-11-04 50.00 PIX BARBARA QUINTAO", "2026-11-04 50.00 PIX CARLOS", "2026-11-04 50.00 PIX BARBARA QUINTAO", "2026-11-05 50.00 ADAO", "2026-11-05 50.00 BARBARA QUINTAO",
		"2026-11-06 50.00 PIX BARBARA QUINTAO",
	}}
	// Of one day the bank changes both texts of 50.00: only their order tells which is which, and once the payer is forgotten it is lost.
	second := download{name: "b", made: "2026-11-08T08:00:00", from: "2026-11-05", to: "2026-11-06", rows: []string{
		"2026-11-05 50.00 ADAO X", "2026-11-05 50.00 X BARBARA QUINTAO", "2026-11-06 50.00 PIX BARBARA QUINTAO",
	}}
	takeIn(t, l, first)
	takeIn(t, l, second)
	kept := concludedOf(parseAmount("50.00"))
	kept.Deposits[0].Text = "PIX BARBARA QUINTAO"
	must(t, l.KeepConclusion(t.Context(), &ledger.Run{ID: "run1"}, home, kept, nil))
	holds := func() (tables []string) {
		for _, table := range []string{"bank_line", "bank_file_day", "bank_deposit", "bank_deposit_part", "bank_file"} {
			if tableHolds(t, db, table, "QUINTAO") {
				tables = append(tables, table)
			}
		}
		return tables
	}
	isSound := func(when string) {
		t.Helper()
		_, err := l.CheckStatements(t.Context(), func(fault words.Message) { t.Errorf("%s: %s", when, fault) })
		must(t, err)
	}
	subjects := func() (all []string) {
		must(t, l.BankLines(t.Context(), home, ledger.Period{From: 1, To: 1 << 30}, func(x *banking.Line) error {
			all = append(all, banking.LineSubject(home.Home, home.ID, &x.Row))
			return nil
		}))
		slices.Sort(all)
		return all
	}
	before := subjects()
	if n, err := l.CountPayerLines(t.Context(), blankBarbara); err != nil || n != 4 || len(holds()) != 3 {
		t.Fatalf("%d lines, in %v: %v", n, holds(), err)
	}
	isSound("before")
	must(t, l.ErasePayer(t.Context(), &caselog.Erasure{
		Document: "52998224725", BlankRow: func([]byte) []byte { return nil },
		BlankLines: func(ctx context.Context, tx *sqldb.Tx) error { return bank.ForgetPayer(ctx, tx, blankBarbara) },
	}, ledger.Act{Verb: "evidence forget", Stage: ledger.Done, Subject: "payer:0000", Actor: "ana", At: time.Unix(1, 0)}))
	if len(holds()) > 0 {
		t.Errorf("the payer is still in %v", holds())
	}
	isSound("after the erasure")
	if d := cmp.Diff(before, subjects()); d != "" {
		t.Errorf("lines are named otherwise:\n%s", d)
	}
	if n, err := l.CountPayerLines(t.Context(), blankBarbara); err != nil || n != 0 {
		t.Errorf("%d lines: %v", n, err)
	}

	// What the bank sends again is kept again; no line is lost or doubled.
	part := download{name: "c", made: "2026-11-04T20:00:00", from: "2026-11-04", to: "2026-11-04", rows: []string{"2026-11-04 50.00 PIX BARBARA QUINTAO"}}
	whole := download{name: "d", made: "2026-11-09T08:00:00", from: "2026-11-03", to: "2026-11-06", rows: slices.Concat(first.rows[:3], second.rows)}
	for _, d := range []download{part, whole} {
		if got := takeIn(t, l, d); got.New != 0 || got.Vanished != 0 {
			t.Errorf("%s: %+v", d.name, got)
		}
		isSound("after " + d.name)
		if d := cmp.Diff(before, subjects()); d != "" {
			t.Errorf("lines are other ones:\n%s", d)
		}
	}
}
