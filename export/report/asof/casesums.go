package asof

import (
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// newCountIdentity is an identity of counts, which no rounding touches.
func newCountIdentity(name, formula string, rest int64) report.Identity {
	a := ledger.FromCents(rest * 100)
	return report.Identity{Name: name, Formula: formula, Printed: a, Exact: a}
}

// caseSums are counts and impacts of cases: those that aging must equal, by agingOf's words, and the figures, by their names.
// They are computed from the rows as printed, so that a reader of the file computes the same.
type caseSums struct {
	asOf   ledger.Date
	byName map[string]*countedMoney
}

func newCaseSums(asOf ledger.Date) *caseSums {
	return &caseSums{asOf, make(map[string]*countedMoney)}
}

// The sums besides those of a single figure: of what is missing, and of all impacts that cost the merchant something.
const (
	SumMissing  = "missing"
	SumPositive = "positive"
)

// figuresIdentity is that each case with a positive impact is in exactly one figure.
func (s *caseSums) figuresIdentity() report.Identity {
	impact := func(name string) table.Money { return s.sumOf(name).sum }
	formula, terms := "exceptions.missing.impact", []table.Money{impact(SumMissing)}
	for _, name := range []ledger.Figure{ledger.FigureAtRisk, ledger.FigureClaimed, ledger.FigureWaived} {
		formula += " + exceptions." + string(name) + ".impact"
		terms = append(terms, impact(string(name)))
	}
	return report.NewIdentity("figures", formula+" = exceptions.positive.impact", append(terms, report.NegateMoney(impact(SumPositive)))...)
}

// sumOf returns the number and impacts of the cases of a name.
func (s *caseSums) sumOf(name string) countedMoney {
	if c := s.byName[name]; c != nil {
		return *c
	}
	return countedMoney{}
}

// The columns that caseSums reads.
var (
	caseCode      = ExceptionsTable.ColumnIndex("code")
	caseState     = ExceptionsTable.ColumnIndex("state")
	caseOpened    = ExceptionsTable.ColumnIndex("opened")
	caseImpact    = ExceptionsTable.ColumnIndex("impact")
	caseDue       = ExceptionsTable.ColumnIndex("due_date")
	caseDirection = ExceptionsTable.ColumnIndex("direction")
	caseRoot      = ExceptionsTable.ColumnIndex("explained_by")
)

// addRow adds a row of exceptions.
func (s *caseSums) addRow(row table.Row) {
	var names []string
	state := ledger.State(row[caseState].S)
	late := row[caseOpened].OK && state.IsUnresolved() && state != ledger.Pending && state != ledger.Shadow
	if code := row[caseCode].S; late && (code == "RECEIVED_OVERDUE" || code == "SLIP_CREDIT_OVERDUE" || code == "BANK_CREDIT_MISSING") {
		names = append(names, code)
	}
	if state == ledger.Disputed {
		names = append(names, "disputed")
	}
	impact := row[caseImpact]
	for _, name := range append(names, s.figureSums(row)...) {
		if s.byName[name] == nil {
			s.byName[name] = &countedMoney{}
		}
		s.byName[name].addMoney(1, ledger.Amount(impact.N), ledger.Amount(impact.X))
	}
}

// figureSums returns the names of the sums that include a row's impact.
func (s *caseSums) figureSums(row table.Row) []string {
	f := ledger.Finding{
		Code: row[caseCode].S, State: ledger.State(row[caseState].S), Impact: ledger.Some(ledger.Amount(row[caseImpact].X)), Exposure: row[caseDirection].S == directionExposure,
		DueOn: ledger.Date(row[caseDue].N), ExplainedBy: row[caseRoot].S,
	}
	switch figure := f.Figure(s.asOf); figure {
	case "":
		return nil
	case ledger.FigureExcess:
		return []string{string(figure)}
	case ledger.FigureLost, ledger.FigureLate:
		return []string{string(figure), SumMissing, SumPositive}
	default:
		return []string{string(figure), SumPositive}
	}
}
