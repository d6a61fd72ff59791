package sales

import (
	"context"
	"encoding/json"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// storedPayment is the current version of a payment, as far as a merge compares it.
type storedPayment struct {
	version  int
	hash     ledger.Hash
	last     ledger.FileHash
	vanished bool
	day      ledger.Date
}

// mergePayments merges the payments read so far: each is new, changed or the same, or an older word than what is kept.
func (m *merge) mergePayments(ctx context.Context) error {
	if len(m.payments) == 0 {
		return nil
	}
	known, err := m.readStored(ctx)
	if err != nil {
		return err
	}
	if err := m.endUntold(ctx, &m.payments[len(m.payments)-1]); err != nil {
		return err
	}
	if err := m.applyVoids(ctx); err != nil {
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
	k := Kept{OwnPayment: *p, Version: 1, First: m.in.Hash, Last: m.in.Hash, Vanished: m.isGone(p.Day())}
	switch {
	case was == nil:
		m.out.New++
	case m.isOlder(was.last):
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
		m.countDay(was.day, -1, was.version, was.vanished)
	}
	c.versions, c.hashes = append(c.versions, k), append(c.hashes, hash)
}

// saleList are the ids of the payments read so far, each once, as JSON.
func (m *merge) saleList() (string, error) {
	type id struct {
		Sale string `json:"s"`
	}
	list := make([]id, 0, len(m.payments))
	for i := range m.payments {
		if n := len(list); n == 0 || list[n-1].Sale != m.payments[i].Sale {
			list = append(list, id{m.payments[i].Sale})
		}
	}
	text, err := json.Marshal(list)
	return string(text), err
}

// readStored reads the current versions of the payments read so far.
func (m *merge) readStored(ctx context.Context) (map[paymentKey]*storedPayment, error) {
	list, err := m.saleList()
	if err != nil {
		return nil, err
	}
	known := make(map[paymentKey]*storedPayment)
	d := m.DB.Dialect
	err = m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		key := paymentKey{f.NextText(), int(f.NextInt())}
		s := &storedPayment{version: int(f.NextInt()), hash: f.NextHash()}
		f.NextBytes(s.last[:])
		s.vanished, s.day = f.NextBool(), f.NextDate()
		known[key] = s
		return nil
	}), `
		SELECT
			sale_id,
			payment_no,
			version,
			hash,
			last_file,
			vanished,
			day
		FROM own_sale
		WHERE account = $1 AND store = $2 AND ended_file IS NULL AND sale_id IN (
			SELECT `+d.TextMember("x", "s")+`
			FROM `+d.UnnestJSON("$3", "x")+`)`, int64(m.at.Home), m.at.ID, list)
	return known, err
}

// writeChanges writes versions, ends those before them, and notes which rows the file showed again.
func (m *merge) writeChanges(ctx context.Context, c *changes) error {
	var later []*Kept
	for i := range c.versions {
		m.countKept(&c.versions[i], 1)
		if c.versions[i].Version > 1 {
			later = append(later, &c.versions[i])
		}
	}
	if err := m.endVersions(ctx, later); err != nil {
		return err
	}
	if err := m.setLast(ctx, c.seen, m.in.Hash); err != nil {
		return err
	}
	return m.LoadRows(ctx, "own_sale", writtenColumns, len(c.versions), func(i int, r sqldb.Row) error {
		writeKept(r, m.at, &c.versions[i], c.hashes[i])
		return nil
	})
}

// setLast sets which file showed versions last.
func (m *merge) setLast(ctx context.Context, seen []Kept, file ledger.FileHash) error {
	return m.ExecBatch(ctx, `
		UPDATE own_sale
		SET last_file = $1
		WHERE account = $2 AND store = $3 AND sale_id = $4 AND payment_no = $5 AND version = $6`, len(seen), func(i int) []any {
		k := &seen[i]
		return []any{file[:], int64(m.at.Home), m.at.ID, k.Sale, int64(k.Number), int64(k.Version)}
	})
}

// countDay notes that a version of a payment is among those of a day (sign 1), or no longer (-1).
func (m *merge) countDay(d ledger.Date, sign int64, version int, vanished bool) {
	n := m.days[d]
	n.versions += sign * int64(version)
	if !vanished {
		n.payments += sign
	}
	m.days[d] = n
}

func (m *merge) countKept(k *Kept, sign int64) { m.countDay(k.Day(), sign, k.Version, k.Vanished) }

// endVersions ends the versions before those given.
func (m *merge) endVersions(ctx context.Context, later []*Kept) error {
	return m.ExecBatch(ctx, `
		UPDATE own_sale
		SET ended_file = $1
		WHERE account = $2 AND store = $3 AND sale_id = $4 AND payment_no = $5 AND version = $6`, len(later), func(i int) []any {
		k := later[i]
		return []any{m.in.Hash[:], int64(m.at.Home), m.at.ID, k.Sale, int64(k.Number), int64(k.Version - 1)}
	})
}

// markVanished marks the payments that the file should show and does not, as far as no later file showed them.
func (m *merge) markVanished(ctx context.Context) error {
	if m.in.Notes || m.whole.From == 0 || !m.overlaps {
		return nil
	}
	var gone []*Kept
	err := m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		return readKept(f, func(k *Kept) error {
			if k.Last != m.in.Hash && !m.isOlder(k.Last) && !m.twice[keyOf(&k.OwnPayment)] {
				gone = append(gone, m.makeVanished(k, k.Last))
			}
			return nil
		})
	}), `
		SELECT`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND store = $2 AND ended_file IS NULL AND vanished = 0 AND day >= $3 AND day <= $4
		ORDER BY day, sale_id, payment_no`, int64(m.at.Home), m.at.ID, int64(m.whole.From), int64(m.whole.To))
	if err != nil {
		return err
	}
	return m.replaceVersions(ctx, gone)
}

// makeVanished counts a payment among those that vanished, and is its next version. last is the file that showed it last.
func (m *merge) makeVanished(k *Kept, last ledger.FileHash) *Kept {
	m.out.Vanished++
	m.countKept(k, -1)
	return &Kept{OwnPayment: k.OwnPayment, Version: k.Version + 1, First: m.in.Hash, Last: last, Vanished: true}
}

// replaceVersions writes next versions.
func (m *merge) replaceVersions(ctx context.Context, next []*Kept) error {
	for _, k := range next {
		m.countKept(k, 1)
	}
	if err := m.endVersions(ctx, next); err != nil {
		return err
	}
	return m.LoadRows(ctx, "own_sale", writtenColumns, len(next), func(i int, r sqldb.Row) error {
		writeKept(r, m.at, next[i], next[i].Hash())
		return nil
	})
}
