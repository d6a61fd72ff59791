package runs

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// The codes of rules on many rows at once, for which the run collects the values.
const (
	VolumeAnomaly    = "RUN_VOLUME_ANOMALY"
	RateDrift        = "RATE_TABLE_DRIFT"
	BudgetExceeded   = "TOLERANCE_BUDGET_EXCEEDED"
	ContinuityBroken = "LEDGER_CONTINUITY_BROKEN"
	ProofFailed      = "REPORT_TIE_FAILED"
)

// populationRules evaluate days and months as a whole.
func populationRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: VolumeAnomaly, Version: 1, Family: rules.FamilyRun, Subject: rules.OnDay, Severity: ledger.Warning, Grades: []ledger.Severity{ledger.Info},
			Needs: []rules.Need{rules.Installments, rules.SlipLists, rules.Calendar}, Tier: rules.Always, Default: rules.Tolerance{Grace: 5},
		},
		{
			Code: RateDrift, Version: 1, Family: rules.FamilyFees, Subject: rules.OnMonth, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Installments, rules.History}, Tier: rules.Always, Default: rules.Tolerance{Points: 20_000},
		},
		{
			Code: BudgetExceeded, Version: 1, Family: rules.FamilyRun, Subject: rules.OnMonth, Severity: ledger.Error,
			Needs: []rules.Need{rules.Tolerated}, Tier: rules.Always, Default: rules.Tolerance{Abs: 5 * ledger.Real, Rel: 100},
		},
		{
			Code: ContinuityBroken, Version: 1, Family: rules.FamilyRun, Subject: rules.OnMonth, Severity: ledger.Critical,
			Needs: []rules.Need{rules.History}, Tier: rules.Always,
		},
		{
			Code: ProofFailed, Version: 2, Family: rules.FamilyRun, Subject: rules.OnFile, Severity: ledger.Critical,
			Needs: []rules.Need{rules.Published}, Tier: rules.Always,
		},
	}
}

// RateChange compares the MDR of a group with that of the month before, over the rows for which Env.Rated is Passed.
type RateChange struct {
	rules.MonthGroup // Month is the later one
	// Now and Before are the sums of that month and of the one before it.
	Now, Before rules.RateSums
	// Pulls is the number of complete pulls of the least pulled day of either month.
	Pulls int
}

// CheckRated is the status of an installment for RATE_TABLE_DRIFT: not eligible, unmapped, or Passed if its sums count.
func CheckRated(e *rules.Env, r *rules.Row) rules.Status {
	switch {
	case r.Unmapped, !r.BrandMapped, !r.ProductMapped:
		return rules.Unmapped
	case r.Class == ledger.Cancelled:
		return rules.NotEligible
	}
	return rules.Passed
}

// driftRows is how many installments a month needs for its rate to be compared.
const driftRows = 30

// EvaluateRateDrift evaluates a month against the one before it.
func EvaluateRateDrift(e *rules.Env, d RateChange) rules.Outcome {
	if d.Now.Rows < driftRows || d.Before.Rows < driftRows {
		return rules.NotEligible.Outcome()
	}
	now, ok1 := rules.PercentOf(d.Now.MDR, d.Now.Gross)
	before, ok2 := rules.PercentOf(d.Before.MDR, d.Before.Gross)
	if d.Pulls < rules.ComparablePulls || !ok1 || !ok2 {
		return rules.NotEvaluable.Outcome()
	}
	moved := now - before
	switch {
	case moved == 0:
		return rules.Passed.Outcome()
	case moved.Abs() <= e.Tolerance(RateDrift).Points:
		return rules.Within.Outcome()
	}
	cost, err := moved.ShareOf(d.Now.Gross, ledger.Percent, ledger.HalfAwayFromZero)
	if err != nil {
		return rules.NotEvaluable.Outcome()
	}
	o := rules.Outcome{
		Status: rules.Fires, Hint: rules.Over, Expected: ledger.Text(before.Fixed(4)), Actual: ledger.Text(now.Fixed(4)),
		Numbers: []ledger.Number{
			rules.NamedText("brand", d.Brand), rules.NamedText("product", string(d.Product)), rules.NamedText("band", d.Band), rules.NamedText("month", rules.Month(d.Month)),
			rules.NamedAmount("cost", cost), rules.NamedAmount("gross", d.Now.Gross),
		},
	}
	if moved < 0 {
		o.Hint = rules.Under
	}
	return o
}

