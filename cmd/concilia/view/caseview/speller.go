package caseview

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"concilia/export/words"
	"concilia/jobs/explain"
	"concilia/jobs/rules/catalogue"
)

// Speller puts the values of an explanation into the words of its language, for pages that lay them out otherwise than WriteText.
type Speller struct {
	page *explanation
	code string
}

// NewSpeller speaks the language of the explanation, its instants in the zone.
func (v Explanation) NewSpeller() *Speller {
	return &Speller{&explanation{lang: v.Language, zone: v.Zone}, v.Code}
}

// NewSpeller speaks the language of the page about a sale or slip, its instants in the zone.
func (v Item) NewSpeller() *Speller {
	return &Speller{page: &explanation{lang: v.Language, zone: v.Zone}}
}

// Percent is a rate of a column with its percent sign; empty for none.
func (s *Speller) Percent(rate string) string {
	if rate == "" {
		return ""
	}
	return catalogue.SpellColumnRate(rate, s.page.lang)
}

// Figure is a value that the case expected or found.
func (s *Speller) Figure(value string) string { return widenMinus(s.page.spellFigure(s.code, value)) }

// Value is a value of a record, or a term of the contract.
func (s *Speller) Value(value string) string {
	return widenMinus(spaceMoment(s.page.spellValue(value)))
}

// widenMinus gives a negative number the sign that pages have everywhere, which is as wide as a digit.
func widenMinus(text string) string {
	if len(text) > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9' {
		return "−" + text[1:]
	}
	return text
}

// ValueOf is the value of a member of a record, in words where the service sends a number or capitals.
func (s *Speller) ValueOf(member, value string) string {
	member, _, _ = strings.Cut(member, " (")
	switch member {
	case "statusBill", "statusIntegration":
		if status := slipStatusOf(member, value); status != "" {
			return words.Name(s.page.lang, "slip_status", status)
		}
	case "cardType":
		return words.Name(s.page.lang, "product", strings.ToLower(value))
	case "discountMdrTax", "discountAntecipationTax":
		return s.spellBareRate(value)
	}
	if strings.HasSuffix(member, "].pctSplit") {
		return s.spellBareRate(value)
	}
	return spaceMoment(s.page.spellMember(member, value))
}

// spellBareRate is a rate of a record with as many decimals as it needs, and two at least; its name says that it is one.
func (s *Speller) spellBareRate(value string) string {
	return strings.TrimRight(s.Percent(value), " %")
}

// slipStatusOf is the status of a slip behind its number; empty for one that the service does not document.
func slipStatusOf(member, number string) string {
	switch number {
	case "1":
		return "processing"
	case "2":
		return "issued"
	case "3":
		return "paid"
	case "9":
		if member == "statusIntegration" {
			return "rejected"
		}
		return "overdue"
	case "99":
		return "failed"
	}
	return ""
}

// SpellValue spells amounts, dates and local times as the language does.
func SpellValue(value, lang string) string { return spaceMoment(catalogue.Spell(value, lang)) }

// isoMoment is a local time as records have it.
var isoMoment = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})$`)

// spaceMoment writes a local time with a blank, as pages do.
func spaceMoment(text string) string { return isoMoment.ReplaceAllString(text, "$1 $2") }

// Term is a term of the contract with its unit.
func (s *Speller) Term(value string) string {
	number, unit, _ := strings.Cut(value, " ")
	switch {
	case value == "*":
		return words.Text(s.page.lang, "desk.any")
	case unit == "%":
		return s.Percent(number)
	}
	return strings.TrimSpace(s.page.spellValue(number) + " " + s.page.lookUpLabel("record_value", unit))
}

// Member is the name of a member of a record. In English it is the service's own, written as words.
func (s *Speller) Member(name string) string {
	text := s.page.nameMember(name)
	if s.page.lang == "en" {
		text = splitWords(text)
	}
	return text
}

// splitWords writes a name such as issueDate as words.
func splitWords(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Version names what a version is of.
func (s *Speller) Version(of string) string { return nameList(s.page.lang, s.page.nameVersion(of)) }

// nameList is the name of a list of the service, which in English is its id.
func nameList(lang, name string) string {
	if lang == "en" {
		return strings.Replace(name, "slips.", "slips by ", 1)
	}
	return name
}

// SpellSource names a list of the service for a page.
func SpellSource(source, lang string) string {
	return nameList(lang, words.Label(lang, "source", source))
}

// Act is what a person did.
func (s *Speller) Act(a explain.LoggedAct) string { return s.page.describeAct(&a) }

// Instant is an instant on the configured clock.
func (s *Speller) Instant(t time.Time) string {
	text := s.page.spellInstant(t)
	return text[:strings.LastIndexByte(text, ' ')] // without the offset: the clock is everybody's here
}
