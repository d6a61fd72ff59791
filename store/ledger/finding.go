package ledger

import (
	"slices"
	"strings"
)

// Value is the expected or the actual value of a finding: an amount, a date or a text. The zero Value is none.
type Value struct {
	Kind   ValueKind
	Amount Amount
	Date   Date
	Text   string
}

// ValueKind is which member of a Value is set.
type ValueKind uint8

// The kinds of a Value.
const (
	NoValue ValueKind = iota
	AmountValue
	DateValue
	TextValue
)

// Money is an amount as a value.
func Money(a Amount) Value { return Value{Kind: AmountValue, Amount: a} }

// Day is a date as a value; no date is no value.
func Day(d Date) Value {
	if d == 0 {
		return Value{}
	}
	return Value{Kind: DateValue, Date: d}
}

// Text is a text as a value; an empty one is no value.
func Text(s string) Value {
	if s == "" {
		return Value{}
	}
	return Value{Kind: TextValue, Text: s}
}

// String is the amount with two to four decimals, the date as YYYY-MM-DD, the text, or nothing.
func (v Value) String() string {
	switch v.Kind {
	case AmountValue:
		return v.Amount.String()
	case DateValue:
		return v.Date.String()
	default:
		return v.Text
	}
}

// Number is a named number in the sentence of a finding, as printed.
type Number struct{ Name, Value string }

// Finding is a case, which is one code on one subject, as of the last run that evaluated it.
type Finding struct {
	Case        string // CaseID(Account, Subject, Code)
	Account     Account
	Code        string
	RuleVersion int
	Subject     string
	Severity    Severity
	State       State
	Expected    Value
	Actual      Value
	Impact      Opt[Amount] // absent when the rule has none; 0 when another case of the bracket is the root
	Exposure    bool        // impact is money late, blocked or uncertain rather than lost
	ExplainedBy string      // code of the root, empty when this is one
	Related     []string    // other cases of the subject, sorted
	BreakOn     Date        // of a pending case: the day on which it opens by itself
	FirstSeen   Date        // as-of
	OpenedOn    Date        // as-of; none while pending
	FirstRun    string
	LastRun     string
	// Day, Brand and Product place the case in periods and bridges: the sale date, or a slip's due date.
	Day          Date
	DueOn        Date // forecast or due date
	Brand        string
	Product      Product
	ContractLine string
	Calendar     string   // identity of the calendar a date rests on
	Hint         string   // over, under, short, "discount?"
	Numbers      []Number // of the sentence

	LastSeen    Date  // as-of of the last run that evaluated the rule on the subject
	ReturnState State // the state it returns to when its rule is no longer suppressed; empty unless it is in shadow, or was closed in shadow
	ClosedAs    Closing
	// Assignee, Reference and Comment were recorded by people.
	Assignee  string
	Reference string // of the dispute
	Comment   string // the last reason given
	// While it is waived: the last day, and the maximum amount at stake; no cap if the rule has no amount.
	WaivedUntil Date
	WaivedCap   Opt[Amount]
}

// CaseChange is a case as a run found it. With Event set the change is an event of the case's history.
type CaseChange struct {
	Finding
	Event bool
}

// Closing is how a closed case was closed; empty for any other case.
type Closing string

// The ways in which a case is closed. AgedOut: no run has evaluated it for AgesOut days. Regrouped: what it is about is expected in other
// groups since the configuration of a bank account changed.
const (
	ByPerson  Closing = "person"
	AgedOut   Closing = "aged_out"
	Regrouped Closing = "regrouped"
)

// AgesOut is the number of days after which a case that no run evaluates any more is closed.
const AgesOut = 400

// AtStake is the amount a case is about, without its sign: its impact; if there is none, or it is 0, the difference of
// its amounts; for a pending case, the expected amount. A case that is not about an amount has none.
func (f *Finding) AtStake() Opt[Amount] {
	if f.Impact.V != 0 {
		return Some(f.Impact.V.Abs())
	}
	if d := f.Difference(); d.OK {
		return Some(d.V.Abs())
	}
	if f.Expected.Kind == AmountValue {
		return Some(f.Expected.Amount.Abs())
	}
	return f.Impact
}

// Number returns the named figure of the sentence, or empty.
func (f *Finding) Number(name string) string {
	for _, n := range f.Numbers {
		if n.Name == name {
			return n.Value
		}
	}
	return ""
}

// SameNumbers reports whether severity, values and impact are equal.
func (f *Finding) SameNumbers(g *Finding) bool {
	return f.Severity == g.Severity && f.Expected == g.Expected && f.Actual == g.Actual && f.Impact == g.Impact &&
		f.ExplainedBy == g.ExplainedBy && f.BreakOn == g.BreakOn && f.Hint == g.Hint && slices.Equal(f.Numbers, g.Numbers)
}

