//go:build unix

package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"concilia/export/words"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// TestCheckBodies: what is done to the kept bodies behind the program's back is named, and what the program does to
// them is not.
func TestCheckBodies(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		checkBodies(t, storetest.FreshSQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		checkBodies(t, storetest.FreshPostgres(t))
	})
}

func checkBodies(t *testing.T, dsn string) {
	t.Helper()
	ctx, l := t.Context(), openDSN(t, dsn)
	lease, err := l.LeaseAccounts(ctx, "r", []ledger.Account{1}, time.Hour)
	must(t, err)
	defer func() { _ = lease.Release(ctx) }()
	first := ledger.NewDate(2026, 1, 1)
	var sums []string
	for i := range 4 {
		sums = append(sums, keepAnswer(t, l, first+ledger.Date(i), fmt.Sprintf(`[{"row":%d}]`, i)))
	}
	// A pull of the first day without a body is no fault.
	keepAnswer(t, l, first, "")
	_, err = l.ExpireBodies(ctx, first+1, first+9)
	must(t, err)
	finds := func(name, want string) {
		t.Helper()
		r, err := l.Check(ctx)
		must(t, err)
		if said := words.JoinMessages("en", r.Faults); want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s: says\n%s", name, said)
		}
		if want == "" && r.Bodies != 3 {
			t.Errorf("%s: %d bodies were read", name, r.Bodies)
		}
	}
	finds("one body is past its time, three are there", "")

	db := rawDB(t, dsn)
	do := func(query string, args ...any) {
		t.Helper()
		res, err := db.Write.ExecContext(ctx, query, args...)
		must(t, err)
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			t.Errorf("%s: changed %d rows, %v", query, n, err)
		}
	}
	body, err := l.Body(ctx, sums[1])
	must(t, err)
	other, err := l.Body(ctx, sums[2])
	must(t, err)

	do("UPDATE body_bytes SET packed = $2 WHERE sha256 = $1", sums[1], other.Packed)
	finds("a body was replaced by another", "body "+sums[1]+": its bytes are not those")
	do("UPDATE body_bytes SET packed = $2 WHERE sha256 = $1", sums[1], []byte("no gzip"))
	finds("a body was overwritten", "body "+sums[1]+": its bytes are not those")
	do("DELETE FROM body_bytes WHERE sha256 = $1", sums[1])
	finds("a body was taken out", "body "+sums[1]+": its bytes are gone")
	do("INSERT INTO body_bytes (sha256, part, packed) VALUES ($1, 0, $2)", sums[1], body.Packed)
	do("UPDATE body SET sha256 = 'x' WHERE sha256 = $1", sums[3])
	finds("all that is known of a body was taken out", "body "+sums[3]+", which it brought, is not on record")
	do("UPDATE body SET sha256 = $1 WHERE sha256 = 'x'", sums[3])
	finds("all was mended", "")

	act := ledger.Act{Verb: "forget", Stage: ledger.Done, Subject: "payer", Actor: "ana", At: time.Unix(1, 999)}
	must(t, l.ErasePayer(ctx, &caselog.Erasure{Bodies: sums[2:3], BlankBody: func(b *ledger.Body) (*ledger.Body, error) { return b, nil }}, act))
	finds("a payer was forgotten in a body, and the log says by whom", "")
	do("DELETE FROM act WHERE number = $1", 1)
	finds("the log no longer says by whom", "log of acts of account 0: nothing in it says who had a payer forgotten in body "+sums[2])
}

// keepAnswer merges an answer without rows, pulled on a day, and gives its hash; one without text has no body.
func keepAnswer(t *testing.T, l *store.Ledger, on ledger.Date, text string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	p := &ledger.Pull{
		ID: on.String() + text, Run: "r", Complete: true, Began: on.Time(), Ended: on.Time(), On: on,
		SHA256: hex.EncodeToString(sum[:]),
		Window: ledger.Window{Account: 1, Source: ledger.Cards, Period: ledger.Period{From: on, To: on}},
	}
	if text != "" {
		packer := ledger.NewBodyPacker()
		_, err := packer.Write([]byte(text))
		must(t, err)
		p.Body, err = packer.Pack(p.SHA256)
		must(t, err)
	}
	must(t, l.MergeInstallments(t.Context(), p, nil, nil))
	return p.SHA256
}
