package runs

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// The codes of this family that are evaluated outside a single row, for which the run collects the subjects.
const (
	CoverageGap    = "RUN_COVERAGE_GAP"
	SchemaInvalid  = "SRC_SCHEMA_INVALID"
	EnumUnmapped   = "ENUM_UNMAPPED"
	BridgeResidual = "LEDGER_BRIDGE_RESIDUAL"
)

// Rules evaluate the run itself: what was not pulled, not read, not understood, or does not close.
func Rules() []rules.Rule {
	return slices.Concat([]rules.Rule{
		{
			Code: CoverageGap, Version: 1, Family: rules.FamilyRun, Subject: rules.OnDay, Severity: ledger.Critical,
			Needs: []rules.Need{rules.RunLog}, Tier: rules.Always,
		},
		{
			Code: SchemaInvalid, Version: 1, Family: rules.FamilyRun, Subject: rules.OnQuarantined, Severity: ledger.Error,
			Needs: []rules.Need{rules.Raw}, Tier: rules.Always,
		},
		{
			Code: EnumUnmapped, Version: 1, Family: rules.FamilyRun, Subject: rules.OnValue, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Mapping}, Tier: rules.Always,
		},
		{
			Code: BridgeResidual, Version: 1, Family: rules.FamilyRun, Subject: rules.OnMonth, Severity: ledger.Critical,
			Needs: []rules.Need{rules.Everything}, Tier: rules.Always,
		},
	}, answerRules(), vanishedRules(), restatedRules(), closeRules(), populationRules())
}

// GapOutcome is the finding of a day that was never pulled.
func GapOutcome(source ledger.Source, day ledger.Date) rules.Outcome {
	return rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedText("source", string(source)), rules.NamedDate("day", day)}}
}

// UnreadableOutcome is the finding of a quarantined row.
func UnreadableOutcome(q *ledger.Quarantined) rules.Outcome {
	o := rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{rules.NamedText("source", string(q.Source)), rules.NamedDate("day", q.Day), rules.NamedText("why", q.Reason)}}
	if q.Gross.OK {
		o.Actual = ledger.Money(q.Gross.V)
	}
	return o
}

// ResidualOutcome is the finding of a month whose bridge does not close.
func ResidualOutcome(month ledger.Date, difference, lines ledger.Amount) rules.Outcome {
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(difference), Actual: ledger.Money(lines), Numbers: []ledger.Number{rules.NamedText("month", rules.Month(month))},
	}
}
