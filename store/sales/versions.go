package sales

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// versionWriter writes versions of payments of a shop, and counts by how much they change what is counted of days.
type versionWriter struct {
	*sqldb.Tx
	at   Shop
	file ledger.FileHash // that is taken in
	days map[ledger.Date]dayCount

	shown *shownDays
}

// dayCount is what is known of the payments of a day.
type dayCount struct {
	payments int64 // that did not vanish
	versions int64 // of all, added up
}

// loadVersions writes versions, of which none is there, in the background.
func (w *versionWriter) loadVersions(ctx context.Context, versions []Kept, hashes []ledger.Hash) error {
	if len(versions) == 0 {
		return nil
	}
	return w.RunInBackground(func() error {
		return w.DB.Dialect.LoadRows(ctx, w.Conn, "own_sale", writtenColumns, len(versions), func(i int, r sqldb.Row) error {
			writeKept(r, w.at, &versions[i], hashes[i])
			return nil
		})
	})
}

func daysOf(all []Kept) []ledger.Date {
	days := make([]ledger.Date, len(all))
	for i := range all {
		days[i] = all[i].Day()
	}
	return days
}

// replaceVersions writes next versions.
func (w *versionWriter) replaceVersions(ctx context.Context, next []*Kept) error {
	days := make([]ledger.Date, len(next))
	for i, k := range next {
		w.countKept(k, 1)
		days[i] = k.Day()
	}
	if err := w.shown.nameEach(ctx, days); err != nil {
		return err
	}
	if err := w.endVersions(ctx, next); err != nil {
		return err
	}
	return w.LoadRows(ctx, "own_sale", writtenColumns, len(next), func(i int, r sqldb.Row) error {
		writeKept(r, w.at, next[i], next[i].Hash())
		return nil
	})
}

// setLast sets which file showed versions last.
func (w *versionWriter) setLast(ctx context.Context, seen []Kept, file ledger.FileHash) error {
	if err := w.shown.nameEach(ctx, daysOf(seen)); err != nil {
		return err
	}
	return w.ExecBatch(ctx, `
		UPDATE own_sale
		SET last_file = $1
		WHERE account = $2 AND store = $3 AND sale_id = $4 AND payment_no = $5 AND version = $6`, len(seen), func(i int) []any {
		k := &seen[i]
		return []any{file[:], int64(w.at.Home), w.at.ID, k.Sale, int64(k.Number), int64(k.Version)}
	})
}

// countDay notes that a version of a payment is among those of a day (sign 1), or no longer (-1).
func (w *versionWriter) countDay(d ledger.Date, sign int64, version int, vanished bool) {
	n := w.days[d]
	n.versions += sign * int64(version)
	if !vanished {
		n.payments += sign
	}
	w.days[d] = n
}

func (w *versionWriter) countKept(k *Kept, sign int64) {
	w.countDay(k.Day(), sign, k.Version, k.Vanished)
}

// endVersions ends the versions before those given.
func (w *versionWriter) endVersions(ctx context.Context, later []*Kept) error {
	return w.ExecBatch(ctx, `
		UPDATE own_sale
		SET ended_file = $1
		WHERE account = $2 AND store = $3 AND sale_id = $4 AND payment_no = $5 AND version = $6`, len(later), func(i int) []any {
		k := later[i]
		return []any{w.file[:], int64(w.at.Home), w.at.ID, k.Sale, int64(k.Number), int64(k.Version - 1)}
	})
}
