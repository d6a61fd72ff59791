package calendar

import (
	"time"

	"concilia/store/ledger"
)

// holiday is one national rule: a fixed day of the year, or so many days from Easter Sunday.
type holiday struct {
	name   string // as the law names it: people of the service read it
	source string
	month  time.Month // 0: counted from Easter
	day    int        // of the month, or from Easter
	since  int        // the first year it counts; 0: always
}

const (
	lawNational  = "Law 662/1949"
	lawAparecida = "Law 6.802/1980"
	lawZumbi     = "Law 14.759/2023"
	bankRule     = "CMN Resolution 4.880/2020"
)

// national lists the holidays on which no bank settles, in no particular order.
var national = [...]holiday{
	{name: "Confraternização Universal", source: lawNational, month: time.January, day: 1},
	{name: "Carnaval (segunda-feira)", source: bankRule, day: -48},
	{name: "Carnaval (terça-feira)", source: bankRule, day: -47},
	{name: "Sexta-feira da Paixão", source: bankRule, day: -2},
	{name: "Tiradentes", source: lawNational, month: time.April, day: 21},
	{name: "Dia do Trabalho", source: lawNational, month: time.May, day: 1},
	{name: "Corpus Christi", source: bankRule, day: 60},
	{name: "Independência do Brasil", source: lawNational, month: time.September, day: 7},
	{name: "Nossa Senhora Aparecida", source: lawAparecida, month: time.October, day: 12},
	{name: "Finados", source: lawNational, month: time.November, day: 2},
	{name: "Proclamação da República", source: lawNational, month: time.November, day: 15},
	// Lists made before 2024 miss this one: every day of the year after it would be one off.
	{name: "Dia da Consciência Negra", source: lawZumbi, month: time.November, day: 20, since: 2024},
	{name: "Natal", source: lawNational, month: time.December, day: 25},
}

// in is the holiday's date in a year, or no date in the years before it was one.
func (h holiday) in(year int) ledger.Date {
	switch {
	case year < h.since:
		return 0
	case h.month == 0:
		return Easter(year) + ledger.Date(h.day)
	}
	return ledger.NewDate(year, h.month, h.day)
}

func weekend(d ledger.Date) bool {
	// Day 1 of the count, 0001-01-01, was a Monday.
	return d%7 == 6 || d%7 == 0
}