// Difference is actual less expected, if both are amounts.
func (f *Finding) Difference() Opt[Amount] {
	if f.Expected.Kind != AmountValue || f.Actual.Kind != AmountValue {
		return Opt[Amount]{}
	}
	return Some(f.Actual.Amount - f.Expected.Amount)
}

// Verdict is the worst verdict that the case leaves to its account, and to the period it is in: breaks of an open error, and so
// on. It is reconciled of a case that counts in none: a person has taken it up, or it is informational, resolved, closed or in
// shadow.
func (f *Finding) Verdict() Verdict {
	switch {
	case f.State == Pending:
		return ReconciledWithPending
	case !f.State.CountsInVerdict():
		return Reconciled
	}
	switch f.Severity {
	case Critical:
		return Incomplete
	case Error:
		return Breaks
	case Warning:
		return ReconciledWithWarnings
	}
	return Reconciled
}

// Figure is a group of money at stake. Every unresolved root case with an impact belongs to exactly one.
type Figure string

// The figures. The first five cover all cases that cost the merchant something; FigureExcess is what came in excess and is
// never subtracted from them.
const (
	FigureLost    Figure = "lost"    // for good: a fee too high, a credit too low
	FigureLate    Figure = "late"    // may still come, and was due by now
	FigureAtRisk  Figure = "at_risk" // may still come, and is due later
	FigureClaimed Figure = "claimed" // disputed with the service
	FigureWaived  Figure = "waived"  // accepted for a time
	FigureExcess  Figure = "excess"
)

// Figure returns the figure that the impact of the case belongs to as of a day; empty if the case counts in none: it is
// resolved, closed or in shadow, another case explains it, it has no impact, or it is of a store's own sales. Package store has the
// same definition in SQL.
func (f *Finding) Figure(asOf Date) Figure {
	switch {
	case !f.State.IsUnresolved() || f.State == Shadow || f.ExplainedBy != "" || f.Impact.V == 0 || strings.HasPrefix(f.Code, OwnSaleCodes):
		return ""
	case f.Impact.V < 0:
		return FigureExcess
	case f.State == Disputed:
		return FigureClaimed
	case f.State == Waived:
		return FigureWaived
	case !f.Exposure:
		return FigureLost
	case f.DueOn <= asOf: // also if there is no due date
		return FigureLate
	}
	return FigureAtRisk
}

// Figures are the sums of the figures in whole cents: each case is rounded by itself, half away from zero, as in reports.
// None is negative.
type Figures struct {
	Lost, Late, AtRisk, Claimed, Waived, Excess Amount
}

// Missing is what the merchant should have received by now and has not: what is lost and what is late.
func (f Figures) Missing() Amount { return f.Lost + f.Late }

// Positive is the sum of all impacts that cost the merchant something.
func (f Figures) Positive() Amount { return f.Lost + f.Late + f.AtRisk + f.Claimed + f.Waived }

// IsZero reports whether all figures are 0.
func (f Figures) IsZero() bool { return f == Figures{} }

// AmountOf is the named figure; 0 for no figure.
func (f *Figures) AmountOf(name Figure) Amount {
	if a := f.amountFor(name); a != nil {
		return *a
	}
	return 0
}

// Add adds an impact, positive or negative, to the named figure; no figure leaves all as they are. A sum out of range is an
// error.
func (f *Figures) Add(name Figure, impact Amount) error {
	a := f.amountFor(name)
	if a == nil {
		return nil
	}
	sum, err := a.Add(impact.Rounded(HalfAwayFromZero).Abs())
	if err == nil {
		*a = sum
	}
	return err
}

// AddAll adds the figures of other cases.
func (f *Figures) AddAll(g Figures) error {
	for _, name := range FigureNames() {
		if err := f.Add(name, g.AmountOf(name)); err != nil {
			return err
		}
	}
	return nil
}

// FigureNames returns the figures in the order in which they are printed.
func FigureNames() []Figure {
	return []Figure{FigureLost, FigureLate, FigureAtRisk, FigureClaimed, FigureWaived, FigureExcess}
}

func (f *Figures) amountFor(name Figure) *Amount {
	switch name {
	case FigureLost:
		return &f.Lost
	case FigureLate:
		return &f.Late
	case FigureAtRisk:
		return &f.AtRisk
	case FigureClaimed:
		return &f.Claimed
	case FigureWaived:
		return &f.Waived
	case FigureExcess:
		return &f.Excess
	}
	return nil
}

// OwnSaleCodes is how the codes of the rules on stores' own sales begin, and no others. Their amounts are what two books of the
// merchant differ in, not what the service owes: they are in no figure.
const OwnSaleCodes = "SALE_"
