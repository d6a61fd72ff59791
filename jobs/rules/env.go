package rules

import (
	"errors"

	"github.com/shopspring/decimal"

	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// Options configure the rules of one account. All but Settings are required.
type Options struct {
	Account   ledger.Account
	Run       string
	AsOf      ledger.Date
	Contracts *agreements.Contracts
	Mapping   *agreements.Mapping
	Profile   agreements.Profile
	Calendar  *calendar.Calendar
	Settings  Settings
	// SeenOn is the date, on the configured zone's clock, on which the last complete pull of a day of a source
	// began; no date when there is none.
	SeenOn func(ledger.Source, ledger.Date) ledger.Date
	// CompleteNow says whether this run pulled a day of a source completely.
	CompleteNow func(ledger.Source, ledger.Date) bool
	// Answered says whether a question asked again was answered in this run.
	Answered      func(Recheck) bool
	Notifications NotificationFacts
	// PullsOf says how many answers for a day of a source arrived whole, this run's counted. Rules that compare what
	// was with what is, and those on vanished rows and on volumes, need two. nil: none is known of.
	PullsOf func(ledger.Source, ledger.Date) int
	// SlipNote is what the answers of this run said of a slip in addition to its views. nil: nothing is known of any.
	SlipNote func(*ledger.Slip) SlipNote
	// Replaced says whether another slip of the same reference code took the place of one. nil: of none.
	Replaced func(*ledger.Slip) bool
	// Closes are the periods of the account that are closed now; none: rules on them have no input.
	Closes []Close
	// Register lists the beneficiaries that are known, Orders what the account ordered to be paid early. nil: not
	// configured.
	Register *agreements.Register
	Orders   *agreements.Orders
}

// Env is what rules evaluate by: documents, dates and what was pulled. It is not safe for concurrent use.
type Env struct {
	Options
	businessDays
	rules       []Rule
	adjusted    []adjustment
	index       map[string]int
	HasContract bool                    // the account has a contract of whatever validity
	powers      map[powerKey]powerValue // factors of past powers: the same few come back on every row
}

// NewEnv returns the environment that evaluates these rules, in this order. It checks that all required options are set and
// applies the settings.
func NewEnv(all []Rule, o Options) (*Env, error) {
	if o.Contracts == nil || o.Mapping == nil || o.Calendar == nil || o.AsOf == 0 || o.Account <= 0 {
		return nil, errors.New("rules: account, as-of, contracts, mapping and calendar are all needed")
	}
	if o.SeenOn == nil {
		o.SeenOn = func(ledger.Source, ledger.Date) ledger.Date { return 0 }
	}
	if o.CompleteNow == nil {
		o.CompleteNow = func(ledger.Source, ledger.Date) bool { return false }
	}
	if o.Answered == nil {
		o.Answered = func(Recheck) bool { return false }
	}
	if o.PullsOf == nil {
		o.PullsOf = func(ledger.Source, ledger.Date) int { return 0 }
	}
	if o.SlipNote == nil {
		o.SlipNote = func(*ledger.Slip) SlipNote { return SlipNote{} }
	}
	if o.Replaced == nil {
		o.Replaced = func(*ledger.Slip) bool { return false }
	}
	e := &Env{Options: o, businessDays: businessDays{o.Calendar}, rules: all, powers: map[powerKey]powerValue{}}
	var err error
	if e.adjusted, err = o.Settings.adjustRules(e.rules); err != nil {
		return nil, err
	}
	e.index = make(map[string]int, len(e.rules))
	for i := range e.rules {
		e.index[e.rules[i].Code] = i
	}
	for _, k := range o.Contracts.All() {
		e.HasContract = e.HasContract || k.Account == o.Account
	}
	return e, nil
}

// Rules returns the catalogue in force, in order. The caller must not change it.
func (e *Env) Rules() []Rule { return e.rules }

// Index returns the position of a code in Rules, or -1.
func (e *Env) Index(code string) int {
	if i, ok := e.index[code]; ok {
		return i
	}
	return -1
}

// Severity is the severity of an outcome of rule i: that of the settings, else that of the outcome, else the default of
// the rule.
func (e *Env) Severity(i int, o *Outcome) ledger.Severity {
	switch {
	case e.adjusted[i].severity != "":
		return e.adjusted[i].severity
	case o.Severity != "":
		return o.Severity
	}
	return e.rules[i].Severity
}

// EvaluateRow evaluates an installment by rule i; rules on other subjects are not eligible.
func (e *Env) EvaluateRow(i int, r *Row) Outcome {
	rule := &e.rules[i]
	if rule.EvaluateRow == nil {
		return NotEligible.Outcome()
	}
	if rule.ByClass && r.Unmapped {
		return Unmapped.Outcome()
	}
	return rule.EvaluateRow(e, r, e.adjusted[i].tolerance)
}

// EvaluateRowInto is EvaluateRow, but writes into an existing outcome: nearly all outcomes are only a status, which avoids copying.
func (e *Env) EvaluateRowInto(into *Outcome, i int, r *Row) {
	rule := &e.rules[i]
	switch {
	case rule.EvaluateRow == nil:
		into.setStatus(NotEligible)
	case rule.ByClass && r.Unmapped:
		into.setStatus(Unmapped)
	default:
		o := rule.EvaluateRow(e, r, e.adjusted[i].tolerance)
		if o.Status.hasNoFigures() {
			into.setStatus(o.Status)
			return
		}
		*into = o
	}
}

// EvaluateSplit evaluates split n of an installment by rule i. Splits beyond those of the row are agreed ones that it lacks.
func (e *Env) EvaluateSplit(i int, r *Row, n int) Outcome {
	rule := &e.rules[i]
	if rule.EvaluateSplit == nil {
		return NotEligible.Outcome()
	}
	if rule.ByClass && r.Unmapped {
		return Unmapped.Outcome()
	}
	return rule.EvaluateSplit(e, r, n, e.adjusted[i].tolerance)
}

// EvaluateSale evaluates a sale by rule i.
func (e *Env) EvaluateSale(i int, s *Sale) Outcome {
	rule := &e.rules[i]
	if rule.EvaluateSale == nil {
		return NotEligible.Outcome()
	}
	if rule.ByClass && s.Unmapped {
		return Unmapped.Outcome()
	}
	return rule.EvaluateSale(e, s, e.adjusted[i].tolerance)
}

// EvaluateSlip evaluates a slip by rule i.
func (e *Env) EvaluateSlip(i int, s *Slip) Outcome {
	if e.rules[i].EvaluateSlip == nil {
		return NotEligible.Outcome()
	}
	return e.rules[i].EvaluateSlip(e, s, e.adjusted[i].tolerance)
}

// Grace is the grace of a rule after the settings; rules and brackets share it.
func (e *Env) Grace(code string) int { return e.Tolerance(code).Grace }

// Tolerance is what a rule lets pass after the settings; a code that is not among the rules lets nothing pass.
func (e *Env) Tolerance(code string) Tolerance {
	i, known := e.index[code]
	if !known {
		return Tolerance{}
	}
	return e.adjusted[i].tolerance
}

type powerKey struct {
	rate ledger.Rate // percent
	num  int         // the exponent is num/den
	den  int
}

type powerValue struct {
	factor decimal.Decimal
	ok     bool
}

// EvaluateNotification evaluates a notification by rule i; rules on other subjects are not eligible.
func (e *Env) EvaluateNotification(i int, n *Notification) Outcome {
	if e.rules[i].EvaluateNotification == nil || e.Notifications.From == 0 {
		return NotEligible.Outcome()
	}
	return e.rules[i].EvaluateNotification(e, n, e.adjusted[i].tolerance)
}
