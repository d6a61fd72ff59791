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

// Finding is a case, which is one code on one subject, as the last run that evaluated it saw it.
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

	LastSeen Date  // as-of of the last run that evaluated the rule on the subject
	Held     State // the state it returns to when its rule is believed again; empty unless it is in shadow, or was closed in shadow
	ClosedAs Closing
	// What people recorded on the case.
	Assignee  string
	Reference string // of the dispute
	Comment   string // the last reason given
	// While it is waived: the last day, and the most that may be at stake; no cap if the rule knows no amount.
	WaivedUntil Date
	WaivedCap   Opt[Amount]
}

// Closing is how a closed case was closed; empty for any other case.
type Closing string

// The ways in which a case is closed. AgedOut: no run has evaluated it for AgesOut days.
const (
	ByPerson Closing = "person"
	AgedOut  Closing = "aged_out"
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
	case !f.State.Counts():
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
