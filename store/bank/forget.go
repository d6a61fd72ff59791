package bank

import (
	"context"
	"database/sql"
	"math"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// BlankRow takes a payer out of a row, and reports whether the row had one.
type BlankRow func(*banking.Row) bool

// CountPayerLines counts the current lines that have a payer.
func (s *StatementStore) CountPayerLines(ctx context.Context, blank BlankRow) (n int, err error) {
	accounts, err := listAccounts(ctx, s.db.Read)
	for i := 0; i < len(accounts) && err == nil; i++ {
		err = eachVersion(ctx, s.db.Read, accounts[i], everyDay, func(v *keptVersion) error {
			if row := v.row; !v.ended && blank(&row) {
				n++
			}
			return nil
		})
	}
	return n, s.db.WrapError("look for a payer in the lines of banks", err)
}

var everyDay = ledger.Period{From: math.MinInt32, To: math.MaxInt32}

// ForgetPayer takes a payer out of what is kept of statements and their lines, and out of what runs concluded of them, within a
// transaction. Lines keep their keys and hashes of their texts, so that a later statement is merged with them as before.
func ForgetPayer(ctx context.Context, t *sqldb.Tx, blank BlankRow) error {
	accounts, err := listAccounts(ctx, t)
	for i := 0; i < len(accounts) && err == nil; i++ {
		f := &forgetting{Tx: t, at: accounts[i], blank: blank}
		if err = f.forgetFileDays(ctx); err == nil {
			err = f.forgetLines(ctx)
		}
	}
	return err
}

func listAccounts(ctx context.Context, q sqldb.Querier) (all []Account, err error) {
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var a Account
		err := rows.Scan(&a.Home, &a.ID)
		all = append(all, a)
		return err
	}, `
		SELECT
			account,
			bank
		FROM bank_account
		ORDER BY account, bank`)
	return all, err
}

// forgetting takes a payer out of one bank account.
type forgetting struct {
	*sqldb.Tx
	at    Account
	blank BlankRow
}

// forgetFileDays changes what files say of days.
func (f *forgetting) forgetFileDays(ctx context.Context) error {
	var changed []fileDayBody
	err := eachFileDay(ctx, f, f.at, func(k fileDayBody) error {
		all, err := unpackRows(k.day, k.body)
		if err != nil {
			return err
		}
		had := false
		for i := range all {
			had = f.blank(&all[i]) || had
		}
		if had {
			k.body = packRows(all)
			changed = append(changed, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.ExecBatch(ctx, `
		UPDATE bank_file_day
		SET body = $1
		WHERE account = $2 AND bank = $3 AND day = $4 AND file = $5`, len(changed), func(i int) []any {
		return []any{changed[i].body, int64(f.at.Home), f.at.ID, int64(changed[i].day), changed[i].file}
	})
}

// forgetLines changes the versions of lines, and the texts that runs took from them.
func (f *forgetting) forgetLines(ctx context.Context) error {
	var changed []keptVersion
	shown := map[string]string{} // texts as deposits show them, before and now
	err := eachVersion(ctx, f, f.at, everyDay, func(v *keptVersion) error {
		before := v.row.Text
		if f.blank(&v.row) {
			changed = append(changed, *v)
			shown[ledger.MaskPersonDocuments(before)] = ledger.MaskPersonDocuments(v.row.Text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = f.ExecBatch(ctx, `
		UPDATE bank_line
		SET
			text = $1,
			original = $2,
			document = $3
		WHERE account = $4 AND bank = $5 AND day = $6 AND amount = $7 AND text_hash = $8 AND occurrence = $9 AND version = $10`,
		len(changed), func(i int) []any {
			v := &changed[i]
			var original []byte
			if v.row.Original != "" {
				original = []byte(v.row.Original)
			}
			return []any{
				v.row.Text, original, v.row.Document, int64(f.at.Home), f.at.ID, int64(v.row.Day), int64(v.key.amount), v.key.textHash[:],
				int64(v.key.occurrence), int64(v.version),
			}
		})
	if err != nil {
		return err
	}
	texts := make([][2]string, 0, len(shown))
	for before, now := range shown {
		texts = append(texts, [2]string{before, now})
	}
	return f.ExecBatch(ctx, `
		UPDATE bank_deposit
		SET text = $1
		WHERE account = $2 AND bank = $3 AND text = $4`, len(texts), func(i int) []any {
		return []any{texts[i][1], int64(f.at.Home), f.at.ID, texts[i][0]}
	})
}
