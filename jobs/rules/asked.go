package rules

import "concilia/store/ledger"

// The codes of rules on questions and answers, for which the run collects the values of each answer.
const (
	TruncationSuspected = "RUN_TRUNCATION_SUSPECTED"
	WindowLeak          = "RUN_WINDOW_LEAK"
	ClockSkew           = "RUN_CLOCK_SKEW"
	FieldUnknown        = "SRC_FIELD_UNKNOWN"
)

// answerRules judge the answers of a run, whatever their rows say.
func answerRules() []Rule {
	return []Rule{
		{
			Code: TruncationSuspected, Version: 1, Family: familyRun, Subject: OnDay, Severity: ledger.Critical, Grades: []ledger.Severity{ledger.Info},
			Needs: []Need{Pulls}, Tier: Always, Eligible: "days of the windows asked in this run",
			Fires: "C: a window and its halves do not show the same rows; or one day shows at least service.list_cap rows; or, without that key, at least 100 rows, a multiple of 100 that is the most the source ever showed and was reached on three days of the last 30. I: only a multiple of 100, on two days, or only the most ever shown, on three; or the day, asked for once more, shows rows that its first answer lacked",
			Text: Sentence{
				En: "{source} of {day}: {rows:row:rows}[; asked in halves the window shows {halves}][, and service.list_cap says that the list is cut at {cap}][, a multiple of {round}][, the most ever shown{most?}][; {days} days of the last 30 show as many. If the operator cuts its lists at {cut}, set service.list_cap: {cut}; else close the case][; a first answer lacked {regained} of them, which the day shows when asked for once more].",
				Pt: "{source} de {day}: {rows:linha:linhas}[; pedido em metades, o período mostra {halves}][, e service.list_cap diz que a lista é cortada em {cap}][, um múltiplo de {round}][, o máximo já mostrado{most?}][; {days} dias dos últimos 30 mostram o mesmo número. Se o operador corta as listas em {cut}, defina service.list_cap: {cut}; senão, encerre o caso][; a primeira resposta não trazia {regained} delas, que o dia mostra quando pedido de novo].",
			},
		},
		{
			Code: WindowLeak, Version: 1, Family: familyRun, Subject: OnSource, Severity: ledger.Warning,
			Needs: []Need{Installments, SlipLists}, Tier: Always, Eligible: "the search of cards, its windows asked in this run; those deliberately wider excluded",
			Fires: "an answer holds rows of days outside its window; they are kept under their own days",
			Text: Sentence{
				En: "{rows:row:rows} of {source} outside the windows they came in, such as one of {day} asked for as {from} to {to}.",
				Pt: "{rows:linha:linhas} de {source} fora dos períodos em que vieram, como uma de {day} na resposta de {from} a {to}.",
			},
		},
		{
			Code: ClockSkew, Version: 1, Family: familyRun, Subject: OnAccount, Severity: ledger.Warning,
			Needs: []Need{LoginAnswers}, Tier: Always, Default: Tolerance{Grace: 2}, Eligible: "accounts whose answers of this run bore a time",
			Fires: "the service's clock and ours are more minutes apart than the grace",
			Text: Sentence{
				En: "The service's clock is {seconds} seconds {direction} of ours; the limit is {limit}.",
				Pt: "O relógio do serviço está {seconds} segundos {direction} do nosso; o limite é {limit}.",
			},
		},
		{
			Code: FieldUnknown, Version: 1, Family: familyRun, Subject: OnMember, Severity: ledger.Info,
			Needs: []Need{Raw}, Tier: Always, Eligible: "members of the answers of this run", Fires: "the interface document does not name the member; it is not read",
			Text: Sentence{
				En: "{source}: a member {member} that the interface document does not name.",
				Pt: "{source}: um campo {member} que o documento da interface não cita.",
			},
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
	// Several: the window holds more than one day, so that only Halves can tell.
	Several bool
	// Regained counts the rows of an earlier complete answer that a first answer for this one day lacked in this run, and
	// that the day showed when it was asked for once more.
	Regained int64
}

// Fewer rows than leastCut are no cut answer; operators cut at round numbers.
const (
	leastCut    = 100
	roundCut    = 100
	largestDays = 3
	roundDays   = 2
	Millionths  = 1_000_000
)

// EvaluateTruncation judges one day. A window of several days that was not asked in halves is not evaluable. Without a known cap
// a count is critical only where everything speaks for a cut: honest days of a busy shop repeat a round number by chance,
// and those of a regular one their largest.
func (e *Env) EvaluateTruncation(w Truncation) Outcome {
	o := Outcome{Numbers: []ledger.Number{NamedText("source", string(w.Source)), NamedDate("day", w.Day), NamedCount("rows", int(w.Rows))}}
	switch {
	case w.Halves.OK && w.Differ:
		o.Status = Fires
		o.Numbers = append(o.Numbers, NamedCount("halves", int(w.Halves.V)))
		return o
	case w.Halves.OK:
		return Passed.Outcome()
	case w.Several:
		return NotEvaluable.Outcome()
	case w.Cap > 0:
		o.Numbers = append(o.Numbers, NamedCount("cap", int(w.Cap)))
		return FireIf(w.Rows >= w.Cap, o)
	}
	if w.Regained > 0 {
		o.Numbers = append(o.Numbers, NamedCount("regained", int(w.Regained)))
	}
	round := w.Rows >= leastCut && w.Rows%roundCut == 0 && w.Days >= roundDays
	most := w.Rows >= leastCut && w.Rows == w.Largest && w.Days >= largestDays
	if round {
		o.Numbers = append(o.Numbers, NamedCount("round", roundCut))
	}
	if most {
		o.Numbers = append(o.Numbers, NamedCount("most", int(w.Largest)))
	}
	if round || most {
		o.Numbers = append(o.Numbers, NamedCount("days", w.Days), NamedCount("cut", int(w.Rows)))
	}
	if !round || !most {
		o.Severity = ledger.Info
	}
	return FireIf(round || most || w.Regained > 0, o)
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

// EvaluateLeak judges a source; a source that was not asked in this run is not evaluable.
func (e *Env) EvaluateLeak(l Leak) Outcome {
	if l.Windows == 0 {
		return NotEvaluable.Outcome()
	}
	return FireIf(l.Rows > 0, Outcome{}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{
			NamedText("source", string(l.Source)), NamedCount("rows", int(l.Rows)), NamedDate("day", l.Day), NamedDate("from", l.Window.From), NamedDate("to", l.Window.To),
		}
	})
}

// Subject names the source.
func (l Leak) Subject(a ledger.Account) string { return ledger.Subject("source", a, string(l.Source)) }

// EvaluateClock judges the clocks: by how many seconds the service's clock is ahead of ours, the largest deviation of this run
// with its sign. Absent: no answer had a time.
func (e *Env) EvaluateClock(seconds ledger.Opt[int64]) Outcome {
	if !seconds.OK {
		return NotEvaluable.Outcome()
	}
	limit := int64(e.Grace(ClockSkew)) * 60
	s, direction := seconds.V, "ahead"
	if s < 0 {
		s, direction = -s, "behind"
	}
	return FireIf(s > limit, Outcome{}).WithNumbers(func() []ledger.Number {
		return []ledger.Number{NamedCount("seconds", int(s)), NamedText("direction", direction), NamedCount("limit", int(limit))}
	})
}

// UnknownField is a member of a source's records that the interface document does not name.
type UnknownField struct {
	Source ledger.Source
	Member string
}

// Outcome is its finding.
func (u UnknownField) Outcome() Outcome {
	return Outcome{Status: Fires, Numbers: []ledger.Number{NamedText("source", string(u.Source)), NamedText("member", u.Member)}}
}

// Subject names the member.
func (u UnknownField) Subject(a ledger.Account) string {
	return ledger.Subject("member", a, string(u.Source), u.Member)
}