// Budget is what a rule tolerated in a month.
type Budget struct {
	Code      string
	Month     ledger.Date // its first day
	Rows      int         // the rule was evaluated on
	Tolerated ledger.Amount
	Gross     ledger.Amount // ΣG, or ΣV, of those rows
}

// budgetRows is how many rows a month of a rule needs: of few, a cent each is much.
const budgetRows = 500

// EvaluateBudget evaluates what a rule tolerated in a month.
func EvaluateBudget(e *rules.Env, b Budget) rules.Outcome {
	t := e.Tolerance(BudgetExceeded)
	most := b.amountAllowed(t)
	if !most.OK {
		return rules.NotEvaluable.Outcome()
	}
	if t.Allows(b.Tolerated, b.Gross) {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{
		Status: rules.Fires, Hint: rules.Over, Expected: ledger.Money(most.V), Actual: ledger.Money(b.Tolerated),
		Numbers: []ledger.Number{rules.NamedText("code", b.Code), rules.NamedText("month", rules.Month(b.Month))},
	}
}

// amountAllowed is the largest amount that a tolerance allows; absent where the month has too few rows.
func (b Budget) amountAllowed(t rules.Tolerance) ledger.Opt[ledger.Amount] {
	if b.Rows < budgetRows {
		return ledger.Opt[ledger.Amount]{}
	}
	most := t.Abs
	if share, err := b.Gross.Abs().MulDiv(int64(t.Rel), rules.Millionths, ledger.HalfAwayFromZero); err == nil {
		most = max(most, share)
	}
	return ledger.Some(most)
}

// Most is what may be tolerated under the settings; absent where the month has too few rows.
func (b Budget) Most(s rules.Settings) (ledger.Opt[ledger.Amount], error) {
	all := populationRules()
	i := slices.IndexFunc(all, func(r rules.Rule) bool { return r.Code == BudgetExceeded })
	t, err := s.ToleranceOf(&all[i])
	if err != nil {
		return ledger.Opt[ledger.Amount]{}, err
	}
	return b.amountAllowed(t), nil
}

// Subject names the month of the rule.
func (b Budget) Subject(a ledger.Account) string {
	return ledger.Subject("month", a, rules.Month(b.Month), b.Code)
}

// Continuity is the open amount of a month before, the movements, and the open amount after by an independent count.
type Continuity struct {
	Month                       ledger.Date // its first day
	Brand                       string
	Product                     ledger.Product
	Opening, Movements, Closing ledger.Amount // in G
}

// EvaluateContinuity evaluates a month.
func EvaluateContinuity(e *rules.Env, c Continuity) rules.Outcome {
	want, err := c.Opening.Add(c.Movements)
	if err == nil && want == c.Closing {
		return rules.Passed.Outcome()
	}
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(want), Actual: ledger.Money(c.Closing), Numbers: []ledger.Number{
			rules.NamedText("month", rules.Month(c.Month)), rules.NamedText("brand", c.Brand), rules.NamedText("product", string(c.Product)),
			rules.NamedAmount("opening", c.Opening), rules.NamedAmount("movements", c.Movements),
		},
	}
}

// Subject names the month, brand and product.
func (c Continuity) Subject(a ledger.Account) string {
	return ledger.Subject("month", a, rules.Month(c.Month), c.Brand, string(c.Product))
}
