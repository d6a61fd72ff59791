package cnab

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"concilia/export/words"
	"concilia/store/ledger"
)

// The errors about a field's content.
var (
	errNotNumber error = words.NewFault("cnab_fault.no_number", "")
	errNotDate   error = words.NewFault("cnab_fault.no_date", "")
	errNotTime   error = words.NewFault("cnab_fault.no_time", "")
	errTooLarge  error = words.NewFault("cnab_fault.too_large", "")
	errNotTaxID  error = words.NewFault("cnab_fault.no_tax_id", "")
)

// allowsChar reports whether a numeric field may contain c: digits, and letters where the field is a tax id.
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

// parseTaxID returns the tax id of a right-justified field: the last 11 or 14 characters, by its kind; empty for another
// kind. Check digits are not verified here, see checkDocument.
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

// fieldProblem is a fault or a warning about one field of a record.
type fieldProblem struct {
	code    string
	text    words.Message
	warning bool
}

// checkField checks the content of one field without regard to others. An empty code means that it is in order.
func checkField(f *Field, raw string) fieldProblem {
	if !isASCII(raw) {
		return fieldProblem{code: CodeASCII, text: words.NewMessage("cnab_fault.no_ascii")}
	}
	if f.fixed != "" && raw != f.fixed {
		return fieldProblem{code: CodeFixed, text: words.NewMessage("cnab_fault.should_be", "want", f.fixed+f.codeHint(f.fixed))}
	}
	if f.Kind == Alfa {
		return checkAlfa(f, raw)
	}
	if isBlank(raw) {
		return fieldProblem{CodeBlank, words.NewMessage("cnab_fault.blank"), true}
	}
	var err error
	switch f.meaning {
	case amount:
		_, err = parseCents(raw)
	case day:
		_, err = parseDay(raw)
	case timeOfDay:
		err = checkTime(raw)
	case checkDigit:
		if raw == "X" {
			return fieldProblem{CodeXDigit, words.NewMessage("cnab_fault.x_digit"), true}
		}
		err = checkCharacters(f, raw)
	case version:
		if err = checkCharacters(f, raw); err == nil {
			return checkVersion(f, raw)
		}
	default:
		err = checkCharacters(f, raw)
	}
	switch {
	case err == nil:
		return fieldProblem{}
	case errors.Is(err, errNotDate), errors.Is(err, errNotTime):
		return fieldProblem{code: CodeDate, text: words.NewMessage("cnab_fault.cause", "cause", err)}
	}
	return fieldProblem{code: CodeNumber, text: words.NewMessage("cnab_fault.cause", "cause", err)}
}

func checkAlfa(f *Field, raw string) fieldProblem {
	switch {
	case f.meaning == blank && !isBlank(raw):
		return fieldProblem{CodeFiller, words.NewMessage("cnab_fault.filler"), true}
	case strings.ContainsAny(raw, "abcdefghijklmnopqrstuvwxyz"):
		return fieldProblem{CodeCase, words.NewMessage("cnab_fault.small_letters"), true}
	}
	return fieldProblem{}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func checkCharacters(f *Field, raw string) error {
	for i := range len(raw) {
		if !f.allowsChar(raw[i]) {
			if f.meaning == taxID || f.meaning == payerID {
				return errNotTaxID
			}
			return errNotNumber
		}
	}
	return nil
}

// codeHint is the meaning of a code in parentheses, where the field has a table.
func (f *Field) codeHint(code string) string {
	if t, ok := f.codes.textOf(code); ok {
		return " (" + t + ")"
	}
	return ""
}

// The layout numbers seen in files of other editions of the standard and of banks.
var (
	otherFileVersions = []string{"030", "040", "050", "080", "081", "082", "083", "084", "085", "086", "087", "089", "101"}
	otherLoteVersions = []string{"020", "030", "032", "040", "041", "042", "043", "045", "050"}
)

func checkVersion(f *Field, raw string) fieldProblem {
	own, others := []string{fileVersion}, otherFileVersions
	if f.ID == "layout_lote" {
		own, others = []string{cobrancaVersion, extratoVersion}, otherLoteVersions
	}
	switch {
	case slices.Contains(own, raw):
		return fieldProblem{}
	case slices.Contains(others, raw):
		return fieldProblem{CodeVersion, words.NewMessage("cnab_fault.other_layout"), true}
	}
	return fieldProblem{CodeVersion, words.NewMessage("cnab_fault.unknown_layout"), true}
}

// checkDocument checks a tax id together with the field of its kind. No text means that both are in order.
func checkDocument(r *Record, kindID, id string) words.Message {
	raw := r.Raw(id)
	doc := parseTaxID(r.Raw(kindID), raw)
	switch {
	case doc == "" && isZero(raw) || isBlank(raw):
		return words.Message{}
	case doc == "":
		return words.NewMessage("cnab_fault.no_kind")
	case isZero(raw):
		return words.NewMessage("cnab_fault.no_document")
	case !isZero(raw[:len(raw)-len(doc)]):
		return words.NewMessage("cnab_fault.long_document")
	}
	if _, err := ledger.ParseDocument(string(doc)); err != nil {
		return words.NewMessage("cnab_fault.document", "cause", strings.TrimPrefix(err.Error(), "document: "))
	}
	return words.Message{}
}

// plainText converts a text to upper-case ASCII without accents; any other character becomes a blank. Leading and
// trailing blanks are removed, since text is left-justified.
func plainText(s string) string {
	if isPlain(s) {
		return s
	}
	mapped := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		r = unicode.ToUpper(r)
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, norm.NFD.String(s))
	return strings.Trim(mapped, " ")
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || 'a' <= c && c <= 'z' {
			return false
		}
	}
	return s == "" || s[0] != ' ' && s[len(s)-1] != ' '
}
