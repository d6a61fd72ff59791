package columns

import (
	"fmt"
	"slices"
	"strings"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Map says which column of a table is what. In JSON a column is a member; dots lead into depth.
type Map struct {
	// Preset is OpenFinance, with which nothing else is declared, or empty.
	Preset string
	// Delimiter separates the values of a CSV; one character.
	Delimiter string
	// Encoding is auto (UTF-8 if all bytes are, else Windows-1252), utf-8 or windows-1252.
	Encoding string
	// SkipLines is how many lines of a CSV come before the one that names the columns.
	SkipLines int
	// Date is the column of the day, DateLayout how it is written: dd, mm and yyyy (or yy) with what is between them.
	Date, DateLayout string
	// Amount is the column of an amount with its sign; Credit and Debit are those of amounts without, where the sides have
	// columns of their own. Sign, with Amount, is a column that says the side: rows with one of DebitSigns are debits.
	Amount, Credit, Debit, Sign string
	DebitSigns                  []string
	// Decimal is the mark before cents: a comma or a point.
	Decimal string
	// Text are the columns whose texts, joined, are the line's.
	Text []string
	// Document, Category and Balance are optional. Balance is the one after each row.
	Document, Category, Balance string
}

// names are the columns that must be there.
func (m *Map) names() []string {
	var all []string
	for _, name := range append([]string{m.Date, m.Amount, m.Credit, m.Debit, m.Sign, m.Document, m.Category, m.Balance}, m.Text...) {
		if name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// record is a row of a table before its values are read.
type record struct {
	line  int
	value func(column string) string
}

// refuse is a refusal of the row's value.
func (r *record) refuse(id string, fault words.Message) error {
	return words.NewRefusal(id, "refused.line", "remedy.again_or_columns", "line", r.line, "fault", fault)
}

// refuseValue is a refusal of the row's date, amount or balance, which is none.
func (r *record) refuseValue(id, written string) error {
	return r.refuse(id, words.NewMessage("refused."+id, "value", words.Quote(written, 40)))
}

// readRow reads the values of a record. balance is absent where the record states none.
func (m *Map) readRow(r *record) (row banking.Row, balance ledger.Opt[ledger.Amount], err error) {
	if row.Day, err = m.parseDate(r.value(m.Date)); err != nil {
		return row, balance, r.refuseValue("date", r.value(m.Date))
	}
	texts := make([]string, len(m.Text))
	for i, column := range m.Text {
		texts[i] = r.value(column)
	}
	row.Text = banking.NormalizeText(strings.Join(texts, " "))
	if m.Document != "" {
		row.Document = banking.NormalizeText(r.value(m.Document))
	}
	if m.Category != "" {
		row.Category = banking.NormalizeText(r.value(m.Category))
	}
	if row.Amount, err = m.amountOf(r, row.Text); err != nil {
		return row, balance, err
	}
	if m.Balance != "" && strings.TrimSpace(r.value(m.Balance)) != "" {
		b, err := m.parseAmount(r.value(m.Balance))
		if err != nil {
			return row, balance, r.refuseValue("balance", r.value(m.Balance))
		}
		balance = ledger.Some(b)
	}
	return row, balance, nil
}

// amountOf reads the amount of a record, debits negative. A row that names a balance may have none.
func (m *Map) amountOf(r *record, text string) (ledger.Amount, error) {
	isBalance, _ := banking.IsBalanceText(text)
	if m.Amount == "" {
		return m.sidesOf(r, isBalance)
	}
	written := r.value(m.Amount)
	a, err := m.parseAmount(written)
	switch {
	case err != nil && isBalance && strings.TrimSpace(written) == "":
		return 0, nil
	case err != nil:
		return 0, r.refuseValue("amount", written)
	case m.Sign == "":
		return a, nil
	case a < 0:
		return 0, r.refuse("columns", words.NewMessage("refused.sign_twice", "value", words.Quote(written, 40), "column", m.Sign))
	case slices.ContainsFunc(m.DebitSigns, func(s string) bool { return strings.EqualFold(s, strings.TrimSpace(r.value(m.Sign))) }):
		return -a, nil
	}
	return a, nil
}

// sidesOf reads an amount whose sides have columns of their own. Exactly one of them has something.
func (m *Map) sidesOf(r *record, mayLack bool) (ledger.Amount, error) {
	credit, debit := strings.TrimSpace(r.value(m.Credit)), strings.TrimSpace(r.value(m.Debit))
	var sides []ledger.Amount
	for i, written := range []string{credit, debit} {
		if written == "" {
			continue
		}
		a, err := m.parseAmount(written)
		if err != nil {
			return 0, r.refuseValue("amount", written)
		}
		if i == 1 {
			a = -a.Abs() // banks write debits of a column of their own with a sign or without
		}
		if a != 0 {
			sides = append(sides, a)
		}
	}
	switch {
	case len(sides) == 1:
		return sides[0], nil
	case len(sides) == 0 && (mayLack || credit != "" || debit != ""):
		return 0, nil
	case len(sides) == 0:
		return 0, r.refuse("amount", words.NewMessage("refused.neither_side", "credit", m.Credit, "debit", m.Debit))
	}
	return 0, r.refuse("columns", words.NewMessage("refused.both_sides", "credit", m.Credit, "debit", m.Debit))
}

// parseAmount reads an amount whose decimal mark is the declared one.
func (m *Map) parseAmount(s string) (ledger.Amount, error) {
	a, marked, err := banking.ParseAmount(s)
	if err != nil {
		return 0, err
	}
	if at := strings.LastIndexAny(s, ".,"); marked && s[at:at+1] != m.Decimal {
		return 0, fmt.Errorf("amount %.40q: the decimal mark is %s", s, m.Decimal)
	}
	return a, nil
}

// parseDate reads a day from 2000 to 2100 in the declared layout; what follows it, such as a time of day, is not read.
func (m *Map) parseDate(s string) (ledger.Date, error) {
	s = strings.TrimSpace(s)
	layout := strings.ToLower(m.DateLayout)
	if len(s) < len(layout) {
		return 0, fmt.Errorf("no date as %s", m.DateLayout)
	}
	var year, month, day string
	for i := 0; i < len(layout); i++ {
		switch c := layout[i]; c {
		case 'y':
			year += s[i : i+1]
		case 'm':
			month += s[i : i+1]
		case 'd':
			day += s[i : i+1]
		default:
			if s[i] != c {
				return 0, fmt.Errorf("no date as %s", m.DateLayout)
			}
		}
	}
	if len(year) == 2 {
		year = "20" + year
	}
	d, err := ledger.ParseDate(year + "-" + month + "-" + day)
	if err != nil || d.Year() < 2000 || d.Year() > 2100 {
		return 0, fmt.Errorf("no date from 2000 to 2100 as %s", m.DateLayout)
	}
	return d, nil
}
