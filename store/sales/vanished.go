package sales

import (
	"context"
	"errors"
	"iter"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// markVanished marks the payments that the file should show and does not, as far as no later file showed them. Days of which it showed as many
// as were known lack none.
func (m *merge) markVanished(ctx context.Context) error {
	if m.in.Notes || m.whole.From == 0 {
		return nil
	}
	lacking := map[ledger.Date]bool{}
	days := ledger.Period{}
	for d, known := range m.knownBefore {
		if !m.whole.Contains(d) || m.shownAgain[d] == known && !m.others.reread {
			continue
		}
		if lacking[d] = true; days.From == 0 || d < days.From {
			days.From = d
		}
		days.To = max(days.To, d)
	}
	if len(lacking) == 0 {
		return nil
	}
	gone, err := m.findVanished(ctx, days, lacking)
	if err != nil {
		return err
	}
	return m.versions.replaceVersions(ctx, gone)
}

// findVanished returns the payments of days that the file lacks, in order of key: both come in it.
func (m *merge) findVanished(ctx context.Context, p ledger.Period, days map[ledger.Date]bool) (gone []*Kept, err error) {
	var failed error
	next, stop := iter.Pull(m.keysOfFile(&failed))
	defer stop()
	key, more := next()
	err = m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		return readKept(f, func(k *Kept) error {
			own := keyOf(&k.Payment)
			for more && key.compare(own) < 0 {
				key, more = next()
			}
			setLastShown(m.versions.shown.by, k)
			if days[k.Day()] && (!more || key != own) && !m.others.isOlder(k.Last) {
				gone = append(gone, m.makeVanished(k, k.Last))
			}
			return failed
		})
	}), `
		SELECT`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND store = $2 AND ended_file IS NULL AND vanished = 0 AND day >= $3 AND day <= $4
		ORDER BY sale_id, payment_no`, int64(m.at.Home), m.at.ID, int64(p.From), int64(p.To))
	return gone, errors.Join(err, failed)
}

var errEnough = errors.New("enough was read")

// keysOfFile are the keys of the payments that the file shows, in order, those too that are twice in it and not taken in. failed is set to
// what failed.
func (m *merge) keysOfFile(failed *error) iter.Seq[paymentKey] {
	return func(yield func(paymentKey) bool) {
		err := m.rows.read(func(r *ownsales.Record) error {
			if r.Payment == nil || !yield(keyOf(r.Payment)) {
				return errEnough
			}
			return nil
		})
		if !errors.Is(err, errEnough) {
			*failed = err
		}
	}
}

// makeVanished counts a payment among those that vanished, and is its next version. last is the file that showed it last.
func (m *merge) makeVanished(k *Kept, last ledger.FileHash) *Kept {
	m.out.Vanished++
	m.versions.countKept(k, -1)
	return &Kept{Payment: k.Payment, Version: k.Version + 1, First: m.in.Hash, Last: last, Vanished: true}
}
