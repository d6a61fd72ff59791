package reconcile_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// inFractions are sales whose rates are spelled as fractions: under the default reading no MDR is what its rate gives.
func inFractions(n int) *memory {
	m := &memory{}
	for i := range n {
		var all []ledger.InstallmentHistory
		for k := 1; k <= 3; k++ {
			all = append(all, installment("2024-10-21", fmt.Sprintf("%06d", i), "A", k, func(x *ledger.Installment) {
				x.MDRRate, x.Forecast, x.Card = pct("0.0249"), x.SoldAt.Date()+ledger.Date(30*k), fmt.Sprintf("411111******%04d", i)
			}))
		}
		m.sales = append(m.sales, saleOf(all...))
	}
	return m
}

// A rule that is not believed on the very first night has its cases in shadow, each on its own subject.
func TestCasesBornInShadowWhereNoCaseStands(t *testing.T) {
	t.Parallel()
	m := inFractions(20)
	m.reconciled(t, inputs("2024-10-22"))
	shadows := 0
	for _, f := range m.findings {
		if f.Subject == "" || f.Case != ledger.CaseID(1001, f.Subject, f.Code) {
			t.Errorf("%s stands on %q", f.Code, f.Subject)
		}
		if f.Code == "MDR_AMOUNT_MISMATCH" && f.State == ledger.Shadow {
			shadows++
		}
	}
	if shadows != 60 {
		t.Errorf("%d cases of 60 stand in shadow", shadows)
	}
}

// What fits better is measured where a rule is not believed, once whatever the rules, and only there.
func TestWhatFitsBetterIsMeasuredOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says  string
		m     *memory
		asked int
		want  string
	}{
		{"rules not believed", inFractions(20), 1, "Fits better: rate_unit: fraction."},
		{"too few rows to doubt a rule", inFractions(3), 0, ""},
	} {
		asked := 0
		in := inputs("2024-10-22")
		in.Better = func(context.Context) (func(string) string, error) {
			asked++
			return func(reading string) string { return map[string]string{"rate_unit": "fraction"}[reading] }, nil
		}
		c.m.reconciled(t, in)
		notes := 0
		for _, f := range c.m.findings {
			if f.Code != rules.Uncalibrated {
				continue
			}
			notes++
			code, _ := strings.CutPrefix(f.Subject, "rule:1001:")
			if said := rules.Explain(f, "en"); slices.Contains(rules.ReadingsOf(code), "rate_unit") && !strings.HasSuffix(said, c.want) {
				t.Errorf("%s: %s", c.says, said)
			}
		}
		if asked != c.asked || (notes > 1) != (c.asked > 0) {
			t.Errorf("%s: asked %d times, %d notes", c.says, asked, notes)
		}
	}
}
