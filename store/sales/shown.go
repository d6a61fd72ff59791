package sales

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// shownDays know which file showed the payments of days last. A file that has a day whole, and that no later one tells of, shows whatever is
// there of it: that is kept once for the day (own_shown), and no payment is written for it. Of other days each payment names its own file.
type shownDays struct {
	*sqldb.Tx
	at    Shop
	file  ledger.FileHash // that is taken in
	whole ledger.Period   // days that it shows whole; the zero Period: none
	// by is, of each day that one file showed, the file. What vanished is not meant.
	by  map[ledger.Date]ledger.FileHash
	was map[ledger.Date]ledger.FileHash // as they are in the database
}

// readShown reads which files showed whole days last.
func readShown(ctx context.Context, q sqldb.Querier, at Shop) (map[ledger.Date]ledger.FileHash, error) {
	by := map[ledger.Date]ledger.FileHash{}
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var d ledger.Date
		var file []byte
		err := rows.Scan(sqldb.IntoDate(&d), &file)
		by[d] = ledger.FileHash(file)
		return err
	}, `
		SELECT
			day,
			file
		FROM own_shown
		WHERE account = $1 AND store = $2`, int64(at.Home), at.ID)
	return by, err
}

// lastShown returns a payment's file that showed it last: the one of its day, or else its own.
func lastShown(by map[ledger.Date]ledger.FileHash, day ledger.Date, vanished bool, own ledger.FileHash) ledger.FileHash {
	if file, ok := by[day]; ok && !vanished {
		return file
	}
	return own
}

// setLastShown sets which file showed a payment last, if the version is current.
func setLastShown(by map[ledger.Date]ledger.FileHash, k *Kept) {
	if !k.Ended {
		k.Last = lastShown(by, k.Day(), k.Vanished, k.Last)
	}
}

// isShownWhole reports whether the file that is taken in shows all of a day.
func (s *shownDays) isShownWhole(d ledger.Date) bool { return s.whole.From != 0 && s.whole.Contains(d) }

// nameEach has each payment of days name its file, before payments of them are written that the file that is taken in need not show.
func (s *shownDays) nameEach(ctx context.Context, days []ledger.Date) error {
	days = slices.DeleteFunc(days, func(d ledger.Date) bool {
		_, shown := s.by[d]
		return !shown || s.isShownWhole(d)
	})
	if len(days) == 0 {
		return nil
	}
	slices.Sort(days)
	days = slices.Compact(days)
	err := s.ExecBatch(ctx, `
		UPDATE own_sale
		SET last_file = $4
		WHERE account = $1 AND store = $2 AND day = $3 AND ended_file IS NULL AND vanished = 0`, len(days), func(i int) []any {
		file := s.by[days[i]]
		return []any{int64(s.at.Home), s.at.ID, int64(days[i]), file[:]}
	})
	for _, d := range days {
		delete(s.by, d)
	}
	return err
}

// write keeps which files show whole days from now on.
func (s *shownDays) write(ctx context.Context, days map[ledger.Date]dayCount) error {
	for d, n := range days {
		if s.isShownWhole(d) && n.payments > 0 {
			s.by[d] = s.file
		}
	}
	maps.DeleteFunc(s.by, func(d ledger.Date, _ ledger.FileHash) bool { return days[d].payments == 0 })
	var over, fresh []ledger.Date
	for d, file := range s.was {
		if s.by[d] != file {
			over = append(over, d)
		}
	}
	for d, file := range s.by {
		if s.was[d] != file {
			fresh = append(fresh, d)
		}
	}
	slices.Sort(over)
	slices.Sort(fresh)
	err := s.ExecBatch(ctx, `
		DELETE FROM own_shown
		WHERE account = $1 AND store = $2 AND day = $3`, len(over), func(i int) []any {
		return []any{int64(s.at.Home), s.at.ID, int64(over[i])}
	})
	if err != nil {
		return err
	}
	return s.LoadRows(ctx, "own_shown", []string{"account", "store", "day", "file"}, len(fresh), func(i int, r sqldb.Row) error {
		file := s.by[fresh[i]]
		r.Int(int64(s.at.Home))
		r.Text(s.at.ID)
		r.Int(int64(fresh[i]))
		r.Bytes(file[:])
		return nil
	})
}
