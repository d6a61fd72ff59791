package sales

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// noFile is written where no file shows a payment by the map that read it last.
var noFile ledger.FileHash

// beginReread prepares for a file that was taken in before, by another map. What was said of the days that it covers holds on.
func (m *merge) beginReread(ctx context.Context, known *File) error {
	m.others.reread = true
	delete(m.others.byHash, m.in.Hash)
	if m.period.From == 0 && known.Stated {
		m.period = ledger.Period{From: known.Whole.From, To: known.Made.Date() - 1}
	}
	var own []ledger.Date // days that it showed whole, as the other map read it
	for d, file := range m.versions.shown.by {
		if file == m.in.Hash {
			own = append(own, d)
		}
	}
	return m.versions.shown.nameEach(ctx, own)
}

// endUntold marks what the file showed when another map read it, and shows no more, as vanished: the payments behind those that were merged, up
// to the last of those that are to be; nil: all that are left.
func (m *merge) endUntold(ctx context.Context, last *ownsales.Payment) error {
	if !m.others.reread {
		return nil
	}
	shown := make(map[paymentKey]bool, len(m.payments))
	for i := range m.payments {
		shown[keyOf(&m.payments[i])] = true
	}
	upTo, args := "", []any{int64(m.at.Home), m.at.ID, m.in.Hash[:], m.merged.sale, int64(m.merged.number)}
	if last != nil {
		m.merged = keyOf(last)
		upTo, args = " AND (sale_id, payment_no) <= ($6, $7)", append(args, last.Sale, int64(last.Number))
	}
	var gone []*Kept
	var forgotten []Kept // that vanished before
	err := m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		return readKept(f, func(k *Kept) error {
			setLastShown(m.versions.shown.by, k)
			switch key := keyOf(&k.Payment); {
			case k.Ended || k.Last != m.in.Hash || shown[key] || m.twice[key]:
			case k.Vanished:
				forgotten = append(forgotten, *k)
			default:
				gone = append(gone, m.makeVanished(k, noFile))
			}
			return nil
		})
	}), `
		SELECT`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND store = $2 AND last_file = $3 AND (sale_id, payment_no) > ($4, $5)`+upTo+`
		ORDER BY account, store, sale_id, payment_no, version`, args...)
	if err == nil {
		err = m.versions.setLast(ctx, forgotten, noFile)
	}
	if err != nil {
		return err
	}
	return m.versions.replaceVersions(ctx, gone)
}

// bringBack takes back that payments vanished because the file, as another map read it, had their days whole, and lacked them.
func (m *merge) bringBack(ctx context.Context) error {
	if !m.others.reread {
		return nil
	}
	var back []*Kept
	err := m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		return readKept(f, func(k *Kept) error {
			if k.Last != noFile && !m.whole.Contains(k.Day()) && !m.others.isGone(k.Day()) {
				m.versions.countKept(k, -1)
				m.out.Changed++
				back = append(back, &Kept{Payment: k.Payment, Version: k.Version + 1, First: m.in.Hash, Last: k.Last})
			}
			return nil
		})
	}), `
		SELECT`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND store = $2 AND ended_file IS NULL AND vanished = 1 AND first_file = $3
		ORDER BY sale_id, payment_no`, int64(m.at.Home), m.at.ID, m.in.Hash[:])
	if err != nil {
		return err
	}
	return m.versions.replaceVersions(ctx, back)
}

// forgetReading forgets the file as another map read it.
func (m *merge) forgetReading(ctx context.Context) error {
	if !m.others.reread {
		return nil
	}
	for _, table := range []string{"own_file", "own_fault"} {
		_, err := m.ExecContext(ctx, "DELETE FROM "+table+" WHERE account = $1 AND store = $2 AND file = $3", int64(m.at.Home), m.at.ID, m.in.Hash[:])
		if err != nil {
			return err
		}
	}
	return nil
}
