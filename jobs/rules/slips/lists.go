package slips

import (
	"slices"
	"strconv"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// slipAskedRules evaluate what lists and details answered, whatever their members say.
func slipAskedRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "SLIP_DUPLICATE_ID", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always, EvaluateSlip: func(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				return evaluateNote(e, s, func(n *rules.SlipNote) bool { return n.Twice != "" }, func(n *rules.SlipNote) []ledger.Number {
					return []ledger.Number{rules.NamedText("source", string(n.Twice))}
				})
			},
		},
		{
			Code: "SLIP_OUT_OF_WINDOW", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Warning,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always, EvaluateSlip: func(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				return evaluateNote(e, s, func(n *rules.SlipNote) bool { return n.Outside != "" }, func(n *rules.SlipNote) []ledger.Number {
					return []ledger.Number{
						rules.NamedText("source", string(n.Outside)), rules.NamedDate("from", n.Window.From), rules.NamedDate("to", n.Window.To), rules.NamedDate("day", n.On),
					}
				})
			},
		},
		{
			Code: "SLIP_DETAIL_UNAVAILABLE", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Warning,
			Needs: []rules.Need{rules.SlipDetail}, Tier: rules.Always, EvaluateSlip: func(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				n := e.SlipNote(s.Slip)
				if !n.Detail {
					return rules.NotEvaluable.Outcome()
				}
				return rules.FireIf(n.Refused, rules.Outcome{})
			},
		},
	}
}

// evaluateNote evaluates a slip by what the answers of the run said; without one the case stays as it is.
func evaluateNote(e *rules.Env, s *rules.Slip, fires func(*rules.SlipNote) bool, numbers func(*rules.SlipNote) []ledger.Number) rules.Outcome {
	n := e.SlipNote(s.Slip)
	if !n.Asked {
		return rules.NotEvaluable.Outcome()
	}
	return rules.FireIf(fires(&n), rules.Outcome{}).WithNumbers(func() []ledger.Number { return numbers(&n) })
}

// ListRules compare what the views of one run say of a slip.
func ListRules() []rules.Rule {
	missing := func(code string, list ledger.Source, eligible, of, do string) rules.Rule {
		return rules.Rule{
			Code: code, Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error, Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always,
			EvaluateSlip: func(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				return evaluateMissingInList(e, s, list)
			},
		}
	}
	return append(slipAskedRules(), []rules.Rule{
		{
			Code: "SLIP_PAYMENT_LIST_NOT_PAID", Version: 1, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists}, Tier: rules.Always,
			EvaluateSlip: func(_ *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
				v := s.View(ledger.SlipsPayment)
				switch {
				case v == nil:
					return rules.NotEligible.Outcome()
				case !v.Status.OK:
					return rules.NotEvaluable.Outcome()
				}
				return rules.FireIf(v.Status.Or(0) != ledger.BillPaid, rules.Outcome{
					Expected: ledger.Text(strconv.Itoa(ledger.BillPaid)), Actual: ledger.Text(strconv.FormatInt(v.Status.Or(0), 10)),
					Numbers: []ledger.Number{rules.NamedCount("status", int(v.Status.Or(0)))},
				})
			},
		},
		{
			Code: "SLIP_LIST_FIELD_CONFLICT", Version: 2, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists, rules.SlipDetail}, Tier: rules.Always,
			EvaluateSlip: evaluateListConflict,
		},
		{
			Code: "SLIP_DETAIL_CONFLICT", Version: 2, Family: rules.FamilySlips, Subject: rules.OnSlip, Severity: ledger.Error,
			Needs: []rules.Need{rules.SlipLists, rules.SlipDetail}, Tier: rules.Always,
			EvaluateSlip: evaluateDetailConflict,
		},
		missing("SLIP_MISSING_IN_DUE_LIST", ledger.SlipsDue, "slips due", "due date", "vencimento"),
		missing("SLIP_MISSING_IN_PAYMENT_LIST", ledger.SlipsPayment, "paid slips, paid", "payment date", "data de pagamento"),
		missing("SLIP_MISSING_IN_CREDIT_LIST", ledger.SlipsCredit, "credited slips, credited", "credit date", "data de crédito"),
	}...)
}

