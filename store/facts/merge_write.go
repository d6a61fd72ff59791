package facts

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// writeChanges sends what the merge decided: what is over first, then what is new.
func (c *cardMerge) writeChanges(ctx context.Context) error {
	// One that had vanished keeps the pull that missed it first.
	err := c.ExecBatch(ctx, `
		UPDATE installment
		SET
			last_pull = COALESCE(last_pull, $8, first_pull),
			ended_pull = COALESCE(ended_pull, $9),
			vanished = $10
		WHERE`+installmentKeySQL, len(c.ended), func(i int) []any {
		e := &c.ended[i]
		return append(e.keyArgs(), c.lastPullArg(e.key.Day), c.pull.ID, sqldb.BoolArg(e.vanished))
	})
	if err != nil {
		return err
	}
	// The row's own day showed it: a row brought by another day's window could not vanish before.
	err = c.ExecBatch(ctx, `
		UPDATE installment
		SET proven = 1
		WHERE`+installmentKeySQL, len(c.proved), func(i int) []any { return c.proved[i].keyArgs() })
	if err != nil {
		return err
	}
	err = c.LoadRows(ctx, "installment", writtenInstallmentColumns.Names(), len(c.inserted), func(i int, r sqldb.Row) error {
		return c.fillRow(&c.inserted[i], r)
	})
	if err != nil {
		return err
	}
	return c.writeForecastDays(ctx)
}

// writeForecastDays keeps which sale days the forecast dates of the new versions are found on.
func (c *cardMerge) writeForecastDays(ctx context.Context) error {
	type pair struct{ forecast, day ledger.Date }
	var all []pair
	seen := make(map[pair]bool)
	for i := range c.inserted {
		p := pair{c.inserted[i].row.Forecast, c.inserted[i].key.Day}
		if !seen[p] {
			seen[p] = true
			all = append(all, p)
		}
	}
	return c.ExecBatch(ctx, `
		INSERT INTO forecast_day (account, forecast, sale_day)
		VALUES ($1, $2, $3)
		ON CONFLICT DO NOTHING`, len(all), func(i int) []any {
		return []any{int64(c.pull.Window.Account), int64(all[i].forecast), int64(all[i].day)}
	})
}

const installmentKeySQL = ` account = $1 AND sale_day = $2 AND nsu = $3 AND auth = $4 AND number = $5
			AND occurrence = $6 AND version = $7`

// keyArgs is the key of a known version in SQL.
func (k *storedVersion) keyArgs() []any {
	return []any{
		int64(k.key.Account), int64(k.key.Day), k.key.NSU, k.key.Auth, int64(k.key.Number), int64(k.key.Occurrence),
		int64(k.version),
	}
}

// lastPullArg is the last pull before this one that showed the day's rows, or NULL.
func (m *pullMerge) lastPullArg(day ledger.Date) any {
	if s, ok := m.lastSeen[day]; ok {
		return s.ID
	}
	return nil
}

// fillRow gives the columns of a new version.
func (c *cardMerge) fillRow(f *newVersion, to sqldb.Row) error {
	v := &c.row
	v.Installment = *f.row
	v.day, v.number, v.Occurrence = f.key.Day, f.key.Number, f.key.Occurrence
	v.Version, v.SaleNumber, v.fingerprint, v.Content = f.version, f.sale, f.fingerprint, f.content
	v.FirstPull, v.proven, v.leads = c.pull.ID, f.proven, f.leads
	v.FirstSeen, v.LastChanged, v.PulledOn = f.firstSeen, c.pull.AsOf, c.pull.On
	v.splits = ""
	if len(f.row.Splits) > 0 {
		var err error
		if c.text, err = AppendSplits(c.text[:0], f.row.Splits); err != nil {
			return err
		}
		v.splits = sqldb.NullText(c.text)
	}
	writtenInstallmentColumns.Put(v, to)
	return nil
}

// fillRow gives the columns of a new version.
func (s *slipMerge) fillRow(f *newSlipVersion, to sqldb.Row) {
	k := f.storedSlip
	s.row = SlipRow{
		SlipVersion: ledger.SlipVersion{
			SlipView: *f.SlipView, Version: k.version, Content: k.content, FirstPull: s.pull.ID, FirstSeen: k.firstSeen, LastChanged: s.pull.AsOf,
		},
		day: k.day, Proven: k.proven,
	}
	writtenSlipColumns.Put(&s.row, to)
}
