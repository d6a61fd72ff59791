package runs

import (
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// The codes of rules on questions and answers, for which the run collects the values of each answer.
const (
	TruncationSuspected = "RUN_TRUNCATION_SUSPECTED"
	WindowLeak          = "RUN_WINDOW_LEAK"
	ClockSkew           = "RUN_CLOCK_SKEW"
	FieldUnknown        = "SRC_FIELD_UNKNOWN"
)

// answerRules evaluate the answers of a run, whatever their rows say.
func answerRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: TruncationSuspected, Version: 1, Family: rules.FamilyRun, Subject: rules.OnDay, Severity: ledger.Critical, Grades: []ledger.Severity{ledger.Info},
			Needs: []rules.Need{rules.Pulls}, Tier: rules.Always,
		},
		{
			Code: WindowLeak, Version: 1, Family: rules.FamilyRun, Subject: rules.OnSource, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments, rules.SlipLists}, Tier: rules.Always,
		},
		{
			Code: ClockSkew, Version: 1, Family: rules.FamilyRun, Subject: rules.OnAccount, Severity: ledger.Warning,
			Needs: []rules.Need{rules.LoginAnswers}, Tier: rules.Always, Default: rules.Tolerance{Grace: 2},
		},
		{
			Code: FieldUnknown, Version: 1, Family: rules.FamilyRun, Subject: rules.OnMember, Severity: ledger.Info,
			Needs: []rules.Need{rules.Raw}, Tier: rules.Always,
		},
	}
}

// Truncation is what is known about the number of rows of a day in this run.
type Truncation struct {
	Source ledger.Source
	Day    ledger.Date
	Rows   int64 // of the answer for this one day alone; of the whole window where that held several days
	// Halves are the rows of this window asked in two halves, where it was asked so; Differ says that they are not the
	// same rows as those of the window.
	Halves ledger.Opt[int64]
	Differ bool
	// Cap is service.list_cap, 0 when it is not known; known, it alone decides on a window of one day.
	Cap int64
	// Largest is the most rows any window of the source ever showed, this one included.
	Largest int64
	// Days counts the different days of the source, this one included, whose last answer in the last 30 days held
	// exactly Rows rows. A day asked again and again counts once: that a finished day does not grow proves nothing.
	Days int
	// Several: the window holds more than one day, so that only Halves can decide.
	Several bool
	// Regained counts the rows of an earlier complete answer that a first answer for this one day lacked in this run, and
	// that the day showed when it was asked for once more.
	Regained int64
}

// EvaluateTruncation evaluates one day. A window of several days that was not asked in halves is not evaluable. Without a known cap
// a count is critical only where every sign is one of a cut list: the days of a busy shop repeat a round number by chance, and
// those of a regular one their largest.
func EvaluateTruncation(e *rules.Env, w Truncation) rules.Outcome {
	o := rules.Outcome{Numbers: []ledger.Number{rules.NamedText("source", string(w.Source)), rules.NamedDate("day", w.Day), rules.NamedCount("rows", int(w.Rows))}}
	switch {
	case w.Halves.OK && w.Differ:
		o.Status = rules.Fires
		o.Numbers = append(o.Numbers, rules.NamedCount("halves", int(w.Halves.V)))
		return o
	case w.Halves.OK:
		return rules.Passed.Outcome()
	case w.Several:
		return rules.NotEvaluable.Outcome()
	case w.Cap > 0:
		o.Numbers = append(o.Numbers, rules.NamedCount("cap", int(w.Cap)))
		return rules.FireIf(w.Rows >= w.Cap, o)
	}
	if w.Regained > 0 {
		o.Numbers = append(o.Numbers, rules.NamedCount("regained", int(w.Regained)))
	}
	round := w.Rows >= rules.LeastCut && w.Rows%rules.RoundCut == 0 && w.Days >= rules.RoundDays
	most := w.Rows >= rules.LeastCut && w.Rows == w.Largest && w.Days >= rules.LargestDays
	if round {
		o.Numbers = append(o.Numbers, rules.NamedCount("round", rules.RoundCut))
	}
	if most {
		o.Numbers = append(o.Numbers, rules.NamedCount("most", int(w.Largest)))
	}
	if round || most {
		o.Numbers = append(o.Numbers, rules.NamedCount("days", w.Days), rules.NamedCount("cut", int(w.Rows)))
	}
	if !round || !most {
		o.Severity = ledger.Info
	}
	return rules.FireIf(round || most || w.Regained > 0, o)
}

// Subject names the day.
func (w Truncation) Subject(a ledger.Account) string {
	return ledger.Subject("day", a, string(w.Source), w.Day.String())
}

// Leak is the rows of days outside the window that a source's answers showed. Deliberately wider windows are not
// counted.
type Leak struct {
	Source  ledger.Source
	Windows int   // asked in this run and answered whole
	Rows    int64 // outside their window, all windows together
	// Day is that of the first such row, and Window what was asked then.
	Day    ledger.Date
	Window ledger.Period
}

// EvaluateLeak evaluates a source; a source that was not asked in this run is not evaluable.
func EvaluateLeak(e *rules.Env, l Leak) rules.Outcome {
	if l.Windows == 0 {
		return rules.NotEvaluable.Outcome()
	}
	return rules.FireIf(l.Rows > 0, rules.Outcome{}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{
			rules.NamedText("source", string(l.Source)), rules.NamedCount("rows", int(l.Rows)), rules.NamedDate("day", l.Day), rules.NamedDate("from", l.Window.From), rules.NamedDate("to", l.Window.To),
		}
	})
}

// Subject names the source.
func (l Leak) Subject(a ledger.Account) string { return ledger.Subject("source", a, string(l.Source)) }

// EvaluateClock evaluates the clocks: by how many seconds the service's clock is ahead of ours, the largest deviation of this run
// with its sign. Absent: no answer had a time.
func EvaluateClock(e *rules.Env, seconds ledger.Opt[int64]) rules.Outcome {
	if !seconds.OK {
		return rules.NotEvaluable.Outcome()
	}
	limit := int64(e.Grace(ClockSkew)) * 60
	s, direction := seconds.V, "ahead"
	if s < 0 {
		s, direction = -s, "behind"
	}
	return rules.FireIf(s > limit, rules.Outcome{}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{rules.NamedCount("seconds", int(s)), rules.NamedText("direction", direction), rules.NamedCount("limit", int(limit))}
	})
}

// UnknownField is a member of a source's records that the interface document does not name.
type UnknownField struct {
	Source ledger.Source
	Member string
}

// Outcome is its finding.
func (u UnknownField) Outcome() rules.Outcome {
	return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedText("source", string(u.Source)), rules.NamedText("member", u.Member)}}
}

// Subject names the member.
func (u UnknownField) Subject(a ledger.Account) string {
	return ledger.Subject("member", a, string(u.Source), u.Member)
}
