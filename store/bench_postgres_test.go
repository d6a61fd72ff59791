//go:build unix

package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// barColumns are what the service says of an installment, and the hash of it: the baseline keeps no version, no pull
// and no key.
const barColumns = `account, sale_day, nsu, auth, number, content, sold_at, terminal, card, card_type, card_name, count_sent,
	gross, sale_total, status, mdr, mdr_rate, fee, sale_fee, antifraud, sale_antifraud, anticipation, anticipation_rate,
	received, forecast, effective, received_type, received_status, reference, web_payment_id, splits`

// BenchmarkPostgres measures the three cases on a server that syncs every commit, each round after a bare COPY of the
// same rows, made ready before, into a plain table: two windows at a time, as a pool of pulls merges them, and one.
func BenchmarkPostgres(b *testing.B) {
	n := benchRows(b)
	dsn := storetest.Postgres(b, "fsync=on", "synchronous_commit=on", "shared_buffers=2GB", "max_wal_size=8GB",
		"wal_compression=lz4")
	for b.Loop() {
		bar := newBar(b, dsn, n)
		base := series{name: "copy"}
		cases := []*series{{name: "first"}, {name: "same"}, {name: "changed"}, {name: "first-one"}, {name: "same-one"}, {name: "changed-one"}}
		b.Logf("%d rows, %d bytes to copy, load before %s", n, len(bar.body), machineLoad())
		for range benchRounds {
			base.add(bar.copy(b))
			for i := range 2 {
				first, same, changed := benchCases(b, storetest.Schema(b, dsn), n, 2-i)
				cases[3*i].add(first)
				cases[3*i+1].add(same)
				cases[3*i+2].add(changed)
			}
		}
		b.Logf("load after %s", machineLoad())
		base.report(b, n)
		for _, s := range cases {
			s.report(b, n)
			ratio := s.median().Seconds() / base.median().Seconds()
			b.Logf("%-10s takes %.2f times the bare COPY", s.name, ratio)
			b.ReportMetric(ratio, s.name+"/copy")
		}
	}
}

// bar is the baseline: a binary COPY in memory, and the server to send it to.
type bar struct {
	conn *sql.Conn
	body []byte
}

func newBar(b *testing.B, dsn string, n int) *bar {
	dsn = storetest.Schema(b, dsn)
	l := benchLedger(b, dsn)
	benchLoad(b, l, "bar", n, 0, 1)
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	db, err := sqldb.Open(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	conn, err := db.Write.Conn(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	var body bytes.Buffer
	err = conn.Raw(func(raw any) error {
		_, err := raw.(*stdlib.Conn).Conn().PgConn().CopyTo(b.Context(), &body,
			"COPY (SELECT "+barColumns+" FROM installment) TO STDOUT (FORMAT binary)")
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return &bar{conn: conn, body: body.Bytes()}
}

// copy sends the rows to a new plain table.
func (p *bar) copy(b *testing.B) time.Duration {
	b.Helper()
	p.exec(b, "DROP TABLE IF EXISTS bar")
	p.exec(b, "CREATE TABLE bar AS SELECT "+barColumns+" FROM installment LIMIT 0")
	started := time.Now()
	err := p.conn.Raw(func(raw any) error {
		_, err := raw.(*stdlib.Conn).Conn().PgConn().CopyFrom(context.Background(), bytes.NewReader(p.body),
			"COPY bar FROM STDIN (FORMAT binary)")
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(started)
}

func (p *bar) exec(b *testing.B, query string) {
	b.Helper()
	if _, err := p.conn.ExecContext(b.Context(), query); err != nil {
		b.Fatal(err)
	}
}
