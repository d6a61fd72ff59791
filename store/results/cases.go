package results

import (
	"database/sql"
	"encoding/json"
	"errors"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// FindingColumns are the columns that scanFinding reads, of finding or finding_event.
const FindingColumns = `
			account,
			case_id,
			code,
			rule_version,
			subject,
			severity,
			state,
			expected_kind,
			expected_number,
			expected_text,
			actual_kind,
			actual_number,
			actual_text,
			impact,
			exposure,
			explained_by,
			related,
			break_on,
			first_seen,
			opened_on,
			first_run,
			last_run,
			day,
			due_on,
			brand,
			product,
			contract_line,
			calendar,
			hint,
			numbers,
			seen_on,
			held,
			closed_as,
			assignee,
			reference,
			comment,
			waived_until,
			waived_cap`

// storedValue is a ledger.Value as two columns hold it beside its kind: amounts and days as number, texts as text.
type storedValue struct {
	kind   int64
	number int64
	text   string
}

func encodeValue(v ledger.Value) storedValue {
	s := storedValue{kind: int64(v.Kind), text: v.Text}
	switch v.Kind {
	case ledger.AmountValue:
		s.number = int64(v.Amount)
	case ledger.DateValue:
		s.number = int64(v.Date)
	}
	return s
}

func (s storedValue) decodeValue() ledger.Value {
	v := ledger.Value{Kind: ledger.ValueKind(s.kind), Text: s.text}
	switch v.Kind {
	case ledger.AmountValue:
		v.Amount = ledger.Amount(s.number)
	case ledger.DateValue:
		v.Date = ledger.Date(s.number)
	}
	return v
}

func findingArgs(f *ledger.Finding) ([]any, error) {
	related, err1 := sqldb.MarshalText(f.Related)
	numbers, err2 := sqldb.MarshalText(f.Numbers)
	expected, actual := encodeValue(f.Expected), encodeValue(f.Actual)
	return []any{
		int64(f.Account), f.Case, f.Code, int64(f.RuleVersion), f.Subject, string(f.Severity), string(f.State),
		expected.kind, expected.number, expected.text, actual.kind, actual.number, actual.text, sqldb.OptArg(f.Impact),
		sqldb.BoolArg(f.Exposure), f.ExplainedBy, related, sqldb.DateArg(f.BreakOn), sqldb.DateArg(f.FirstSeen), sqldb.DateArg(f.OpenedOn),
		f.FirstRun, f.LastRun, sqldb.DateArg(f.Day), sqldb.DateArg(f.DueOn), f.Brand, string(f.Product), f.ContractLine, f.Calendar,
		f.Hint, numbers, sqldb.DateArg(f.LastSeen), string(f.ReturnState), string(f.ClosedAs), f.Assignee, f.Reference, f.Comment,
		sqldb.DateArg(f.WaivedUntil), sqldb.OptArg(f.WaivedCap),
	}, errors.Join(err1, err2)
}

// ScanFinding reads before and then the columns of findingColumns.
func ScanFinding(rows *sql.Rows, before ...any) (ledger.Finding, error) {
	var f ledger.Finding
	var expected, actual storedValue
	var related, numbers string
	err := rows.Scan(append(before, &f.Account, &f.Case, &f.Code, &f.RuleVersion, &f.Subject, &f.Severity, &f.State,
		&expected.kind, &expected.number, &expected.text, &actual.kind, &actual.number, &actual.text, sqldb.IntoOpt(&f.Impact),
		sqldb.IntoBool(&f.Exposure), &f.ExplainedBy, &related, sqldb.IntoDate(&f.BreakOn), sqldb.IntoDate(&f.FirstSeen),
		sqldb.IntoDate(&f.OpenedOn), &f.FirstRun, &f.LastRun, sqldb.IntoDate(&f.Day), sqldb.IntoDate(&f.DueOn), &f.Brand, &f.Product,
		&f.ContractLine, &f.Calendar, &f.Hint, &numbers,
		sqldb.IntoDate(&f.LastSeen), &f.ReturnState, &f.ClosedAs, &f.Assignee, &f.Reference, &f.Comment, sqldb.IntoDate(&f.WaivedUntil),
		sqldb.IntoOpt(&f.WaivedCap))...)
	if err != nil {
		return f, err
	}
	f.Expected, f.Actual = expected.decodeValue(), actual.decodeValue()
	return f, errors.Join(json.Unmarshal([]byte(related), &f.Related), json.Unmarshal([]byte(numbers), &f.Numbers))
}
