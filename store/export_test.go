package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"

	"concilia/store/books"
	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// Transact runs fn in a writing transaction, as every method that writes does; exec runs a statement in it.
func Transact(ctx context.Context, l *Ledger, fn func(exec func(query string, args ...any) error) error) error {
	return l.db.Transact(ctx, "test", func(t *sqldb.Tx) error {
		return fn(func(query string, args ...any) error {
			_, err := t.ExecContext(ctx, query, args...)
			return err
		})
	})
}

// ShiftClock makes the clock of this machine, as the ledger sees it, wrong by that much.
func ShiftClock(l *Ledger, by time.Duration) {
	l.db.Now = func() time.Time { return time.Now().Add(by) }
}

// SplitsText is the text of splits in their row, by hand, and as encoding/json has it.
func SplitsText(splits []ledger.Split) (byHand, byJSON string, err error) {
	b, err := facts.AppendSplits(nil, splits)
	if err != nil {
		return "", "", err
	}
	out := make([]facts.StoredSplit, len(splits))
	for i := range splits {
		s := &splits[i]
		out[i] = facts.StoredSplit{Beneficiary: s.Beneficiary, Type: s.Type, Pct: sqldb.OptPointer(s.Pct), Base: sqldb.OptPointer(s.Base), Value: sqldb.OptPointer(s.Value)}
	}
	byJSON, err = sqldb.MarshalText(out)
	return string(b), byJSON, err
}

// LimitPages leaves the file of a ledger room for that many more pages.
func LimitPages(l *Ledger, more int) error {
	var now int
	if err := l.db.Write.QueryRow("PRAGMA page_count").Scan(&now); err != nil {
		return err
	}
	var limit int
	return l.db.Write.QueryRow(fmt.Sprint("PRAGMA max_page_count = ", now+more)).Scan(&limit)
}

// WaitingDaysText and VanishedText are the queries of WaitingDays and Vanished.
var (
	WaitingDaysText = facts.WaitingDaysSQL
	VanishedText    = results.VanishedSQL
)

// EarlierEventsText is the query for the earlier events of titles, as the ledger's database takes it.
func EarlierEventsText(l *Ledger) string { return books.EarlierEventsSQL(l.db.Dialect) }

// EveryNightText is the query for what every night evaluates again, as the ledger's database takes it.
func EveryNightText(l *Ledger) string { return results.EveryNightSQL(l.db.Dialect) }

// CountStreams counts the queries whose rows fn streams from a ledger, of which nothing else asks meanwhile.
func CountStreams(l *Ledger, fn func()) int {
	counted := &countedStreams{Dialect: l.db.Dialect}
	l.db.Dialect = counted
	fn()
	l.db.Dialect = counted.Dialect
	return int(counted.n.Load())
}

type countedStreams struct {
	sqldb.Dialect
	n atomic.Int64
}

func (c *countedStreams) ScanRows(ctx context.Context, conn *sql.Conn, fn func(sqldb.Fields) error, query string, args ...any) error {
	c.n.Add(1)
	return c.Dialect.ScanRows(ctx, conn, fn, query, args...)
}
