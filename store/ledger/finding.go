package ledger

import "slices"

// Value is what a finding expected or found: an amount, a date or a text. The zero Value is none.
type Value struct {
	Kind   ValueKind
	Amount Amount
	Date   Date
	Text   string
}

// ValueKind says which member of a Value holds it.
type ValueKind uint8

// The kinds of a Value.
const (
	NoValue ValueKind = iota
	AmountValue
	DateValue
	TextValue
)

// Money, Day and Text make values.
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

// Number is one figure of a finding's sentence, by name, as printed.
type Number struct{ Name, Value string }

// Finding is one code on one subject: a case, with what the last run that evaluated it saw.
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
	BreakOn     Date        // of a pending case: the day it opens by itself
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

	LastSeen Date  // as-of of the last run that evaluated the rule on the subject
	Held     State // the state it goes back to when its rule is believed again; empty unless it is, or was closed, in shadow
	ClosedAs Closing
	// What people left on the case.
	Assignee  string
	Reference string // of the dispute
	Comment   string // the last reason given
	// While it is waived: the last day, and the most that may be at stake; no cap where the rule knows no amount.
	WaivedUntil Date
	WaivedCap   Opt[Amount]
}

// Closing says how a closed case was closed; it is empty of any other.
type Closing string

// The ways a case is closed. AgedOut: no run has evaluated it for AgesOut days.
const (
	ByPerson Closing = "person"
	AgedOut  Closing = "aged_out"
)

// AgesOut is the number of days after which a case that nothing looks at any more is closed.
const AgesOut = 400

// AtStake is the amount a case is about, without its sign: its impact; where that is none or 0, the difference of its
// amounts; what is expected, of a pending case. A case about no amount has none.
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

// Number is the value of a figure of the sentence by its name, empty when there is none of that name.
func (f *Finding) Number(name string) string {
	for _, n := range f.Numbers {
		if n.Name == name {
			return n.Value
		}
	}
	return ""
}

// SameNumbers says whether two sightings of a case tell the same: severity, values and impact.
func (f *Finding) SameNumbers(g *Finding) bool {
	return f.Severity == g.Severity && f.Expected == g.Expected && f.Actual == g.Actual && f.Impact == g.Impact &&
		f.ExplainedBy == g.ExplainedBy && f.BreakOn == g.BreakOn && f.Hint == g.Hint && slices.Equal(f.Numbers, g.Numbers)
}

// Difference is actual less expected, where both are amounts.
func (f *Finding) Difference() Opt[Amount] {
	if f.Expected.Kind != AmountValue || f.Actual.Kind != AmountValue {
		return Opt[Amount]{}
	}
	return Some(f.Actual.Amount - f.Expected.Amount)
}
