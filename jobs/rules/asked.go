package rules

import "concilia/store/ledger"

// The codes of rules on questions and answers, for which the run collects the values of each answer.
const (
	TruncationSuspected = "RUN_TRUNCATION_SUSPECTED"
	WindowLeak          = "RUN_WINDOW_LEAK"
	ClockSkew           = "RUN_CLOCK_SKEW"
	FieldUnknown        = "SRC_FIELD_UNKNOWN"
)

// askedRules judge the answers of a run, whatever their rows say.
func askedRules() []Rule {
	return []Rule{
		{
			Code: TruncationSuspected, Version: 1, Family: familyRun, Subject: OnDay, Severity: ledger.Critical,
			Needs: []Need{Pulls}, Tier: Always, Eligible: "days of the windows asked in this run",
			Fires: "a window and its halves do not show the same rows; or one day shows as many rows as a cut answer would: those of service.list_cap, else at least 100 that are the most ever shown and were reached on three days of the last 30, or a round hundred reached on two",
			Text: Sentence{
				En: "{source} of {day}: {rows:row:rows}, as a cut answer would show[; asked in halves the window shows {halves}][; {days} days of the last 30 show exactly as many][; the list is cut at {cap}].",
				Pt: "{source} de {day}: {rows:linha:linhas}, como numa resposta cortada[; pedido em metades, o período mostra {halves}][; {days} dias dos últimos 30 mostram exatamente isso][; a lista é cortada em {cap}].",
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
}

// Fewer rows than this are no cut answer; caps are round.
const (
	leastCut   = 100
	roundCut   = 100
	cutDays    = 3
	roundDays  = 2
	millionths = 1_000_000
)

// Truncated judges one day. A window of several days that was not asked in halves is not evaluable.
func (e *Env) Truncated(w Truncation) Outcome {
	o := Outcome{Numbers: []ledger.Number{text("source", string(w.Source)), date("day", w.Day), count("rows", int(w.Rows))}}
	switch {
	case w.Halves.OK && w.Differ:
		o.Status = Fires
		o.Numbers = append(o.Numbers, count("halves", int(w.Halves.V)))
	case w.Halves.OK:
		return only(Passed)
	case w.Several:
		return only(NotEvaluable)
	case w.Cap > 0:
		o.Numbers = append(o.Numbers, count("cap", int(w.Cap)))
		return when(w.Rows >= w.Cap, o)
	default:
		most := w.Rows == w.Largest && w.Days >= cutDays
		round := w.Rows%roundCut == 0 && w.Days >= roundDays
		o.Numbers = append(o.Numbers, count("days", w.Days))
		return when(w.Rows >= leastCut && (most || round), o)
	}
	return o
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

// Leaked judges a source; a source that was not asked in this run is not evaluable.
func (e *Env) Leaked(l Leak) Outcome {
	if l.Windows == 0 {
		return only(NotEvaluable)
	}
	return when(l.Rows > 0, Outcome{}).tell(func() []ledger.Number {
		return []ledger.Number{
			text("source", string(l.Source)), count("rows", int(l.Rows)), date("day", l.Day), date("from", l.Window.From), date("to", l.Window.To),
		}
	})
}

// Subject names the source.
func (l Leak) Subject(a ledger.Account) string { return ledger.Subject("source", a, string(l.Source)) }

// Skewed judges the clocks: by how many seconds the service's clock is ahead of ours, the largest deviation of this run
// with its sign. Absent: no answer had a time.
func (e *Env) Skewed(seconds ledger.Opt[int64]) Outcome {
	if !seconds.OK {
		return only(NotEvaluable)
	}
	limit := int64(e.grace(ClockSkew)) * 60
	s, direction := seconds.V, "ahead"
	if s < 0 {
		s, direction = -s, "behind"
	}
	return when(s > limit, Outcome{}).tell(func() []ledger.Number {
		return []ledger.Number{count("seconds", int(s)), text("direction", direction), count("limit", int(limit))}
	})
}

// Unnamed is a member of a source's records that the interface document does not name.
type Unnamed struct {
	Source ledger.Source
	Member string
}

// Outcome is its finding.
func (u Unnamed) Outcome() Outcome {
	return Outcome{Status: Fires, Numbers: []ledger.Number{text("source", string(u.Source)), text("member", u.Member)}}
}

// Subject names the member.
func (u Unnamed) Subject(a ledger.Account) string {
	return ledger.Subject("member", a, string(u.Source), u.Member)
}
