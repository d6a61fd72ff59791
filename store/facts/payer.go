package facts

import (
	"context"
	"crypto/rand"
	"database/sql"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// PayerRows are the rows of the ledger that hold a payer.
type PayerRows struct {
	Views []SlipRow            // versions of slips, without when they were seen
	Bad   []ledger.Quarantined // rows that could not be parsed, each with the body that it is to have
}

// FindPayer returns the rows of all accounts that hold the payer of a document, which has no punctuation. Views of a slip without any
// document are its payer's when another view of it names the payer. blank returns the body of a row that could not be parsed without the
// payer, or nil if the payer is not in it.
func (l *HistoryReader) FindPayer(ctx context.Context, document string, blank func(body []byte) []byte) (PayerRows, error) {
	rows, err := findPayer(ctx, l.db.Read, document, blank)
	return rows, l.db.WrapError("look for a payer", err)
}

func findPayer(ctx context.Context, q sqldb.Querier, document string, blank func(body []byte) []byte) (PayerRows, error) {
	var out PayerRows
	if document == "" {
		return out, nil
	}
	for _, from := range []struct {
		table string
		add   func(ledger.Account) error
	}{
		{"slip", func(a ledger.Account) (err error) {
			out.Views, err = appendPayerViews(ctx, q, out.Views, a, document)
			return err
		}},
		{"quarantine", func(a ledger.Account) (err error) {
			out.Bad, err = appendPayerRows(ctx, q, out.Bad, a, blank)
			return err
		}},
	} {
		var accounts []ledger.Account
		err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
			var a ledger.Account
			err := rows.Scan(&a)
			accounts = append(accounts, a)
			return err
		}, "SELECT DISTINCT account FROM "+from.table+" ORDER BY account")
		if err != nil {
			return out, err
		}
		for _, a := range accounts {
			if err := from.add(a); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

func appendPayerViews(ctx context.Context, q sqldb.Querier, to []SlipRow, a ledger.Account, document string) ([]SlipRow, error) {
	const bare = `UPPER(REPLACE(REPLACE(REPLACE(REPLACE(payer_document, '.', ''), '-', ''), '/', ''), ' ', ''))`
	err := sqldb.ReadRows(ctx, q, func(f *sqldb.RowReader) error {
		v := SlipRow{}
		v.ReadColumns(f)
		v.Account = a
		to = append(to, v)
		return f.Err()
	}, `
		SELECT `+SlipColumns+`
		FROM slip AS v
		WHERE v.account = $1 AND v.id IN (
			SELECT id
			FROM slip
			WHERE account = $1 AND `+bare+` = $2) AND (`+bare+` = $2 OR v.payer_document = '' AND v.payer_name <> '')
		ORDER BY v.id, v.list, v.version`, int64(a), document)
	return to, err
}

func appendPayerRows(ctx context.Context, q sqldb.Querier, to []ledger.Quarantined, a ledger.Account, blank func([]byte) []byte) ([]ledger.Quarantined, error) {
	err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		r := ledger.Quarantined{Account: a}
		if err := rows.Scan(&r.Source, &r.Hash, &r.Body); err != nil {
			return err
		}
		if r.Body = blank(r.Body); r.Body != nil {
			to = append(to, r)
		}
		return nil
	}, `
		SELECT
			source,
			hash,
			body
		FROM quarantine
		WHERE account = $1 AND source LIKE 'slips.%'
		ORDER BY source, hash`, int64(a))
	return to, err
}

// ForgetPayer blanks the payer in every row that FindPayer returns, within a transaction, and seals the rows.
func ForgetPayer(ctx context.Context, t *sqldb.Tx, document string, blank func(body []byte) []byte) error {
	found, err := findPayer(ctx, t, document, blank)
	if err != nil {
		return err
	}
	for i := range found.Views {
		if err := forgetView(ctx, t, &found.Views[i]); err != nil {
			return err
		}
	}
	for i := range found.Bad {
		r := &found.Bad[i]
		if _, err := t.ExecContext(ctx, `
			UPDATE quarantine
			SET
				body = $4,
				forgotten = $5
			WHERE account = $1 AND source = $2 AND hash = $3`,
			int64(r.Account), string(r.Source), r.Hash, r.Body, string(ledger.SealText(r.Hash, r.Body, newSalt()))); err != nil {
			return err
		}
	}
	return nil
}

func forgetView(ctx context.Context, t *sqldb.Tx, v *SlipRow) error {
	kept, seal := v.ForgetPayer(v.Content, newSalt())
	_, err := t.ExecContext(ctx, `
		UPDATE slip
		SET
			payer_document = $5,
			payer_name = '',
			payer_street = '',
			payer_zip = '',
			payer_city = '',
			payer_state = '',
			payer_district = '',
			payer_phone = '',
			content = $6,
			forgotten = $7
		WHERE account = $1 AND id = $2 AND list = $3 AND version = $4`,
		int64(v.Account), v.ID, string(v.List), int64(v.Version), v.PayerDocument, kept[:], string(seal))
	return err
}

// newSalt is random. The system's source does not fail.
func newSalt() (salt ledger.Hash) {
	_, _ = rand.Read(salt[:])
	return salt
}
