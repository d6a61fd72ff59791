package facts

import (
	"context"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// SaleVersions returns every version of the installments of a sale, oldest first, by installment number. A number other
// than 0 selects that installment alone, and key.Occurrence is then its own. The versions lack LastPull.
func (l *Store) SaleVersions(ctx context.Context, key ledger.SaleKey, number int) ([]ledger.InstallmentVersion, error) {
	args := []any{int64(key.Account), int64(key.Day), key.NSU, key.Auth, int64(key.Occurrence)}
	one := " AND i.sale = $5"
	if number != 0 {
		one = " AND i.occurrence = $5 AND i.number = $6"
		args = append(args, int64(number))
	}
	var out []ledger.InstallmentVersion
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		v := &InstallmentRow{}
		if err := rows.Scan(v.ScanTargets()...); err != nil {
			return err
		}
		err := v.Complete(key.Account, nil)
		out = append(out, v.InstallmentVersion)
		return err
	}, `
		SELECT `+InstallmentColumns+`
		FROM installment AS i
		WHERE i.account = $1 AND i.sale_day = $2 AND i.nsu = $3 AND i.auth = $4`+one+`
		ORDER BY i.number, i.occurrence, i.version`, args...)
	return out, l.db.WrapError("read the versions of "+key.Subject(), err)
}

// SlipVersions returns every version of a slip, by list, oldest first. The versions lack LastPull.
func (l *Store) SlipVersions(ctx context.Context, a ledger.Account, id string) ([]ledger.SlipVersion, error) {
	sights := &SlipsLastSeen{Account: a}
	var out []ledger.SlipVersion
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		v := &SlipRow{}
		if err := rows.Scan(v.ScanTargets()...); err != nil {
			return err
		}
		sights.Complete(v)
		out = append(out, v.SlipVersion)
		return nil
	}, `
		SELECT `+SlipColumns+`
		FROM slip AS v
		WHERE v.account = $1 AND v.id = $2
		ORDER BY v.list, v.version`, int64(a), id)
	return out, l.db.WrapError("read the versions of "+ledger.SlipSubject(a, id), err)
}

// PullsByID returns the account's pulls with those ids; unknown ids are left out.
func (l *Store) PullsByID(ctx context.Context, a ledger.Account, ids []string) (map[string]ledger.Pull, error) {
	out := make(map[string]ledger.Pull, len(ids))
	for _, id := range ids {
		err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
			p, err := ScanPull(rows)
			out[id] = p
			return err
		}, SelectPull+`
		WHERE account = $1 AND id = $2`, int64(a), id)
		if err != nil {
			return nil, l.db.WrapError("read pull "+id, err)
		}
	}
	return out, nil
}

// PullsOfDay gives the pulls of the source whose window holds the day, in order of their beginning.
func (l *Store) PullsOfDay(ctx context.Context, a ledger.Account, source ledger.Source, d ledger.Date) ([]ledger.Pull, error) {
	var out []ledger.Pull
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		p, err := ScanPull(rows)
		out = append(out, p)
		return err
	}, SelectPull+`
		WHERE account = $1 AND source = $2 AND from_day <= $3 AND to_day >= $3
		ORDER BY began, id`, int64(a), string(source), int64(d))
	return out, l.db.WrapError("read the pulls of "+d.String(), err)
}

// HasBody reports whether the bytes of a body are kept.
func (l *Store) HasBody(ctx context.Context, sha256 string) (bool, error) {
	var n int
	err := l.db.Read.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM body_bytes
		WHERE sha256 = $1`, sha256).Scan(&n)
	return n > 0, l.db.WrapError("look for body "+sha256, err)
}
