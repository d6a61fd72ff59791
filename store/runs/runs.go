package runs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// BeginRun writes the record of a run that begins. Its id must be new. What earlier runs did of their work is then forgotten, so that
// only the last run of an account, and what failed, has units.
func (l *RunStore) BeginRun(ctx context.Context, r *ledger.Run) error {
	if r.ID == "" {
		return errors.New("begin run: the run has no id")
	}
	args, err := runArgs(r)
	if err != nil {
		return err
	}
	return l.db.Transact(ctx, "begin run "+r.ID, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO run (`+runColumns+`)
			VALUES (`+sqldb.ListPlaceholders(1, len(args))+`)`, args...)
		if err == nil {
			err = deleteDoneUnits(ctx, t, r.Accounts)
		}
		return err
	})
}

// EndRun writes the record once more when the run ended, and refuses a run that has ended before. Ending it a second time
// at the same instant changes nothing: after a commit whose connection was lost it is not known whether it was kept.
func (l *RunStore) EndRun(ctx context.Context, r *ledger.Run) error {
	if !r.Finished() {
		return errors.New("end run " + r.ID + ": it has no time of its end")
	}
	args, err := runArgs(r)
	if err != nil {
		return err
	}
	return l.db.TransactRepeatable(ctx, "end run "+r.ID, func(t *sqldb.Tx) error {
		// One run ends after the other, so that each can name the end before it.
		if err := t.DB.Dialect.Lock(ctx, t.Tx, "end of a run"); err != nil {
			return err
		}
		if written, err := writeEnd(ctx, t, args); err != nil || written {
			return err
		}
		var same bool
		err = t.QueryRowContext(ctx, `
			SELECT COUNT(*) > 0
			FROM run
			WHERE id = $1 AND ended = $2`, r.ID, sqldb.TimeArg(r.Ended)).Scan(&same)
		if err != nil || same {
			return err
		}
		return errors.New("it did not begin here, or has ended already: a run record is never changed after its end")
	})
}

// writeEnd writes the record of a run that ends, behind the last that ended. Nothing is written if the run has ended, or is not there.
func writeEnd(ctx context.Context, t *sqldb.Tx, args []any) (written bool, err error) {
	last, err := readLastEnd(ctx, t)
	if err != nil {
		return false, err
	}
	digest, err := recordDigest(last.Digest, args)
	if err != nil {
		return false, err
	}
	res, err := t.ExecContext(ctx, `
		UPDATE run
		SET
			kind = $2,
			started_by = $3,
			parameters = $4,
			as_of = $5,
			clock = $6,
			previous = $7,
			began = $8,
			ended = $9,
			taken_up = $10,
			engine = $11,
			documents = $12,
			accounts = $13,
			pulled = $14,
			windows = $15,
			windows_failed = $16,
			retries = $17,
			bytes = $18,
			cases_new = $19,
			cases_persisting = $20,
			cases_resolved = $21,
			archive_removed = $22,
			lost = $23,
			late = $24,
			at_risk = $25,
			claimed = $26,
			waived = $27,
			excess = $28,
			sums = $29,
			sets = $30,
			steps = $31,
			verdict = $32,
			verdicts = $33,
			exit_code = $34,
			end_number = $35,
			digest = $36
		WHERE id = $1 AND ended IS NULL`, append(args, last.Number+1, digest)...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// RunByID returns the record of a run, or ErrNotFound.
func (l *RunStore) RunByID(ctx context.Context, id string) (*ledger.Run, error) {
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE id = $1`, id))
	return r, l.db.WrapError("read run "+id, err)
}

// LastRun returns the finished run of one of the kinds (any kind if none is given) that began last, or ErrNotFound.
func (l *RunStore) LastRun(ctx context.Context, kinds ...ledger.RunKind) (*ledger.Run, error) {
	args := make([]any, len(kinds))
	for i, k := range kinds {
		args[i] = string(k)
	}
	where := ""
	if len(kinds) > 0 {
		where = " AND kind IN (" + sqldb.ListPlaceholders(1, len(kinds)) + ")"
	}
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE ended IS NOT NULL`+where+`
		ORDER BY began DESC, id DESC
		LIMIT 1`, args...))
	return r, l.db.WrapError("read the last run", err)
}

// UnfinishedRun gives the run of the kind and as-of that began last, if it did not end: its process was killed, or gave
// up. Otherwise it is ErrNotFound.
func (l *RunStore) UnfinishedRun(ctx context.Context, kind ledger.RunKind, asOf ledger.Date) (*ledger.Run, error) {
	doing := "read the unfinished run of " + asOf.String()
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE kind = $1
		ORDER BY began DESC, id DESC
		LIMIT 1`, string(kind)))
	if err == nil && (r.Finished() || r.AsOf != asOf) {
		err = sql.ErrNoRows
	}
	return r, l.db.WrapError(doing, err)
}

