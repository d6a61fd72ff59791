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
	Answered func(Ask) bool
	Notices  Notices
	// PullsOf says how many answers for a day of a source arrived whole, this run's counted. Rules that compare what
	// was with what is, and those on vanished rows and on volumes, need two. nil: none is known of.
	PullsOf func(ledger.Source, ledger.Date) int
	// SlipNote is what the answers of this run said of a slip beside its views. nil: nothing is known of any.
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

// Env is what rules judge by: documents, dates and what was pulled. It is not safe for concurrent use.
type Env struct {
	Options
	rules      []Rule
	tuned      []tuned
	index      map[string]int
	contracted bool                    // the account has a contract of whatever validity
	powers     map[powerKey]powerValue // factors of past powers: the same few come back on every row
}

// NewEnv checks that all required options are set and applies the settings.
func NewEnv(o Options) (*Env, error) {
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
		o.Answered = func(Ask) bool { return false }
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
	e := &Env{Options: o, rules: All(), powers: map[powerKey]powerValue{}}
	var err error
	if e.tuned, err = o.Settings.apply(e.rules); err != nil {
		return nil, err
	}
	e.index = make(map[string]int, len(e.rules))
	for i := range e.rules {
		e.index[e.rules[i].Code] = i
	}
	for _, k := range o.Contracts.All() {
		e.contracted = e.contracted || k.Account == o.Account
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
	case e.tuned[i].severity != "":
		return e.tuned[i].severity
	case o.Severity != "":
		return o.Severity
	}
	return e.rules[i].Severity
}

// OnRow judges an installment by rule i; rules on other subjects are not eligible.
func (e *Env) OnRow(i int, r *Row) Outcome {
	rule := &e.rules[i]
	if rule.row == nil {
		return only(NotEligible)
	}
	if rule.ByClass && r.Unmapped {
		return only(Unmapped)
	}
	return rule.row(e, r, e.tuned[i].tolerance)
}

// JudgeRow is OnRow, but writes into an existing outcome: nearly all outcomes are only a status, which avoids copying.
func (e *Env) JudgeRow(into *Outcome, i int, r *Row) {
	rule := &e.rules[i]
	switch {
	case rule.row == nil:
		into.be(NotEligible)
	case rule.ByClass && r.Unmapped:
		into.be(Unmapped)
	default:
		o := rule.row(e, r, e.tuned[i].tolerance)
		if o.Status.bare() {
			into.be(o.Status)
			return
		}
		*into = o
	}
}

// OnSplit judges split n of an installment by rule i. Splits beyond those of the row are agreed ones that it lacks.
func (e *Env) OnSplit(i int, r *Row, n int) Outcome {
	rule := &e.rules[i]
	if rule.split == nil {
		return only(NotEligible)
	}
	if rule.ByClass && r.Unmapped {
		return only(Unmapped)
	}
	return rule.split(e, r, n, e.tuned[i].tolerance)
}

// OnSale judges a sale by rule i.
func (e *Env) OnSale(i int, s *Sale) Outcome {
	rule := &e.rules[i]
	if rule.sale == nil {
		return only(NotEligible)
	}
	if rule.ByClass && s.Unmapped {
		return only(Unmapped)
	}
	return rule.sale(e, s, e.tuned[i].tolerance)
}

// OnSlip judges a slip by rule i.
func (e *Env) OnSlip(i int, s *Slip) Outcome {
	if e.rules[i].slip == nil {
		return only(NotEligible)
	}
	return e.rules[i].slip(e, s, e.tuned[i].tolerance)
}

// grace is the grace of a rule after the settings; rules and brackets share it.
func (e *Env) grace(code string) int { return e.tuned[e.index[code]].tolerance.Grace }

// tolerance is what a rule lets pass after the settings.
func (e *Env) tolerance(code string) Tolerance { return e.tuned[e.index[code]].tolerance }

// points are the percentage points a rule lets pass after the settings; stars ask, so as not to blame what it passes.
func (e *Env) points(code string) ledger.Rate { return e.tuned[e.index[code]].tolerance.Points }

// next and add ask the calendar of payments, counter and counterAdd that of branches.
func (e *Env) next(d ledger.Date) ledger.Date { return e.Calendar.NextBusinessDay(calendar.Settles, d) }

func (e *Env) add(d ledger.Date, j int) ledger.Date {
	return e.Calendar.AddBusinessDays(calendar.Settles, d, j)
}

func (e *Env) counter(d ledger.Date) ledger.Date {
	return e.Calendar.NextBusinessDay(calendar.Counter, d)
}

func (e *Env) counterAdd(d ledger.Date, j int) ledger.Date {
	return e.Calendar.AddBusinessDays(calendar.Counter, d, j)
}
func (e *Env) business(d ledger.Date) bool { return e.Calendar.IsBusinessDay(calendar.Settles, d) }
func (e *Env) between(a, b ledger.Date) int {
	return e.Calendar.CountBusinessDays(calendar.Settles, a, b)
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

// BusinessDays is the number of business days in (from, to] on which payments settle, 0 when to is not after from.
func (e *Env) BusinessDays(from, to ledger.Date) int { return e.between(from, to) }
