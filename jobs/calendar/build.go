package calendar

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"concilia/export/words"
	"concilia/store/ledger"
)

// Options are the days that differ from the computed ones. A day may be named twice in one list; a day that is
// closed anyway may be closed again.
type Options struct {
	// Extra days are closed, Removed days open, in both calendars.
	Extra, Removed []ledger.Date
	// CounterExtra and CounterRemoved are an account's local days: closed and open in Counter alone.
	CounterExtra, CounterRemoved []ledger.Date
}

// maxProblems bounds how many problems one call reports.
const maxProblems = 20

// New computes a calendar. It reports every invalid day of the options: outside the horizon, both extra and removed, or
// removed though it is not a holiday.
func New(o Options) (*Calendar, error) {
	b := builder{named: map[ledger.Date]Day{}, closed: newClosedDays()}
	b.addNationalHolidays()
	b.applyOverrides(SourceConfiguration, "calendar_fault.extra", o.Extra, o.Removed, Settles, Counter)
	// After the overrides: an extra 31 December moves the last business day of its year.
	b.closeLastDays()
	b.applyOverrides(SourceAccount, "calendar_fault.account_extra", o.CounterExtra, o.CounterRemoved, Counter)
	if len(b.problems) > 0 {
		return nil, errors.Join(b.problems...)
	}
	c := &Calendar{named: b.named}
	for k := range kindCount {
		c.tables[k] = newDayTable(b.closed[k])
	}
	c.text = c.renderText()
	sum := sha256.Sum256(c.text)
	c.hash = hex.EncodeToString(sum[:])
	return c, nil
}

// builder collects the closed days that are not weekends.
type builder struct {
	closed   [kindCount]dayFlags
	named    map[ledger.Date]Day
	problems []error
}

func (b *builder) isClosed(k Kind, d ledger.Date) bool { return isWeekend(d) || b.closed[k].has(d) }

// dayFlags says yes or no for each day of the horizon: a program makes its calendars whenever it starts, and looking each day up
// in a map took most of that.
type dayFlags []bool

// newClosedDays has all days open in both calendars.
func newClosedDays() (closed [kindCount]dayFlags) {
	for k := range closed {
		closed[k] = make(dayFlags, int(horizonEnd-horizonStart)+1)
	}
	return closed
}

// has reports whether d is flagged. A day outside the horizon is not.
func (f dayFlags) has(d ledger.Date) bool {
	i := dayIndex(d)
	return i > 0 && f[i-1]
}

// set flags d, or takes the flag away. d lies within the horizon.
func (f dayFlags) set(d ledger.Date, yes bool) { f[dayIndex(d)-1] = yes }

func (b *builder) addNationalHolidays() {
	for year := FirstYear; year <= LastYear; year++ {
		for _, h := range nationalHolidays {
			d := h.dateIn(year)
			if d == 0 {
				continue
			}
			b.closeDay(d, h.name, h.source, Settles, Counter)
		}
	}
}

// closeLastDays closes Counter on the last day of each year that is open in Settles.
func (b *builder) closeLastDays() {
	for year := FirstYear; year <= LastYear; year++ {
		d := ledger.NewDate(year, 12, 31)
		for b.isClosed(Settles, d) {
			d--
		}
		b.closeDay(d, "Último dia útil do ano", bankRule, Counter)
	}
}

// applyOverrides closes the extra days and opens the removed ones in the kinds named.
func (b *builder) applyOverrides(source, what string, extra, removed []ledger.Date, in ...Kind) {
	isExtra := make(map[ledger.Date]bool, len(extra))
	for _, d := range extra {
		if b.isKnown(d) && !isExtra[d] {
			isExtra[d] = true
			b.closeDay(d, "", source, in...)
		}
	}
	seen := map[ledger.Date]bool{}
	for _, d := range removed {
		switch {
		case !b.isKnown(d) || seen[d]:
		case isExtra[d]:
			b.addProblem(words.NewFault("calendar_fault.both", "", "day", d, "days", words.NewMessage(what)))
		case isWeekend(d):
			b.addProblem(words.NewFault("calendar_fault.weekend", "", "day", d, "weekday", words.NewMessage("weekdays."+d.Weekday().String())))
		case !b.closed[in[len(in)-1]].has(d):
			b.addProblem(words.NewFault("calendar_fault.no_holiday", "", "day", d))
		default:
			b.openDay(d, source, in...)
		}
		seen[d] = true
	}
}

func (b *builder) isKnown(d ledger.Date) bool {
	if d == 0 {
		b.addProblem(words.NewFault("calendar_fault.empty", ""))
		return false
	}
	if dayIndex(d) == 0 {
		b.addProblem(words.NewFault("calendar_fault.outside", "", "day", d, "first", FirstYear, "last", LastYear))
		return false
	}
	return true
}

// closeDay closes d in the kinds given. It keeps the name and source of the first call for the day.
func (b *builder) closeDay(d ledger.Date, name, source string, in ...Kind) {
	day, ok := b.named[d]
	if !ok {
		day = Day{Date: d, Name: name, Source: source}
	}
	for _, k := range in {
		b.closed[k].set(d, true)
	}
	day.Kinds = b.kindsOf(d)
	b.named[d] = day
}

