package rules

import "concilia/store/ledger"

// Vanished is the code of a row that a complete answer no longer shows.
const Vanished = "SRC_VANISHED"

// goneRules judge what the service showed before and no longer does.
func goneRules() []Rule {
	return []Rule{{
		Code: Vanished, Version: 1, Family: familyRun, Subject: OnInstallment, Also: []Subject{OnSlip}, Severity: ledger.Error,
		Needs: []Need{Installments, SlipLists, History}, Tier: Always,
		Eligible: "installments and slips whose day was pulled completely at least twice, no quarantined row of it without a key",
		Fires:    "the last complete pull of the day does not show it any more; a slip neither when asked again",
		Text: Sentence{
			En: "The service showed this until {last} and no longer does: R$ {gross} of {day}.",
			Pt: "O serviço mostrava este registro até {last} e não o mostra mais: R$ {gross} de {day}.",
		},
		row: func(e *Env, r *Row, _ Tolerance) Outcome { return only(e.compared(ledger.Cards, r.Key.Day)) },
		slip: func(e *Env, s *Slip, _ Tolerance) Outcome {
			return only(e.comparedSlip(s))
		},
	}}
}

// compared is Passed where a day was pulled completely at least twice, so that what is can be compared with what was.
func (e *Env) compared(s ledger.Source, d ledger.Date) Status {
	if e.PullsOf(s, d) < comparable {
		return NotEvaluable
	}
	return Passed
}

// comparable is how many complete pulls of a day it takes to compare two.
const comparable = 2

// comparedSlip is compared for a slip: one of the lists that show it was pulled twice for its day.
func (e *Env) comparedSlip(s *Slip) Status {
	for i := range s.Views {
		v := &s.Views[i]
		if d := dateIn(v.List, &v.SlipView); v.List != ledger.SlipDetail && d != 0 && e.compared(v.List, d) == Passed {
			return Passed
		}
	}
	return NotEvaluable
}

// Gone is an installment or slip that has vanished: a complete pull of its day lacks it. A slip that another day or list
// still shows has moved and is not gone.
type Gone struct {
	Source ledger.Source // Cards, or the list of slips that lacks it
	Day    ledger.Date   // its own in that source
	Amount ledger.Amount // G, or V
	Last   ledger.Date   // as-of of the last run that saw it
	// Unreadable: the day holds a quarantined row whose key can't be read, which may be this one.
	Unreadable bool
	// AskedAgain: the list was asked for the day once more in this run, or the detail for the slip, and was answered.
	// Cards are not asked again.
	AskedAgain bool
}

// Vanished judges a vanished row; a row that still exists is judged as a row or slip.
func (e *Env) Vanished(g Gone) Outcome {
	switch {
	case g.Unreadable, e.compared(g.Source, g.Day) != Passed, g.Source != ledger.Cards && !g.AskedAgain:
		return only(NotEvaluable)
	}
	return Outcome{
		Status: Fires, Expected: ledger.Money(g.Amount),
		Numbers: []ledger.Number{money("gross", g.Amount), date("day", g.Day), date("last", g.Last)},
	}
}
