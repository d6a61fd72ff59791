package sales

import (
	"context"

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
	known := map[paymentKey]*storedPayment{}
	some, err := m.findStored(ctx)
	if err == nil && some {
		known, err = m.readStored(ctx)
	}
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

// listSales are the ids of sales that come in order, each once, as JSON.
func listSales(n int, sale func(int) string) (string, error) {
	type id struct {
		Sale string `json:"s"`
	}
	list := make([]id, 0, n)
	for i := range n {
		if at := len(list); at == 0 || list[at-1].Sale != sale(i) {
			list = append(list, id{sale(i)})
		}
	}
	return sqldb.MarshalText(list)
}

// listRead are the sales of the payments read so far.
func (m *merge) listRead() (string, error) {
	return listSales(len(m.payments), func(i int) string { return m.payments[i].Sale })
}

// findStored reports whether the shop may have payments of the sales read so far. It asks which sale the shop has next, and then not before
// the file comes to it: most files bring sales whose ids lie behind all that are there.
func (m *merge) findStored(ctx context.Context) (bool, error) {
	first, last := m.payments[0].Sale, m.payments[len(m.payments)-1].Sale
	if m.next == nil || m.next.sale < first && !m.next.none {
		m.next = &storedSale{none: true}
		err := m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
			m.next = &storedSale{sale: f.NextText()}
			return nil
		}), `
		SELECT sale_id
		FROM own_sale
		WHERE account = $1 AND store = $2 AND sale_id >= $3
		ORDER BY account, store, sale_id
		LIMIT 1`, int64(m.at.Home), m.at.ID, first)
		if err != nil {
			return false, err
		}
	}
	return !m.next.none && m.next.sale <= last, nil
}

// storedSale is the first sale of the shop that is not before those that the file has come to.
type storedSale struct {
	sale string
	none bool
}

// readStored reads the current versions of the payments read so far.
func (m *merge) readStored(ctx context.Context) (map[paymentKey]*storedPayment, error) {
	list, err := m.listRead()
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
			own_sale.sale_id,
			own_sale.payment_no,
			own_sale.version,
			own_sale.hash,
			own_sale.last_file,
			own_sale.vanished,
			own_sale.day
		FROM `+d.UnnestJSON("$3", "x")+`
		`+d.JoinOneByOne("own_sale", "own_sale", "own_sale.account = $1 AND own_sale.store = $2 AND own_sale.sale_id = "+d.TextMember("x", "s"))+`
		WHERE own_sale.ended_file IS NULL`, int64(m.at.Home), m.at.ID, list)
	return known, err
}

// writeChanges writes versions, ends those before them, and notes which rows the file showed again. The versions are written while the next
// payments are read.
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
	if len(c.versions) == 0 {
		return nil
	}
	at := m.at
	return m.RunInBackground(func() error {
		return m.DB.Dialect.LoadRows(ctx, m.Conn, "own_sale", writtenColumns, len(c.versions), func(i int, r sqldb.Row) error {
			writeKept(r, at, &c.versions[i], c.hashes[i])
			return nil
		})
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
			if !m.isOlder(k.Last) && !m.twice[keyOf(&k.OwnPayment)] {
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
