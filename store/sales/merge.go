package sales

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
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

// changes are versions to be written, and rows that are only seen again on days that the file need not have whole.
type changes struct {
	versions []Kept
	hashes   []ledger.Hash
	seen     []Kept
}

func (m *merge) mergePayment(c *changes, p *ownsales.Payment, was *storedPayment) {
	hash := p.Hash()
	if was != nil && !was.vanished {
		m.shownAgain[was.day]++
	}
	k := Kept{Payment: *p, Version: 1, First: m.in.Hash, Last: m.in.Hash, Vanished: m.others.isGone(p.Day())}
	switch {
	case was == nil:
		m.out.New++
	case m.others.isOlder(was.last):
		m.out.Left++
		return
	case was.hash == hash && was.vanished == k.Vanished:
		k.Version = was.version
		if was.last != m.in.Hash && !m.versions.shown.isShownWhole(was.day) {
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
	if err := m.versions.shown.nameEach(ctx, daysOf(c.versions)); err != nil {
		return err
	}
	if err := m.versions.endVersions(ctx, later); err != nil {
		return err
	}
	if err := m.versions.setLast(ctx, c.seen, m.in.Hash); err != nil {
		return err
	}
	return m.versions.loadVersions(ctx, c.versions, c.hashes)
}
