package runs

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// recordDigest is the SHA-256 over the columns of a run's record and the digest of the run that ended before it, hex.
func recordDigest(before string, columns []any) (string, error) {
	text, err := json.Marshal([]any{before, columns})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// readLastEnd returns the run that ended last, without an account; the zero value before the first.
func readLastEnd(ctx context.Context, q sqldb.Querier) (end ledger.ChainEnd, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT
			end_number,
			digest
		FROM run
		WHERE end_number IS NOT NULL
		ORDER BY end_number DESC
		LIMIT 1`).Scan(&end.Number, &end.Digest)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return end, err
}

// LastRunEnd returns where the records of runs end now.
func (l *RunStore) LastRunEnd(ctx context.Context) (ledger.ChainEnd, error) {
	end, err := readLastEnd(ctx, l.db.Read)
	return end, l.db.WrapError("read the last end of a run", err)
}

// RunEnds returns every place where the records of runs ended at some time.
func (l *RunStore) RunEnds(ctx context.Context) (map[ledger.ChainEnd]bool, error) {
	ends := make(map[ledger.ChainEnd]bool)
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var end ledger.ChainEnd
		err := rows.Scan(&end.Number, &end.Digest)
		ends[end] = true
		return err
	}, `
		SELECT
			end_number,
			digest
		FROM run
		WHERE end_number IS NOT NULL`)
	return ends, l.db.WrapError("read the ends of runs", err)
}
