package rules

import (
	"slices"

	"concilia/store/ledger"
)

const familyRun = "run"

// The codes of this family that are judged outside a single row, for which the run collects the subjects.
const (
	CoverageGap    = "RUN_COVERAGE_GAP"
	SchemaInvalid  = "SRC_SCHEMA_INVALID"
	EnumUnmapped   = "ENUM_UNMAPPED"
	BridgeResidual = "LEDGER_BRIDGE_RESIDUAL"
)

// runRules judge the run itself: what was not pulled, not read, not understood, or does not close.
func runRules() []Rule {
	return slices.Concat([]Rule{
		{
			Code: CoverageGap, Version: 1, Family: familyRun, Subject: OnDay, Severity: ledger.Critical,
			Needs: []Need{RunLog}, Tier: Always, Eligible: "every day of each source from since to the day before the as-of",
			Fires: "no complete pull of the day that began after the day had ended",
			Text: Sentence{
				En: "{source}: {day} was never pulled completely after the day had ended.",
				Pt: "{source}: o dia {day} nunca foi coletado por completo depois de terminar.",
			},
		},
		{
			Code: SchemaInvalid, Version: 1, Family: familyRun, Subject: OnQuarantined, Severity: ledger.Error,
			Needs: []Need{Raw}, Tier: Always, Eligible: "quarantined rows", Fires: "a row could not be read exactly; it is kept, and the rest of its window goes on",
			Text: Sentence{
				En: "A row of {source} of {day} could not be read: {why}.",
				Pt: "Uma linha de {source} de {day} não pôde ser lida: {why}.",
			},
		},
		{
			Code: EnumUnmapped, Version: 1, Family: familyRun, Subject: OnValue, Severity: ledger.Warning,
			Needs: []Need{Mapping}, Tier: Always, Eligible: "installments and notifications, their spellings of status, type, product and brand",
			Fires: "a spelling is not in the mapping; rules that need it skip the row",
			Text: Sentence{
				En: "{member} says {actual}, which the mapping does not know: {rows:row:rows}.",
				Pt: "{member} traz {actual}, que o mapeamento não conhece: {rows:registro:registros}.",
			},
		},
		{
			Code: BridgeResidual, Version: 1, Family: familyRun, Subject: OnMonth, Severity: ledger.Critical,
			Needs: []Need{Everything}, Tier: Always, Eligible: "months of cards by brand and product, months of slips", Fires: "the lines of the bridge do not add up to the difference the ledger holds",
			Text: Sentence{
				En: "The bridge of {month} adds up to {actual}, the ledger says {expected}.",
				Pt: "A ponte de {month} soma {actual}; a base de dados tem {expected}.",
			},
		},
	}, answerRules(), vanishedRules(), restatedRules(), closeRules(), populationRules())
}

// Spelling is a member of a row whose value is not in the mapping.
type Spelling struct{ Member, Value string }

// UnmappedSpellings lists the spellings of a row that nobody listed.
func (r *Row) UnmappedSpellings() []Spelling {
	if !r.Unmapped && !r.TypeUnmapped && r.ProductMapped && r.BrandMapped {
		return nil
	}
	var all []Spelling
	add := func(unknown bool, member, value string) {
		if unknown {
			all = append(all, Spelling{member, value})
		}
	}
	add(!r.Status.Known, "installmentStatus", r.Now.Status)
	add(r.TypeUnmapped, "receivedType", r.Now.ReceivedType)
	add(!r.ReceivedStatus.Known, "receivedStatus", r.Now.ReceivedStat)
	add(!r.ProductMapped, "cardType", r.Now.CardType)
	add(!r.BrandMapped, "cardName", r.Now.CardName)
	return all
}

// Subject names the value of an account.
func (s Spelling) Subject(a ledger.Account) string {
	return ledger.Subject("value", a, s.Member, s.Value)
}

// Outcome is the finding of a spelling seen on so many installments.
func (s Spelling) Outcome(rows int) Outcome {
	return Outcome{Status: Fires, Actual: ledger.Text(s.Value), Numbers: []ledger.Number{NamedText("member", s.Member), NamedCount("rows", rows)}}
}

// CheckContractLine is the status of an installment for MDR_CONTRACT_MISSING: not eligible, unmapped, passed or fires.
func (e *Env) CheckContractLine(r *Row) Status {
	switch {
	case e.Contracts.IsEmpty():
		return NoInput
	case r.Unmapped:
		return Unmapped
	case !r.Live():
		return NotEligible
	case r.LineState == LineUnmapped:
		return Unmapped
	case r.LineState == LineFound:
		return Passed
	}
	return Fires
}

// MonthGroup identifies the installments of one sale month, brand, product and band.
type MonthGroup struct {
	Month   ledger.Date // its first day
	Brand   string
	Product ledger.Product
	Band    string
}

// Subject names the group in an account.
func (g MonthGroup) Subject(a ledger.Account) string {
	return ledger.Subject("month", a, Month(g.Month), g.Brand, string(g.Product), g.Band)
}

// UncoveredOutcome is the finding that so many installments of a group have no contract line.
func (e *Env) UncoveredOutcome(g MonthGroup, rows int, gross ledger.Amount) Outcome {
	o := Outcome{Status: Fires, Severity: ledger.Warning, Numbers: []ledger.Number{
		NamedText("brand", g.Brand), NamedText("product", string(g.Product)), NamedText("band", g.Band), NamedText("month", Month(g.Month)),
		NamedCount("rows", rows), NamedAmount("gross", gross),
	}}
	if !e.Contracts.CoversProduct(e.Account, g.Product) {
		o.Severity = ledger.Info
	}
	return o
}

// GapOutcome is the finding of a day that was never pulled.
func GapOutcome(source ledger.Source, day ledger.Date) Outcome {
	return Outcome{Status: Fires, Numbers: []ledger.Number{NamedText("source", string(source)), NamedDate("day", day)}}
}

// UnreadableOutcome is the finding of a quarantined row.
func UnreadableOutcome(q *ledger.Quarantined) Outcome {
	o := Outcome{Status: Fires, Numbers: []ledger.Number{NamedText("source", string(q.Source)), NamedDate("day", q.Day), NamedText("why", q.Reason)}}
	if q.Gross.OK {
		o.Actual = ledger.Money(q.Gross.V)
	}
	return o
}

// ResidualOutcome is the finding of a month whose bridge does not close.
func ResidualOutcome(month ledger.Date, difference, lines ledger.Amount) Outcome {
	return Outcome{
		Status: Fires, Expected: ledger.Money(difference), Actual: ledger.Money(lines), Numbers: []ledger.Number{NamedText("month", Month(month))},
	}
}

// Month formats a date as YYYY-MM, or returns empty for no date.
func Month(d ledger.Date) string {
	if d == 0 {
		return ""
	}
	return d.String()[:len("2006-01")]
}
