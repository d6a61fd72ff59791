package results

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// ConclusionEnds returns where the chain of what the reconciles of an account concluded ended after each of them, the first
// first. What a reconcile concluded is in it by the digests of the rows that it made and ended (CheckConclusions compares them
// with the rows), by its day and by what it rests on.
func (l *Store) ConclusionEnds(ctx context.Context, a ledger.Account) ([]ledger.ChainEnd, error) {
	var ends []ledger.ChainEnd
	before := ""
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var asOf, number int64
		var texts [4]string
		if err := rows.Scan(&number, &asOf, &texts[0], &texts[1], &texts[2], &texts[3]); err != nil {
			return err
		}
		var row encodedRow
		row.Text(before)
		row.Int(int64(a))
		row.Int(number)
		row.Int(asOf)
		for _, text := range texts {
			row.Text(text)
		}
		sum := sha256.Sum256(row)
		before = hex.EncodeToString(sum[:])
		ends = append(ends, ledger.ChainEnd{Account: a, Number: number, Digest: before})
		return nil
	}, `
		SELECT
			number,
			COALESCE(as_of, 0),
			run,
			inputs,
			shadow,
			digests
		FROM reconciled
		WHERE account = $1
		ORDER BY number, run`, int64(a))
	return ends, l.db.WrapError("read what the reconciles of account "+a.String()+" concluded", err)
}
