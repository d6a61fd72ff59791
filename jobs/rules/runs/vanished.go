package runs

import (
	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Vanished is the code of a row that a complete answer no longer shows.
const Vanished = "SRC_VANISHED"

// vanishedRules evaluate what the service showed before and no longer does.
func vanishedRules() []rules.Rule {
	return []rules.Rule{{
		Code: Vanished, Version: 1, Family: rules.FamilyRun, Subject: rules.OnInstallment, Also: []rules.Subject{rules.OnSlip}, Severity: ledger.Error,
		Needs: []rules.Need{rules.Installments, rules.SlipLists, rules.History}, Tier: rules.Always,
		EvaluateRow: func(e *rules.Env, r *rules.Row, _ rules.Tolerance) rules.Outcome {
			return e.CheckComparable(ledger.Cards, r.Key.Day).Outcome()
		},
		EvaluateSlip: func(e *rules.Env, s *rules.Slip, _ rules.Tolerance) rules.Outcome {
			return e.CheckSlipComparable(s).Outcome()
		},
	}}
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

// EvaluateVanished evaluates a vanished row; a row that still exists is evaluated as a row or slip.
func EvaluateVanished(e *rules.Env, g VanishedRow) rules.Outcome {
	switch {
	case g.Unreadable, e.CheckComparable(g.Source, g.Day) != rules.Passed, g.Source != ledger.Cards && !g.Rechecked:
		return rules.NotEvaluable.Outcome()
	}
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(g.Amount),
		Numbers: []ledger.Number{rules.NamedAmount("gross", g.Amount), rules.NamedDate("day", g.Day), rules.NamedDate("last", g.Last)},
	}
}
