package store

import (
	"database/sql"
	"encoding/json"
	"errors"

	"concilia/store/ledger"
)

// findingColumns are the columns that scanFinding reads, of finding or finding_event.
const findingColumns = `
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

func storeValue(v ledger.Value) storedValue {
	s := storedValue{kind: int64(v.Kind), text: v.Text}
	switch v.Kind {
	case ledger.AmountValue:
		s.number = int64(v.Amount)
	case ledger.DateValue:
		s.number = int64(v.Date)
	}
	return s
}

func (s storedValue) value() ledger.Value {
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
	related, err1 := marshal(f.Related)
	numbers, err2 := marshal(f.Numbers)
	expected, actual := storeValue(f.Expected), storeValue(f.Actual)
	return []any{
		int64(f.Account), f.Case, f.Code, int64(f.RuleVersion), f.Subject, string(f.Severity), string(f.State),
		expected.kind, expected.number, expected.text, actual.kind, actual.number, actual.text, sqlOpt(f.Impact),
		sqlBool(f.Exposure), f.ExplainedBy, related, sqlDate(f.BreakOn), sqlDate(f.FirstSeen), sqlDate(f.OpenedOn),
		f.FirstRun, f.LastRun, sqlDate(f.Day), sqlDate(f.DueOn), f.Brand, string(f.Product), f.ContractLine, f.Calendar,
		f.Hint, numbers, sqlDate(f.LastSeen), string(f.Held), string(f.ClosedAs), f.Assignee, f.Reference, f.Comment,
		sqlDate(f.WaivedUntil), sqlOpt(f.WaivedCap),
	}, errors.Join(err1, err2)
}

// scanFinding reads before and then the columns of findingColumns.
func scanFinding(rows *sql.Rows, before ...any) (ledger.Finding, error) {
	var f ledger.Finding
	var expected, actual storedValue
	var related, numbers string
	err := rows.Scan(append(before, &f.Account, &f.Case, &f.Code, &f.RuleVersion, &f.Subject, &f.Severity, &f.State,
		&expected.kind, &expected.number, &expected.text, &actual.kind, &actual.number, &actual.text, opt(&f.Impact),
		scanBool{&f.Exposure}, &f.ExplainedBy, &related, scanDate{&f.BreakOn}, scanDate{&f.FirstSeen},
		scanDate{&f.OpenedOn}, &f.FirstRun, &f.LastRun, scanDate{&f.Day}, scanDate{&f.DueOn}, &f.Brand, &f.Product,
		&f.ContractLine, &f.Calendar, &f.Hint, &numbers,
		scanDate{&f.LastSeen}, &f.Held, &f.ClosedAs, &f.Assignee, &f.Reference, &f.Comment, scanDate{&f.WaivedUntil},
		opt(&f.WaivedCap))...)
	if err != nil {
		return f, err
	}
	f.Expected, f.Actual = expected.value(), actual.value()
	return f, errors.Join(json.Unmarshal([]byte(related), &f.Related), json.Unmarshal([]byte(numbers), &f.Numbers))
}
