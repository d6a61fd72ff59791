package ledger_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"concilia/store/ledger"
)

// A case is in the figure that people expect it in.
func TestFigureOfCase(t *testing.T) {
	t.Parallel()
	asOf := ledger.NewDate(2026, time.November, 18)
	for _, c := range []struct {
		says     string
		state    ledger.State
		code     string
		impact   ledger.Amount
		exposure bool
		due      ledger.Date
		root     string
		want     ledger.Figure
	}{
		{says: "a fee too high is lost", state: ledger.Opened, impact: 5, want: ledger.FigureLost},
		{says: "and so while it is pending", state: ledger.Pending, impact: 5, want: ledger.FigureLost},
		{says: "or acknowledged, whatever its date", state: ledger.Acknowledged, impact: 5, due: asOf + 9, want: ledger.FigureLost},
		{says: "what was due today is late", state: ledger.Opened, impact: 5, exposure: true, due: asOf, want: ledger.FigureLate},
		{says: "and so is what has no date", state: ledger.Reopened, impact: 5, exposure: true, want: ledger.FigureLate},
		{says: "what is due tomorrow is at risk", state: ledger.Opened, impact: 5, exposure: true, due: asOf + 1, want: ledger.FigureAtRisk},
		{says: "a disputed case is claimed, late or not", state: ledger.Disputed, impact: 5, exposure: true, due: asOf, want: ledger.FigureClaimed},
		{says: "a waived one is waived", state: ledger.Waived, impact: 5, want: ledger.FigureWaived},
		{says: "what came beyond is excess", state: ledger.Opened, impact: -5, want: ledger.FigureExcess},
		{says: "disputed or not", state: ledger.Disputed, impact: -5, exposure: true, due: asOf + 1, want: ledger.FigureExcess},
		{says: "a resolved case is in none", state: ledger.Resolved, impact: 5},
		{says: "nor is a closed one", state: ledger.Closed, impact: 5},
		{says: "nor one in shadow", state: ledger.Shadow, impact: 5},
		{says: "nor one that another case explains", state: ledger.Opened, impact: 5, root: "MDR_RATE_MISMATCH"},
		{says: "nor one about no amount", state: ledger.Opened},
		{says: "nor one of a store's own sales", code: "SALE_NOT_AT_ACQUIRER", state: ledger.Opened, impact: 5, exposure: true},
		{says: "nor what the store lacks", code: "SALE_NOT_IN_ERP", state: ledger.Disputed, impact: -5},
	} {
		f := ledger.Finding{Code: c.code, State: c.state, Impact: ledger.Some(c.impact), Exposure: c.exposure, DueOn: c.due, ExplainedBy: c.root}
		if got := f.Figure(asOf); got != c.want {
			t.Errorf("%s: in %q, want %q", c.says, got, c.want)
		}
	}
}

// Every case is rounded by itself, as reports print it, and a sum that does not fit is an error.
func TestFiguresAddUp(t *testing.T) {
	t.Parallel()
	var f ledger.Figures
	for _, add := range []struct {
		to     ledger.Figure
		impact ledger.Amount
	}{{ledger.FigureLost, 50}, {ledger.FigureLost, 149}, {ledger.FigureLate, 300}, {ledger.FigureExcess, -150}, {"", 7_000}, {ledger.FigureWaived, 100}} {
		if err := f.Add(add.to, add.impact); err != nil {
			t.Fatal(err)
		}
	}
	if want := (ledger.Figures{Lost: 200, Late: 300, Waived: 100, Excess: 200}); f != want || f.Missing() != 500 || f.Positive() != 600 {
		t.Errorf("they add up to %+v, missing %s of %s", f, f.Missing(), f.Positive())
	}
	both := f
	if err := both.AddAll(f); err != nil || both.AmountOf(ledger.FigureExcess) != 400 || both.Missing() != 1000 || both.IsZero() {
		t.Errorf("twice the same: %+v, %v", both, err)
	}
	if err := f.Add(ledger.FigureLost, math.MaxInt64/100*100); !errors.Is(err, ledger.ErrOverflow) || f.Lost != 200 {
		t.Errorf("more than fits: %v, %s", err, f.Lost)
	}
}
