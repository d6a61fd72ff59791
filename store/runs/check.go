package runs

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"

	"concilia/store/sqldb"
)

// recordDigest is the SHA-256 of the columns of a run's record, hex.
func recordDigest(columns []any) (string, error) {
	text, err := json.Marshal(columns)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// CheckRuns looks for records of runs that were changed after the run had ended.
func (l *Store) CheckRuns(ctx context.Context, addFault func(format string, args ...any)) error {
	return l.db.WrapError("check the records of runs", sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		names, err := rows.Columns()
		if err != nil {
			return err
		}
		values, targets := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			targets[i] = &values[i]
		}
		var digest string
		var finished bool
		targets[len(targets)-2], targets[len(targets)-1] = &finished, &digest
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		values = values[:len(values)-2]
		for i, v := range values {
			if text, ok := v.([]byte); ok {
				values[i] = string(text)
			}
		}
		is := ""
		if finished {
			if is, err = recordDigest(values); err != nil {
				return err
			}
		}
		if is != digest {
			addFault("run %s: its record was changed after its end", values[0])
		}
		return nil
	}, `
		SELECT`+runColumns+`,
			ended IS NOT NULL,
			digest
		FROM run
		ORDER BY id`))
}
