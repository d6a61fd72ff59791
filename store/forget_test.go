//go:build unix

package store_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// TestForgetPayer: after an erasure no table has the payer, the ledger is as it was kept, what the service sends again makes no
// version, and what is left cannot be changed unnoticed.
func TestForgetPayer(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		forgetPayer(t, storetest.FreshSQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		forgetPayer(t, storetest.FreshPostgres(t))
	})
}

func forgetPayer(t *testing.T, dsn string) {
	t.Helper()
	n, db := begin(t, openDSN(t, dsn)), rawDB(t, dsn)
	first := slip(ledger.SlipsDue, "a1", day(9))
	first.PayerDocument, first.PayerName, first.PayerStreet, first.PayerPhone = "529.982.247-25", "Bárbara Quintão", "Rua das Acácias", "11988887777"
	later, other := first, slip(ledger.SlipsDue, "b2", day(9))
	later.Value++
	nameless := paid(first, day(9)) // a list that leaves the document out
	nameless.List, nameless.PayerDocument = ledger.SlipsPayment, ""
	other.PayerName = "Carlos"
	n.slips(ledger.SlipsDue, day(9), day(9), first, other)
	n.slips(ledger.SlipsDue, day(9), day(9), later, other)
	n.slips(ledger.SlipsPayment, day(9), day(9), nameless)
	text := []byte(`{"id":7,"payerDocument":"52998224725","payerName":"Bárbara Quintão"}`)
	sum := sha256.Sum256(text)
	bad := ledger.Quarantined{Account: n.account, Source: ledger.SlipsDue, Hash: hex.EncodeToString(sum[:]), Body: text, Reason: "id: no text"}
	p := n.pull(ledger.SlipsDue, day(9), day(9))
	must(t, n.l.MergeSlips(t.Context(), p, []ledger.SlipView{later, other}, []ledger.Quarantined{bad}))

	holds := func(what string) (tables []string) {
		for _, table := range []string{"slip", "quarantine", "body", "body_bytes", "word_block", "act"} {
			if tableHolds(t, db, table, what) {
				tables = append(tables, table)
			}
		}
		return tables
	}
	sound := func(when string, want bool) {
		t.Helper()
		r, err := n.l.Check(t.Context())
		must(t, err)
		if (len(r.Faults) == 0) != want {
			t.Errorf("%s: %q", when, r.Faults)
		}
	}
	for _, what := range []string{"529.982.247-25", "52998224725", "Quintão", "Acácias", "11988887777"} {
		if len(holds(what)) == 0 {
			t.Errorf("before the erasure nothing has %q: the test looks for what is not there", what)
		}
	}
	erasure := caselog.Erasure{
		Document: "52998224725",
		BlankRow: func(row []byte) []byte {
			if !bytes.Contains(row, []byte("52998224725")) {
				return nil
			}
			return []byte(strings.Repeat("*", len(row)))
		},
	}
	act := ledger.Act{Verb: "evidence forget", Stage: ledger.Done, Subject: "payer:0000", Actor: "ana", At: time.Unix(1, 0)}
	must(t, n.l.ErasePayer(t.Context(), &erasure, act))
	for _, what := range []string{"529.982.247-25", "52998224725", "Quintão", "Acácias", "11988887777"} {
		if in := holds(what); len(in) > 0 {
			t.Errorf("%q is still in %v", what, in)
		}
	}
	if len(holds("Carlos")) == 0 {
		t.Error("another payer was forgotten too")
	}
	sound("after the erasure", true)

	p = n.pull(ledger.SlipsDue, day(9), day(9))
	must(t, n.l.MergeSlips(t.Context(), p, []ledger.SlipView{later, other}, []ledger.Quarantined{bad}))
	if p.Counts.Same != 2 || p.Counts.New+p.Counts.Changed+p.Counts.Vanished != 0 || len(holds("Quintão")) > 0 {
		t.Errorf("the same answer again: %+v, in %v", p.Counts, holds("Quintão"))
	}
	sound("after the same answer", true)
	for _, c := range []struct{ break_, mend string }{
		{"UPDATE slip SET value = value + 1 WHERE id = 'a1'", "UPDATE slip SET value = value - 1 WHERE id = 'a1'"},
		{"UPDATE slip SET payer_name = 'X' WHERE id = 'a1'", "UPDATE slip SET payer_name = '' WHERE id = 'a1'"},
		{"UPDATE slip SET forgotten = 'x' || forgotten WHERE id = 'a1'", "UPDATE slip SET forgotten = substr(forgotten, 2) WHERE id = 'a1'"},
		{"UPDATE quarantine SET hash = hash || 'x'", "UPDATE quarantine SET hash = replace(hash, 'x', '')"},
		{"UPDATE quarantine SET forgotten = 'x' || forgotten", "UPDATE quarantine SET forgotten = substr(forgotten, 2)"},
	} {
		_, err := db.Write.ExecContext(t.Context(), c.break_)
		must(t, err)
		sound(c.break_, false)
		_, err = db.Write.ExecContext(t.Context(), c.mend)
		must(t, err)
	}
	sound("all was mended", true)

	later.Value++ // what the service sends in another answer is kept as it is sent
	n.slips(ledger.SlipsDue, day(9), day(9), later, other)
	if len(holds("Quintão")) == 0 {
		t.Error("another answer was not kept")
	}
	sound("after another answer", true)
}

// tableHolds reports whether any column of a table has a text, of which it may be a part.
func tableHolds(t *testing.T, db *sqldb.DB, table, what string) (found bool) {
	t.Helper()
	rows, err := db.Write.QueryContext(t.Context(), "SELECT * FROM "+table)
	must(t, err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	must(t, err)
	for rows.Next() {
		cells, targets := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
		for i := range cells {
			targets[i] = &cells[i]
		}
		must(t, rows.Scan(targets...))
		for _, c := range cells {
			found = found || bytes.Contains(c, []byte(what))
		}
	}
	must(t, rows.Err())
	return found
}
