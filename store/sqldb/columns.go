package sqldb

import (
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"concilia/store/ledger"
)

// The forms in which nouns cross into SQL: absent is NULL.

func DateArg(d ledger.Date) any {
	if d == 0 {
		return nil
	}
	return int64(d)
}

func OptArg[T ~int64](o ledger.Opt[T]) any {
	if !o.OK {
		return nil
	}
	return int64(o.V)
}

func BoolArg(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func TimeArg(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

// The forms in which they come back, as targets of Scan.

type scanDate struct{ to *ledger.Date }

func (s scanDate) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*s.to = ledger.Date(n.Int64)
	return err
}

type scanOpt[T ~int64] struct{ to *ledger.Opt[T] }

func (s scanOpt[T]) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*s.to = ledger.Opt[T]{V: T(n.Int64), OK: n.Valid}
	return err
}

type scanTime struct{ to *time.Time }

func (s scanTime) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	if *s.to = (time.Time{}); n.Valid {
		*s.to = time.UnixMicro(n.Int64).UTC()
	}
	return err
}

type scanBool struct{ to *bool }

func (s scanBool) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*s.to = n.Int64 != 0
	return err
}

type scanText struct{ to *string }

func (s scanText) Scan(v any) error {
	var n sql.NullString
	err := n.Scan(v)
	*s.to = n.String
	return err
}

type scanHash struct{ to *ledger.Hash }

func (s scanHash) Scan(v any) error {
	b, ok := v.([]byte)
	if !ok || len(b) != len(s.to) {
		return errors.New("not a content hash")
	}
	copy(s.to[:], b)
	return nil
}

// scanNumber takes NULL, of a row that an outer join did not find, as zero.
type scanNumber[T ~int | ~int64] struct{ to *T }

func (s scanNumber[T]) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*s.to = T(n.Int64)
	return err
}

// The targets of Scan: each fills what it is given from a column, and leaves NULL as zero or absent.

func IntoDate(to *ledger.Date) sql.Scanner { return scanDate{to} }

func IntoTime(to *time.Time) sql.Scanner { return scanTime{to} }

func IntoBool(to *bool) sql.Scanner { return scanBool{to} }

func IntoText(to *string) sql.Scanner { return scanText{to} }

func IntoHash(to *ledger.Hash) sql.Scanner { return scanHash{to} }

func IntoOpt[T ~int64](to *ledger.Opt[T]) sql.Scanner { return scanOpt[T]{to} }

func IntoNumber[T ~int | ~int64](to *T) sql.Scanner { return scanNumber[T]{to} }

// MarshalText returns JSON text for a column. It does not escape <, > and &, since people read these columns.
func MarshalText(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// OptPointer returns a pointer to the value for JSON, nil if it is absent.
func OptPointer[T any](o ledger.Opt[T]) *T {
	if !o.OK {
		return nil
	}
	return &o.V
}

// OptFromPointer is the inverse of OptPointer.
func OptFromPointer[T any](p *T) ledger.Opt[T] {
	if p == nil {
		return ledger.Opt[T]{}
	}
	return ledger.Some(*p)
}

// PutDate sets the next value of a row to a day, NULL if it is zero.
func PutDate(r Row, d ledger.Date) {
	if d == 0 {
		r.Null()
		return
	}
	r.Int(int64(d))
}

// PutOpt sets the next value of a row to a number, NULL if it is absent.
func PutOpt[T ~int64](r Row, o ledger.Opt[T]) {
	if !o.OK {
		r.Null()
		return
	}
	r.Int(int64(o.V))
}
