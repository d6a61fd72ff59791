package rules

import (
	"slices"
	"strconv"

	"concilia/store/ledger"
)

// Recheck is a question to the service that is repeated before a difference is reported: a day of a list or, with an id, the
// detail of a slip (List is ledger.SlipDetail, Day zero).
type Recheck struct {
	List ledger.Source
	Day  ledger.Date
	ID   string
}

// slipListRules compare what the views of one run say of a slip.
func slipListRules() []Rule {
	missing := func(code string, list ledger.Source, eligible, of, do string) Rule {
		return Rule{
			Code: code, Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error, Needs: []Need{SlipLists}, Tier: Always,
			Eligible: eligible + " inside a window that this run pulled completely, known from elsewhere",
			Fires:    "the list does not show the slip, and still does not when asked again",
			Text: Sentence{
				En: "The list by " + of + " of {day} does not show the slip, which other answers date {day}.",
				Pt: "A lista por " + do + " de {day} não mostra o boleto, que outras respostas datam de {day}.",
			},
			EvaluateSlip: func(e *Env, s *Slip, _ Tolerance) Outcome { return evaluateMissingInList(e, s, list) },
		}
	}
	return append(slipAskedRules(), []Rule{
		{
			Code: "SLIP_PAYMENT_LIST_NOT_PAID", Version: 1, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists}, Tier: Always, Eligible: "slips that the list by payment date showed",
			Fires: "the list, which holds paid slips only, says another status",
			Text: Sentence{
				En: "The list of paid slips says status {status}.",
				Pt: "A lista de boletos pagos diz status {status}.",
			},
			EvaluateSlip: func(_ *Env, s *Slip, _ Tolerance) Outcome {
				v := s.View(ledger.SlipsPayment)
				switch {
				case v == nil:
					return NotEligible.Outcome()
				case !v.Status.OK:
					return NotEvaluable.Outcome()
				}
				return FireIf(v.Status.Or(0) != ledger.BillPaid, Outcome{
					Expected: ledger.Text(strconv.Itoa(ledger.BillPaid)), Actual: ledger.Text(strconv.FormatInt(v.Status.Or(0), 10)),
					Numbers: []ledger.Number{NamedCount("status", int(v.Status.Or(0)))},
				})
			},
		},
		{
			Code: "SLIP_LIST_FIELD_CONFLICT", Version: 2, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists, SlipDetail}, Tier: Always, Eligible: "slips that two lists showed in this run",
			Fires: "a member both have differs, and still differs when asked again",
			Text: Sentence{
				En: "{named}: one list says {expected}, another {actual}.",
				Pt: "{named}: uma lista diz {expected}, outra diz {actual}.",
			},
			EvaluateSlip: evaluateListConflict,
		},
		{
			Code: "SLIP_DETAIL_CONFLICT", Version: 2, Family: familySlips, Subject: OnSlip, Severity: ledger.Error,
			Needs: []Need{SlipLists, SlipDetail}, Tier: Always, Eligible: "slips whose detail and a list answered in this run",
			Fires: "a member both have differs, and still differs when asked again; overdue in the list is issued in the detail",
			Text: Sentence{
				En: "{named}: the list says {expected}, the detail {actual}.",
				Pt: "{named}: a lista diz {expected}, o detalhe diz {actual}.",
			},
			EvaluateSlip: evaluateDetailConflict,
		},
		missing("SLIP_MISSING_IN_DUE_LIST", ledger.SlipsDue, "slips due", "due date", "vencimento"),
		missing("SLIP_MISSING_IN_PAYMENT_LIST", ledger.SlipsPayment, "paid slips, paid", "payment date", "data de pagamento"),
		missing("SLIP_MISSING_IN_CREDIT_LIST", ledger.SlipsCredit, "credited slips, credited", "credit date", "data de crédito"),
	}...)
}

// RechecksOf returns the questions whose repetition would settle the contradictions among the views of a slip in a run,
// each once, in a fixed order. completeNow reports whether the run pulled a day of a list completely.
func RechecksOf(run string, s *ledger.Slip, completeNow func(ledger.Source, ledger.Date) bool) []Recheck {
	var asks []Recheck
	add := func(a ...Recheck) {
		for _, x := range a {
			if !slices.Contains(asks, x) {
				asks = append(asks, x)
			}
		}
	}
	detail := Recheck{List: ledger.SlipDetail, ID: s.ID}
	if s.Vanished {
		// Nobody but the list that let go of it last, or the detail, can still speak for it.
		if last := &s.Earlier[len(s.Earlier)-1]; completeNow(last.List, last.ListDay()) {
			add(Recheck{List: last.List, Day: last.ListDay()}, detail)
		}
		return asks
	}
	if a, b, _ := findListConflict(run, s); a != nil {
		add(recheckOf(a), recheckOf(b), detail)
	}
	if v, _ := findDetailConflict(run, s); v != nil {
		add(recheckOf(v))
	}
	for _, list := range ledger.SlipLists() {
		if ask, absent := absentFrom(run, s, list, completeNow); absent {
			add(ask, detail)
		}
	}
	return asks
}

