package runs

import (
	"slices"
	"strconv"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Volume is a day of a source, with the earlier days it is compared with.
type Volume struct {
	Source ledger.Source
	Day    ledger.Date
	DayVolume
	// ShownAgain: the last complete answer of the day brought no new row and lacked none.
	ShownAgain bool
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
func Holiday(e *rules.Env, d ledger.Date) bool { return e.Calendar.IsHoliday(d) }

// EvaluateVolume evaluates a day. A day whose rows an answer begun a week after it, or later, showed again has the volume it has,
// however unusual. One that lacks nearly everything is a warning, since an answer may lack it; a busy day, or one that
// is unusual in its rows or its value alone, is a note.
func EvaluateVolume(e *rules.Env, v Volume) rules.Outcome {
	switch {
	case Holiday(e, v.Day):
		return rules.NotEligible.Outcome()
	case e.CheckComparable(v.Source, v.Day) != rules.Passed, len(v.Earlier) < weekdays:
		return rules.NotEvaluable.Outcome()
	case v.ShownAgain && e.SeenOn(v.Source, v.Day) >= v.Day+volumeSettles:
		return rules.Passed.Outcome()
	}
	rows, gross, ok := measureVolume(e, &v)
	switch {
	case !ok:
		return rules.NotEvaluable.Outcome()
	case !rows.far && !gross.far:
		return rules.Passed.Outcome()
	}
	o := rules.Outcome{Status: rules.Fires, Severity: ledger.Info, Numbers: []ledger.Number{rules.NamedText("source", string(v.Source)), rules.NamedDate("day", v.Day)}}
	what := "rows"
	o.Expected, o.Actual = ledger.Text(formatHalf(rows.twiceMedian)), ledger.Text(formatHalf(2*v.Rows))
	if !rows.far {
		what = "total"
		o.Expected, o.Actual = ledger.Money(ledger.Amount(gross.twiceMedian/2)), ledger.Money(v.Gross)
	}
	o.Numbers = append(o.Numbers, rules.NamedText("what", what), rules.NamedCount("weekdays", weekdays))
	if rows.far && gross.far {
		o.Numbers = append(o.Numbers, rules.NamedAmount("total", v.Gross), rules.NamedAmount("usual", ledger.Amount(gross.twiceMedian/2)))
		if rows.isLacking(v.Rows) && gross.isLacking(int64(v.Gross)) {
			o.Severity = ledger.Warning
		}
	}
	return o
}

// measureVolume compares rows and value of a day with those of the earlier ones; false when they are too large to compare.
func measureVolume(e *rules.Env, v *Volume) (rows, gross distance, ok bool) {
	times := int64(e.Grace(VolumeAnomaly))
	n, g := make([]int64, weekdays), make([]int64, weekdays)
	for i, d := range v.Earlier[:weekdays] {
		n[i], g[i] = d.Rows, int64(d.Gross)
	}
	rows, ok = measureDistance(v.Rows, n, times, leastSpread)
	if !ok {
		return rows, gross, false
	}
	if rows.twiceMedian == 0 {
		return rows, gross, true // of days without rows there is no row's worth to measure the value by
	}
	// A row's worth is the median value over the median rows, both given twice over.
	worth, err := ledger.Amount(distanceBetween(twiceMedian(g), 0)).MulDiv(leastSpread, rows.twiceMedian, ledger.HalfAwayFromZero)
	if err != nil {
		return rows, gross, false
	}
	gross, ok = measureDistance(int64(v.Gross), g, times, int64(worth))
	return rows, gross, ok
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
	// lackPart: a day that shows no more than this part of the median lacks nearly everything.
	lackPart = 10
	// volumeSettles is how many days after a day an answer that shows the same rows ends the question.
	volumeSettles = 7
	// maxVolume bounds what is compared, so that no product below leaves its type.
	maxVolume = int64(1) << 52
)

// distance is how a value lies to earlier ones.
type distance struct {
	twiceMedian int64 // twice over, so that the median of an even number of values is whole
	far         bool  // further from it than the tolerance
}

// isLacking reports whether x is a tenth of the median or less.
func (d distance) isLacking(x int64) bool { return 2*lackPart*x <= d.twiceMedian }

// measureDistance says whether x is further from the median of the earlier values than so many times their median distance
// from it, which counts as at least a tenth of the median and least. False when the values are too large to compare.
func measureDistance(x int64, earlier []int64, times, least int64) (distance, bool) {
	for _, v := range append([]int64{x, times, least}, earlier...) {
		if v < -maxVolume || v > maxVolume {
			return distance{}, false
		}
	}
	twice := twiceMedian(earlier)
	distances := make([]int64, len(earlier))
	for i, v := range earlier {
		distances[i] = distanceBetween(2*v, twice)
	}
	spread := twiceMedian(distances) // four times the median distance
	// spread ≥ 4 × median ÷ 10 and ≥ 4 × least, all times ten; compared with 4 × 10 × |x − median|.
	scaled := max(10*spread, 2*distanceBetween(twice, 0)*10/spreadPart, 40*least)
	if times > 0 && scaled > (1<<62)/times {
		return distance{}, false
	}
	return distance{twice, 20*distanceBetween(2*x, twice) > times*scaled}, true
}

func distanceBetween(a, b int64) int64 {
	if a < b {
		return b - a
	}
	return a - b
}

// twiceMedian is twice the median.
func twiceMedian(values []int64) int64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return sorted[(n-1)/2] + sorted[n/2]
}

// formatHalf prints a count given twice over: 12 or 12.5.
func formatHalf(twice int64) string {
	s := strconv.FormatInt(twice/2, 10)
	if twice%2 != 0 {
		s += ".5"
	}
	return s
}
