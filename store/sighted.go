package store

import (
	"database/sql"
	"errors"
	"slices"

	"concilia/store/ledger"
)

// Standing gives every case of the account, whatever its state, as it was seen last, in order of case.
func (r *Reconciling) Standing() ([]ledger.Finding, error) {
	var out []ledger.Finding
	err := each(r.ctx, r.t, func(rows *sql.Rows) error {
		f, err := scanFinding(rows)
		out = append(out, f)
		return err
	}, `
		SELECT `+findingColumns+`
		FROM finding
		WHERE account = $1
		ORDER BY case_id`, int64(r.account))
	return out, r.t.l.fault(r.doing, err)
}

// Finding keeps the case as it is seen now, and with event set an event that holds all its numbers. The same event of
// the same run is kept once. f.Case may be empty: it follows from account, subject and code.
func (r *Reconciling) Finding(f ledger.Finding, event bool) error {
	if err := r.mine(f.Account); err != nil {
		return err
	}
	if id := ledger.CaseID(f.Account, f.Subject, f.Code); f.Case == "" {
		f.Case = id
	} else if f.Case != id {
		return errors.New(r.doing + ": case " + f.Case + " does not follow from its subject and code")
	}
	args, err := findingArgs(&f)
	if err != nil {
		return err
	}
	if _, err := r.t.ExecContext(r.ctx, upsertFinding, args...); err != nil {
		return r.t.l.fault(r.doing, err)
	}
	if !event {
		return nil
	}
	return r.t.l.fault(r.doing, r.event(&f, args))
}

func (r *Reconciling) event(f *ledger.Finding, args []any) error {
	sequence := int64(0)
	var run string
	err := r.t.QueryRowContext(r.ctx, `
		SELECT
			sequence,
			run
		FROM finding_event
		WHERE account = $1 AND case_id = $2
		ORDER BY sequence DESC
		LIMIT 1`, int64(f.Account), f.Case).Scan(&sequence, &run)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if run == r.run.ID {
		same, err := r.sameEvent(f, sequence)
		if err != nil || same {
			return err
		}
	}
	_, err = r.t.ExecContext(r.ctx, `
		INSERT INTO finding_event (`+findingColumns+`,
			sequence,
			run,
			as_of)
		VALUES (`+placeholders(1, len(args)+3)+`)`, append(slices.Clone(args), sequence+1, r.run.ID, sqlDate(r.run.AsOf))...)
	return err
}

// sameEvent says whether the event kept last tells exactly what f tells.
func (r *Reconciling) sameEvent(f *ledger.Finding, sequence int64) (bool, error) {
	same := false
	err := each(r.ctx, r.t, func(rows *sql.Rows) error {
		g, err := scanFinding(rows)
		same = f.SameNumbers(&g) && f.State == g.State && f.RuleVersion == g.RuleVersion
		return err
	}, `
		SELECT `+findingColumns+`
		FROM finding_event
		WHERE account = $1 AND case_id = $2 AND sequence = $3`, int64(f.Account), f.Case, sequence)
	return same, err
}

// What a case is about never changes; everything else is as seen last.
const upsertFinding = `
		INSERT INTO finding (` + findingColumns + `)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23, $24, $25, $26, $27, $28, $29, $30)
		ON CONFLICT (account, case_id) DO UPDATE
		SET
			rule_version = excluded.rule_version,
			severity = excluded.severity,
			state = excluded.state,
			expected_kind = excluded.expected_kind,
			expected_number = excluded.expected_number,
			expected_text = excluded.expected_text,
			actual_kind = excluded.actual_kind,
			actual_number = excluded.actual_number,
			actual_text = excluded.actual_text,
			impact = excluded.impact,
			exposure = excluded.exposure,
			explained_by = excluded.explained_by,
			related = excluded.related,
			break_on = excluded.break_on,
			first_seen = excluded.first_seen,
			opened_on = excluded.opened_on,
			first_run = excluded.first_run,
			last_run = excluded.last_run,
			day = excluded.day,
			due_on = excluded.due_on,
			brand = excluded.brand,
			product = excluded.product,
			contract_line = excluded.contract_line,
			calendar = excluded.calendar,
			hint = excluded.hint,
			numbers = excluded.numbers`
