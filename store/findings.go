package store

import (
	"context"
	"database/sql"
	"strings"

	"concilia/store/ledger"
)

// FindingFilter chooses cases. An empty member chooses all.
type FindingFilter struct {
	Accounts   []ledger.Account
	Codes      []string
	Severities []ledger.Severity
	States     []ledger.State
	MinImpact  ledger.Amount // when positive: only cases of at least this impact
	Cases      []string
}

// Findings hands fn the cases that the filter chooses, in order of account, severity, impact (highest first, none as
// zero) and case.
func (l *Ledger) Findings(ctx context.Context, filter FindingFilter, fn func(*ledger.Finding) error) error {
	var w where
	whereIn(&w, "account", filter.Accounts, func(a ledger.Account) any { return int64(a) })
	whereIn(&w, "code", filter.Codes, func(s string) any { return s })
	whereIn(&w, "severity", filter.Severities, func(s ledger.Severity) any { return string(s) })
	whereIn(&w, "state", filter.States, func(s ledger.State) any { return string(s) })
	whereIn(&w, "case_id", filter.Cases, func(s string) any { return s })
	if filter.MinImpact > 0 {
		w.add("impact >= " + w.arg(int64(filter.MinImpact)))
	}
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		f, err := scanFinding(rows)
		if err != nil {
			return err
		}
		return fn(&f)
	}, `
		SELECT `+findingColumns+`
		FROM finding`+w.text()+`
		ORDER BY
			account,
			CASE severity WHEN 'C' THEN 0 WHEN 'E' THEN 1 WHEN 'W' THEN 2 WHEN 'I' THEN 3 ELSE 4 END,
			COALESCE(impact, 0) DESC,
			case_id`, w.args...)
	return l.fault("read the cases", err)
}

// FindingByCase gives a case, or ErrNotFound.
func (l *Ledger) FindingByCase(ctx context.Context, id string) (*ledger.Finding, error) {
	var found *ledger.Finding
	err := l.Findings(ctx, FindingFilter{Cases: []string{id}}, func(f *ledger.Finding) error {
		found = f
		return nil
	})
	if err == nil && found == nil {
		err = l.fault("read case "+id, sql.ErrNoRows)
	}
	return found, err
}

// FindingEvent is a case as it was when its state or its numbers changed.
type FindingEvent struct {
	Sequence int // from 1, per case
	Run      string
	AsOf     ledger.Date // of the run
	Finding  ledger.Finding
}

// FindingEvents gives the events of a case, oldest first.
func (l *Ledger) FindingEvents(ctx context.Context, id string) ([]FindingEvent, error) {
	var out []FindingEvent
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		var e FindingEvent
		var err error
		e.Finding, err = scanFinding(rows, &e.Sequence, &e.Run, scanDate{&e.AsOf})
		out = append(out, e)
		return err
	}, `
		SELECT
			sequence,
			run,
			as_of,`+findingColumns+`
		FROM finding_event
		WHERE case_id = $1
		ORDER BY account, sequence`, id)
	return out, l.fault("read the events of case "+id, err)
}

// where gathers conditions and their arguments.
type where struct {
	conditions []string
	args       []any
}

// arg adds an argument and gives its placeholder.
func (w *where) arg(v any) string {
	w.args = append(w.args, v)
	return "$" + itoa(len(w.args))
}

func (w *where) add(condition string) { w.conditions = append(w.conditions, condition) }

// whereIn asks for one of the values, when there are any.
func whereIn[T any](w *where, column string, values []T, arg func(T) any) {
	if len(values) == 0 {
		return
	}
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = w.arg(arg(v))
	}
	w.add(column + " IN (" + strings.Join(marks, ", ") + ")")
}

func (w *where) text() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return `
		WHERE ` + strings.Join(w.conditions, " AND ")
}