// openDay opens d in the kinds given and keeps its name.
func (b *builder) openDay(d ledger.Date, source string, in ...Kind) {
	for _, k := range in {
		b.closed[k].set(d, false)
	}
	day := b.named[d]
	day.Source, day.Kinds = source, b.kindsOf(d)
	b.named[d] = day
}

func (b *builder) kindsOf(d ledger.Date) []Kind {
	var in []Kind
	for k := range kindCount {
		if b.closed[k].has(d) {
			in = append(in, k)
		}
	}
	return in
}

func (b *builder) addProblem(what *words.Fault) {
	if len(b.problems) < maxProblems {
		b.problems = append(b.problems, words.NewFault("calendar_fault.calendar", "", "what", what))
	}
}

// holiday is one national rule: a fixed day of the year, or so many days from Easter Sunday.
type holiday struct {
	name   string // as in the law, in Portuguese; shown to users
	source string
	month  time.Month // 0: counted from Easter
	day    int        // of the month, or from Easter
	since  int        // the first year in which it is a holiday; 0: always
}

const (
	lawNational  = "Law 662/1949"
	lawAparecida = "Law 6.802/1980"
	lawZumbi     = "Law 14.759/2023"
	bankRule     = "CMN Resolution 4.880/2020"
)

// nationalHolidays lists the holidays on which no bank settles, in no particular order.
var nationalHolidays = [...]holiday{
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
	// Lists from before 2024 lack this one, which shifts every later business day of the year by one.
	{name: "Dia da Consciência Negra", source: lawZumbi, month: time.November, day: 20, since: 2024},
	{name: "Natal", source: lawNational, month: time.December, day: 25},
}

// dateIn returns the date of the holiday in a year, or no date in the years before it was one.
func (h holiday) dateIn(year int) ledger.Date {
	switch {
	case year < h.since:
		return 0
	case h.month == 0:
		return Easter(year) + ledger.Date(h.day)
	}
	return ledger.NewDate(year, h.month, h.day)
}

func isWeekend(d ledger.Date) bool {
	// Date 1, 0001-01-01, was a Monday.
	return d%7 == 6 || d%7 == 0
}

// Easter returns Easter Sunday of a Gregorian year (anonymous algorithm of Meeus, Jones and Butcher).
func Easter(year int) ledger.Date {
	golden := year % 19
	century, ofCentury := year/100, year%100
	leapCenturies, centuryRest := century/4, century%4
	moonShift := (century + 8) / 25
	correction := (century - moonShift + 1) / 3
	epact := (19*golden + century - leapCenturies - correction + 15) % 30
	leaps, yearRest := ofCentury/4, ofCentury%4
	toSunday := (32 + 2*centuryRest + 2*leaps - epact - yearRest) % 7
	late := (golden + 11*epact + 22*toSunday) / 451
	n := epact + toSunday - 7*late + 114
	return ledger.NewDate(year, time.Month(n/31), n%31+1)
}

// Parse reads the result of Text, so that a past run can be reproduced with its calendar. The closed days are those of the
// text, whatever this version computes; they have no names, and NamedDays lists none. A text that Text cannot have written
// is an error.
func Parse(text []byte) (*Calendar, error) {
	head, rest, _ := strings.Cut(string(text), "\n")
	var version string
	var first, last int
	if _, err := fmt.Sscanf(head, "calendar "+ID+" version %s years %d-%d", &version, &first, &last); err != nil {
		return nil, fmt.Errorf("calendar text: %.60q is no heading of one: %w", head, err)
	}
	if first != FirstYear || last != LastYear {
		return nil, fmt.Errorf("calendar text: years %d to %d, this version knows %d to %d", first, last, FirstYear, LastYear)
	}
	closed := newClosedDays()
	for line := range strings.Lines(rest) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		k := Settles
		if fields[0] == Counter.String() {
			k = Counter
		}
		for _, day := range fields[min(2, len(fields)):] {
			if len(day) != len("0102") {
				return nil, fmt.Errorf("calendar text: %.20q is no day", day)
			}
			d, err := ledger.ParseDate(fields[1] + "-" + day[:2] + "-" + day[2:])
			if err != nil {
				return nil, fmt.Errorf("calendar text: %w", err)
			}
			if dayIndex(d) == 0 {
				return nil, fmt.Errorf("calendar text: %s lies outside the years", d)
			}
			closed[k].set(d, true)
		}
	}
	c := &Calendar{named: map[ledger.Date]Day{}}
	for k := range kindCount {
		c.tables[k] = newDayTable(closed[k])
	}
	c.text = c.renderText()
	_, mine, _ := strings.Cut(string(c.text), "\n")
	if mine != rest {
		return nil, errors.New("calendar text: it is not what a calendar writes")
	}
	c.text = append([]byte(nil), text...)
	sum := sha256.Sum256(c.text)
	c.hash = hex.EncodeToString(sum[:])
	return c, nil
}
