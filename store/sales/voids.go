package sales

import (
	"context"

	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// voidKeeper keeps what takes payments of a shop back, whether a file has it before them or after them.
type voidKeeper struct {
	*versionWriter
	hasAny  bool            // of the shop some were known before
	waiting []ownsales.Void // of the file, not kept yet
	changed int64           // payments that were there and are taken back now
}

// readAny finds out whether the shop has any.
func (k *voidKeeper) readAny(ctx context.Context) error {
	var n int64
	err := k.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM own_void
		WHERE account = $1 AND store = $2`, int64(k.at.Home), k.at.ID).Scan(&n)
	k.hasAny = n > 0
	return err
}

// applyVoids changes those of some payments that are known to be taken back.
func (k *voidKeeper) applyVoids(ctx context.Context, payments []ownsales.Payment) error {
	if !k.hasAny {
		return nil
	}
	list, err := listPaid(payments)
	if err != nil {
		return err
	}
	known := map[string][]ownsales.Void{}
	d := k.DB.Dialect
	err = k.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		v := ownsales.Void{Sale: f.NextText(), Status: ownsales.Status(f.NextText()), Amount: ledger.Amount(f.NextInt()), At: ledger.LocalTime(f.NextInt())}
		known[v.Sale] = append(known[v.Sale], v)
		return nil
	}), `
		SELECT
			own_void.sale_id,
			own_void.status,
			own_void.amount,
			own_void.at
		FROM `+d.UnnestJSON("$3", "x")+`
		`+d.JoinOneByOne("own_void", "own_void", "", "own_void.account = $1 AND own_void.store = $2 AND own_void.sale_id = "+d.TextMember("x", "s"))+`
		ORDER BY own_void.sale_id, own_void.status, own_void.amount`, int64(k.at.Home), k.at.ID, list)
	for i := range payments {
		p := &payments[i]
		for _, v := range known[p.Sale] {
			applyVoid(&v, p)
		}
	}
	return err
}

// applyVoid changes a payment that is meant and was not taken back before, and reports whether it did.
func applyVoid(v *ownsales.Void, p *ownsales.Payment) bool {
	if p.Status != ownsales.StatusPaid || !v.Applies(p) {
		return false
	}
	p.Status, p.CancelledAt = v.Status, v.At
	return true
}

// mergeWaiting keeps what waits, and changes the payments that are there.
func (k *voidKeeper) mergeWaiting(ctx context.Context) error {
	const keep = `
		INSERT INTO own_void (account, store, sale_id, status, amount, at, file)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (account, store, sale_id, status, amount) DO UPDATE
			SET at = CASE WHEN excluded.at < own_void.at THEN excluded.at ELSE own_void.at END`
	err := k.ExecBatch(ctx, keep, len(k.waiting), func(i int) []any {
		v := &k.waiting[i]
		return []any{int64(k.at.Home), k.at.ID, v.Sale, string(v.Status), int64(v.Amount), int64(v.At), k.file[:]}
	})
	if err == nil && len(k.waiting) > 0 {
		err = k.changeVoided(ctx)
	}
	k.waiting = k.waiting[:0]
	return err
}

// changeVoided changes the payments of the shop that the voids read so far take back.
func (k *voidKeeper) changeVoided(ctx context.Context) error {
	list, err := listSales(len(k.waiting), func(i int) string { return k.waiting[i].Sale })
	if err != nil {
		return err
	}
	known := map[string][]*Kept{}
	d := k.DB.Dialect
	err = k.ScanRows(ctx, sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		return readKept(f, func(was *Kept) error {
			if !was.Ended {
				setLastShown(k.shown.by, was)
				known[was.Sale] = append(known[was.Sale], was)
			}
			return nil
		})
	}), `
		SELECT`+keptColumns+`
		FROM `+d.UnnestJSON("$3", "x")+`
		`+d.JoinOneByOne("own_sale", "own_sale", "", "account = $1 AND store = $2 AND sale_id = "+d.TextMember("x", "s"))+`
		ORDER BY sale_id, payment_no, version`, int64(k.at.Home), k.at.ID, list)
	if err != nil {
		return err
	}
	var next []*Kept
	for i := range k.waiting {
		for _, now := range known[k.waiting[i].Sale] {
			was := *now
			if applyVoid(&k.waiting[i], &now.Payment) {
				k.countKept(&was, -1)
				next = append(next, &Kept{Payment: now.Payment, Version: now.Version + 1, First: k.file, Last: now.Last, Vanished: now.Vanished})
			}
		}
	}
	k.changed += int64(len(next))
	return k.replaceVersions(ctx, next)
}