// RechecksOf returns the questions whose repetition would settle the contradictions among the views of a slip in a run,
// each once, in a fixed order. completeNow reports whether the run pulled a day of a list completely.
func RechecksOf(run string, s *ledger.Slip, completeNow func(ledger.Source, ledger.Date) bool) []rules.Recheck {
	var asks []rules.Recheck
	add := func(a ...rules.Recheck) {
		for _, x := range a {
			if !slices.Contains(asks, x) {
				asks = append(asks, x)
			}
		}
	}
	detail := rules.Recheck{List: ledger.SlipDetail, ID: s.ID}
	if s.Vanished {
		// Only the list that had it last, or the detail, can still show it.
		if last := &s.Earlier[len(s.Earlier)-1]; completeNow(last.List, last.ListDay()) {
			add(rules.Recheck{List: last.List, Day: last.ListDay()}, detail)
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

func recheckOf(v *ledger.SlipVersion) rules.Recheck {
	return rules.Recheck{List: v.List, Day: rules.DateInList(v.List, &v.SlipView)}
}

// absentFrom says whether a list that this run pulled completely for the slip's day lacks it.
func absentFrom(run string, s *ledger.Slip, list ledger.Source, completeNow func(ledger.Source, ledger.Date) bool) (rules.Recheck, bool) {
	day := rules.DateInList(list, &s.SlipView)
	if day == 0 || list == ledger.SlipsPayment && rules.SlipClass(s) != ledger.Paid || !completeNow(list, day) {
		return rules.Recheck{}, false
	}
	v := s.View(list)
	return rules.Recheck{List: list, Day: day}, v == nil || v.LastRun != run
}

// evaluateMissingInList accuses a list only after it was asked for the day a second time.
func evaluateMissingInList(e *rules.Env, s *rules.Slip, list ledger.Source) rules.Outcome {
	day := rules.DateInList(list, &s.SlipView)
	if day == 0 || list == ledger.SlipsPayment && s.Class != ledger.Paid {
		return rules.NotEligible.Outcome()
	}
	if !e.CompleteNow(list, day) {
		return rules.NotPulled.Outcome()
	}
	ask, absent := absentFrom(e.Run, s.Slip, list, e.CompleteNow)
	if !absent {
		return rules.Passed.Outcome()
	}
	if !e.Answered(ask) {
		return rules.NotEvaluable.Outcome()
	}
	return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedDate("day", day)}}
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
func countSeenLists(e *rules.Env, s *rules.Slip) (seen, known int) {
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
func evaluateListConflict(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
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
		return rules.NotEligible.Outcome()
	case seen < 2: // an older view agrees with nothing and contradicts nothing
		return rules.NotEvaluable.Outcome()
	}
	a, b, d := findListConflict(e.Run, s.Slip)
	switch {
	case a == nil && older > 0:
		// Two lists agree, but one that was not asked in this run may still contradict them.
		return rules.NotPulled.Outcome()
	case a == nil:
		return rules.Passed.Outcome()
	case !e.Answered(recheckOf(a)) && !e.Answered(recheckOf(b)) && !e.Answered(rules.Recheck{List: ledger.SlipDetail, ID: s.ID}):
		return rules.NotEvaluable.Outcome()
	}
	return d.toOutcome()
}

// evaluateDetailConflict is evaluateListConflict for a list and the detail.
func evaluateDetailConflict(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
	detail := s.View(ledger.SlipDetail)
	switch seen, known := countSeenLists(e, s); {
	case detail == nil || known == 0:
		return rules.NotEligible.Outcome()
	case detail.LastRun != e.Run || seen == 0:
		return rules.NotEvaluable.Outcome()
	}
	v, d := findDetailConflict(e.Run, s.Slip)
	switch {
	case v == nil:
		return rules.Passed.Outcome()
	case !e.Answered(recheckOf(v)) && !e.Answered(rules.Recheck{List: ledger.SlipDetail, ID: s.ID}):
		return rules.NotEvaluable.Outcome()
	}
	return d.toOutcome()
}
