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
	list, err := m.listRead()
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
			own_void.sale_id,
			own_void.status,
			own_void.amount,
			own_void.at
		FROM `+d.UnnestJSON("$3", "x")+`
		`+d.JoinOneByOne("own_void", "own_void", "own_void.account = $1 AND own_void.store = $2 AND own_void.sale_id = "+d.TextMember("x", "s"))+`
		ORDER BY own_void.sale_id, own_void.status, own_void.amount`, int64(m.at.Home), m.at.ID, list)
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

// takeVoid takes what takes payments back, which the file tells behind all its payments.
func (m *merge) takeVoid(ctx context.Context, v *ledger.OwnVoid) error {
	if len(m.voids) == chunk {
		if err := m.mergeLast(ctx); err != nil {
			return err
		}
		if err := m.mergeVoids(ctx); err != nil {
			return err
		}
	}
	m.voids = append(m.voids, *v)
	return nil
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
	if err == nil && len(m.voids) > 0 {
		err = m.changeVoided(ctx)
	}
	m.voids = m.voids[:0]
	return err
}

// changeVoided changes the payments of the shop that the voids read so far take back.
func (m *merge) changeVoided(ctx context.Context) error {
	list, err := listSales(len(m.voids), func(i int) string { return m.voids[i].Sale })
	if err != nil {
		return err
	}
	known := map[string][]*Kept{}
	d := m.DB.Dialect
	err = m.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		return readKept(f, func(k *Kept) error {
			if !k.Ended {
				known[k.Sale] = append(known[k.Sale], k)
			}
			return nil
		})
	}), `
		SELECT`+keptColumns+`
		FROM `+d.UnnestJSON("$3", "x")+`
		`+d.JoinOneByOne("own_sale", "own_sale", "account = $1 AND store = $2 AND sale_id = "+d.TextMember("x", "s"))+`
		ORDER BY sale_id, payment_no, version`, int64(m.at.Home), m.at.ID, list)
	if err != nil {
		return err
	}
	var next []*Kept
	for i := range m.voids {
		for _, k := range known[m.voids[i].Sale] {
			was := *k
			if applyVoid(&m.voids[i], &k.OwnPayment) {
				m.countKept(&was, -1)
				next = append(next, &Kept{OwnPayment: k.OwnPayment, Version: k.Version + 1, First: m.in.Hash, Last: k.Last, Vanished: k.Vanished})
			}
		}
	}
	m.out.Voided += int64(len(next))
	return m.replaceVersions(ctx, next)
}

// takeNumbers takes the numbers of the notes of the file, which come in order. Those of a day that follow one another are one run.
func (m *merge) takeNumbers(ctx context.Context, n *ledger.OwnNumbers) error {
	if len(m.numbers) > 0 && joinNumbers(&m.numbers[len(m.numbers)-1], n) {
		return nil
	}
	if len(m.numbers) == chunk {
		if err := m.mergeNumbers(ctx); err != nil {
			return err
		}
	}
	m.numbers = append(m.numbers, *n)
	return nil
}

// joinNumbers adds numbers to a run that does not begin behind them, if they go on with it, or say nothing of theirs that it does not, and
// reports whether it did.
func joinNumbers(run, n *ledger.OwnNumbers) bool {
	known := n.To <= run.To && n.Day == 0
	if n.Emitter != run.Emitter || n.Model != run.Model || n.Series != run.Series || !known && (n.Day != run.Day || n.From > run.To+1) {
		return false
	}
	run.To = max(run.To, n.To)
	return true
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
