package cnab

import (
	"errors"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// fieldProblem is a fault or a warning about one field of a record.
type fieldProblem struct {
	code    string
	text    string
	warning bool
}

// checkField says what is wrong with the content of a field by itself; an empty code is nothing.
func checkField(f *Field, raw string) fieldProblem {
	if !isASCII(raw) {
		return fieldProblem{code: CodeASCII, text: errNotASCII.Error()}
	}
	if f.fixed != "" && raw != f.fixed {
		return fieldProblem{code: CodeFixed, text: "should be " + f.fixed + f.codeHint(f.fixed)}
	}
	if f.Kind == Alfa {
		return checkAlfa(f, raw)
	}
	if isBlank(raw) {
		return fieldProblem{CodeBlank, "blank; unused digits are zeros", true}
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
			return fieldProblem{CodeXDigit, "a letter where the standard wants a digit", true}
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
		return fieldProblem{code: CodeDate, text: err.Error()}
	}
	return fieldProblem{code: CodeNumber, text: err.Error()}
}

func checkAlfa(f *Field, raw string) fieldProblem {
	switch {
	case f.meaning == blank && !isBlank(raw):
		return fieldProblem{CodeFiller, "the standard leaves these columns blank", true}
	case strings.ContainsAny(raw, "abcdefghijklmnopqrstuvwxyz"):
		return fieldProblem{CodeCase, "small letters", true}
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
		return fieldProblem{CodeVersion, "another edition's or bank's layout, read by the columns of edition 10.6", true}
	}
	return fieldProblem{CodeVersion, "a layout number never seen, read by the columns of edition 10.6", true}
}

// checkDocument looks at a tax id together with the kind beside it; an empty text is nothing.
func checkDocument(r *Record, kindID, id string) string {
	raw := r.Raw(id)
	doc := parseTaxID(r.Raw(kindID), raw)
	switch {
	case doc == "" && isZero(raw) || isBlank(raw):
		return ""
	case doc == "":
		return "a tax id without its kind"
	case isZero(raw):
		return "a kind of tax id without the tax id"
	case !isZero(raw[:len(raw)-len(doc)]):
		return "longer than its kind"
	}
	if _, err := ledger.ParseDocument(string(doc)); err != nil {
		return strings.TrimPrefix(err.Error(), "document: ")
	}
	return ""
}
