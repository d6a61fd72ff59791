package rules

import "concilia/store/ledger"

// Vanished is the code of a row that a complete answer no longer shows.
const Vanished = "SRC_VANISHED"

// vanishedRules judge what the service showed before and no longer does.
func vanishedRules() []Rule {
	return []Rule{{
		Code: Vanished, Version: 1, Family: familyRun, Subject: OnInstallment, Also: []Subject{OnSlip}, Severity: ledger.Error,
		Needs: []Need{Installments, SlipLists, History}, Tier: Always,
		Eligible: "installments and slips whose day was pulled completely at least twice, no quarantined row of it without a key",
		Fires:    "the last complete pull of the day does not show it any more; a slip neither when asked again",
		Text: Sentence{
			En: "The service showed this until {last} and no longer does: R$ {gross} of {day}.",
			Pt: "O serviço mostrava este registro até {last} e não o mostra mais: R$ {gross} de {day}.",
		},
		EvaluateRow: func(e *Env, r *Row, _ Tolerance) Outcome { return e.CheckComparable(ledger.Cards, r.Key.Day).Outcome() },
		EvaluateSlip: func(e *Env, s *Slip, _ Tolerance) Outcome {
			return e.CheckSlipComparable(s).Outcome()
		},
	}}
}

// CheckComparable is Passed where a day was pulled completely at least twice, so that what is can be compared with what was.
func (e *Env) CheckComparable(s ledger.Source, d ledger.Date) Status {
	if e.PullsOf(s, d) < ComparablePulls {
		return NotEvaluable
	}
	return Passed
}

// ComparablePulls is how many complete pulls of a day it takes to compare two.
const ComparablePulls = 2

// CheckSlipComparable is compared for a slip: one of the lists that show it was pulled twice for its day.
func (e *Env) CheckSlipComparable(s *Slip) Status {
	for i := range s.Views {
		v := &s.Views[i]
		if d := DateInList(v.List, &v.SlipView); v.List != ledger.SlipDetail && d != 0 && e.CheckComparable(v.List, d) == Passed {
			return Passed
		}
	}
	return NotEvaluable
}

// VanishedRow is an installment or slip that has vanished: a complete pull of its day lacks it. A slip that another day or list
// still shows has moved and is not gone.
type VanishedRow struct {
	Source ledger.Source // Cards, or the list of slips that lacks it
	Day    ledger.Date   // its own in that source
	Amount ledger.Amount // G, or V
	Last   ledger.Date   // as-of of the last run that saw it
	// Unreadable: the day holds a quarantined row whose key can't be read, which may be this one.
	Unreadable bool
	// Rechecked: the list was asked for the day once more in this run, or the detail for the slip, and was answered.
	// Cards are not asked again.
	Rechecked bool
}

// EvaluateVanished judges a vanished row; a row that still exists is judged as a row or slip.
func (e *Env) EvaluateVanished(g VanishedRow) Outcome {
	switch {
	case g.Unreadable, e.CheckComparable(g.Source, g.Day) != Passed, g.Source != ledger.Cards && !g.Rechecked:
		return NotEvaluable.Outcome()
	}
	return Outcome{
		Status: Fires, Expected: ledger.Money(g.Amount),
		Numbers: []ledger.Number{NamedAmount("gross", g.Amount), NamedDate("day", g.Day), NamedDate("last", g.Last)},
	}
}
