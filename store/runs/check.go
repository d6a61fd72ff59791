package runs

import (
	"context"
	"database/sql"

	"concilia/export/words"
	"concilia/store/sqldb"
)

// CheckRuns looks for records of runs that were changed after the run had ended, and for runs that ended and are not there.
func (l *RunStore) CheckRuns(ctx context.Context, addFault sqldb.AddFault) error {
	var number int64  // of the end before
	var before string // its digest
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
		var end sql.NullInt64
		copy(targets[len(targets)-3:], []any{&finished, &end, &digest})
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		values = values[:len(values)-3]
		for i, v := range values {
			if text, ok := v.([]byte); ok {
				values[i] = string(text)
			}
		}
		is := ""
		if finished {
			if is, err = recordDigest(before, values); err != nil {
				return err
			}
		}
		switch gap := end.Int64 != number+1; {
		case end.Valid && gap:
			addFault(words.NewMessage("check_fault.runs_deleted", "run", values[0], "number", end.Int64, "before", number))
		case is != digest || finished != end.Valid:
			addFault(words.NewMessage("check_fault.run_changed", "run", values[0]))
		}
		if end.Valid {
			number, before = end.Int64, digest
		}
		return nil
	}, `
		SELECT`+runColumns+`,
			ended IS NOT NULL,
			end_number,
			digest
		FROM run
		ORDER BY end_number IS NULL, end_number, id`))
}
