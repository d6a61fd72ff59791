package config

import (
	"strings"
	"unicode/utf8"

	"concilia/export/words"
)

// ColumnMap says which column of a bank's CSV, or member of its JSON, is what. It is in force once a column for the day is
// named.
type ColumnMap struct {
	// Preset is open_finance for the transactions of Open Finance Brasil in JSON, with which nothing else is named. Defaults to empty.
	Preset string `yaml:"preset" env:"PRESET"`
	// Delimiter separates the values of a CSV. Defaults to a semicolon.
	Delimiter string `yaml:"delimiter" env:"DELIMITER"`
	// Encoding is auto, utf-8 or windows-1252. Defaults to auto.
	Encoding string `yaml:"encoding" env:"ENCODING"`
	// SkipLines is how many lines come before the one that names the columns, 0 to 100. Defaults to 0.
	SkipLines int        `yaml:"skip_lines" env:"SKIP_LINES"`
	Date      DateColumn `yaml:"date" envPrefix:"DATE_"`
	// Amount is the column of an amount; Credit and Debit are those of the sides, where each has its own. Default to empty.
	Amount string     `yaml:"amount" env:"AMOUNT"`
	Credit string     `yaml:"credit" env:"CREDIT"`
	Debit  string     `yaml:"debit" env:"DEBIT"`
	Sign   SignColumn `yaml:"sign" envPrefix:"SIGN_"`
	// Decimal is the mark before cents: a comma or a point. Defaults to a comma.
	Decimal string `yaml:"decimal" env:"DECIMAL"`
	// Text are the columns whose texts, joined, are the line's.
	Text []string `yaml:"text" env:"TEXT"`
	// Document, Category and Balance (the one after each row) are optional.
	Document string `yaml:"document" env:"DOCUMENT"`
	Category string `yaml:"category" env:"CATEGORY"`
	Balance  string `yaml:"balance" env:"BALANCE"`
}

// DateColumn is the column of the day and how it is written.
type DateColumn struct {
	Column string `yaml:"column" env:"COLUMN"`
	// Layout has dd, mm and yyyy or yy. Defaults to dd/mm/yyyy.
	Layout string `yaml:"layout" env:"LAYOUT"`
}

// SignColumn is a column that says on which side an amount without sign is.
type SignColumn struct {
	Column string `yaml:"column" env:"COLUMN"`
	// Debit are its values for debits.
	Debit []string `yaml:"debit" env:"DEBIT"`
}

// Declared reports whether the map is in force.
func (m *ColumnMap) Declared() bool { return m.Preset != "" || m.Date.Column != "" }

func (m *ColumnMap) setDefaults() {
	m.Delimiter, m.Encoding, m.Date.Layout, m.Decimal = ";", "auto", "dd/mm/yyyy", ","
}

// checkColumns checks a map that is in force, or that names any column.
func checkColumns(v *validator, key string, m *ColumnMap) {
	if m.Preset != "" {
		v.checkOneOf(key+".preset", m.Preset, "open_finance")
		if m.Date.Column+m.Amount+m.Credit+m.Debit+m.Sign.Column+m.Document+m.Category+m.Balance != "" || len(m.Text) > 0 {
			v.addProblem(key+".preset", m.Preset, words.NewMessage("want.preset_alone"))
		}
		return
	}
	if !m.Declared() {
		if m.Amount+m.Credit+m.Debit+m.Sign.Column+m.Document+m.Category+m.Balance != "" || len(m.Text) > 0 {
			v.addMissing(key+".date.column", words.NewMessage("want.day_column"))
		}
		return
	}
	if utf8.RuneCountInString(m.Delimiter) != 1 || strings.ContainsAny(m.Delimiter, "\"\r\n") {
		v.addProblem(key+".delimiter", m.Delimiter, words.NewMessage("want.one_character"))
	}
	v.checkOneOf(key+".encoding", m.Encoding, "auto", "utf-8", "windows-1252")
	v.checkRange(key+".skip_lines", m.SkipLines, 0, 100, words.NewMessage("want.lines"))
	if layout := strings.ToLower(m.Date.Layout); strings.Count(layout, "d") != 2 || strings.Count(layout, "m") != 2 || strings.Count(layout, "y") != 2 && strings.Count(layout, "y") != 4 {
		v.addProblem(key+".date.layout", m.Date.Layout, words.NewMessage("want.layout"))
	}
	v.checkOneOf(key+".decimal", m.Decimal, ",", ".")
	switch sides := m.Credit != "" || m.Debit != ""; {
	case m.Amount == "" && !sides:
		v.addMissing(key+".amount", words.NewMessage("want.amount_column"))
	case m.Amount != "" && sides:
		v.addProblem(key+".amount", m.Amount, words.NewMessage("want.amount_or_sides"))
	case sides && m.Credit == "":
		v.addMissing(key+".credit", words.NewMessage("want.credit_column"))
	case sides && m.Debit == "":
		v.addMissing(key+".debit", words.NewMessage("want.debit_column"))
	}
	switch {
	case m.Sign.Column != "" && m.Amount == "":
		v.addProblem(key+".sign.column", m.Sign.Column, words.NewMessage("want.no_sign"))
	case m.Sign.Column != "" && len(m.Sign.Debit) == 0:
		v.addMissing(key+".sign.debit", words.NewMessage("want.sign_values"))
	}
	if len(m.Text) == 0 {
		v.addMissing(key+".text", words.NewMessage("want.text_columns"))
	}
}
