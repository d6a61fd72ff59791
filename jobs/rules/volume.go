package rules

import (
	"slices"
	"strconv"

	"concilia/store/ledger"
)

// Volume is a day of a source beside the earlier days it is compared with.
type Volume struct {
	Source ledger.Source
	Day    ledger.Date
	DayVolume
	// Earlier are the same weekdays before it that are no holidays (Env.Holiday) and have a complete pull, the latest
	// first. The first eight count.
	Earlier []DayVolume
}

// DayVolume is the volume of a day: the number of its current rows, and the sum of their gross (slips: value).
type DayVolume struct {
	Rows  int64
	Gross ledger.Amount
}

// weekdays is how many earlier same weekdays a day is compared with.
const weekdays = 8

// Holiday reports whether payments do not settle on a day that is not a weekend.
func (e *Env) Holiday(d ledger.Date) bool { return e.Calendar.Holiday(d) }

// Volume judges a day: its rows first, then its value.
func (e *Env) Volume(v Volume) Outcome {
	switch {
	case e.Holiday(v.Day):
		return only(NotEligible)
	case e.compared(v.Source, v.Day) != Passed, len(v.Earlier) < weekdays:
		return only(NotEvaluable)
	}
	times := int64(e.grace(VolumeAnomaly))
	rows, gross := make([]int64, weekdays), make([]int64, weekdays)
	for i, d := range v.Earlier[:weekdays] {
		rows[i], gross[i] = d.Rows, int64(d.Gross)
	}
	o := Outcome{Status: Fires}
	what := "rows"
	median, far, ok := unusual(v.Rows, rows, times, leastSpread)
	o.Expected, o.Actual = ledger.Text(halves(median)), ledger.Text(halves(2*v.Rows))
	if ok && !far {
		what = "total"
		median, far, ok = unusual(int64(v.Gross), gross, times, 0)
		o.Expected, o.Actual = ledger.Money(ledger.Amount(median/2)), ledger.Money(v.Gross)
	}
	switch {
	case !ok:
		return only(NotEvaluable)
	case !far:
		return only(Passed)
	}
	o.Numbers = []ledger.Number{
		text("source", string(v.Source)), date("day", v.Day), text("what", what), count("weekdays", weekdays),
	}
	return o
}

// Subject names the day.
func (v Volume) Subject(a ledger.Account) string {
	return ledger.Subject("day", a, string(v.Source), v.Day.String())
}

const (
	// leastSpread is the least median distance of rows: small days vary by a few.
	leastSpread = 5
	// spreadPart: the median distance counts as at least this part of the median.
	spreadPart = 10
	// maxVolume bounds what is compared, so that no product below leaves its type.
	maxVolume = int64(1) << 52
)

// unusual says whether x is further from the median of the earlier values than so many times their median distance
// from it. The median is given twice over, so that the one of an even number is whole.
func unusual(x int64, earlier []int64, times, least int64) (twice int64, far, ok bool) {
	for _, v := range append([]int64{x, times}, earlier...) {
		if v < -maxVolume || v > maxVolume {
			return 0, false, false
		}
	}
	twice = middle(earlier)
	distances := make([]int64, len(earlier))
	for i, v := range earlier {
		distances[i] = apart(2*v, twice)
	}
	spread := middle(distances) // four times the median distance
	// spread ≥ 4 × median ÷ 10 and ≥ 4 × least, all times ten; compared with 4 × 10 × |x − median|.
	scaled := max(10*spread, 2*apart(twice, 0)*10/spreadPart, 40*least)
	if times > 0 && scaled > (1<<62)/times {
		return 0, false, false
	}
	return twice, 20*apart(2*x, twice) > times*scaled, true
}

func apart(a, b int64) int64 {
	if a < b {
		return b - a
	}
	return a - b
}

// middle is twice the median.
func middle(values []int64) int64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return sorted[(n-1)/2] + sorted[n/2]
}

// halves prints a count given twice over: 12 or 12.5.
func halves(twice int64) string {
	s := strconv.FormatInt(twice/2, 10)
	if twice%2 != 0 {
		s += ".5"
	}
	return s
}
