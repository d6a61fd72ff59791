package sales

import (
	"context"
	"database/sql"
	"fmt"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sqldb"
)

// CheckSales holds what is kept of the shops of an account against their files: that versions name files that are there and follow each
// other without a hole, that the content is the one its hash is of, and that the days are those computed again.
func (s *SaleStore) CheckSales(ctx context.Context, a ledger.Account, addFault sqldb.AddFault) error {
	shops, err := readShops(ctx, s.db.Read, a)
	for _, at := range shops {
		for _, check := range []func(context.Context, Shop, sqldb.AddFault) error{s.checkVersions, s.checkDays} {
			if err == nil {
				err = check(ctx, at, addFault)
			}
		}
	}
	return err
}

// readShops are the shops of an account that have a file or a sale.
func readShops(ctx context.Context, q sqldb.Querier, a ledger.Account) (out []Shop, err error) {
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		at := Shop{Home: a}
		err := rows.Scan(&at.ID)
		out = append(out, at)
		return err
	}, `
		SELECT store FROM own_file WHERE account = $1
		UNION
		SELECT store FROM own_sale WHERE account = $1
		ORDER BY store`, int64(a))
	return out, err
}

func (s *SaleStore) checkVersions(ctx context.Context, at Shop, addFault sqldb.AddFault) error {
	files, err := readFiles(ctx, s.db.Read, at)
	if err != nil {
		return err
	}
	known := map[ledger.FileHash]bool{noFile: true}
	for i := range files {
		known[files[i].Hash] = true
	}
	shown, err := readShown(ctx, s.db.Read, at)
	if err != nil {
		return err
	}
	for day, file := range shown {
		if !known[file] {
			addFault(words.NewMessage("check_fault.shop_day_without_file", "shop", at.ID, "day", day))
		}
	}
	var before Kept
	end := func() {
		if before.Version > 0 && before.Ended {
			addFault(words.NewMessage("check_fault.sale_last_version_ended", "shop", at.ID, "sale", before.Sale, "version", before.Version))
		}
	}
	read := sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		hash := f.NextHash()
		return readKept(f, func(k *Kept) error {
			same := before.Version > 0 && before.Sale == k.Sale && before.Number == k.Number
			if !same {
				end()
				before.Version = 0
			}
			switch {
			case k.Version != before.Version+1:
				addFault(words.NewMessage("check_fault.sale_version_gap", "shop", at.ID, "sale", k.Sale, "version", k.Version, "before", before.Version))
			case same && !before.Ended:
				addFault(words.NewMessage("check_fault.sale_version_not_ended", "shop", at.ID, "sale", k.Sale, "version", before.Version))
			case k.Hash() != hash:
				addFault(words.NewMessage("check_fault.sale_version_changed", "shop", at.ID, "sale", k.Sale, "version", k.Version))
			case !known[k.First] || !known[k.Last]:
				addFault(words.NewMessage("check_fault.sale_version_without_file", "shop", at.ID, "sale", k.Sale, "version", k.Version))
			}
			before = *k
			return nil
		})
	})
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		f, err := scanFields(rows)
		if err != nil {
			return err
		}
		return read(f)
	}, `
		SELECT
			hash,`+keptColumns+`
		FROM own_sale
		WHERE account = $1 AND store = $2
		ORDER BY sale_id, payment_no, version`, int64(at.Home), at.ID)
	end()
	return err
}

func (s *SaleStore) checkDays(ctx context.Context, at Shop, addFault sqldb.AddFault) error {
	kept, err := readDays(ctx, s.db.Read, at)
	if err != nil {
		return err
	}
	files, err := readFiles(ctx, s.db.Read, at)
	if err != nil {
		return err
	}
	notes := len(files) > 0 && files[len(files)-1].Map == ""
	counts, err := readCounts(ctx, s.db.Read, at, everyDay)
	if err != nil {
		return err
	}
	computed, err := computeDays(ctx, s.db.Read, at, notes, counts)
	if err != nil {
		return err
	}
	now := make(map[ledger.Date]ownsales.Day, len(computed))
	for _, d := range computed {
		now[d.Day] = d
	}
	for _, d := range kept {
		if now[d.Day] != d {
			addFault(words.NewMessage("check_fault.shop_day_differs", "shop", at.ID, "day", d.Day))
		}
		delete(now, d.Day)
	}
	for day := range now {
		addFault(words.NewMessage("check_fault.shop_day_missing", "shop", at.ID, "day", day))
	}
	return nil
}

// scannedFields are the values of a row that database/sql read, which a snapshot needs.
type scannedFields []any

func scanFields(rows *sql.Rows) (scannedFields, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values := make(scannedFields, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	return values, rows.Scan(into...)
}

// Int is an integer, 0 for NULL.
func (f scannedFields) Int(i int) int64 {
	n, _ := f[i].(int64)
	return n
}

// Text is a text, empty for NULL.
func (f scannedFields) Text(i int) string {
	switch v := f[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// Null reports whether a value is absent.
func (f scannedFields) Null(i int) bool { return f[i] == nil }

// Bytes copies a value that has exactly the length of into.
func (f scannedFields) Bytes(i int, into []byte) error {
	b, _ := f[i].([]byte)
	if len(b) != len(into) {
		return fmt.Errorf("column %d has %d bytes, not %d", i+1, len(b), len(into))
	}
	copy(into, b)
	return nil
}
