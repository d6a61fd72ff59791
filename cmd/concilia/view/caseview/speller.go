package caseview

import (
	"strings"
	"time"

	"concilia/jobs/casework"
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

// Percent is a rate with its percent sign; empty for none.
func (s *Speller) Percent(rate string) string {
	if rate == "" {
		return ""
	}
	return catalogue.SpellRate(rate, s.page.lang)
}

// Figure is a value that the case expected or found.
func (s *Speller) Figure(value string) string { return s.page.spellFigure(s.code, value) }

// Value is a value of a record, or a term of the contract.
func (s *Speller) Value(value string) string { return s.page.spellValue(value) }

// Term is a term of the contract with its unit.
func (s *Speller) Term(value string) string {
	number, unit, _ := strings.Cut(value, " ")
	return strings.TrimSpace(s.page.spellValue(number) + " " + s.page.lookUpLabel("record_value", unit))
}

// Member is the name of a member of a record.
func (s *Speller) Member(name string) string { return s.page.nameMember(name) }

// Version names what a version is of.
func (s *Speller) Version(of string) string { return s.page.nameVersion(of) }

// Act is what a person did.
func (s *Speller) Act(a casework.LoggedAct) string { return s.page.describeAct(&a) }

// Instant is an instant on the configured clock.
func (s *Speller) Instant(t time.Time) string { return s.page.spellInstant(t) }
