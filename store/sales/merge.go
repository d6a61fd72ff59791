package sales

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// mergePayments merges the payments read so far: each is new, changed or the same, or an older word than what is kept.
func (m *merge) mergePayments(ctx context.Context) error {
	if len(m.payments) == 0 {
		return nil
	}
	known, err := m.stored.readStored(ctx, m.payments)
	if err != nil {
		return err
	}
	if err := m.endUntold(ctx, &m.payments[len(m.payments)-1]); err != nil {
		return err
	}
	if err := m.voids.applyVoids(ctx, m.payments); err != nil {
		return err
	}
	c := &changes{}
	for i := range m.payments {
		m.mergePayment(c, &m.payments[i], known[keyOf(&m.payments[i])])
	}
	m.payments = m.payments[:0]
	return m.writeChanges(ctx, c)
}

// changes are versions to be written and rows that are only seen again.
type changes struct {
	versions []Kept
	hashes   []ledger.Hash
	seen     []Kept
}

func (m *merge) mergePayment(c *changes, p *ledger.OwnPayment, was *storedPayment) {
	hash := p.Hash()
	k := Kept{OwnPayment: *p, Version: 1, First: m.in.Hash, Last: m.in.Hash, Vanished: m.others.isGone(p.Day())}
	switch {
	case was == nil:
		m.out.New++
	case m.others.isOlder(was.last):
		m.out.Left++
		return
	case was.hash == hash && was.vanished == k.Vanished:
		k.Version = was.version
		if was.last != m.in.Hash {
			c.seen = append(c.seen, k)
		}
		m.out.Same++
		return
	default:
		k.Version = was.version + 1
		m.out.Changed++
		m.versions.countDay(was.day, -1, was.version, was.vanished)
	}
	c.versions, c.hashes = append(c.versions, k), append(c.hashes, hash)
}

// writeChanges writes versions, ends those before them, and notes which rows the file showed again. The versions are written while the next
// payments are read.
func (m *merge) writeChanges(ctx context.Context, c *changes) error {
	var later []*Kept
	for i := range c.versions {
		m.versions.countKept(&c.versions[i], 1)
		if c.versions[i].Version > 1 {
			later = append(later, &c.versions[i])
		}
	}
	if err := m.versions.endVersions(ctx, later); err != nil {
		return err
	}
	if err := m.versions.setLast(ctx, c.seen, m.in.Hash); err != nil {
		return err
	}
	return m.versions.loadVersions(ctx, c.versions, c.hashes)
}

// markVanished marks the payments that the file should show and does not, as far as no later file showed them.
func (m *merge) markVanished(ctx context.Context) error {
	if m.in.Notes || m.whole.From == 0 || !m.overlaps {
		return nil
	}
	var gone []*Kept
	err := m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		return readKept(f, func(k *Kept) error {
			if !m.others.isOlder(k.Last) && !m.twice[keyOf(&k.OwnPayment)] {
				gone = append(gone, m.makeVanished(k, k.Last))
			}
			return nil
		})
	}), `
		SELECT`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND store = $2 AND ended_file IS NULL AND vanished = 0 AND day >= $3 AND day <= $4 AND last_file <> $5
		ORDER BY day, sale_id, payment_no`, int64(m.at.Home), m.at.ID, int64(m.whole.From), int64(m.whole.To), m.in.Hash[:])
	if err != nil {
		return err
	}
	return m.versions.replaceVersions(ctx, gone)
}

// makeVanished counts a payment among those that vanished, and is its next version. last is the file that showed it last.
func (m *merge) makeVanished(k *Kept, last ledger.FileHash) *Kept {
	m.out.Vanished++
	m.versions.countKept(k, -1)
	return &Kept{OwnPayment: k.OwnPayment, Version: k.Version + 1, First: m.in.Hash, Last: last, Vanished: true}
}
