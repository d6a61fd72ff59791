package cnab

import (
	"errors"
	"strings"
	"time"

	"concilia/store/ledger"
)

// The sentences of errors about a field's content.
var (
	errNotNumber = errors.New("not a number")
	errNotDate   = errors.New("not a date (DDMMAAAA)")
	errNotTime   = errors.New("not a time (HHMMSS)")
	errTooLarge  = errors.New("larger than any amount")
	errNotTaxID  = errors.New("not digits and capital letters")
	errNotASCII  = errors.New("not plain ASCII")
)

// allowsChar says whether a numeric field may hold c: digits, and letters where a CNPJ may stand.
func (f *Field) allowsChar(c byte) bool {
	return '0' <= c && c <= '9' || (f.meaning == taxID || f.meaning == payerID) && 'A' <= c && c <= 'Z'
}

func isBlank(s string) bool { return strings.Trim(s, " ") == "" }

func isZero(s string) bool { return strings.Trim(s, "0") == "" }

func parseNum(s string) (int64, error) {
	if isBlank(s) {
		return 0, nil
	}
	if len(s) > 18 {
		// Wider numbers (nosso número of a correspondent bank) are codes, not quantities.
		return 0, errTooLarge
	}
	var v int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, errNotNumber
		}
		v = v*10 + int64(s[i]-'0')
	}
	return v, nil
}

func parseCents(s string) (ledger.Amount, error) {
	c, err := parseNum(s)
	if err != nil {
		return 0, err
	}
	if c > int64(ledger.MaxAmount/ledger.Cent) {
		return 0, errTooLarge
	}
	return ledger.FromCents(c), nil
}

func parseDay(s string) (ledger.Date, error) {
	v, err := parseNum(s)
	if err != nil || v == 0 {
		return 0, err
	}
	d, m, y := int(v/1_000_000), int(v/10_000%100), int(v%10_000)
	date := ledger.NewDate(y, time.Month(m), d)
	if y < 1 || m < 1 || m > 12 || date.Day() != d || date.Month() != time.Month(m) {
		return 0, errNotDate
	}
	return date, nil
}

func checkTime(s string) error {
	v, err := parseNum(s)
	if err != nil {
		return err
	}
	if v/10_000 > 23 || v/100%100 > 59 || v%100 > 59 {
		return errNotTime
	}
	return nil
}

// parseTaxID is the tax id of a right-justified field: which of its characters count is told by the kind beside it.
// Nothing is checked: a file holds what its writer was told.
func parseTaxID(kind, s string) ledger.Document {
	width := 0
	switch kind {
	case "1":
		width = 11
	case "2":
		width = 14
	}
	if width == 0 || len(s) < width || isBlank(s) {
		return ""
	}
	return ledger.Document(s[len(s)-width:])
}
