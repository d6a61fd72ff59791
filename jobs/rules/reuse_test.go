package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// TestReuse evaluates sales in memory that held another sale, and rows in places that held another outcome: nothing of
// what was there may show.
func TestReuse(t *testing.T) {
	t.Parallel()
	whole, short, late, twice := rows(), rows()[:2], rows(), append(rows(), rows()[1])
	for i := range late {
		v := *late[i].Current()
		v.MDR, v.Status, v.Splits = some("9.99"), "Nunca vista", nil
		late[i] = ledger.InstallmentHistory{v}
	}
	e := world{asOf: "2025-03-03"}.env(t)
	was := rules.Outcome{
		Status: rules.Fires, Severity: ledger.Info, Expected: ledger.Money(1), Actual: ledger.Money(2), Hint: "was", BreakOn: 1,
		Numbers: []ledger.Number{{Name: "was", Value: "1"}},
	}
	var used rules.Sale
	fired := 0
	for _, c := range []struct {
		says string
		rows []ledger.InstallmentHistory
	}{
		{"a whole sale", whole},
		{"one with a row missing, behind a longer one", short},
		{"one with a row twice, behind a shorter one", twice},
		{"one that rules fire on", late},
		{"a whole sale behind one that was not", whole},
	} {
		key := c.rows[0].Current().SaleKey()
		fresh := rules.NewSale(e, key, c.rows, true)
		used.Read(e, key, c.rows, true)
		for i := range e.Rules() {
			if d := cmp.Diff(e.EvaluateSale(i, fresh), e.EvaluateSale(i, &used)); d != "" {
				t.Errorf("%s: %s on the sale: %s", c.says, e.Rules()[i].Code, d)
			}
			for n, r := range fresh.Rows {
				want := e.EvaluateRow(i, r)
				if want.Status == rules.Fires {
					fired++
				}
				for _, into := range []rules.Outcome{{}, {Status: rules.Passed}, was} {
					e.EvaluateRowInto(&into, i, used.Rows[n])
					if d := cmp.Diff(want, into); d != "" {
						t.Errorf("%s: %s on row %d: %s", c.says, e.Rules()[i].Code, n, d)
					}
				}
			}
		}
	}
	if fired == 0 {
		t.Error("no rule fires on any row: nothing was shown")
	}
}
