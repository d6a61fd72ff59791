package agreements

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
)

// Register is the merchant's list of beneficiaries of splits. It is immutable.
type Register struct {
	all        []Beneficiary // in order of document and validity
	byDocument map[string][]Beneficiary
	text       []byte
	hash       string
}

// Beneficiary is one line of the register.
type Beneficiary struct {
	Document string // CPF or CNPJ without punctuation, letters upper case
	Name     string // never printed: it may be a person's
	// ValidFrom and ValidTo are sale dates, both included; none is without a beginning, or an end.
	ValidFrom, ValidTo ledger.Date
}

// Contains reports whether a beneficiary, with or without punctuation, is in the register for sales of a day.
func (r *Register) Contains(beneficiary string, saleDate ledger.Date) bool {
	for _, b := range r.byDocument[stripDocument(beneficiary)] {
		if b.ValidFrom <= saleDate && (b.ValidTo == 0 || saleDate <= b.ValidTo) {
			return true
		}
	}
	return false
}

// All returns the beneficiaries by document and validity. The caller must not change them.
func (r *Register) All() []Beneficiary { return r.all }

// Text is the canonical form of the file, which reads as the same register.
func (r *Register) Text() []byte { return bytes.Clone(r.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (r *Register) Hash() string { return r.hash }

// stripDocument returns a CPF or CNPJ without punctuation and blanks, in upper case.
func stripDocument(s string) string {
	if !strings.ContainsAny(s, ".-/ abcdefghijklmnopqrstuvwxyz") {
		return s
	}
	return strings.ToUpper(strings.NewReplacer(".", "", "-", "", "/", "", " ", "").Replace(s))
}

const maxName = 200

// ParseRegister reads a register of beneficiaries: CSV with the first line document,name,valid_from,valid_to. name is
// what its problems call it; the error is a problem.List. Documents and names are never shown.
func ParseRegister(name string, data []byte) (*Register, error) {
	t := &csvTable{file: name, columns: []string{"document", "name", "valid_from", "valid_to"}}
	type line struct {
		Beneficiary
		at csvRecord
	}
	var lines []line
	t.readRecords(data, func(r csvRecord) {
		b := Beneficiary{Document: stripDocument(r.columnText("document")), Name: r.readText("name", maxName)}
		if !documentPattern.MatchString(b.Document) {
			r.addHiddenValue("document", words.NewMessage("want.register_document"))
		}
		b.ValidFrom, b.ValidTo = r.readDate("valid_from", false), r.readDate("valid_to", false)
		if b.ValidTo != 0 && b.ValidTo < b.ValidFrom {
			r.addWrongValue("valid_to", words.NewMessage("want.after_valid_from", "from", b.ValidFrom.String()))
		}
		lines = append(lines, line{b, r})
	})
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.ValidFrom, b.ValidFrom))
	})
	reg := &Register{byDocument: map[string][]Beneficiary{}}
	var text [][]string
	for i, l := range lines {
		if i > 0 && l.Document == lines[i-1].Document && (lines[i-1].ValidTo == 0 || l.ValidFrom <= lines[i-1].ValidTo) {
			before := lines[i-1].at.line
			t.addProblem(max(l.at.line, before), "valid_from", l.ValidFrom.String(),
				words.NewMessage("want.own_validity", "line", min(l.at.line, before)))
		}
		reg.all = append(reg.all, l.Beneficiary)
		reg.byDocument[l.Document] = append(reg.byDocument[l.Document], l.Beneficiary)
		text = append(text, []string{l.Document, l.Name, dayText(l.ValidFrom), dayText(l.ValidTo)})
	}
	if err := t.problems.Err(); err != nil {
		return nil, err
	}
	reg.text = renderTable(t.columns, text)
	reg.hash = hashText(reg.text)
	return reg, nil
}

// dayText returns a date as text, empty for no date.
func dayText(d ledger.Date) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
