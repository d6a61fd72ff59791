package runs

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// The codes of this family that are judged outside a single row, for which the run collects the subjects.
const (
	CoverageGap    = "RUN_COVERAGE_GAP"
	SchemaInvalid  = "SRC_SCHEMA_INVALID"
	EnumUnmapped   = "ENUM_UNMAPPED"
	BridgeResidual = "LEDGER_BRIDGE_RESIDUAL"
)

// runRules judge the run itself: what was not pulled, not read, not understood, or does not close.
func Rules() []rules.Rule {
	return slices.Concat([]rules.Rule{
		{
			Code: CoverageGap, Version: 1, Family: rules.FamilyRun, Subject: rules.OnDay, Severity: ledger.Critical,
			Needs: []rules.Need{rules.RunLog}, Tier: rules.Always, Eligible: "every day of each source from since to the day before the as-of",
			Fires: "no complete pull of the day that began after the day had ended",
			Text: rules.Sentence{
				En: "{source}: {day} was never pulled completely after the day had ended.",
				Pt: "{source}: o dia {day} nunca foi coletado por completo depois de terminar.",
			},
		},
		{
			Code: SchemaInvalid, Version: 1, Family: rules.FamilyRun, Subject: rules.OnQuarantined, Severity: ledger.Error,
			Needs: []rules.Need{rules.Raw}, Tier: rules.Always, Eligible: "quarantined rows", Fires: "a row could not be read exactly; it is kept, and the rest of its window goes on",
			Text: rules.Sentence{
				En: "A row of {source} of {day} could not be read: {why}.",
				Pt: "Uma linha de {source} de {day} não pôde ser lida: {why}.",
			},
		},
		{
			Code: EnumUnmapped, Version: 1, Family: rules.FamilyRun, Subject: rules.OnValue, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Mapping}, Tier: rules.Always, Eligible: "installments and notifications, their spellings of status, type, product and brand",
			Fires: "a spelling is not in the mapping; rules that need it skip the row",
			Text: rules.Sentence{
				En: "{member} says {actual}, which the mapping does not know: {rows:row:rows}.",
				Pt: "{member} traz {actual}, que o mapeamento não conhece: {rows:registro:registros}.",
			},
		},
		{
			Code: BridgeResidual, Version: 1, Family: rules.FamilyRun, Subject: rules.OnMonth, Severity: ledger.Critical,
			Needs: []rules.Need{rules.Everything}, Tier: rules.Always, Eligible: "months of cards by brand and product, months of slips", Fires: "the lines of the bridge do not add up to the difference the ledger holds",
			Text: rules.Sentence{
				En: "The bridge of {month} adds up to {actual}, the ledger says {expected}.",
				Pt: "A ponte de {month} soma {actual}; a base de dados tem {expected}.",
			},
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
