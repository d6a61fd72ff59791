package store

import (
	"context"
	"fmt"

	"concilia/store/ledger"
)

// Transact runs fn in a writing transaction, as every method that writes does; exec runs a statement in it.
func Transact(ctx context.Context, l *Ledger, fn func(exec func(query string, args ...any) error) error) error {
	return l.write(ctx, "test", func(t *tx) error {
		return fn(func(query string, args ...any) error {
			_, err := t.ExecContext(ctx, query, args...)
			return err
		})
	})
}

// SplitsText is the text of splits in their row, by hand, and as encoding/json has it.
func SplitsText(splits []ledger.Split) (byHand, byJSON string, err error) {
	b, err := appendSplits(nil, splits)
	if err != nil {
		return "", "", err
	}
	out := make([]splitText, len(splits))
	for i := range splits {
		s := &splits[i]
		out[i] = splitText{s.Beneficiary, s.Type, pointer(s.Pct), pointer(s.Base), pointer(s.Value)}
	}
	byJSON, err = marshal(out)
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
const (
	WaitingDaysText = waitingDays
	VanishedText    = vanishedText
)
