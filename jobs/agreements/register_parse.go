package agreements

import (
	"cmp"
	"fmt"
	"slices"

	"concilia/store/ledger"
)

const maxName = 200

// ParseRegister reads a register of beneficiaries: CSV with the first line document,name,valid_from,valid_to. name is
// what its problems call it; the error is a problem.List. Documents and names are never shown.
func ParseRegister(name string, data []byte) (*Register, error) {
	t := &table{file: name, columns: []string{"document", "name", "valid_from", "valid_to"}}
	type line struct {
		Beneficiary
		at record
	}
	var lines []line
	t.read(data, func(r record) {
		b := Beneficiary{Document: bareDocument(r.value("document")), Name: r.text("name", maxName)}
		if !document.MatchString(b.Document) {
			r.hidden("document", "a CPF of 11 or a CNPJ of 14 characters; a spreadsheet may have dropped zeros in front")
		}
		b.ValidFrom, b.ValidTo = r.day("valid_from", false), r.day("valid_to", false)
		if b.ValidTo != 0 && b.ValidTo < b.ValidFrom {
			r.wrong("valid_to", "no earlier than valid_from, "+b.ValidFrom.String())
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
			t.add(max(l.at.line, before), "valid_from", l.ValidFrom.String(),
				fmt.Sprintf("a validity of its own: that of the same document on line %d overlaps it", min(l.at.line, before)))
		}
		reg.all = append(reg.all, l.Beneficiary)
		reg.byDocument[l.Document] = append(reg.byDocument[l.Document], l.Beneficiary)
		text = append(text, []string{l.Document, l.Name, dayText(l.ValidFrom), dayText(l.ValidTo)})
	}
	if err := t.problems.Err(); err != nil {
		return nil, err
	}
	reg.text = render(t.columns, text)
	reg.hash = hashOf(reg.text)
	return reg, nil
}

// dayText is a date, or nothing for none.
func dayText(d ledger.Date) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
