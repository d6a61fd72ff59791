package deposits

import (
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Terms are what the rules evaluate by.
type Terms struct {
	AsOf     ledger.Date
	Calendar *calendar.Calendar
	// Grace is how many business days a rule waits.
	Grace func(code string) int
}

// lastDayToWait is the last day on which a rule waits for something of a bank day.
func (t *Terms) lastDayToWait(code string, bankDay ledger.Date) ledger.Date {
	return t.Calendar.AddBusinessDays(calendar.Settles, bankDay, t.Grace(code))
}

// lateDays is after how many business days without a settled one a statement is a gap of its own.
const lateDays = 10

// EvaluateLateness evaluates how long ago the last day is that statements have whole.
func (t *Terms) EvaluateLateness(last ledger.Date) rules.Outcome {
	after := func(n int) ledger.Date { return t.Calendar.AddBusinessDays(calendar.Settles, last, 1+n) }
	limit := after(t.Grace(StatementLate))
	o := rules.Outcome{Severity: ledger.Warning, Numbers: []ledger.Number{rules.NamedDate("last", last), rules.NamedDate("limit", limit)}}
	if t.AsOf > after(lateDays) {
		o.Severity = ledger.Critical
	}
	return rules.FireIf(t.AsOf > limit, o)
}

// RefusedOutcome is that of a file of an inbox that is no statement to be taken in. reason is the id of why.
func RefusedOutcome(name, reason string) rules.Outcome {
	o := rules.Outcome{Status: rules.Fires, Severity: ledger.Error, Numbers: []ledger.Number{
		rules.NamedText("file", name), rules.NamedText("reason", "file_"+reason),
	}}
	if reason == "account" || reason == "currency" {
		o.Severity = ledger.Critical
	}
	return o
}

// GapOutcome is that of days that are not settled though one after them is.
func GapOutcome(from, to ledger.Date, state banking.DayState, residual ledger.Opt[ledger.Amount]) rules.Outcome {
	o := rules.Outcome{Status: rules.Fires, Numbers: []ledger.Number{
		rules.NamedDate("from", from), rules.NamedDate("to", to), rules.NamedText("state", "day_"+string(state)),
	}}
	if residual.OK {
		o.Numbers = append(o.Numbers, rules.NamedAmount("residual", residual.V))
	}
	return o
}

// VanishedOutcome is that of a line that later statements of its day do not have.
func VanishedOutcome(day ledger.Date, amount ledger.Amount) rules.Outcome {
	return rules.Outcome{Status: rules.Fires, Expected: ledger.Money(amount), Numbers: []ledger.Number{rules.NamedDate("day", day)}}
}

// Left is a group that no line is, or that one of another amount is.
type Left struct {
	BankDay, CreditDay ledger.Date
	Amount             ledger.Amount
	Items              int64
	// Settled reports whether statements have every day of a period whole.
	Settled func(ledger.Period) bool
}

// EvaluateMissing evaluates a group that no line is.
func (t *Terms) EvaluateMissing(g *Left) rules.Outcome {
	limit := t.lastDayToWait(CreditMissing, g.BankDay)
	o := rules.Outcome{Status: rules.Pends, Expected: ledger.Money(g.Amount), Actual: ledger.Money(0), Numbers: []ledger.Number{
		rules.NamedDate("credit", g.CreditDay), rules.NamedDate("day", g.BankDay), rules.NamedDate("limit", limit), rules.NamedCount("items", int(g.Items)),
	}}
	switch {
	case t.AsOf <= g.BankDay:
		return rules.NotEligible.Outcome()
	case t.AsOf <= limit:
		o.BreakOn = limit + 1
		return o
	case !g.Settled(ledger.Period{From: g.BankDay, To: limit}):
		return rules.NotPulled.Outcome()
	}
	o.Status = rules.Fires
	return o
}

// EvaluateShift evaluates how late a group came, in business days.
func (t *Terms) EvaluateShift(group, line ledger.Date) rules.Outcome {
	days := t.Calendar.CountBusinessDays(calendar.Settles, group, line) - t.Calendar.CountBusinessDays(calendar.Settles, line, group)
	o := rules.Outcome{Severity: ledger.Info, Expected: ledger.Day(group), Actual: ledger.Day(line), Numbers: []ledger.Number{rules.NamedCount("shift", days)}}
	if days > 1 || days < -1 {
		o.Severity = ledger.Warning
	}
	return rules.FireIf(days != 0, o)
}

// unexpectedDays is after how many business days a credit that nothing explains is an error.
const unexpectedDays = 5

// EvaluateCredit evaluates a credit of a payer that is no group. An anticipation may be at the bank some nights before the
// service's lists show it: a warning first, then an error.
func (t *Terms) EvaluateCredit(bankDay ledger.Date, amount ledger.Amount) rules.Outcome {
	o := rules.Outcome{Severity: ledger.Warning, Actual: ledger.Money(amount), Numbers: []ledger.Number{rules.NamedDate("day", bankDay)}}
	if t.AsOf > t.Calendar.AddBusinessDays(calendar.Settles, bankDay, unexpectedDays) {
		o.Severity = ledger.Error
	}
	return rules.FireIf(t.AsOf > t.lastDayToWait(CreditUnexpected, bankDay), o)
}

// EvaluateDebit evaluates a debit of a payer that nothing explains; the amount is negative.
func (t *Terms) EvaluateDebit(bankDay ledger.Date, amount ledger.Amount) rules.Outcome {
	return rules.FireIf(t.AsOf > t.lastDayToWait(DebitUnexplained, bankDay),
		rules.Outcome{Actual: ledger.Money(amount), Numbers: []ledger.Number{rules.NamedDate("day", bankDay), rules.NamedAmount("debit", -amount)}})
}

// SlipDifference is a group of slips alone that came with another amount.
type SlipDifference struct {
	Slips    int64
	Amount   ledger.Amount // expected less credited
	Tariff   ledger.Amount // agreed, for one slip
	HasTerms bool
}

// EvaluateTariff evaluates the differences of a month's slips: one and the same other tariff explains them all, or none does.
// Its expected and actual are tariffs.
func EvaluateTariff(all []SlipDifference, tolerance rules.Tolerance) (o rules.Outcome, impact ledger.Amount) {
	if len(all) == 0 {
		return rules.NotEligible.Outcome(), 0
	}
	agreed, slips := all[0].Tariff, int64(0)
	charged := func(d *SlipDifference) ledger.Amount { return d.Tariff + d.Amount/ledger.Amount(max(1, d.Slips)) }
	for i := range all {
		d := &all[i]
		if !d.HasTerms || d.Slips == 0 || int64(d.Amount)%d.Slips != 0 || d.Tariff != agreed || charged(d) != charged(&all[0]) {
			return rules.Passed.Outcome(), 0
		}
		impact += d.Amount
		slips += d.Slips
	}
	other := charged(&all[0])
	if other < 0 || tolerance.Allows(other-agreed, agreed) {
		return rules.Passed.Outcome(), 0
	}
	return rules.Outcome{
		Status: rules.Fires, Expected: ledger.Money(agreed), Actual: ledger.Money(other), Numbers: []ledger.Number{rules.NamedCount("slips", int(slips))},
	}, impact
}

// EvaluateRental evaluates what was taken as the rental of terminals in a month, or as a multiple of it, against what is agreed for the
// terminals that sold in the month before.
func EvaluateRental(found, expected ledger.Amount, terminals int, tolerance rules.Tolerance) rules.Outcome {
	if found == 0 || expected == 0 {
		return rules.NotEligible.Outcome()
	}
	return rules.FireIf(!tolerance.Allows(found-expected, expected), rules.Outcome{
		Expected: ledger.Money(expected), Actual: ledger.Money(found), Numbers: []ledger.Number{rules.NamedCount("terminals", terminals)},
	})
}