// LastReconcileRun returns the finished run that reconciled the account last, or ErrNotFound.
func (l *RunStore) LastReconcileRun(ctx context.Context, a ledger.Account) (*ledger.Run, error) {
	r, err := scanRun(l.db.Read.QueryRowContext(ctx, selectRun+`
		WHERE ended IS NOT NULL AND id IN (SELECT run FROM reconciled WHERE account = $1)
		ORDER BY began DESC, id DESC
		LIMIT 1`, int64(a)))
	return r, l.db.WrapError("read the last reconcile of account "+a.String(), err)
}

// RecordSteps records how long the steps of a run have taken so far, in case this process is killed. It clears the exit
// code of the process before it. A finished run is left alone; an unknown one is no error.
func (l *RunStore) RecordSteps(ctx context.Context, run string, steps []ledger.RunStep) error {
	text, err := encodeSteps(steps)
	if err != nil {
		return err
	}
	return l.db.TransactRepeatable(ctx, "note the steps of run "+run, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE run
			SET
				steps = $2,
				exit_code = 0
			WHERE id = $1 AND ended IS NULL`, run, text)
		return err
	})
}

// RecordExit records the exit code with which a process stopped a run without finishing it, so that the run can be distinguished
// from a killed one. Such a run can be continued. A finished run is left alone.
func (l *RunStore) RecordExit(ctx context.Context, run string, code int) error {
	return l.db.TransactRepeatable(ctx, "note how run "+run+" stopped", func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			UPDATE run
			SET exit_code = $2
			WHERE id = $1 AND ended IS NULL`, run, int64(code))
		return err
	})
}

// RunFilter chooses runs. An empty member chooses all.
type RunFilter struct {
	Kinds []ledger.RunKind
	AsOf  ledger.Period // the first and the last as-of; a zero end is open
	Limit int           // of the last ones
}

// Runs returns the selected runs, including unfinished ones, latest first.
func (l *RunStore) Runs(ctx context.Context, f RunFilter) ([]*ledger.Run, error) {
	var w sqldb.Conditions
	sqldb.AddIn(&w, "kind", f.Kinds, func(k ledger.RunKind) any { return string(k) })
	if f.AsOf.From != 0 {
		w.Add("as_of >= " + w.AddArg(int64(f.AsOf.From)))
	}
	if f.AsOf.To != 0 {
		w.Add("as_of <= " + w.AddArg(int64(f.AsOf.To)))
	}
	limit := ""
	if f.Limit > 0 {
		limit = `
		LIMIT ` + w.AddArg(int64(f.Limit))
	}
	return l.queryRuns(ctx, "list the runs", w.Where()+`
		ORDER BY began DESC, id DESC`+limit, w.Args...)
}

// AmbiguousError means that a prefix matches the ids of several runs, of which One and Other are two.
type AmbiguousError struct{ Text, One, Other string }

func (e *AmbiguousError) Error() string {
	return "more runs than one begin with " + e.Text + ": " + e.One + ", " + e.Other
}

// FindRun returns the run whose id is text, or the only one whose id begins with it, or else ErrNotFound or an
// *AmbiguousError.
func (l *RunStore) FindRun(ctx context.Context, text string) (*ledger.Run, error) {
	doing := "read run " + text
	if text == "" {
		return nil, l.db.WrapError(doing, sql.ErrNoRows)
	}
	exact, err := l.RunByID(ctx, text)
	if err == nil || !errors.Is(err, sqldb.ErrNotFound) {
		return exact, err
	}
	found, err := l.queryRuns(ctx, doing, `
		WHERE SUBSTR(id, 1, $2) = $1
		ORDER BY id
		LIMIT 2`, text, int64(len(text)))
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, l.db.WrapError(doing, sql.ErrNoRows)
	case len(found) > 1:
		return nil, &AmbiguousError{Text: text, One: found[0].ID, Other: found[1].ID}
	}
	return found[0], nil
}

