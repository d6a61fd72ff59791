package rules_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/store/ledger"
)

// ratesAs is a sale of one installment whose rates are spelled in a unit; wrong is an MDR no unit gives.
func ratesAs(unit string, wrong bool) []ledger.InstallmentHistory {
	h := rows()[0]
	h[0].Number, h[0].Count, h[0].Splits = 1, 1, nil
	if unit == "fraction" {
		h[0].MDRRate = pct("0.0249")
	}
	if wrong {
		h[0].MDR = some("7.00")
	}
	return []ledger.InstallmentHistory{h}
}

func TestCalibrationDecides(t *testing.T) {
	t.Parallel()
	e := world{contract: "none"}.env(t)
	for _, c := range []struct {
		says              string
		percent, fraction int
		wrong             int // rows of neither unit
		want              assumptions.Verdict
		value, why        string
	}{
		{says: "no rows", want: assumptions.NoRows, value: "percent"},
		{says: "thirty rows", percent: 30, want: assumptions.Confirmed, value: "percent"},
		{says: "thirty rows of the other", fraction: 30, want: assumptions.Better, value: "fraction"},
		{
			says: "twenty-nine rows", fraction: 29, want: assumptions.Undecided, value: "percent",
			why: "29 rows tell fraction from percent, 30 are needed",
		},
		{says: "98 of a hundred", fraction: 98, wrong: 2, want: assumptions.Better, value: "fraction"},
		{
			says: "97 of a hundred", fraction: 97, wrong: 3, want: assumptions.Undecided, value: "percent",
			why: "fraction fits 97 of 100 rows, 98 % are needed",
		},
		{
			says: "half of each", percent: 50, fraction: 50, want: assumptions.Undecided, value: "percent",
			why: "percent fits 50 of 100 rows, 98 % are needed",
		},
	} {
		cal := assumptions.NewCalibration()
		half := assumptions.NewCalibration()
		feed := func(to *assumptions.Calibration, n int, unit string, wrong bool) {
			for range n {
				h := ratesAs(unit, wrong)
				to.AddSale(e, rules.NewSale(e, h[0][0].SaleKey(), h, true))
			}
		}
		feed(cal, c.percent, "percent", false)
		feed(half, c.fraction, "fraction", false)
		feed(half, c.wrong, "percent", true)
		cal.Merge(half)
		a := cal.Answers(agreements.DefaultProfile())[0]
		got := fmt.Sprint(a.Verdicts[0], " ", a.Values[0], " ", a.Why)
		if diff := cmp.Diff(fmt.Sprint(c.want, " ", c.value, " ", c.why), got); diff != "" {
			t.Errorf("%s:\n%s", c.says, diff)
		}
	}
}

// What rests on the unit of rates is measured under the unit the rows speak for, whatever is in force.
func TestCalibrationUnderTheUnitChosen(t *testing.T) {
	t.Parallel()
	e := world{contract: "none"}.env(t)
	cal := assumptions.NewCalibration()
	for range 40 {
		h := ratesAs("fraction", false)
		h[0][0].Anticipation, h[0][0].AnticipationRate = some("1.06"), pct("0.0109") // 97.51 × 1.09 % × 30 days / 30
		h[0][0].Effective, h[0][0].Received = day("2024-10-22"), some("96.05")
		cal.AddSale(e, rules.NewSale(e, h[0][0].SaleKey(), h, true))
	}
	p := agreements.DefaultProfile()
	p.Anticipation.Formula = agreements.AnticipationFlat
	answers := cal.Answers(p)
	got, err := assumptions.ApplyAnswers(p, answers)
	if err != nil || got.Unit != ledger.Fraction {
		t.Errorf("%+v %v", got, err)
	}
	for _, a := range answers {
		if a.Keys[0] == agreements.KeyAnticipationFormula {
			// Thirty days: flat and simple are one and the same, so nothing is chosen between them.
			if a.Rows != 40 || a.Verdicts[0] != assumptions.Undecided || a.Values[0] != "flat" {
				t.Errorf("%+v", a)
			}
		}
	}
	if better := assumptions.FitsBetter(answers); better("rate_unit") != "fraction" || better("anticipation") != "" {
		t.Errorf("fits better: %q, %q", better("rate_unit"), better("anticipation"))
	}
	answers[0].Withdraw("not sure")
	if same, err := assumptions.ApplyAnswers(p, answers[:1]); err != nil || same != p || answers[0].Why != "not sure" {
		t.Errorf("a refused answer changes %+v: %v", same, err)
	}
}

// A fee of two cents looks the same however it is parted: both candidates fit every row, and neither is chosen.
func TestCalibrationRefusesNearTies(t *testing.T) {
	t.Parallel()
	e := world{contract: "none"}.env(t)
	cal := assumptions.NewCalibration()
	for range 40 {
		all := rows()
		for k := range all {
			all[k][0].SaleFee, all[k][0].SaleAntifraud = some("0.02"), some("0")
			all[k][0].Fee = some([]string{"0.01", "0.01", "0"}[k])
		}
		cal.AddSale(e, rules.NewSale(e, all[0][0].SaleKey(), all, true))
	}
	for _, a := range cal.Answers(agreements.DefaultProfile()) {
		if a.Keys[0] == agreements.KeyFeeSpread && (a.Rows != 40 || a.Verdicts[0] != assumptions.Undecided || a.Why != "first is within 5 points of spread") {
			t.Errorf("%+v", a)
		}
	}
}
