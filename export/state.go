package export

import (
	"context"
	"fmt"
	"slices"

	"concilia/export/table"
	"concilia/store/ledger"
)

// Takes says whether the kind goes with the basis.
func (k Kind) Takes(b Basis) bool {
	s := specOf(k)
	return s != nil && slices.Contains(s.bases, b)
}

// state makes the tables of a state set: the cases in one pass, which feeds aging too.
func (r *rendering) state(ctx context.Context) error {
	if r.job.Basis != ByAsOf {
		return nil
	}
	if err := r.stateAgenda(ctx); err != nil {
		return err
	}
	if err := r.stateCases(ctx); err != nil {
		return err
	}
	r.idents = append(r.idents, r.stateIdentities()...)
	return r.closeTables()
}

// stateCases writes exceptions and aging. Either needs the other's pass, and each is held against the other.
func (r *rendering) stateCases(ctx context.Context) error {
	if !r.job.has(ExceptionsKind) && !r.job.has(AgingKind) {
		return nil
	}
	for _, t := range []*table.Table{exceptionsTable, agingTable} {
		if err := r.open(t); err != nil {
			return err
		}
	}
	r.cases, r.aging, r.ages = newCaseSums(r.job.AsOf), newAging(), make(caseAges)
	t := r.tables[exceptionsTable.ID]
	err := r.feed.Cases(ctx, func(c *Case) error {
		exceptionRow(t.row, c)
		if err := t.add(t.row); err != nil {
			return fmt.Errorf("case %s: %w", c.Case, err)
		}
		r.cases.add(t.row)
		r.ages.add(c, r.job.AsOf)
		for _, w := range c.Waits {
			if err := r.aging.wait(c.Account, w); err != nil {
				return fmt.Errorf("case %s: %w", c.Case, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = r.feed.NotDue(ctx, func(n *NotDue) error { return r.aging.ahead(n) })
	if err != nil {
		return err
	}
	return r.aging.rows(r.tables[agingTable.ID].add)
}

// agingOf says which rows of exceptions a kind of aging is held against, in the words of formulas.
var agingOf = []struct{ kind, cases string }{
	{CardOverdue, "RECEIVED_OVERDUE"}, {SlipNotCredited, "SLIP_CREDIT_OVERDUE"}, {DisputeOpen, "disputed"},
}

// stateIdentities are that of the figures and those of aging: its total is its buckets, and the cases of exceptions; what is not due is the
// agenda's net.
func (r *rendering) stateIdentities() []Identity {
	if r.aging == nil {
		return nil
	}
	out := []Identity{r.cases.figuresIdentity()}
	sums := r.tables[agingTable.ID].sums()
	buckets := table.Money{Printed: ledger.Amount(sums.Sum("total")), Exact: sums.ExactSum("total")}
	formula := "aging.total ="
	for i, b := range AgingBuckets() {
		if i > 0 {
			formula += " +"
		}
		formula += " aging." + b
		buckets.Printed -= ledger.Amount(sums.Sum(b))
		buckets.Exact -= sums.ExactSum(b)
	}
	out = append(out, identity("aging_total", formula, buckets))
	for _, of := range agingOf {
		waits, cases := r.aging.of(of.kind).total, r.cases.of(of.cases)
		out = append(out,
			identity(of.kind, "aging."+of.kind+".total = exceptions."+of.cases+".impact", waits.sum, neg(cases.sum)),
			countIdentity(of.kind+"_qty", "aging."+of.kind+".total_qty = exceptions."+of.cases+".cases", waits.count-cases.count))
	}
	if agenda := r.tables[agendaID]; agenda != nil && r.job.Filter.showsOpen() {
		net := table.Money{Printed: ledger.Amount(agenda.sums().Sum("net")), Exact: agenda.sums().ExactSum("net")}
		out = append(out, identity("not_due", "aging."+CardOverdue+".not_due = agenda.net", r.aging.of(CardOverdue).notDue.sum, neg(net)))
	}
	return out
}

// agendaID is the table that what is not due of cards is held against, in the sets that have it.
const agendaID = "agenda"

// countIdentity is an identity of counts, which no rounding touches.
func countIdentity(name, formula string, rest int64) Identity {
	a := ledger.FromCents(rest * 100)
	return Identity{Name: name, Formula: formula, Printed: a, Exact: a}
}

// caseSums are counts and impacts of cases: those that aging is held against, by agingOf's words, and the figures, by their
// names. They are taken from the rows as they are printed, so that a reader of the file comes to the same.
type caseSums struct {
	asOf   ledger.Date
	byName map[string]*agingCell
}

func newCaseSums(asOf ledger.Date) *caseSums { return &caseSums{asOf, make(map[string]*agingCell)} }

// The sums beside those of a single figure: of what is missing, and of all impacts that cost the merchant something.
const (
	sumMissing  = "missing"
	sumPositive = "positive"
)

// figuresIdentity holds that each case that costs the merchant something is in exactly one figure.
func (s *caseSums) figuresIdentity() Identity {
	impact := func(name string) table.Money { return s.of(name).sum }
	formula, terms := "exceptions.missing.impact", []table.Money{impact(sumMissing)}
	for _, name := range []ledger.Figure{ledger.FigureAtRisk, ledger.FigureClaimed, ledger.FigureWaived} {
		formula += " + exceptions." + string(name) + ".impact"
		terms = append(terms, impact(string(name)))
	}
	return identity("figures", formula+" = exceptions.positive.impact", append(terms, neg(impact(sumPositive)))...)
}

func (s *caseSums) of(name string) agingCell {
	if c := s.byName[name]; c != nil {
		return *c
	}
	return agingCell{}
}

// The places of what caseSums reads.
var (
	caseCode      = exceptionsTable.ColumnIndex("code")
	caseState     = exceptionsTable.ColumnIndex("state")
	caseOpened    = exceptionsTable.ColumnIndex("opened")
	caseImpact    = exceptionsTable.ColumnIndex("impact")
	caseDue       = exceptionsTable.ColumnIndex("due_date")
	caseDirection = exceptionsTable.ColumnIndex("direction")
	caseRoot      = exceptionsTable.ColumnIndex("explained_by")
)

// add takes a row of exceptions.
func (s *caseSums) add(row table.Row) {
	var names []string
	state := ledger.State(row[caseState].S)
	late := row[caseOpened].OK && state.IsUnresolved() && state != ledger.Pending && state != ledger.Shadow
	if code := row[caseCode].S; late && (code == "RECEIVED_OVERDUE" || code == "SLIP_CREDIT_OVERDUE") {
		names = append(names, code)
	}
	if state == ledger.Disputed {
		names = append(names, "disputed")
	}
	impact := row[caseImpact]
	for _, name := range append(names, s.figureSums(row)...) {
		if s.byName[name] == nil {
			s.byName[name] = &agingCell{}
		}
		s.byName[name].add(1, ledger.Amount(impact.N), ledger.Amount(impact.X))
	}
}

// figureSums are the names of the sums that a row's impact belongs to by the figures.
func (s *caseSums) figureSums(row table.Row) []string {
	f := ledger.Finding{
		State: ledger.State(row[caseState].S), Impact: ledger.Some(ledger.Amount(row[caseImpact].X)), Exposure: row[caseDirection].S == directionExposure,
		DueOn: ledger.Date(row[caseDue].N), ExplainedBy: row[caseRoot].S,
	}
	switch figure := f.Figure(s.asOf); figure {
	case "":
		return nil
	case ledger.FigureExcess:
		return []string{string(figure)}
	case ledger.FigureLost, ledger.FigureLate:
		return []string{string(figure), sumMissing, sumPositive}
	default:
		return []string{string(figure), sumPositive}
	}
}