func (l *RunStore) queryRuns(ctx context.Context, doing, which string, args ...any) ([]*ledger.Run, error) {
	var out []*ledger.Run
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		r, err := scanRun(rows)
		out = append(out, r)
		return err
	}, selectRun+which, args...)
	return out, l.db.WrapError(doing, err)
}

const selectRun = `
		SELECT` + runColumns + `
		FROM run`

// runColumns are the columns of a record, in the order of runArgs and scanRun.
const runColumns = `
			id,
			kind,
			started_by,
			parameters,
			as_of,
			clock,
			previous,
			began,
			ended,
			taken_up,
			engine,
			documents,
			accounts,
			pulled,
			windows,
			windows_failed,
			retries,
			bytes,
			cases_new,
			cases_persisting,
			cases_resolved,
			archive_removed,
			lost,
			late,
			at_risk,
			claimed,
			waived,
			excess,
			sums,
			sets,
			steps,
			verdict,
			verdicts,
			exit_code`

// scanner is a row of one query, or of many.
type scanner interface{ Scan(targets ...any) error }

func scanRun(row scanner) (*ledger.Run, error) {
	var r ledger.Run
	var parameters, documents, accounts, pulled, sums, sets, steps, verdicts string
	err := row.Scan(&r.ID, &r.Kind, &r.Trigger, &parameters, sqldb.IntoDate(&r.AsOf), &r.Clock, &r.Previous, sqldb.IntoTime(&r.Began),
		sqldb.IntoTime(&r.Ended), sqldb.IntoBool(&r.Resumed), &r.ProgramVersion, &documents, &accounts, &pulled, &r.Asked.Windows,
		&r.Asked.Failed, &r.Asked.Retries, &r.Asked.Bytes, &r.Cases.New, &r.Cases.Persisting, &r.Cases.Resolved, &r.ArchiveRemoved,
		&r.Figures.Lost, &r.Figures.Late, &r.Figures.AtRisk, &r.Figures.Claimed, &r.Figures.Waived, &r.Figures.Excess, &sums, &sets, &steps, &r.Verdict, &verdicts, &r.ExitCode)
	if err != nil {
		return nil, err
	}
	var taken []runStep
	err = errors.Join(
		json.Unmarshal([]byte(parameters), &r.Parameters),
		json.Unmarshal([]byte(documents), &r.Documents),
		json.Unmarshal([]byte(accounts), &r.Accounts),
		json.Unmarshal([]byte(pulled), &r.Pulled),
		json.Unmarshal([]byte(sums), &r.Sums),
		json.Unmarshal([]byte(sets), &r.Sets),
		json.Unmarshal([]byte(steps), &taken),
		json.Unmarshal([]byte(verdicts), &r.Verdicts))
	for _, s := range taken {
		r.Steps = append(r.Steps, ledger.RunStep{Name: s.Name, Took: time.Duration(s.Micros) * time.Microsecond})
	}
	return &r, err
}

// runStep is a step as its column holds it.
type runStep struct {
	Name   string `json:"name"`
	Micros int64  `json:"us"`
}

func encodeSteps(steps []ledger.RunStep) (string, error) {
	kept := make([]runStep, len(steps))
	for i, s := range steps {
		kept[i] = runStep{s.Name, s.Took.Microseconds()}
	}
	text, err := json.Marshal(kept)
	return string(text), err
}

func runArgs(r *ledger.Run) ([]any, error) {
	steps, err := encodeSteps(r.Steps)
	if err != nil {
		return nil, err
	}
	var texts [7]string
	for i, v := range []any{r.Parameters, r.Documents, r.Accounts, r.Pulled, r.Sums, r.Sets, r.Verdicts} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		texts[i] = string(b)
	}
	return []any{
		r.ID, string(r.Kind), r.Trigger, texts[0], sqldb.DateArg(r.AsOf), r.Clock, r.Previous, sqldb.TimeArg(r.Began), sqldb.TimeArg(r.Ended),
		sqldb.BoolArg(r.Resumed), r.ProgramVersion, texts[1], texts[2], texts[3], r.Asked.Windows, r.Asked.Failed, r.Asked.Retries,
		r.Asked.Bytes, r.Cases.New, r.Cases.Persisting, r.Cases.Resolved, r.ArchiveRemoved, int64(r.Figures.Lost), int64(r.Figures.Late),
		int64(r.Figures.AtRisk), int64(r.Figures.Claimed), int64(r.Figures.Waived), int64(r.Figures.Excess),
		texts[4], texts[5], steps, string(r.Verdict), texts[6], int64(r.ExitCode),
	}, nil
}
