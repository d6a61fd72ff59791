package sales

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// applyVoids changes the payments read so far that are known to be taken back.
func (m *merge) applyVoids(ctx context.Context) error {
	if !m.hasVoids {
		return nil
	}
	list, err := m.saleList()
	if err != nil {
		return err
	}
	known := map[string][]ledger.OwnVoid{}
	d := m.DB.Dialect
	err = m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		v := ledger.OwnVoid{Sale: f.NextText(), Status: ledger.OwnStatus(f.NextText()), Amount: ledger.Amount(f.NextInt()), At: ledger.LocalTime(f.NextInt())}
		known[v.Sale] = append(known[v.Sale], v)
		return nil
	}), `
		SELECT
			sale_id,
			status,
			amount,
			at
		FROM own_void
		WHERE account = $1 AND store = $2 AND sale_id IN (
			SELECT `+d.TextMember("x", "s")+`
			FROM `+d.UnnestJSON("$3", "x")+`)
		ORDER BY sale_id, status, amount`, int64(m.at.Home), m.at.ID, list)
	for i := range m.payments {
		p := &m.payments[i]
		for _, v := range known[p.Sale] {
			applyVoid(&v, p)
		}
	}
	return err
}

// applyVoid changes a payment that is meant and was not taken back before, and reports whether it did.
func applyVoid(v *ledger.OwnVoid, p *ledger.OwnPayment) bool {
	if p.Status != ledger.OwnPaid || !v.Applies(p) {
		return false
	}
	p.Status, p.CancelledAt = v.Status, v.At
	return true
}

// mergeVoids keeps what takes payments back, and changes those that are there.
func (m *merge) mergeVoids(ctx context.Context) error {
	const keep = `
		INSERT INTO own_void (account, store, sale_id, status, amount, at, file)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (account, store, sale_id, status, amount) DO UPDATE
			SET at = CASE WHEN excluded.at < own_void.at THEN excluded.at ELSE own_void.at END`
	err := m.ExecBatch(ctx, keep, len(m.voids), func(i int) []any {
		v := &m.voids[i]
		return []any{int64(m.at.Home), m.at.ID, v.Sale, string(v.Status), int64(v.Amount), int64(v.At), m.in.Hash[:]}
	})
	for i := range m.voids {
		if err == nil {
			err = m.changeVoided(ctx, &m.voids[i])
		}
	}
	m.voids = nil
	return err
}

func (m *merge) changeVoided(ctx context.Context, v *ledger.OwnVoid) error {
	var next []*Kept
	err := m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		return readKept(f, func(k *Kept) error {
			was := *k
			if applyVoid(v, &k.OwnPayment) {
				m.countKept(&was, -1)
				next = append(next, &Kept{OwnPayment: k.OwnPayment, Version: k.Version + 1, First: m.in.Hash, Last: k.Last, Vanished: k.Vanished})
			}
			return nil
		})
	}), `
		SELECT`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND store = $2 AND sale_id = $3 AND ended_file IS NULL
		ORDER BY payment_no`, int64(m.at.Home), m.at.ID, v.Sale)
	if err != nil || len(next) == 0 {
		return err
	}
	m.out.Voided += int64(len(next))
	return m.replaceVersions(ctx, next)
}

// mergeNumbers keeps which numbers of notes are accounted for.
func (m *merge) mergeNumbers(ctx context.Context) error {
	const keep = `
		INSERT INTO own_number (account, store, emitter, model, series, first_number, last_number, day)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (account, store, emitter, model, series, first_number, last_number) DO UPDATE
			SET day = CASE WHEN excluded.day > own_number.day THEN excluded.day ELSE own_number.day END`
	err := m.ExecBatch(ctx, keep, len(m.numbers), func(i int) []any {
		n := &m.numbers[i]
		return []any{int64(m.at.Home), m.at.ID, n.Emitter, n.Model, n.Series, n.From, n.To, int64(n.Day)}
	})
	m.numbers = m.numbers[:0]
	return err
}
