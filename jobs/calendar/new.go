package calendar

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

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

// New works out a calendar. It reports every day of the options that makes no sense: outside the horizon, both
// extra and removed, or removed though it is no holiday.
func New(o Options) (*Calendar, error) {
	b := builder{named: map[ledger.Date]Day{}}
	for i := range b.closed {
		b.closed[i] = map[ledger.Date]bool{}
	}
	b.nationals()
	b.override(SourceConfiguration, "extra", o.Extra, o.Removed, Settles, Counter)
	// After the overrides: an extra 31 December moves the last business day of its year.
	b.lastDays()
	b.override(SourceAccount, "account's extra", o.CounterExtra, o.CounterRemoved, Counter)
	if len(b.problems) > 0 {
		return nil, errors.Join(b.problems...)
	}
	c := &Calendar{named: b.named}
	for k := range kinds {
		c.tables[k] = newTable(func(d ledger.Date) bool { return b.isClosed(k, d) })
	}
	c.text = c.render()
	sum := sha256.Sum256(c.text)
	c.hash = hex.EncodeToString(sum[:])
	return c, nil
}

// builder gathers the closed days that are not weekends.
type builder struct {
	closed   [kinds]map[ledger.Date]bool
	named    map[ledger.Date]Day
	problems []error
}

func (b *builder) isClosed(k Kind, d ledger.Date) bool { return weekend(d) || b.closed[k][d] }

func (b *builder) nationals() {
	for year := FirstYear; year <= LastYear; year++ {
		for _, h := range national {
			d := h.in(year)
			if d == 0 {
				continue
			}
			b.close(d, h.name, h.source, Settles, Counter)
		}
	}
}

// lastDays closes the counters on the last day of each year that settles.
func (b *builder) lastDays() {
	for year := FirstYear; year <= LastYear; year++ {
		d := ledger.NewDate(year, 12, 31)
		for b.isClosed(Settles, d) {
			d--
		}
		b.close(d, "Último dia útil do ano", bankRule, Counter)
	}
}

// override closes the extra days and opens the removed ones in the kinds named.
func (b *builder) override(source, what string, extra, removed []ledger.Date, in ...Kind) {
	isExtra := make(map[ledger.Date]bool, len(extra))
	for _, d := range extra {
		if b.known(d) && !isExtra[d] {
			isExtra[d] = true
			b.close(d, "", source, in...)
		}
	}
	seen := map[ledger.Date]bool{}
	for _, d := range removed {
		switch {
		case !b.known(d) || seen[d]:
		case isExtra[d]:
			b.problem("%s is both among the %s days and among the removed ones: keep one", d, what)
		case weekend(d):
			b.problem("%s is a %s: weekends cannot be removed", d, d.Weekday())
		case !b.closed[in[len(in)-1]][d]:
			b.problem("%s is no holiday: there is nothing to remove", d)
		default:
			b.open(d, source, in...)
		}
		seen[d] = true
	}
}

func (b *builder) known(d ledger.Date) bool {
	if d == 0 {
		b.problem("an empty date among the extra or removed days")
		return false
	}
	if index(d) == 0 {
		b.problem("%s lies outside the years %d to %d the calendar knows", d, FirstYear, LastYear)
		return false
	}
	return true
}

// close closes d and keeps the first name it was closed under; later kinds join it.
func (b *builder) close(d ledger.Date, name, source string, in ...Kind) {
	day, ok := b.named[d]
	if !ok {
		day = Day{Date: d, Name: name, Source: source}
	}
	for _, k := range in {
		b.closed[k][d] = true
	}
	day.Kinds = b.kindsOf(d)
	b.named[d] = day
}

// open opens d and remembers that it was once a holiday.
func (b *builder) open(d ledger.Date, source string, in ...Kind) {
	for _, k := range in {
		delete(b.closed[k], d)
	}
	day := b.named[d]
	day.Source, day.Kinds = source, b.kindsOf(d)
	b.named[d] = day
}

func (b *builder) kindsOf(d ledger.Date) []Kind {
	var in []Kind
	for k := range kinds {
		if b.closed[k][d] {
			in = append(in, k)
		}
	}
	return in
}

func (b *builder) problem(format string, args ...any) {
	if len(b.problems) < maxProblems {
		b.problems = append(b.problems, fmt.Errorf("calendar: "+format, args...))
	}
}
