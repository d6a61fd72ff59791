package reconcile_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/catalogue"
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

// A rule that is suppressed on the very first night has its cases in shadow, each on its own subject.
func TestSuppressedCaseWithoutEarlierCase(t *testing.T) {
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

// If everything is evaluated, what fits better is measured on the rows at hand, without another query.
func TestBetterFitIsMeasuredWhileEvaluating(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says string
		m    *memory
		want map[string]string // how the note on a rule ends
	}{
		{"rules not believed, and one that is and rests on the same", inFractions(20), map[string]string{
			"MDR_AMOUNT_MISMATCH": "rests on rate_unit; mdr_rounding, read as percent; installment. Fits better: rate_unit: fraction.",
			"SPLIT_PCT_SUM":       "SPLIT_PCT_SUM rests on rate_unit; split, read as percent; net, partial. Fits better: rate_unit: fraction.",
		}},
		{"too few rows to tell", inFractions(3), map[string]string{}},
		{"every rule is believed", roundedOnTheSale(40), map[string]string{
			"MDR_AMOUNT_MISMATCH":    "MDR_AMOUNT_MISMATCH rests on rate_unit; mdr_rounding, read as percent; installment. Fits better: mdr_rounding: sale.",
			"MDR_TXN_TOTAL_MISMATCH": "MDR_TXN_TOTAL_MISMATCH rests on rate_unit; mdr_rounding, read as percent; installment. Fits better: mdr_rounding: sale.",
		}},
	} {
		in := inputs("2024-10-22")
		in.MeasureBetterFit = func(context.Context) (func(string) string, error) {
			t.Errorf("%s: somebody else is asked", c.says)
			return nil, nil
		}
		c.m.reconciled(t, in)
		said := map[string]string{}
		for _, f := range c.m.findings {
			if f.Code == assumptions.Uncalibrated {
				code, _ := strings.CutPrefix(f.Subject, "rule:1001:")
				said[code] = catalogue.Voice{Language: "en"}.Explain(f)
			}
		}
		for code, want := range c.want {
			if !strings.HasSuffix(said[code], want) {
				t.Errorf("%s: %s: %q, want %q", c.says, code, said[code], want)
			}
		}
		for code := range said {
			rests := assumptions.InterpretationsOf(code) // the forecasts of these rows fall as they fall, which is another reading
			if len(c.want) == 0 || !slices.Contains(rests, "rate_unit") && !slices.Contains(rests, "mdr_rounding") && !slices.Contains(rests, "forecast") {
				t.Errorf("%s: a note on %s: %s", c.says, code, said[code])
			}
		}
	}
}

// roundedOnTheSale are sales of 120.00 in three whose MDR of 2.49 % was rounded once and spread: 1.01, 0.99 and 0.99, each
// within a cent of what its own rate gives.
func roundedOnTheSale(n int) *memory {
	m := &memory{}
	for i := range n {
		var all []ledger.InstallmentHistory
		for k, mdr := range []string{"1.01", "0.99", "0.99"} {
			all = append(all, installment("2024-10-21", fmt.Sprintf("%06d", i), "A", k+1, func(x *ledger.Installment) {
				x.Gross, x.SaleTotal, x.MDR = reais("40"), some("120"), some(mdr)
				x.Forecast, x.Card = x.SoldAt.Date()+ledger.Date(30*(k+1)), fmt.Sprintf("411111******%04d", i)
			}))
		}
		m.sales = append(m.sales, saleOf(all...))
	}
	return m
}
