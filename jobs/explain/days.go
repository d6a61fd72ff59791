package explain

import (
	"context"
	"slices"

	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// widestSpan is up to how many days apart two dates of a finding are for the days between them to be told.
const widestSpan = 15

// days tells which days the finding's dates are, and which between them are no business days.
func (e *explaining) days(context.Context) error {
	if e.out.Calendar = e.f.Calendar; e.f.Calendar == "" {
		return nil
	}
	cal := e.Calendar(e.f.Account)
	if cal == nil || cal.Hash() != e.f.Calendar {
		e.out.OtherCalendar = true
		return nil // the days are those of another calendar: which, its hash says
	}
	var named []ledger.Date
	add := func(d ledger.Date) {
		if d != 0 && calendar.CheckDate(d) == nil {
			named = append(named, d)
		}
	}
	for _, v := range []ledger.Value{e.f.Expected, e.f.Actual} {
		add(v.Date)
	}
	for _, n := range e.f.Numbers {
		if d, err := ledger.ParseDate(n.Value); err == nil {
			add(d)
		}
	}
	add(e.f.BreakOn)
	if len(named) == 0 { // the case counts days and names none: they are those of the record
		for _, m := range e.out.Record {
			if d, err := ledger.ParseDate(m.Value); err == nil && slices.Contains(datedMembers(), m.Name) {
				add(d)
			}
		}
	}
	slices.Sort(named)
	named = slices.Compact(named)
	for i, d := range named {
		e.day(cal, d)
		if i+1 == len(named) || named[i+1]-d > widestSpan {
			continue
		}
		for between := d + 1; between < named[i+1]; between++ {
			if !cal.IsBusinessDay(calendar.Settles, between) || !cal.IsBusinessDay(calendar.Counter, between) {
				e.day(cal, between)
			}
		}
	}
	return nil
}

// datedMembers are the members of records that the calendar is asked about.
func datedMembers() []string {
	return []string{"receivedDateForeast", "receivedDateEffective", "dueDate", "effectivePaymentDate", "effectiveCreditDate"}
}

func (e *explaining) day(cal *calendar.Calendar, d ledger.Date) {
	day := Day{Day: d, Settles: cal.IsBusinessDay(calendar.Settles, d), Counter: cal.IsBusinessDay(calendar.Counter, d)}
	for _, named := range cal.NamedDays(d.Year()) {
		if named.Date == d {
			day.Name, day.Source = named.Name, named.Source
		}
	}
	e.out.Days = append(e.out.Days, day)
}