// DateInList is the slip's date that places it in a list.
func DateInList(list ledger.Source, v *ledger.SlipView) ledger.Date {
	switch list {
	case ledger.SlipsPayment:
		return v.PaidOn
	case ledger.SlipsCredit:
		return v.CreditedOn
	}
	return v.Due
}

func recheckOf(v *ledger.SlipVersion) Recheck {
	return Recheck{List: v.List, Day: DateInList(v.List, &v.SlipView)}
}

// absentFrom says whether a list that this run pulled completely for the slip's day lacks it.
func absentFrom(run string, s *ledger.Slip, list ledger.Source, completeNow func(ledger.Source, ledger.Date) bool) (Recheck, bool) {
	day := DateInList(list, &s.SlipView)
	if day == 0 || list == ledger.SlipsPayment && SlipClass(s) != ledger.Paid || !completeNow(list, day) {
		return Recheck{}, false
	}
	v := s.View(list)
	return Recheck{List: list, Day: day}, v == nil || v.LastRun != run
}

// evaluateMissingInList accuses a list only after it was asked for the day a second time.
func evaluateMissingInList(e *Env, s *Slip, list ledger.Source) Outcome {
	day := DateInList(list, &s.SlipView)
	if day == 0 || list == ledger.SlipsPayment && s.Class != ledger.Paid {
		return NotEligible.Outcome()
	}
	if !e.CompleteNow(list, day) {
		return NotPulled.Outcome()
	}
	ask, absent := absentFrom(e.Run, s.Slip, list, e.CompleteNow)
	if !absent {
		return Passed.Outcome()
	}
	if !e.Answered(ask) {
		return NotEvaluable.Outcome()
	}
	return Outcome{Status: Fires, Numbers: []ledger.Number{NamedDate("day", day)}}
}

// findListConflict finds two list views of the run that contradict each other, the first pair in order of precedence.
func findListConflict(run string, s *ledger.Slip) (a, b *ledger.SlipVersion, d difference) {
	lists := ledger.SlipLists()
	for i, one := range lists {
		for _, other := range lists[i+1:] {
			x, y := s.View(one), s.View(other)
			if x == nil || y == nil || x.LastRun != run || y.LastRun != run {
				continue
			}
			if d, ok := compareViews(&x.SlipView, &y.SlipView); ok {
				return x, y, d
			}
		}
	}
	return nil, nil, difference{}
}

// findDetailConflict finds a list view of the run that the detail of the run contradicts.
func findDetailConflict(run string, s *ledger.Slip) (*ledger.SlipVersion, difference) {
	detail := s.View(ledger.SlipDetail)
	if detail == nil || detail.LastRun != run {
		return nil, difference{}
	}
	for _, list := range ledger.SlipLists() {
		v := s.View(list)
		if v == nil || v.LastRun != run {
			continue
		}
		if d, ok := compareViews(&v.SlipView, &detail.SlipView); ok {
			return v, d
		}
	}
	return nil, difference{}
}

// countSeenLists counts the lists that showed the slip in this run, and those that ever did.
func (e *Env) countSeenLists(s *Slip) (seen, known int) {
	for i := range s.Views {
		if s.Views[i].List == ledger.SlipDetail {
			continue
		}
		known++
		if s.Views[i].LastRun == e.Run {
			seen++
		}
	}
	return seen, known
}

// evaluateListConflict accepts either answer: one of the two lists again, or the detail.
func evaluateListConflict(e *Env, s *Slip, _ Tolerance) Outcome {
	seen, older := 0, 0
	for i := range s.Views {
		switch {
		case s.Views[i].List == ledger.SlipDetail:
		case s.Views[i].LastRun == e.Run:
			seen++
		default:
			older++
		}
	}
	switch {
	case seen+older < 2:
		return NotEligible.Outcome()
	case seen < 2: // an older view agrees with nothing and contradicts nothing
		return NotEvaluable.Outcome()
	}
	a, b, d := findListConflict(e.Run, s.Slip)
	switch {
	case a == nil && older > 0:
		// Two lists agree, but one that was not asked in this run may still contradict them.
		return NotPulled.Outcome()
	case a == nil:
		return Passed.Outcome()
	case !e.Answered(recheckOf(a)) && !e.Answered(recheckOf(b)) && !e.Answered(Recheck{List: ledger.SlipDetail, ID: s.ID}):
		return NotEvaluable.Outcome()
	}
	return d.toOutcome()
}

// evaluateDetailConflict is evaluateListConflict for a list and the detail.
func evaluateDetailConflict(e *Env, s *Slip, _ Tolerance) Outcome {
	detail := s.View(ledger.SlipDetail)
	switch seen, known := e.countSeenLists(s); {
	case detail == nil || known == 0:
		return NotEligible.Outcome()
	case detail.LastRun != e.Run || seen == 0:
		return NotEvaluable.Outcome()
	}
	v, d := findDetailConflict(e.Run, s.Slip)
	switch {
	case v == nil:
		return Passed.Outcome()
	case !e.Answered(recheckOf(v)) && !e.Answered(Recheck{List: ledger.SlipDetail, ID: s.ID}):
		return NotEvaluable.Outcome()
	}
	return d.toOutcome()
}
