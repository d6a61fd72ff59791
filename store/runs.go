package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"concilia/store/ledger"
)

// BeginRun writes the record of a run that begins. Its id must be new.
func (l *Ledger) BeginRun(ctx context.Context, r *ledger.Run) error {
	if r.ID == "" {
		return errors.New("begin run: the run has no id")
	}
	args, err := runArgs(r)
	if err != nil {
		return err
	}
	return l.write(ctx, "begin run "+r.ID, func(t *tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO run (
				id,
				kind,
				started_by,
				as_of,
				clock,
				previous,
				began,
				ended,
				engine,
				documents,
				accounts,
				pulled,
				verdict,
				verdicts,
				exit_code)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`, args...)
		return err
	})
}

// EndRun writes the record once more when the run ended, and refuses a run that has ended before.
func (l *Ledger) EndRun(ctx context.Context, r *ledger.Run) error {
	if !r.Finished() {
		return errors.New("end run " + r.ID + ": it has no time of its end")
	}
	args, err := runArgs(r)
	if err != nil {
		return err
	}
	return l.write(ctx, "end run "+r.ID, func(t *tx) error {
		res, err := t.ExecContext(ctx, `
			UPDATE run
			SET
				kind = $2,
				started_by = $3,
				as_of = $4,
				clock = $5,
				previous = $6,
				began = $7,
				ended = $8,
				engine = $9,
				documents = $10,
				accounts = $11,
				pulled = $12,
				verdict = $13,
				verdicts = $14,
				exit_code = $15
			WHERE id = $1 AND ended IS NULL`, args...)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return errors.New("it did not begin here, or has ended already: a run record is never changed after its end")
	})
}

// RunByID gives the record of a run, or ErrNotFound.
func (l *Ledger) RunByID(ctx context.Context, id string) (*ledger.Run, error) {
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE id = $1`, id))
	return r, l.fault("read run "+id, err)
}

// LastRun gives the finished run of one of the kinds (of any, without kinds) that began last, or ErrNotFound.
func (l *Ledger) LastRun(ctx context.Context, kinds ...ledger.RunKind) (*ledger.Run, error) {
	args := make([]any, len(kinds))
	for i, k := range kinds {
		args[i] = string(k)
	}
	where := ""
	if len(kinds) > 0 {
		where = " AND kind IN (" + placeholders(1, len(kinds)) + ")"
	}
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE ended IS NOT NULL`+where+`
		ORDER BY began DESC, id DESC
		LIMIT 1`, args...))
	return r, l.fault("read the last run", err)
}

// UnfinishedRun gives the run of the kind and as-of that began last, if it did not end: its process was killed, or gave
// up. Otherwise it is ErrNotFound.
func (l *Ledger) UnfinishedRun(ctx context.Context, kind ledger.RunKind, asOf ledger.Date) (*ledger.Run, error) {
	doing := "read the unfinished run of " + asOf.String()
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE kind = $1
		ORDER BY began DESC, id DESC
		LIMIT 1`, string(kind)))
	if err == nil && (r.Finished() || r.AsOf != asOf) {
		err = sql.ErrNoRows
	}
	return r, l.fault(doing, err)
}

// LastReconciled gives the finished run that reconciled the account last, or ErrNotFound.
func (l *Ledger) LastReconciled(ctx context.Context, a ledger.Account) (*ledger.Run, error) {
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE ended IS NOT NULL AND id IN (SELECT run FROM reconciled WHERE account = $1)
		ORDER BY began DESC, id DESC
		LIMIT 1`, int64(a)))
	return r, l.fault("read the last reconcile of account "+a.String(), err)
}

const selectRun = `
		SELECT
			id,
			kind,
			started_by,
			as_of,
			clock,
			previous,
			began,
			ended,
			engine,
			documents,
			accounts,
			pulled,
			verdict,
			verdicts,
			exit_code
		FROM run`

func scanRun(row *sql.Row) (*ledger.Run, error) {
	var r ledger.Run
	var documents, accounts, pulled, verdicts string
	err := row.Scan(&r.ID, &r.Kind, &r.Trigger, scanDate{&r.AsOf}, &r.Clock, &r.Previous, scanTime{&r.Began},
		scanTime{&r.Ended}, &r.Engine, &documents, &accounts, &pulled, &r.Verdict, &verdicts, &r.ExitCode)
	if err != nil {
		return nil, err
	}
	return &r, errors.Join(
		json.Unmarshal([]byte(documents), &r.Documents),
		json.Unmarshal([]byte(accounts), &r.Accounts),
		json.Unmarshal([]byte(pulled), &r.Pulled),
		json.Unmarshal([]byte(verdicts), &r.Verdicts))
}

func runArgs(r *ledger.Run) ([]any, error) {
	var texts [4]string
	for i, v := range []any{r.Documents, r.Accounts, r.Pulled, r.Verdicts} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		texts[i] = string(b)
	}
	return []any{
		r.ID, string(r.Kind), r.Trigger, sqlDate(r.AsOf), r.Clock, r.Previous, sqlTime(r.Began), sqlTime(r.Ended),
		r.Engine, texts[0], texts[1], texts[2], string(r.Verdict), texts[3], int64(r.ExitCode),
	}, nil
}

// placeholders is $from, $from+1, … n of them.
func placeholders(from, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('$')
		b.WriteString(itoa(from + i))
	}
	return b.String()
}
